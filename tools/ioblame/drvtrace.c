// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drvevent.h"
#include "drvtrace.h"
#include "file.h"
#include "msg.h"
#include "trace_instance.h"

static struct trace_instance instance;
static int pipe_fd = -1;
static char buf[1 << 17];
static size_t len;
static uint64_t unknown;

static bool put(const char *name, const char *text)
{
	return !trace_instance_put(&instance, name, text);
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
	int ret = trace_instance_make(&instance, "-drv");

	if (ret)
		return ret;
	if (!switch_on(what)) {
		msg("the kernel has no events of %s: modprobe %s", what == DRVTRACE_NVME ? "NVMe" : "SCSI",
		    what == DRVTRACE_NVME ? "nvme" : "sd_mod");
		drvtrace_close();
		return EXIT_FAILED;
	}
	pipe_fd = trace_instance_open(&instance, "trace_pipe");
	if (pipe_fd >= 0)
		return EXIT_OK;
	msg("%s/trace_pipe: %s", instance.folder, strerror(errno));
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

/* How many events had no room in the buffers. */
uint64_t drvtrace_lost(void)
{
	return trace_instance_lost(&instance);
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
	trace_instance_remove(&instance);
}
