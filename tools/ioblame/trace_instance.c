// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "dir.h"
#include "file.h"
#include "msg.h"
#include "restore.h"
#include "text.h"
#include "trace_instance.h"

#define USUAL	"/sys/kernel/tracing"
#define PREFIX	"ioblame-"

enum {
	/* of all CPUs together, and of one at most */
	BUFFERS_KB = 128 << 10,
	BUFFER_KB = 4 << 10,
	TOP = 280,
	PATH = 640,
};

/* Instances that this process has made and not removed */
static unsigned int nr_made;

/* Where tracefs is mounted. */
static bool find_tracefs(char *to)
{
	char path[TOP + 20];

	snprintf(to, TOP, USUAL);
	if (access(USUAL "/instances", F_OK) == 0)
		return true;
	snprintf(path, sizeof(path), "%s/tracing/instances", dir_debugfs());
	if (*dir_debugfs() && access(path, F_OK) == 0) {
		snprintf(to, TOP, "%s/tracing", dir_debugfs());
		return true;
	}
	return false;
}

static void path_of(char *to, const char *top, const char *name)
{
	snprintf(to, PATH, "%s/instances/%.255s", top, name);
}

/* The process whose instance has this name, or 0. */
static pid_t owner_of(const char *name)
{
	char digits[12];
	size_t len;
	uint64_t pid;

	if (strncmp(name, PREFIX, strlen(PREFIX)))
		return 0;
	name += strlen(PREFIX);
	len = strspn(name, "0123456789");
	if (!len || len >= sizeof(digits) || (name[len] && name[len] != '-'))
		return 0;
	memcpy(digits, name, len);
	digits[len] = '\0';
	return text_parse_u64(digits, &pid) && pid < INT32_MAX ? pid : 0;
}

/*
 * Remove an instance.  A command that was killed closes its files one by one: its keeper, which
 * knows by the first of them, waits for the others.
 */
static void remove_one(const char *path, bool wait)
{
	const struct timespec pause = { .tv_nsec = 10 * 1000 * 1000 };
	int tries = wait ? 3000 : 1;

	while (rmdir(path) && errno == EBUSY && --tries > 0)
		nanosleep(&pause, NULL);
}

/* Remove the instances of a process, or with 0 those of commands that are gone. */
static void remove_some(const char *top, pid_t of)
{
	char path[PATH];
	struct dirent *e;
	pid_t pid;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/instances", top);
	dir = opendir(path);
	while (dir && (e = readdir(dir)) != NULL) {
		pid = owner_of(e->d_name);
		if (!pid || (of ? pid != of : !kill(pid, 0) || errno != ESRCH))
			continue;
		path_of(path, top, e->d_name);
		remove_one(path, of != 0);
	}
	if (dir)
		closedir(dir);
}

/* Remove the instances of a command that is gone; nothing if there are none. */
void trace_instance_remove_of(pid_t pid)
{
	char top[TOP];

	if (find_tracefs(top))
		remove_some(top, pid);
}

/* Buffers that lose the newest when they are full, and count that; the clock of the records */
static int set_up(const struct trace_instance *t)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	char size[24];
	int err;

	snprintf(size, sizeof(size), "%ld", BUFFERS_KB / (cpus > 0 ? cpus : 1) < BUFFER_KB ?
		 BUFFERS_KB / (cpus > 0 ? cpus : 1) : BUFFER_KB);
	trace_instance_put(t, "buffer_size_kb", size);
	trace_instance_put(t, "options/overwrite", "0");
	err = trace_instance_put(t, "trace_clock", "mono");
	if (err)
		msg("the kernel has no clock \"mono\" for traces: %s", strerror(err));
	return err ? EXIT_FAILED : EXIT_OK;
}

/*
 * Make the instance's folder, in a process of its own.  A task that is killed meanwhile gets no
 * memory for its buffers, and the kernel gives a WARNING for each CPU.  No signal reaches this
 * process unless it is meant for it.  It has the keeper's pipe open, too: the keeper removes the
 * folder when both are gone.  Return: 0 or an errno.
 */
