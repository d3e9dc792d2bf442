// SPDX-License-Identifier: GPL-2.0
/*
 * The file has a line for each setting, "NAME VALUE"; a line for each device.  Example:
 *
 *	enable 0
 *	sums 0
 *	module 4294974187
 *	devs 8:0
 *	session 7
 *
 * The last is the module's number of the session that the daemon began.  The module is told by the
 * number of its folder in sysfs: the kernel gives a number once, and loaded again it has another.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device.h"
#include "devs.h"
#include "dir.h"
#include "escape.h"
#include "file.h"
#include "msg.h"
#include "node.h"
#include "served.h"
#include "settings.h"
#include "status.h"

enum {
	STEP_MS = 50,
	/* the loop waits, too; it tries again when the interval ends */
	TAKE_MS = 1000,
	/* as lock.c */
	RESTORE_MS = 10000,
};

static const char *wanted = "";	/* names, each with a blank behind it; empty: all disks */
static struct device *disks;	/* those of them that are there, also what cannot be watched */
static bool own_disks;		/* none was chosen by somebody else */
static bool said_missing;	/* which of @wanted are not there yet */
static bool said_left;		/* that there are more disks than can be watched */

/* What had no room, and `devs` then.  As long as both are the same, it has none. */
static struct {
	struct devs_list list;
	char *devs;
} refused;

/*
 * Commands that switch on or off at the same time wait for each other: see session.c.  One that is
 * stopped (SIGSTOP) is not waited for.  Return: the file that is locked, or -errno.
 */
static int lock_enable(int patience_ms)
{
	int fd = dir_open("enable", O_RDWR), err = 0, waited;

	if (fd < 0)
		return -errno;
	for (waited = 0; flock(fd, LOCK_EX | LOCK_NB); waited += STEP_MS) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			err = -errno;
		else if (waited >= patience_ms)
			err = -ETIMEDOUT;
		if (err) {
			close(fd);
			return err;
		}
		poll(NULL, 0, STEP_MS);
	}
	return fd;
}

static void unlock_enable(int lock)
{
	flock(lock, LOCK_UN);
	close(lock);
}

/* Which module this is; 0: there is none. */
static unsigned long long module_number(void)
{
	struct stat st;

	return stat(SETTINGS_MODULE, &st) ? 0 : st.st_ino;
}

/* Whether what is kept was set in a module that is gone: it took that along. */
static bool is_of_another(const char *text)
{
	const char *line = strstr(text, "\nmodule ");
	unsigned long long now = module_number();

	return line && now && strtoull(line + strlen("\nmodule "), NULL, 10) != now;
}

/* True if a daemon before has set something in the module that is loaded, and not put it back. */
bool settings_kept(void)
{
	char *text = file_read(SETTINGS_FILE);
	bool kept = text && module_number() && !is_of_another(text);

	free(text);
	return kept;
}

/* The module was unloaded and loaded: what is set in this one was not looked at yet. */
static void forget_another(void)
{
	char *text = file_read(SETTINGS_FILE);

	if (text && is_of_another(text))
		unlink(SETTINGS_FILE);
	free(text);
}

static bool put_devices(FILE *f)
{
	char *text = dir_read("devs"), *line, *rest = NULL;

	for (line = text ? strtok_r(text, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest))
		fprintf(f, "devs %.*s\n", (int)strcspn(line, " "), line);
	free(text);
	return text;
}

/* Keep this, and the devices that are chosen now.  Return: 0 or -errno. */
static int keep_settings(const char *enable, const char *sums)
{
	FILE *f;
	bool good;

	mkdir(SETTINGS_FOLDER, 0755);
	f = file_create(SETTINGS_FILE ".new");
	if (!f)
		return -errno;
	fprintf(f, "enable %s\nsums %s\nmodule %llu\n", enable, sums, module_number());
	good = put_devices(f);
	good &= !fflush(f);
	good &= !fclose(f);
	if (good && !rename(SETTINGS_FILE ".new", SETTINGS_FILE))
		return 0;
	return errno ? -errno : -EIO;
}

/* Whether what is kept says that somebody else had switched ioblame on. */
static bool was_on(const char *text)
{
	return !strncmp(text, "enable 1\n", strlen("enable 1\n"));
}

/*
 * Keep what is set, unless a daemon that was killed has done so.  What is kept says that somebody
 * had switched ioblame on: where he has switched it off and put his devices back, that is now what
 * was set.  `sums` is the daemon's by now.  Return: 0 or -errno.
 */
