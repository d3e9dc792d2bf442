// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device.h"
#include "dir.h"
#include "lock.h"
#include "msg.h"
#include "name.h"
#include "restore.h"
#include "session.h"
#include "status.h"
#include "stop.h"
#include "users.h"

/*
 * Locked from the look at other users until our log is open.  Of two commands that
 * begin together, one switches on, and the other finds it and reads along.
 */
static bool locked;

const char *const session_ages[] = { "W age 0 1 2 3 4 5 6 7 0", NULL };

/* Set the devices, switch on, and restore both at the end. */
static int switch_on(struct session *s, const char *const *counters)
{
	int ret = restore_begin(counters), err = 0;

	if (ret)
		return ret;
	if (counters)
		err = restore_set_counters(counters);
	if (!err)
		err = restore_set_devices(s->device, s->nr_devices);
	if (err)
		return dir_refused(err, counters ? "counters" : "devs");
	err = restore_switch_on();
	if (err)
		return dir_refused(err, "enable");
	s->own = true;
	return EXIT_OK;
}

/* The devices that are set in the module. */
static void read_devices(struct session *s)
{
	char *text = dir_read("devs"), *line, *rest = NULL;

	s->nr_devices = 0;
	for (line = text ? strtok_r(text, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest)) {
		line[strcspn(line, " ")] = '\0';
		if (s->nr_devices < DEVICES_MAX &&
		    device_lookup(line, &s->device[s->nr_devices]))
			s->nr_devices++;
	}
	free(text);
}

/* A device of the command line is on a disk that is watched. */
static bool is_watched(const struct session *s, const struct device *d)
{
	unsigned int i;

	for (i = 0; i < s->nr_devices; i++) {
		if (s->device[i].disk == d->disk)
			return true;
	}
	return false;
}

/*
 * Others say what is watched.  Arrays of md are wanted besides, not asked for: those that are not
 * watched are left out, and what adds them is said.
 */
static void say_left_out(const struct session *s, bool served)
{
	char *names, *words;
	struct device *all;
	unsigned int i, nr = device_arrays(&all);
	size_t size = nr * (sizeof(all->name) + 2) + 1, n = 0, k = 0;

	names = must(calloc(1, size));
	words = must(calloc(1, size));
	for (i = 0; i < nr; i++) {
		if (is_watched(s, &all[i]))
			continue;
		n += snprintf(names + n, size - n, "%s%s", n ? ", " : "", all[i].name);
		k += snprintf(words + k, size - k, " %s", served ? all[i].name : all[i].number);
	}
	if (n && served)
		msg("arrays of md that ioblamed does not watch are left out: %s; root adds them: ioblame config devices add%s",
		    names, words);
	else if (n)
		msg("arrays of md that are not watched are left out: %s; add them: echo%s >> %s/devs",
		    names, words, dir_path());
	free(words);
	free(names);
	free(all);
}

static int read_along(struct session *s, const struct device *want, unsigned int nr)
{
	struct users u;
	unsigned int i;

	users_find(&u);
	if (u.bin && u.text && !s->logless) {
		msg("both logs are in use, one by %s (pid %d), and a log has one reader; end that first",
		    u.comm, u.pid);
		return EXIT_FAILED;
	}
	s->text = u.bin && !s->logless;
	read_devices(s);
	if (u.pid)
		msg("ioblame is in use by %s (pid %d%s%s); reading along%s", u.comm, u.pid,
		    *u.file ? ", which reads " : "", u.file, s->text ? " by the text log" : "");
	else
		msg("ioblame was switched on already, and nobody reads it; reading along");
	for (i = 0; i < nr; i++) {
		if (is_watched(s, &want[i]))
			continue;
		msg("%s is not among what is watched; add it: echo %s >> %s/devs",
		    want[i].name, want[i].number, dir_path());
		return EXIT_FAILED;
	}
	if (s->arrays && !nr)
		say_left_out(s, false);
	return EXIT_OK;
}

/* A disk has its name also before, and without, a record of it. */
static void name_device(const struct device *d)
{
	const struct name_key key = { .kind = NAME_DISK, .dev = d->dev };

	name_put(&key, d->name);
}

/**
 * session_served - ioblamed reads the log, and nothing is to be set or restored
 * @s:	  the session; only .arrays is looked at
 * @head: of what it sends; its devices become those of the session
 * @want: devices of the command line
 * @nr:   number of them
 *
 * Return: false after printing that a device is not watched.
 */
bool session_served(struct session *s, struct store_head *head, const struct device *want,
		    unsigned int nr)
{
	bool arrays = s->arrays;
	char number[32];
	unsigned int i;

	memset(s, 0, sizeof(*s));
	s->arrays = arrays;
	for (i = 0; i < head->nr_devices && s->nr_devices < DEVICES_MAX; i++) {
		snprintf(number, sizeof(number), "%u:%u", head->device[i].dev >> 20,
			 head->device[i].dev & 0xfffff);
		if (device_lookup(number, &s->device[s->nr_devices]))
			name_device(&s->device[s->nr_devices++]);
	}
	store_free_head(head);
	for (i = 0; i < nr; i++) {
		if (is_watched(s, &want[i]))
			continue;
		msg("%s is not among what ioblamed watches; root adds it: ioblame config devices add %s",
		    want[i].name, want[i].name);
		return false;
	}
	if (s->arrays && !nr)
		say_left_out(s, true);
	return true;
}

