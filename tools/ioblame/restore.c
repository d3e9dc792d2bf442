// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "devs.h"
#include "dir.h"
#include "lock.h"
#include "msg.h"
#include "restore.h"
#include "status.h"
#include "trace_instance.h"
#include "users.h"

enum {
	COUNTERS_MAX = 256,
	SUMS_WAIT = 60,		/* seconds between two looks for who reads sums, at most */
};

/* The settings as they were; the flags say which are changed now */
static struct {
	bool on;			/* this process switched ioblame on */
	uint64_t session;		/* the number of its session; 0: not known */
	bool devs_changed, counters_changed, sums_changed;
	char *devs;			/* lines "MAJ:MIN NAME" */
	unsigned int nr_counters;
	char *counter[COUNTERS_MAX], *filter[COUNTERS_MAX];
} saved;

/* What the keeper is told: the bits of what is left to do */
enum {
	DONE = 0,
	SUMS_LEFT = 1,
	INSTANCES_LEFT = 2,
};

static int keeper_fd = -1;
static int closing_fd = -1;	/* in a keeper, until it has closed what the command had open */
static int session_fd = -1;	/* in a keeper: its name says whose settings it has */
static pid_t keeper, owner;

/* (a disk may be gone) */
static void restore_devices(void)
{
	struct devs_list list = { };
	char *line, *rest;

	for (line = strtok_r(saved.devs, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest))
		devs_add(&list, line);
	devs_set(&list);
	devs_free(&list);
}

static void restore_counters(void)
{
	char name[64], text[16];
	unsigned int i;

	snprintf(text, sizeof(text), "%u", saved.nr_counters);
	dir_write("nr_counters", text, 0);
	for (i = 0; i < saved.nr_counters; i++) {
		snprintf(name, sizeof(name), "counters/%u", i);
		if (saved.counter[i])
			dir_write(name, saved.counter[i], 0);
		snprintf(name, sizeof(name), "counters/%u_filter", i);
		if (saved.filter[i] && strcmp(saved.filter[i], "0"))
			dir_write(name, saved.filter[i], 0);
	}
}

/* Put devices and counters back. */
static void restore_settings(void)
{
	if ((saved.counters_changed || saved.devs_changed) && status_taken_over(saved.session)) {
		msg("ioblame was switched on again by somebody else; devs and counters stay as they are");
		saved.counters_changed = false;
		saved.devs_changed = false;
	}
	if (saved.counters_changed)
		restore_counters();
	saved.counters_changed = false;
	if (saved.devs_changed)
		restore_devices();
	saved.devs_changed = false;
}

/* restore_switch_off(), without the keeper; the caller has the lock, unless it waited in vain */
static void switch_off(void (*read)(void *arg), void *arg)
{
	if (!saved.on)
		return;
	if (!status_taken_over(saved.session))
		dir_write("enable", "0", 0);
	saved.on = false;
	if (read)
		read(arg);
	restore_settings();
}

/*
 * Acts have no more sums, unless somebody else reads them: then it is tried again later.  The
 * caller has the lock, as above.
 */
static void restore_sums(void)
{
	struct users u;

	users_find(&u);
	if (u.sums)
		return;
	dir_write("sums", "0", 0);
	saved.sums_changed = false;
}

static void restore_all(void)
{
	bool locked = !lock_take(NULL);

	switch_off(NULL, NULL);
	/* it was not switched on */
	restore_settings();
	if (saved.sums_changed)
		restore_sums();
	if (locked)
		lock_drop();
}

/* Close what is open from @first on, in the keeper. */
static void close_files(int first)
{
	struct dirent *e;
	DIR *dir = opendir("/proc/self/fd");
	int fd;

	while (dir && (e = readdir(dir)) != NULL) {
		fd = atoi(e->d_name);
		if (fd >= first && fd != dirfd(dir) && fd != keeper_fd && fd != closing_fd &&
		    fd != session_fd && fd != lock_file())
			close(fd);
	}
	if (dir)
		closedir(dir);
	close(closing_fd);
}

/*
 * Wait until nobody reads sums.  Who does may be ioblamed, which runs for months, and to look at
 * all files of all processes takes its time: each wait is an eighth of all those before it.
 */
static void wait_for_sums(void)
{
	unsigned int waited, wait = 0;
	bool locked;

	for (waited = 0; saved.sums_changed; waited += wait) {
		locked = !lock_take(NULL);
		restore_sums();
		if (locked)
			lock_drop();
		wait = waited / 8 < SUMS_WAIT ? 1 + waited / 8 : SUMS_WAIT;
		if (saved.sums_changed)
			sleep(wait);
	}
}