static int save_settings(const char *enable, const char *sums)
{
	char *text = file_read(SETTINGS_FILE), *line;
	int err = 0;

	if (!text) {
		err = errno == ENOENT ? keep_settings(enable, sums) : -errno;
	} else if (was_on(text) && !strcmp(enable, "0")) {
		line = strstr(text, "\nsums ");
		err = keep_settings(enable, line && line[strlen("\nsums ")] == '1' ? "1" : "0");
	}
	free(text);
	return err;
}

/* Take the line of a session before away. */
static void cut_session(char *text)
{
	char *line = strstr(text, "\nsession ");

	if (line)
		line[1] = '\0';
}

/* Note which session is the daemon's own: without the number, any is taken for it. */
static void save_session(void)
{
	char *text = file_read(SETTINGS_FILE);
	struct status st;
	FILE *f;
	bool good;

	status_now(&st);
	f = text && st.session ? file_create(SETTINGS_FILE ".new") : NULL;
	if (f) {
		cut_session(text);
		fprintf(f, "%ssession %llu\n", text, (unsigned long long)st.session);
		good = !fflush(f);
		good &= !fclose(f);
		if (!good || rename(SETTINGS_FILE ".new", SETTINGS_FILE))
			unlink(SETTINGS_FILE ".new");
	}
	free(text);
}

static void say_left(unsigned int left)
{
	if (left && !said_left) {
		msg("more than %d disks cannot be watched: %u are not", DEVICES_MAX, left);
		said_left = true;
	}
}

/* For how many there was no room. */
static unsigned int count_left(const struct devs_list *list)
{
	unsigned int i, left = 0;

	for (i = 0; i < list->nr; i++)
		left += list->word[i].err == -ENOSPC;
	return left;
}

/* Which disks to watch where nobody has chosen any: it is kept as it is. */
void settings_disks(const char *names)
{
	wanted = names;
}

/* A name may be wrong: this is said once. */
static void say_missing(const char *name)
{
	char *safe = must(escape_dup(name, strlen(name)));

	msg("there is no disk %s of Disks= yet; it is watched when it comes", safe);
	free(safe);
}

static bool is_found(const struct device *d, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr && disks[i].dev != d->dev; i++)
		;
	return i < nr;
}

/* Find those that are there now.  Return: how many of @disks are set. */
static unsigned int find_disks(void)
{
	const char *at, *end;
	unsigned int nr = 0;
	struct device d;
	char *name;

	if (!*wanted)
		return device_every(&disks);
	node_pass_begin();
	for (at = wanted; *at; at = end + 1) {
		end = strchr(at, ' ');
		name = must(strndup(at, end - at));
		/* a disk may have two names */
		if (!device_lookup(name, &d)) {
			if (!said_missing)
				say_missing(name);
		} else if (!is_found(&d, nr)) {
			disks = must(realloc(disks, (nr + 1) * sizeof(*disks)));
			disks[nr++] = d;
		}
		free(name);
	}
	node_pass_end();
	said_missing = true;
	return nr;
}

/* Watch all disks, or those of the configuration, where none was chosen. */
static int set_devices(void)
{
	char *text = dir_read("devs");
	struct devs_list list = { };
	unsigned int i, nr, good;
	bool empty = text && !*text;

	free(text);
	if (!empty)
		return 0;
	nr = find_disks();
	for (i = 0; i < nr; i++)
		devs_add(&list, disks[i].number);
	good = devs_write(&list, false);
	say_left(count_left(&list));
	devs_free(&list);
	return good ? 0 : -ENODEV;
}

static int switch_on(const char *enable, const char *sums)
{
	int err = save_settings(enable, sums);

	if (!err && strcmp(sums, "1"))
		err = dir_write("sums", "1", 0);
	if (err || !strcmp(enable, "1"))
		return err;
	err = set_devices();
	if (!err)
		err = dir_write("enable", "1", 0);
	if (!err)
		save_session();
	return err;
}

/* Whether the daemon, or the one before, chose the disks itself. */
static bool chose_disks(void)
{
	char *text = file_read(SETTINGS_FILE);
	bool itself = text && served_chose_disks(text);

	free(text);
	return itself;
}

/**
 * settings_take - let ioblame be on, and keep sums
 *
 * dir_find() was called.  Settings that are as wanted stay; of the rest is kept what was.
 * Return: 0 or -errno: -ENOENT if the module has no sums, -ENODEV if there is no disk, -ETIMEDOUT
 * if another program is switching on or off, and does not come to its end.
 */
int settings_take(void)
{
	char *enable, *sums;
	int lock = lock_enable(TAKE_MS), err;

	if (lock < 0)
		return lock;
	forget_another();
	enable = dir_read_word("enable");
	sums = enable ? dir_read_word("sums") : NULL;
	err = sums ? switch_on(enable, sums) : -errno;
	unlock_enable(lock);
	free(enable);
	free(sums);
	own_disks = !err && chose_disks();
	return err;
}

