// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "msg.h"
#include "out.h"
#include "stop.h"

enum {
	BATCH = 64 << 10,
	/* how long the end waits for a slow reader */
	PATIENCE_MS = 1000,
};

static char *buf;
static size_t len, size;
static bool closed, failed, kept, held;
static bool stalled;		/* closed, as the reader did not read */
static uint64_t dropped;	/* bytes, since it is closed */
static int held_fd = -1;	/* or nowhere: it is in memory */

/*
 * How stdout is written.  A write must not block: the end would wait for a slow reader.
 * A pipe gets a file description of its own, for O_NONBLOCK would hold for all who share
 * the one that is inherited.  Where there is none, PIPE_BUF bytes at a time do not block a
 * pipe that poll() reports.
 */
static int out_fd = -1;
static size_t most = 4096;

static void choose_writing(void)
{
	struct stat st;

	out_fd = STDOUT_FILENO;
	if (fstat(STDOUT_FILENO, &st))
		return;
	if (S_ISFIFO(st.st_mode)) {
		int fd = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_CLOEXEC);

		if (fd < 0)
			return;
		out_fd = fd;
		most = SIZE_MAX;
	} else if (S_ISREG(st.st_mode)) {
		most = SIZE_MAX;
	}
}

/**
 * out_to_file - let all output go to a file
 * @path: its path; nobody else can read it if it is new
 *
 * Return: 0 or an errno.
 */
int out_to_file(const char *path)
{
	out_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	most = SIZE_MAX;
	return out_fd < 0 ? errno : 0;
}

/* Wait until stdout can be written.  Return: false to give up. */
static bool wait_until_writable(void)
{
	struct pollfd p = { .fd = out_fd, .events = POLLOUT };

	while (!stop_asked()) {
		if (poll(&p, 1, 500) > 0)
			return true;
	}
	return poll(&p, 1, PATIENCE_MS) > 0;
}

/* What is held gets no reader that could be slow. */
static void flush_held(void)
{
	size_t done = 0;
	ssize_t n;

	if (held_fd < 0)
		return;
	for (; done < len && !closed; done += n) {
		n = write(held_fd, buf + done, len - done);
		if (n < 0 && errno == EINTR) {
			n = 0;
		} else if (n <= 0) {
			msg("no room in /var/tmp for what is to be printed: %s", strerror(errno));
			closed = true;
			failed = true;
			break;
		}
	}
	len = 0;
}

/* Write what is buffered. */
void out_flush(void)
{
	size_t done = 0;
	ssize_t n;

	if (kept)
		return;
	if (held) {
		flush_held();
		return;
	}
	if (out_fd < 0)
		choose_writing();
	while (done < len && !closed) {
		size_t part = len - done < most ? len - done : most;

		if (!wait_until_writable()) {
			closed = true;
			failed = true;
			stalled = true;
			dropped += len - done;
			break;
		}
		n = write(out_fd, buf + done, part);
		if (n >= 0) {
			done += n;
		} else if (errno != EINTR && errno != EAGAIN) {
			closed = true;
			failed = errno != EPIPE;
			if (failed)
				msg("cannot write: %s", strerror(errno));
		}
	}
	len = 0;
}

void out_write(const char *text, size_t n)
{
	if (closed && !kept) {
		dropped += n;
		return;
	}
	if (len + n > size) {
		size = (len + n) * 2;
		buf = must(realloc(buf, size));
	}
	memcpy(buf + len, text, n);
	len += n;
	if (len >= BATCH)
		out_flush();
}

void out_puts(const char *text)
{
	out_write(text, strlen(text));
}

void out_printf(const char *fmt, ...)
{
	char small[512], *text = small;
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(small, sizeof(small), fmt, args);
	va_end(args);
	if (n >= (int)sizeof(small)) {
		text = must(malloc(n + 1));
		va_start(args, fmt);
		vsnprintf(text, n + 1, fmt, args);
		va_end(args);
	}
	out_write(text, n);
	if (text != small)
		free(text);
}

/*
 * From now on, what is printed waits in a file without a name, on a disk if it can be, until
 * out_release(): its reader may be slow, and must not hold up what is printed from.
 */
void out_hold(void)
{
	FILE *f = NULL;

	out_flush();
	held_fd = open("/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (held_fd < 0)
		f = tmpfile();
	if (f) {
		held_fd = fcntl(fileno(f), F_DUPFD_CLOEXEC, 3);
		fclose(f);
	}
	held = true;
}

/* Print what was held. */
void out_release(void)
{
	static char part[BATCH];
	off_t at = 0;
	ssize_t n;

	if (!held)
		return;
	out_flush();
	held = false;
	if (held_fd < 0) {
		out_flush();
		return;
	}
	while (!closed && (n = pread(held_fd, part, sizeof(part), at)) > 0) {
		out_write(part, n);
		at += n;
	}
	if (closed)
		dropped += lseek(held_fd, 0, SEEK_END) - at;
	close(held_fd);
	held_fd = -1;
}

/* Write what is left, and say how much a reader does not get who has not read on. */
void out_end(void)
{
	out_flush();
	if (stalled)
		msg("whoever reads what is printed has not read on: %llu bytes are dropped, and the last line may be half a line",
		    (unsigned long long)dropped);
}

/* From now on, keep what is printed, for out_kept(). */
void out_keep(void)
{
	out_flush();
	kept = true;
}

/* How many bytes are kept. */
size_t out_length(void)
{
	return len;
}

/* Drop kept lines, from the one on that passes @at bytes. */
void out_cut(size_t at)
{
	if (at >= len)
		return;
	while (at && buf[at - 1] != '\n')
		at--;
	len = at;
}

/* What was kept; until something is printed again, which then is no longer kept. */
const char *out_kept(void)
{
	out_write("", 1);
	len = 0;
	kept = false;
	return buf;
}

/* True if the reader is gone or did not read on, or a write failed. */
bool out_closed(void)
{
	return closed;
}

/* True if somebody does not have what was printed, other than a reader who is gone. */
bool out_failed(void)
{
	return failed;
}
