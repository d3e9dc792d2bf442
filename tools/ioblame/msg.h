/* SPDX-License-Identifier: GPL-2.0 */
/*
 * msg - messages and exit statuses
 *
 * A message is one line on stderr that says what to do.
 */
#ifndef IOBLAME_MSG_H
#define IOBLAME_MSG_H

#include <stdbool.h>

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#endif

enum exit_status {
	EXIT_OK,
	EXIT_FAILED,
	EXIT_USAGE,
	EXIT_MISSING,		/* the module is not loaded */
	EXIT_REFUSED,		/* no privilege, or lockdown */
};

void msg_program(const char *name);
void msg_quiet(bool on);
void msg(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void msg_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void msg_progress_end(void);
void *must(void *memory);

#endif