/* Whether a disk is in the lines "MAJ:MIN NAME" of `devs`. */
static bool is_watched(const char *devs, const char *number)
{
	size_t n = strlen(number);
	const char *at;

	for (at = devs; (at = strstr(at, number)) != NULL; at += n) {
		if ((at == devs || at[-1] == '\n') && (at[n] == ' ' || at[n] == '\n'))
			return true;
	}
	return false;
}

/* Whether these disks, of which `devs` has none, were refused for want of room. */
static bool was_refused(const struct devs_list *list, const char *devs)
{
	unsigned int i;

	if (!refused.devs || list->nr != refused.list.nr || strcmp(devs, refused.devs))
		return false;
	for (i = 0; i < list->nr; i++) {
		if (strcmp(list->word[i].number, refused.list.word[i].number))
			return false;
	}
	return true;
}

/* Keep that for the next time: what is passed is kept itself. */
static void keep_refused(struct devs_list *list, char *devs)
{
	devs_free(&refused.list);
	free(refused.devs);
	refused.list = *list;
	refused.devs = devs;
}

/* Watch the disks of a list, too.  Return: false if there is no room for more than `devs` has. */
static bool add_disks(struct devs_list *list, unsigned int nr)
{
	unsigned int good = devs_write(list, true), left = count_left(list), i, at = 0;

	/* in the same order */
	for (i = 0; i < nr && at < list->nr; i++) {
		if (strcmp(disks[i].number, list->word[at].number))
			continue;
		if (!list->word[at++].err)
			msg("%s came; watching it, too", disks[i].name);
	}
	say_left(left);
	return good || !left;
}

/*
 * Watch the disks that came since, where nobody has chosen others.  A list that has no room is
 * written some ten times, until it is clear for which disk there is none: that is done again where
 * a disk or `devs` has changed only.
 */
void settings_add_disks(void)
{
	char *text = own_disks ? dir_read("devs") : NULL;
	struct devs_list list = { };
	unsigned int i, nr;

	if (!text)
		return;
	nr = find_disks();
	for (i = 0; i < nr; i++) {
		if (!is_watched(text, disks[i].number))
			devs_add(&list, disks[i].number);
	}
	if (was_refused(&list, text) || add_disks(&list, nr)) {
		devs_free(&list);
		free(text);
	} else {
		keep_refused(&list, text);
	}
}

/* The value of a line, if it is of this setting. */
static char *value_of(char *line, const char *name)
{
	size_t n = strlen(name);

	return strncmp(line, name, n) || line[n] != ' ' ? NULL : line + n + 1;
}

/* The session that the daemon began, or 0. */
static uint64_t own_session(const char *text)
{
	const char *line = strstr(text, "\nsession ");

	return line ? strtoull(line + strlen("\nsession "), NULL, 10) : 0;
}

static int put_back(char *text)
{
	char *line, *rest = NULL, *value, *sums = NULL;
	bool off = false, keep = status_taken_over(own_session(text));
	struct devs_list devices = { };
	int err = 0;

	if (keep)
		msg("ioblame was switched on again by somebody else; enable and devs stay");
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		value = value_of(line, "enable");
		if (value && strcmp(value, "1") && !keep) {
			off = true;
			err = dir_write("enable", "0", 0);
		}
		value = value_of(line, "sums");
		sums = value ? value : sums;
		value = value_of(line, "devs");
		if (value)
			devs_add(&devices, value);
	}
	if (off)
		devs_set(&devices);
	devs_free(&devices);
	if (sums && strcmp(sums, "1"))
		dir_write("sums", sums, 0);
	return err;
}

/**
 * settings_restore - put back what was set before settings_take()
 *
 * No file of sums may be open in this process.  Nothing is done where nothing was taken, and
 * where the module is gone, or another one is loaded: it took its settings along.
 * Return: 0 or -errno.
 */
int settings_restore(void)
{
	char *text = file_read(SETTINGS_FILE);
	int lock, err = 0;

	if (!text)
		return errno == ENOENT ? 0 : -errno;
	lock = lock_enable(RESTORE_MS);
	if (lock >= 0) {
		err = is_of_another(text) ? 0 : put_back(text);
		unlock_enable(lock);
	} else if (lock == -ETIMEDOUT || !access(SETTINGS_MODULE, F_OK)) {
		/* it is on still, though its files are not there: somebody can do it later */
		err = lock;
	}
	free(text);
	if (!err && unlink(SETTINGS_FILE))
		err = -errno;
	return err;
}
