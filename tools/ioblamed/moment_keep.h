/* SPDX-License-Identifier: GPL-2.0 */
/*
 * moment_keep - one recording around a moment, while it is written
 *
 * It begins with a reel of records from before, gets what comes, and writes both in the order of
 * completion.  It has a hidden name until it is complete.
 */
#ifndef IOBLAMED_MOMENT_KEEP_H
#define IOBLAMED_MOMENT_KEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "moment_file.h"
#include "reel.h"
#include "store.h"

enum {
	KEEP_NAMES = 8,		/* of moments that share a recording */
	KEEP_WALLS = 8,
};

struct tape;

/* What is to be added to a record's time for the time of day: a clock is set, the machine sleeps */
struct keep_clock {
	unsigned int nr;
	struct keep_wall {
		uint64_t until_ns;	/* of the records that completed before; not of the last */
		int64_t wall_ns;
	} wall[KEEP_WALLS];
};

struct keep {
	const char *folder;
	char name[KEEP_NAMES][MOMENT_NAME];
	unsigned int nr_names;
	struct reel reel;	/* what is still to be written */
	uint64_t from_ns;	/* records that completed before are left out */
	uint64_t until_ns;	/* and those from then on; 0: none */
	uint64_t session;	/* intent_session() that the records are of */
	const struct keep_clock *clock;	/* NULL: the recording's head has it */
	uint64_t ios;		/* that were written */
	uint64_t broken;	/* bytes that were no records */

	/* moment_keep.c's own */
	FILE *file;
	struct tape *tape;
	struct iob_iolog_bin_record *record;	/* of one read of all CPUs, and later ones */
	size_t nr, size;
};

void keep_clock_note(struct keep_clock *c, uint64_t seen_ns, int64_t wall_ns);
int64_t keep_clock_at(const struct keep_clock *c, uint64_t ns);
uint64_t keep_start(struct reel *ring, uint64_t from_ns);
int keep_begin(struct keep *k, const struct store_head *head, const char *status);
bool keep_write(struct keep *k, size_t most);
int keep_end(struct keep *k, const char *status);

#endif