/* Let others see which session it is whose end this waits for: users.c looks for it. */
static void show_session(void)
{
	char name[sizeof(KEEPER_SESSION) + 20];

	snprintf(name, sizeof(name), KEEPER_SESSION "%llu", (unsigned long long)saved.session);
	session_fd = memfd_create(name, MFD_CLOEXEC);
}

/* The keeper: it waits at the pipe. */
static void keep(pid_t command)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };
	char byte = 0;
	size_t i;
	int null;

	owner = 0;
	lock_inherit();
	for (i = 0; i < ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
	prctl(PR_SET_NAME, KEEPER);
	setsid();
	if (chdir("/"))
		_exit(1);
	null = open("/dev/null", O_RDWR);
	for (i = 0; i < 3; i++)
		dup2(null, i);
	/* who puts neither enable nor devs back has no file of the module open: see users.c */
	if (!saved.on && !saved.devs_changed && !saved.counters_changed)
		lock_close();
	if (saved.session)
		show_session();
	close_files(3);
	if (read(keeper_fd, &byte, 1) != 1) {
		restore_all();
		byte = SUMS_LEFT | INSTANCES_LEFT;
	}
	/* the module can be unloaded while this waits */
	lock_close();
	if (byte & INSTANCES_LEFT)
		trace_instance_remove_of(command);
	if (byte & SUMS_LEFT)
		wait_for_sums();
	_exit(0);
}

/*
 * Start the keeper, a process that waits for the end of this one.  It gets a byte
 * when the settings are restored; if the pipe ends without one, it restores them.
 * SUMS_LEFT says that sums are left, and it waits until nobody reads them.  INSTANCES_LEFT says
 * that instances of tracefs are left, whose files are closed when this process ends.
 * Return: 0 or an errno.
 */
static int start_keeper(void)
{
	pid_t command = getpid(), pid;
	int fd[2], closing[2], err;
	char byte;

	if (pipe2(fd, O_CLOEXEC))
		return errno;
	if (pipe2(closing, O_CLOEXEC)) {
		err = errno;
		close(fd[0]);
		close(fd[1]);
		return err;
	}
	pid = fork();
	if (!pid) {
		keeper_fd = fd[0];
		closing_fd = closing[1];
		keep(command);
	}
	err = pid < 0 ? errno : 0;
	close(fd[0]);
	close(closing[1]);
	/* its copies of the module's files, and of a trace's, would be in the way of removals */
	while (!err && read(closing[0], &byte, 1) < 0 && errno == EINTR)
		;
	close(closing[0]);
	if (err) {
		close(fd[1]);
		return err;
	}
	keeper = pid;
	keeper_fd = fd[1];
	return 0;
}

/* @fd: its pipe, or -1 if there is none */
static void end_one(pid_t pid, int fd, char byte)
{
	if (fd < 0)
		return;
	if (write(fd, &byte, 1) != 1)
		kill(pid, SIGKILL);
	close(fd);
	if (byte == DONE)
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
}

/* End the keeper, or let it do what is left. */
static void end_keeper(void)
{
	char byte = DONE;

	if (saved.sums_changed)
		byte |= SUMS_LEFT;
	if (trace_instance_is_left())
		byte |= INSTANCES_LEFT;
	end_one(keeper, keeper_fd, byte);
	keeper_fd = -1;
}

static void restore_at_exit(void)
{
	if (owner != getpid())
		return;
	restore_all();
	end_keeper();
}

/* Note the counters and their filters. */
static void save_counters(void)
{
	char name[64], *text = dir_read_word("nr_counters");
	unsigned int i;

	saved.nr_counters = text ? strtoul(text, NULL, 10) : 0;
	free(text);
	if (saved.nr_counters > COUNTERS_MAX)
		saved.nr_counters = COUNTERS_MAX;
	for (i = 0; i < saved.nr_counters; i++) {
		snprintf(name, sizeof(name), "counters/%u", i);
		saved.counter[i] = dir_read_word(name);
		snprintf(name, sizeof(name), "counters/%u_filter", i);
		saved.filter[i] = dir_read_word(name);
	}
}

/*
 * Let the keeper know what is changed by now: a new one takes the place of the one before.
 * Return: EXIT_OK, or the exit status after printing the error; then nothing may be changed.
 */
static int keep_settings(void)
{
	pid_t before = keeper;
	int before_fd = keeper_fd, err = start_keeper();

	if (err) {
		msg("cannot start the process that restores the settings: %s", strerror(err));
		return EXIT_FAILED;
	}
	end_one(before, before_fd, DONE);
	if (!owner)
		atexit(restore_at_exit);
	owner = getpid();
	return EXIT_OK;
}

