/* SPDX-License-Identifier: GPL-2.0 */
/*
 * answer - what is asked of the past, answered by a process of its own
 *
 * Reading databases takes time, which the loop has not; and SQLite is not to be used behind a fork.
 * So the daemon starts its own program again, with the question as words and the socket as its
 * standard output.  The answer is whole before any of it is written: who reads it slowly keeps
 * nothing of the databases.
 */
#ifndef IOBLAMED_ANSWER_H
#define IOBLAMED_ANSWER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "peer.h"

struct answer_question {
	int64_t from_ns, until_ns;	/* CLOCK_REALTIME */
	int level;			/* enum past_level */
};

bool answer_parse(const char *words, struct answer_question *q);
pid_t answer_start(const struct answer_question *q, const struct viewer_right *right,
		   const char *file, const char *recent, int fd);
int answer_main(char **words, int nr);

#endif
