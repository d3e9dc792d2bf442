/* SPDX-License-Identifier: GPL-2.0 */
/*
 * count_seen - what was last seen of the counters of each act, and what is new since
 *
 * Pure.  The module's numbers have 32 bits and go round: what is new is the difference, modulo
 * 2^32, from the pass before.  An act is known by its number and its first line.  One that is not
 * in a pass is gone: when it comes again, it begins at 0.  So does one that has fewer than before:
 * no slot gets 2^31 IOs between two passes.
 *
 * Example: dd's act 7 has 4294967000 IOs of a slot, and 204 in the next pass: 500 are new.
 */
#ifndef IOBLAME_COUNT_SEEN_H
#define IOBLAME_COUNT_SEEN_H

#include <stdint.h>

#include <linux/ioblame.h>

#include "map.h"

enum {
	COUNT_SEEN_COUNTERS = 4,
	COUNT_SEEN_SLOTS = COUNT_SEEN_COUNTERS * IOB_HIST_SLOTS,
};

struct count_seen {
	struct map acts;	/* by number */
	uint64_t pass;		/* the number of the present one */
};

void count_seen_begin(struct count_seen *seen);
void count_seen_add(struct count_seen *seen, uint32_t act, const char *line, uint32_t *n);
void count_seen_end(struct count_seen *seen);
void count_seen_clear(struct count_seen *seen);

#endif
