// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "msg.h"

static bool progress_shown;

/* Take the progress line away again. */
void msg_progress_end(void)
{
	if (progress_shown)
		fputs("\r\033[K", stderr);
	progress_shown = false;
}

/* A line on stderr.  What comes from outside must be escaped by the caller. */
void msg(const char *fmt, ...)
{
	va_list args;

	msg_progress_end();
	fputs("ioblame: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}

/* How far long work is: a line that is written over, on a terminal only. */
void msg_progress(const char *fmt, ...)
{
	va_list args;

	if (!isatty(STDERR_FILENO))
		return;
	fputs("\r\033[K", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fflush(stderr);
	progress_shown = true;
}

/* Memory that was asked for, or the end: exit handlers put settings back. */
void *must(void *memory)
{
	if (!memory) {
		msg("out of memory");
		exit(EXIT_FAILED);
	}
	return memory;
}