/* -D is of one device, and few: where there are so many, a list that is set has more of them */
#define CHOOSE	"choose some: ioblame config devices only DEVICE..., or -D DEVICE"

/* All disks; it is said if they are more than can be watched. */
static unsigned int choose_all(struct session *s)
{
	struct device *all = NULL;
	unsigned int nr = device_every(&all), watched = nr < DEVICES_MAX ? nr : DEVICES_MAX;

	if (nr > watched)
		msg("more than %d disks cannot be watched: %u are not; " CHOOSE,
		    DEVICES_MAX, nr - watched);
	memcpy(s->device, all, watched * sizeof(*all));
	free(all);
	return watched;
}

/* Arrays of md, beside the disks that are chosen; it is said if there is no room for all. */
static void add_arrays(struct session *s)
{
	struct device *all;
	unsigned int i, nr = device_arrays(&all), without = 0;

	for (i = 0; i < nr; i++) {
		if (is_watched(s, &all[i]))
			continue;
		if (s->nr_devices < DEVICES_MAX)
			s->device[s->nr_devices++] = all[i];
		else
			without++;
	}
	if (without)
		msg("more than %d devices cannot be watched: %u arrays of md are not; " CHOOSE,
		    DEVICES_MAX, without);
	free(all);
}

/* Choose the devices: of the command line, else those that are set, else all disks. */
static bool choose_devices(struct session *s, const struct device *want, unsigned int nr)
{
	if (nr) {
		memcpy(s->device, want, nr * sizeof(*want));
		s->nr_devices = nr;
		return true;
	}
	read_devices(s);
	if (!s->nr_devices)
		s->nr_devices = choose_all(s);
	if (s->arrays)
		add_arrays(s);
	if (!s->nr_devices)
		msg("there is no disk to watch; name one: -D DEVICE");
	return s->nr_devices;
}

/**
 * session_lock - let other commands wait in session_begin() until session_ready()
 *
 * Return: EXIT_OK, or the exit status after printing the error.
 */
int session_lock(void)
{
	int err = locked ? 0 : lock_take(stop_asked);

	if (err == -EINTR) {
		msg("stopped while another command switches ioblame on or off");
		return EXIT_FAILED;
	}
	if (err)
		return dir_refused(-err, "enable");
	locked = true;
	return EXIT_OK;
}

/**
 * session_begin - switch ioblame on, or read along if it is on
 * @s:    the session; only .logless and .arrays are looked at
 * @want: devices of the command line
 * @nr:   number of them; 0: those that are set, or all disks
 * @counters: counters to set, the last is NULL; NULL: those that are set
 *
 * Other commands wait in session_begin() until session_ready().
 * Return: EXIT_OK, or the exit status after printing the error.
 */
int session_begin(struct session *s, const struct device *want, unsigned int nr,
		  const char *const *counters)
{
	bool logless = s->logless, arrays = s->arrays;
	char *enable;
	int ret;

	memset(s, 0, sizeof(*s));
	s->logless = logless;
	s->arrays = arrays;
	ret = dir_find();
	if (!ret)
		ret = session_lock();
	if (ret)
		return ret;
	enable = dir_read_word("enable");
	if (!enable)
		ret = dir_refused(errno, "enable");
	else if (!strcmp(enable, "1"))
		ret = read_along(s, want, nr);
	else
		ret = choose_devices(s, want, nr) ? switch_on(s, counters) : EXIT_FAILED;
	free(enable);
	return ret;
}

/* Our log is open: other commands that begin find it. */
void session_ready(void)
{
	if (locked)
		lock_drop();
	locked = false;
}

/* Note the totals and losses from which this run counts. */
void session_status(struct session *s)
{
	s->status_text = status_read();
	if (s->status_text)
		status_parse(&s->before, s->status_text);
	/* our own session began at 0: count what came before the log was open */
	if (s->own) {
		s->before.ios = 0;
		memset(s->before.bytes, 0, sizeof(s->before.bytes));
		s->before.nr_losses = 0;
	}
}

/**
 * session_off - switch off, if this run switched on, and put devices and counters back
 * @s: the session
 *
 * The records that are left can be read.
 */
void session_off(struct session *s)
{
	session_off_reading(s, NULL, NULL);
}

/* The same; @read(@arg) reads what the counters have, before they are put back. */
void session_off_reading(struct session *s, void (*read)(void *arg), void *arg)
{
	if (s->own)
		restore_switch_off(read, arg);
}

/* Restore all settings that are not restored yet.  No file of the module may be open. */
void session_end(struct session *s)
{
	restore_end();
	session_ready();
	free(s->status_text);
	s->status_text = NULL;
}