static int make_apart(const char *folder)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };
	int status = 0;
	size_t i;
	pid_t pid = fork();

	if (!pid) {
		for (i = 0; i < ARRAY_SIZE(ignored); i++)
			signal(ignored[i], SIG_IGN);
		setsid();
		_exit(mkdir(folder, 0700) ? errno : 0);
	}
	if (pid < 0)
		return errno;
	while (waitpid(pid, &status, 0) < 0)
		/* (whoever started the command may have SIGCHLD ignored) */
		if (errno != EINTR)
			return access(folder, F_OK) ? errno : 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

/**
 * trace_instance_make - make an instance, in which no event is switched on
 * @t:      filled in
 * @suffix: the end of its name, "" or "-drv"
 *
 * Return: EXIT_OK, or the exit status after printing the error.
 */
int trace_instance_make(struct trace_instance *t, const char *suffix)
{
	char top[TOP];
	int err;

	t->folder[0] = '\0';
	err = restore_instances();
	if (err)
		return err;
	if (!find_tracefs(top) &&
	    mount("tracefs", USUAL, "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL)) {
		msg("tracefs cannot be mounted (%s); by hand: mount -t tracefs tracefs " USUAL,
		    strerror(errno));
		return EXIT_FAILED;
	}
	remove_some(top, 0);
	snprintf(t->folder, sizeof(t->folder), "%.240s/instances/" PREFIX "%d%.8s", top, getpid(),
		 suffix);
	err = make_apart(t->folder);
	if (!err) {
		nr_made++;
		err = set_up(t);
		if (err)
			trace_instance_remove(t);
		return err;
	}
	t->folder[0] = '\0';
	msg("the kernel gives no trace buffer: %s", strerror(err));
	return err == EPERM || err == EACCES ? EXIT_REFUSED : EXIT_FAILED;
}

static int open_file(const struct trace_instance *t, const char *name, int flags)
{
	char path[PATH];

	snprintf(path, sizeof(path), "%s/%.300s", t->folder, name);
	return open(path, flags | O_CLOEXEC);
}

/* Open a file of the instance, to read what is there without waiting.  Return: as open(2). */
int trace_instance_open(const struct trace_instance *t, const char *name)
{
	return open_file(t, name, O_RDONLY | O_NONBLOCK);
}

/* Write a file of the instance.  Return: 0 or an errno. */
int trace_instance_put(const struct trace_instance *t, const char *name, const char *text)
{
	int fd = open_file(t, name, O_WRONLY);
	int err = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) < 0)
		err = errno;
	close(fd);
	return err;
}

/* What a file of the instance says, to be freed; NULL if it cannot be read. */
char *trace_instance_get(const struct trace_instance *t, const char *name)
{
	char path[PATH];

	snprintf(path, sizeof(path), "%s/%.300s", t->folder, name);
	return file_read(path);
}

static uint64_t number_after(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

/* How many events had no room in the buffers. */
uint64_t trace_instance_lost(const struct trace_instance *t)
{
	char name[64], *text;
	uint64_t lost = 0;
	unsigned int cpu;

	for (cpu = 0; *t->folder; cpu++) {
		snprintf(name, sizeof(name), "per_cpu/cpu%u/stats", cpu);
		text = trace_instance_get(t, name);
		if (!text)
			break;
		lost += number_after(text, "\noverrun: ") + number_after(text, "dropped events: ");
		free(text);
	}
	return lost;
}

/* Remove the instance.  All of its files are closed. */
void trace_instance_remove(struct trace_instance *t)
{
	if (*t->folder && rmdir(t->folder))
		msg("cannot remove %s: %s", t->folder, strerror(errno));
	else if (*t->folder)
		nr_made--;
	t->folder[0] = '\0';
}

/* This process has an instance. */
bool trace_instance_is_left(void)
{
	return nr_made;
}
