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
#include "drvevent.h"
#include "drvtrace.h"
#include "file.h"
#include "msg.h"

#define USUAL	"/sys/kernel/tracing"

static char folder[320];
static int pipe_fd = -1;
static char buf[1 << 17];
static size_t len;
static uint64_t unknown;

static bool find_tracefs(char *to, size_t size)
{
	snprintf(to, size, USUAL "/instances");
	if (!access(to, F_OK))
		return true;
	if (*dir_debugfs()) {
		snprintf(to, size, "%s/tracing/instances", dir_debugfs());
		if (!access(to, F_OK))
			return true;
	}
	snprintf(to, size, USUAL "/instances");
	return !mount("tracefs", USUAL, "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

/* Those of commands that were killed. */
static void remove_old(const char *top)
{
	char path[400], rest[8];
	struct dirent *e;
	DIR *dir = opendir(top);
	int pid;

	while (dir && (e = readdir(dir)) != NULL) {
		if (sscanf(e->d_name, "ioblame-%d-%4s", &pid, rest) != 2 || strcmp(rest, "drv") ||
		    pid <= 0 || !kill(pid, 0) || errno != ESRCH)
			continue;
		snprintf(path, sizeof(path), "%s/%.60s", top, e->d_name);
		rmdir(path);
	}
	if (dir)
		closedir(dir);
}

static bool put(const char *name, const char *text)
{
	char path[420];
	bool good;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	good = write(fd, text, strlen(text)) >= 0;
	close(fd);
	return good;
}

static bool switch_on(enum drvtrace what)
{
	switch (what) {
	case DRVTRACE_NVME:
		return put("events/nvme/nvme_setup_cmd/enable", "1") &&
		       put("events/nvme/nvme_complete_rq/enable", "1");
	case DRVTRACE_SCSI_FAILED:
		return put("events/scsi/scsi_dispatch_cmd_done/filter", "result != 0") &&
		       put("events/scsi/scsi_dispatch_cmd_done/enable", "1") &&
		       put("events/scsi/scsi_dispatch_cmd_timeout/enable", "1");
	default:
		return put("events/scsi/scsi_dispatch_cmd_start/enable", "1") &&
		       put("events/scsi/scsi_dispatch_cmd_done/enable", "1") &&
		       put("events/scsi/scsi_dispatch_cmd_timeout/enable", "1");
	}
}

/* True if there are SCSI devices. */
bool drvtrace_has_scsi(void)
{
	char *first = file_first_entry("/sys/class/scsi_device");
	bool has = first;

	free(first);
	return has;
}

/**
 * drvtrace_open - begin to trace commands
 * @what: which of them
 *
 * Return: EXIT_OK, or the exit status after printing the error.
 */
int drvtrace_open(enum drvtrace what)
{
	char top[300], path[420];

	if (!find_tracefs(top, sizeof(top))) {
		msg("tracefs cannot be mounted (%s); by hand: mount -t tracefs tracefs " USUAL,
		    strerror(errno));
		return EXIT_FAILED;
	}
	remove_old(top);
	snprintf(folder, sizeof(folder), "%s/ioblame-%d-drv", top, getpid());
	if (mkdir(folder, 0700)) {
		msg("the kernel gives no trace buffer: %s", strerror(errno));
		*folder = '\0';
		return EXIT_FAILED;
	}
	put("buffer_size_kb", "4096");
	put("options/overwrite", "0");
	if (!put("trace_clock", "mono") || !switch_on(what)) {
		msg("the kernel has no events of %s: modprobe %s", what == DRVTRACE_NVME ? "NVMe" : "SCSI",
		    what == DRVTRACE_NVME ? "nvme" : "sd_mod");
		drvtrace_close();
		return EXIT_FAILED;
	}
	snprintf(path, sizeof(path), "%s/trace_pipe", folder);
	pipe_fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (pipe_fd >= 0)
		return EXIT_OK;
	msg("%s: %s", path, strerror(errno));
	drvtrace_close();
	return EXIT_FAILED;
}

/* The end of a line.  The task's name, in its first cells, can hold a newline. */
static char *find_end(char *line)
{
	char *after = line + DRVEVENT_COMM;

	return after < buf + len ? memchr(after, '\n', buf + len - after) : NULL;
}

static void parse_lines(void (*one)(const struct drvevent *e))
{
	char *line = buf, *end;
	struct drvevent e;

	while ((end = find_end(line)) != NULL) {
		*end = '\0';
		if (drvevent_parse(line, &e))
			one(&e);
		else if (strncmp(line, "CPU:", 4))
			unknown++;
		line = end + 1;
	}
	len = buf + len - line;
	memmove(buf, line, len);
	/* a line that is longer than all there can be */
	if (len == sizeof(buf)) {
		unknown++;
		len = 0;
	}
}

/* Pass on the events that are there, in the order of their times, without waiting. */
void drvtrace_read(void (*one)(const struct drvevent *e))
{
	ssize_t n;

	while (pipe_fd >= 0) {
		n = read(pipe_fd, buf + len, sizeof(buf) - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		len += n;
		parse_lines(one);
	}
}

static uint64_t number_after(const char *text, const char *name)
{
	const char *at = text ? strstr(text, name) : NULL;

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

/* How many events had no room in the buffers. */
uint64_t drvtrace_lost(void)
{
	char path[420], *text;
	uint64_t lost = 0;
	unsigned int cpu;

	for (cpu = 0; *folder; cpu++) {
		snprintf(path, sizeof(path), "%s/per_cpu/cpu%u/stats", folder, cpu);
		text = file_read(path);
		if (!text)
			break;
		lost += number_after(text, "\noverrun: ") + number_after(text, "dropped events: ");
		free(text);
	}
	return lost;
}

/* How many lines were not understood. */
uint64_t drvtrace_unknown(void)
{
	return unknown;
}

/* Remove the instance. */
void drvtrace_close(void)
{
	if (pipe_fd >= 0)
		close(pipe_fd);
	pipe_fd = -1;
	if (*folder && rmdir(folder))
		msg("cannot remove %s: %s", folder, strerror(errno));
	*folder = '\0';
}
