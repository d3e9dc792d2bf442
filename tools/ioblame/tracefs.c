// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dir.h"
#include "file.h"
#include "msg.h"
#include "text.h"
#include "tracefs.h"

#define USUAL	"/sys/kernel/tracing"
#define PREFIX	"ioblame-"

enum {
	/* of all CPUs together, and of one at most */
	BUFFERS_KB = 128 << 10,
	BUFFER_KB = 4 << 10,
	CPUS_MAX = 4096,
};

/* Where tracefs is mounted. */
static bool find_tracefs(char *to, size_t size)
{
	char path[300];

	snprintf(to, size, USUAL);
	if (access(USUAL "/instances", F_OK) == 0)
		return true;
	snprintf(path, sizeof(path), "%s/tracing/instances", dir_debugfs());
	if (*dir_debugfs() && access(path, F_OK) == 0) {
		snprintf(to, size, "%s/tracing", dir_debugfs());
		return true;
	}
	return false;
}

static char *path_in(const struct tracefs *t, const char *name, char *to, size_t size)
{
	snprintf(to, size, "%s/%s", t->folder, name);
	return to;
}

/* Write a file of the instance.  Return: 0 or an errno. */
static int put(const struct tracefs *t, const char *name, const char *text)
{
	char path[400];
	int fd = open(path_in(t, name, path, sizeof(path)), O_WRONLY | O_CLOEXEC);
	int err = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) < 0)
		err = errno;
	close(fd);
	return err;
}

static char *get(const struct tracefs *t, const char *name)
{
	char path[400];

	return file_read(path_in(t, name, path, sizeof(path)));
}

/* Remove the instance of a command that is gone; nothing if there is none. */
void tracefs_remove(pid_t pid)
{
	char top[280], path[340];

	if (!find_tracefs(top, sizeof(top)))
		return;
	snprintf(path, sizeof(path), "%s/instances/" PREFIX "%d", top, pid);
	rmdir(path);
}

/* Those of commands that were killed together with their keepers. */
static void remove_old_instances(const char *top)
{
	char path[340];
	struct dirent *e;
	uint64_t pid;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/instances", top);
	dir = opendir(path);
	while (dir && (e = readdir(dir)) != NULL) {
		if (!strncmp(e->d_name, PREFIX, strlen(PREFIX)) &&
		    text_parse_u64(e->d_name + strlen(PREFIX), &pid) && pid < INT32_MAX &&
		    kill(pid, 0) && errno == ESRCH)
			tracefs_remove(pid);
	}
	if (dir)
		closedir(dir);
}

static int make_instance(struct tracefs *t)
{
	char top[280], size[16];
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int err;

	if (!find_tracefs(top, sizeof(top)) &&
	    mount("tracefs", USUAL, "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL)) {
		msg("tracefs cannot be mounted (%s); by hand: mount -t tracefs tracefs " USUAL,
		    strerror(errno));
		return EXIT_FAILED;
	}
	remove_old_instances(top);
	snprintf(t->folder, sizeof(t->folder), "%s/instances/" PREFIX "%d", top, getpid());
	if (mkdir(t->folder, 0700)) {
		err = errno;
		t->folder[0] = '\0';
		msg("the kernel gives no trace buffer: %s", strerror(err));
		return err == EPERM || err == EACCES ? EXIT_REFUSED : EXIT_FAILED;
	}
	snprintf(size, sizeof(size), "%ld", BUFFERS_KB / (cpus > 0 ? cpus : 1) < BUFFER_KB ?
		 BUFFERS_KB / (cpus > 0 ? cpus : 1) : BUFFER_KB);
	put(t, "buffer_size_kb", size);
	/* a full buffer keeps what it has, and counts */
	put(t, "options/overwrite", "0");
	/* the clock of the module's records */
	err = put(t, "trace_clock", "mono");
	if (err)
		msg("the kernel has no clock \"mono\" for traces: %s", strerror(err));
	return err ? EXIT_FAILED : EXIT_OK;
}

static int read_formats(struct tracefs *t, uint32_t kinds)
{
	char name[80], *text = get(t, "events/header_page");
	unsigned int i, nr = 0;
	bool good = text && ring_parse_format(&t->ring, text);

	free(text);
	for (i = 0; good && i < NR_BLKEVENTS; i++) {
		if (!(kinds & 1U << i))
			continue;
		snprintf(name, sizeof(name), "events/block/%s/format", blkevent_names[i]);
		text = get(t, name);
		/* a kernel has no event of what it does not do any more */
		if (text && blkevent_parse_format(&t->format[i], text))
			nr++;
		free(text);
	}
	if (nr)
		return EXIT_OK;
	msg("the kernel's block events cannot be read: %s/events/block", t->folder);
	return EXIT_FAILED;
}

static int open_cpus(struct tracefs *t)
{
	char path[400];
	unsigned int i;
	int fd;

	t->fd = must(calloc(CPUS_MAX, sizeof(*t->fd)));
	t->page = must(malloc(t->ring.page));
	for (i = 0; i < CPUS_MAX; i++) {
		snprintf(path, sizeof(path), "%s/per_cpu/cpu%u/trace_pipe_raw", t->folder, i);
		fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0 && errno == ENOENT)
			break;
		t->fd[t->nr_cpus++] = fd;
	}
	return t->nr_cpus ? EXIT_OK : EXIT_FAILED;
}