/**
 * restore_instances - have the instances of tracefs removed, whatever happens
 *
 * A command that changes no setting, as it reads along, has no keeper until it calls this.
 * Return: EXIT_OK, or the exit status after printing the error.
 */
int restore_instances(void)
{
	return keeper_fd >= 0 ? EXIT_OK : keep_settings();
}

/**
 * restore_begin - note the settings, and restore them whatever happens
 * @counters: counters will be changed, too
 *
 * Return: EXIT_OK, or the exit status after printing the error; then nothing may be changed.
 */
int restore_begin(bool counters)
{
	struct status st;
	int ret;

	saved.devs = dir_read("devs");
	if (!saved.devs)
		return dir_refused(errno, "devs");
	if (counters)
		save_counters();
	/* the keeper restores all: it does not know what was changed, nor which session begins */
	saved.on = true;
	status_now(&st);
	saved.session = st.session + 1;
	saved.devs_changed = true;
	saved.counters_changed = counters;
	ret = keep_settings();
	saved.on = false;
	saved.session = 0;
	saved.devs_changed = false;
	saved.counters_changed = false;
	return ret;
}

/**
 * restore_set_devices - let the module watch devices and no others; the list as it was is restored
 * @device: the devices
 * @nr:     how many
 *
 * Return: 0 or an errno: not all are watched.
 */
int restore_set_devices(const struct device *device, unsigned int nr)
{
	struct devs_list list = { };
	unsigned int i;
	int err = 0;

	for (i = 0; i < nr && !err; i++)
		err = devs_add(&list, device[i].number) ? 0 : -ENOMEM;
	saved.devs_changed = true;
	if (!err && devs_write(&list, false) < nr) {
		for (i = 0; i < nr && !err; i++)
			err = list.word[i].err;
	}
	devs_free(&list);
	return -err;
}

/**
 * restore_set_counters - set the counters; those that were will be restored
 * @specs: what each counts; the last is NULL
 *
 * Return: 0 or an errno.
 */
int restore_set_counters(const char *const *specs)
{
	char name[32];
	int i, err;

	saved.counters_changed = true;
	for (i = 0; specs[i]; i++)
		;
	snprintf(name, sizeof(name), "%d", i);
	err = dir_write("nr_counters", name, 0);
	for (i = 0; specs[i] && !err; i++) {
		snprintf(name, sizeof(name), "counters/%d", i);
		err = dir_write(name, specs[i], 0);
		/* a filter may be there from before */
		snprintf(name, sizeof(name), "counters/%d_filter", i);
		if (!err)
			err = dir_write(name, "0", 0);
	}
	return -err;
}

/*
 * Let acts have sums; they will have none again if they had none.  Before restore_begin().
 * Return: EXIT_OK, or the exit status after printing the error.
 */
int restore_set_sums(void)
{
	char *text = dir_read_word("sums");
	bool on = text && !strcmp(text, "1");
	int err = errno, ret;

	free(text);
	if (!text && err == ENOENT) {
		msg("the module that is loaded has no sums: load the one of this version");
		return EXIT_FAILED;
	}
	if (!text)
		return dir_refused(err, "sums");
	if (on)
		return EXIT_OK;
	saved.sums_changed = true;
	ret = keep_settings();
	if (ret) {
		saved.sums_changed = false;
		return ret;
	}
	err = -dir_write("sums", "1", 0);
	return err ? dir_refused(err, "sums") : EXIT_OK;
}

/* Switch ioblame on until restore_switch_off().  Return: 0 or an errno. */
int restore_switch_on(void)
{
	int err = -dir_write("enable", "1", 0);
	struct status st;

	saved.on = !err;
	if (err)
		return err;
	status_now(&st);
	saved.session = st.session;
	return 0;
}

/**
 * restore_switch_off - switch ioblame off and put devices and counters back
 * @read: NULL, or reads what the counters have
 * @arg:  passed to @read
 *
 * Nothing happens if restore_switch_on() did not switch it on.  The lock is held over all of it:
 * who switches on next finds the settings as they were.
 */
void restore_switch_off(void (*read)(void *arg), void *arg)
{
	bool on = saved.on, locked = on && !lock_take(NULL), left;

	switch_off(read, arg);
	/*
	 * The keeper has a picture of the settings as they were.  They are back, and what somebody
	 * else sets from now on is not to be undone: it ends, or one that knows what is left takes
	 * its place.
	 */
	left = saved.sums_changed || trace_instance_is_left();
	if (on && !left)
		end_keeper();
	if (locked)
		lock_drop();
	/* (one that is made under the lock keeps a file of the module open) */
	if (on && left)
		keep_settings();
}

/* Restore all settings that were changed, and end the keeper. */
void restore_end(void)
{
	restore_all();
	end_keeper();
}
