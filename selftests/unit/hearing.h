/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a test's files say: it is kept, and not said.
 */
#ifndef UNIT_HEARING_H
#define UNIT_HEARING_H

#include <fcntl.h>
#include <unistd.h>

#include "test.h"

static int saved_stderr, said_in;

static inline void begin_hearing(void)
{
	fflush(stderr);
	saved_stderr = dup(STDERR_FILENO);
	said_in = open("/dev/shm", O_TMPFILE | O_RDWR, 0600);
	dup2(said_in, STDERR_FILENO);
}

/* How often @what was said since then, so far */
static inline int count_heard(const char *what)
{
	char text[8192] = "", *at = text;
	int nr = 0;

	fflush(stderr);
	if (pread(said_in, text, sizeof(text) - 1, 0) < 0)
		fail("what was said cannot be read");
	for (; (at = strstr(at, what)); at++)
		nr++;
	return nr;
}

/* The same, and what comes is said again. */
static inline int end_hearing(const char *what)
{
	int nr = count_heard(what);

	dup2(saved_stderr, STDERR_FILENO);
	close(saved_stderr);
	close(said_in);
	return nr;
}

#endif
