/* SPDX-License-Identifier: GPL-2.0 */
/*
 * feed - usage as lines of JSON
 *
 * Pure.  ioblamed sends it to who is connected to its socket, and reads it with --feed FILE: a
 * debugging aid, and the source of simulations.  A line is an object: a usage, with "busy_ms"
 * how long a disk was busy, or with "until_ns" the end of the interval to which the lines before
 * belong.
 * Example:
 *
 *	{"unit":"db.service","program":"mysqld","disk":"sda","op":"write","ios":2,"bytes":8192}
 *	{"from_ns":1700000000000000000,"until_ns":1700000010000000000}
 *
 * Documentation/ioblamed.8 lists the keys.
 */
#ifndef IOBLAME_FEED_H
#define IOBLAME_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "usage.h"

struct feed {
	struct usage_list usage;
	uint64_t missed;		/* intervals before this one that were not sent */
	bool closed;			/* the interval has ended: the next line begins another */
	uint64_t line;			/* number of the last one */
	const char *wrong;		/* what was wrong with it */
};

enum feed_got {
	FEED_MORE,		/* the interval goes on */
	FEED_INTERVAL,		/* it is complete: feed->usage, until the next line */
	FEED_WRONG,		/* the line does not count: feed->wrong */
};

enum feed_got feed_line(struct feed *feed, const char *line, size_t len);
void feed_end(struct feed *feed);
void feed_put(FILE *to, const struct usage *usage);
void feed_put_stack(FILE *to, const struct usage *usage);
void feed_put_interval(FILE *to, const struct usage_list *list, uint64_t missed);

#endif
