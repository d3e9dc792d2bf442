/* SPDX-License-Identifier: GPL-2.0 */
/*
 * blamed - sums of IOs as iostat counts them, for each disk and originator
 *
 * A sum has counts of requests as /proc/diskstats has them.  A request that several
 * originators share is counted where its first sectors are; its bytes are each one's.
 * An empty flush of a disk with a volatile cache counts as a write of no bytes, as in the
 * kernel.  There are BLAMED_MOST sums at most; further originators of a disk share one.
 */
#ifndef IOBLAME_BLAMED_H
#define IOBLAME_BLAMED_H

#include <stdbool.h>
#include <stdint.h>

#include "agg.h"
#include "choice.h"
#include "diskstats.h"
#include "map.h"
#include "spans.h"

enum {
	BLAMED_MOST = 4096,
};

struct blamed {
	struct atom_key key;	/* what the pivot leaves of it, and the disk */
	struct atom label;	/* of the first IO: its name */
	uint64_t ios[STAT_OPS], merges[STAT_OPS], bytes[STAT_OPS], ns[STAT_OPS];
	uint64_t timed[STAT_OPS];	/* of @ios, those whose time is known: @ns is theirs */
	uint64_t errors, lost_ios;
	struct spans busy;
};

struct blamed_sums {
	struct map map;
	enum pivot by;
};

void blamed_init(struct blamed_sums *s, enum pivot by);
void blamed_add(struct blamed_sums *s, const struct iob_iolog_bin_record *rec, bool cached,
		uint64_t since_ns);
unsigned int blamed_list(const struct blamed_sums *s, uint32_t disk, struct blamed ***list);
void blamed_total(const struct blamed_sums *s, uint32_t disk, struct blamed *total);
void blamed_hold_names(const void *sums);
void blamed_clear(struct blamed_sums *s);
uint64_t blamed_ios(const struct blamed *b);

#endif
