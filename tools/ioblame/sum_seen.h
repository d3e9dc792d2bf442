/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sum_seen - what was last seen of each sum of the module, and what is new since
 *
 * Pure.  Sums are cumulative, and each has an id of its own: what is new is the difference of two
 * records with one id.  A sum that is seen for the first time is new as a whole.
 *
 * A sum may go unseen: the module keeps the last records of so many only.  When far more are known
 * than were there, sum_seen_is_stale() asks for a pass of all that are there.
 *
 * Example: sum 7 has 100 IOs, then 130, and is gone: 100 are new, then 30, and it is forgotten.
 */
#ifndef IOBLAME_SUM_SEEN_H
#define IOBLAME_SUM_SEEN_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/ioblame.h>

#include "map.h"
#include "usage.h"

enum {
	SUM_SEEN_SPARE = 16384,	/* that may be known and gone, beside as many as are there */
};

struct sum_seen {
	struct map sums;	/* by id */
	uint64_t pass;		/* the number of the present one */
	size_t kept;		/* how many were left by sum_seen_forget_older() */
};

void sum_seen_begin(struct sum_seen *seen);
bool sum_seen_add(struct sum_seen *seen, const struct iob_sum_bin_record *rec,
		  struct usage *delta);
void sum_seen_end(struct sum_seen *seen);
bool sum_seen_is_stale(const struct sum_seen *seen);
void sum_seen_mark(struct sum_seen *seen, const struct iob_sum_bin_record *rec);
void sum_seen_forget_older(struct sum_seen *seen);
void sum_seen_clear(struct sum_seen *seen);

#endif
