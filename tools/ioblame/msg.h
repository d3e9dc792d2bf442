/* SPDX-License-Identifier: GPL-2.0 */
/*
 * msg - what the command says besides its data, and how it ends
 *
 * Messages go to stderr, one line each, and say what to do.
 */
#ifndef IOBLAME_MSG_H
#define IOBLAME_MSG_H

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#endif

enum exit_status {
	EXIT_OK,
	EXIT_FAILED,
	EXIT_USAGE,
	EXIT_MISSING,		/* the module is not there */
	EXIT_REFUSED,		/* privilege or lockdown */
};

void msg(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void msg_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void msg_progress_end(void);
void *must(void *memory);

#endif