/**
 * tracefs_open - begin to trace block events
 * @t:     the trace
 * @kinds: a bit for each enum blkevent_kind
 *
 * Return: EXIT_OK, or the exit status after printing the error.
 */
int tracefs_open(struct tracefs *t, uint32_t kinds)
{
	char name[80];
	unsigned int i;
	int ret;

	memset(t, 0, sizeof(*t));
	ret = make_instance(t);
	if (!ret)
		ret = read_formats(t, kinds);
	if (!ret)
		ret = open_cpus(t);
	for (i = 0; !ret && i < NR_BLKEVENTS; i++) {
		if (!t->format[i].id)
			continue;
		snprintf(name, sizeof(name), "events/block/%s/enable", blkevent_names[i]);
		if (put(t, name, "1")) {
			msg("the kernel refuses to trace %s", blkevent_names[i]);
			ret = EXIT_FAILED;
		}
	}
	if (ret)
		tracefs_close(t);
	return ret;
}

struct read_arg {
	const struct tracefs *t;
	unsigned int cpu;
	void (*one)(const struct blkevent *e, void *arg);
	void *arg;
};

static void decode(uint64_t ns, const unsigned char *data, size_t len, void *arg)
{
	const struct read_arg *a = arg;
	struct blkevent e;

	if (!blkevent_decode(&e, a->t->format, data, len))
		return;
	e.ns = ns;
	e.cpu = a->cpu;
	a->one(&e, a->arg);
}

/* Read what is there, without waiting.  The events of one CPU come in order. */
void tracefs_read(struct tracefs *t, void (*one)(const struct blkevent *e, void *arg), void *arg)
{
	struct read_arg a = { .t = t, .one = one, .arg = arg };
	ssize_t n;

	for (a.cpu = 0; a.cpu < t->nr_cpus; a.cpu++) {
		while (t->fd[a.cpu] >= 0) {
			n = read(t->fd[a.cpu], t->page, t->ring.page);
			if (n < 0 && errno == EINTR)
				continue;
			if (n <= 0)
				break;
			if (!ring_each(&t->ring, t->page, n, decode, &a))
				t->broken++;
		}
	}
}

/* No more events come; those that came can be read. */
void tracefs_stop(struct tracefs *t)
{
	if (*t->folder)
		put(t, "tracing_on", "0");
}

static uint64_t stat_of(const char *text, const char *name)
{
	const char *at = text ? strstr(text, name) : NULL;

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

/* How many events had no room in the buffers. */
uint64_t tracefs_lost(const struct tracefs *t)
{
	char name[64], *text;
	uint64_t lost = 0;
	unsigned int i;

	for (i = 0; i < t->nr_cpus; i++) {
		snprintf(name, sizeof(name), "per_cpu/cpu%u/stats", i);
		text = get(t, name);
		lost += stat_of(text, "\noverrun: ") + stat_of(text, "dropped events: ");
		free(text);
	}
	return lost;
}

/* Remove the instance. */
void tracefs_close(struct tracefs *t)
{
	unsigned int i;

	for (i = 0; i < t->nr_cpus; i++) {
		if (t->fd[i] >= 0)
			close(t->fd[i]);
	}
	free(t->fd);
	free(t->page);
	t->fd = NULL;
	t->page = NULL;
	t->nr_cpus = 0;
	if (*t->folder && rmdir(t->folder))
		msg("cannot remove %s: %s", t->folder, strerror(errno));
	t->folder[0] = '\0';
}
