// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "msg.h"

static bool progress_shown, quiet;
static const char *program = "ioblame";

/* The name with which messages begin: the daemon has its own. */
void msg_program(const char *name)
{
	program = name;
}

/* Print no messages for a while: what is tried again failed before, and that was said. */
void msg_quiet(bool on)
{
	quiet = on;
}

/* Clear the progress line. */
void msg_progress_end(void)
{
	if (progress_shown)
		fputs("\r\033[K", stderr);
	progress_shown = false;
}

/* Make what a terminal would obey visible: control characters, also those of UTF-8. */
static void tame_text(char *text)
{
	unsigned char *at;

	for (at = (unsigned char *)text; *at; at++) {
		if (*at == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0) {
			at[0] = '?';
			at[1] = '?';
		} else if (*at < ' ' || *at == 0x7f) {
			*at = '?';
		}
	}
}

/*
 * Print a line on stderr.  The caller escapes names from outside; paths, and the words of
 * libraries, which may have such names in them, are made harmless here.
 */
void msg(const char *fmt, ...)
{
	char *text = NULL;
	va_list args;

	if (quiet)
		return;
	msg_progress_end();
	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	if (text)
		tame_text(text);
	fprintf(stderr, "%s: %s\n", program, text ? text : fmt);
	free(text);
}

/* Print the progress in a line that is overwritten, on a terminal only. */
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

/* Check an allocation: exit if it failed.  Exit handlers restore the settings. */
void *must(void *memory)
{
	if (!memory) {
		msg("out of memory");
		exit(EXIT_FAILED);
	}
	return memory;
}
