/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tally - sums of IOs under a key that a view chooses
 *
 * The views errors, flush, files and pattern each have a key of their own: of an originator and
 * an error, say.  The key is what group_narrow() leaves of the originator's, the disk, the file
 * and a number; what a view does not put there is 0.
 *
 * There are TALLY_MOST at most.  When one more comes, the lighter half lose originator and file,
 * and become one tally for each disk and number, "(others)".  Example: of 8192 files, the 4096
 * with the least of @value become one row, and files that come later have room.
 */
#ifndef IOBLAME_TALLY_H
#define IOBLAME_TALLY_H

#include <stdint.h>

#include "agg.h"
#include "choice.h"
#include "hist.h"
#include "map.h"
#include "rec.h"

enum {
	TALLY_MOST = 8192,
};

/* What a key is made of, besides the originator */
enum tally_part {
	TALLY_DISK = 1,
	TALLY_FILE = 2,
};

struct tally_key {
	struct atom_key who, file;
	uint64_t disk, extra;
};

struct tally {
	struct tally_key key;
	struct atom label;		/* the whole key of the last IO, for names */
	uint64_t ios[5], bytes[5];	/* by the place of the operation in IOB_OPS */
	uint64_t all_ios, all_bytes;
	uint64_t n[4];			/* what the view likes */
	uint64_t total_ns, min_ns, max_ns, last_ns;
	uint64_t sector;		/* of the last IO */
	int32_t error;
	bool widen;			/* it is one of the lighter half */
	bool more;			/* the last record is more of an IO that it had a part of */
	struct hist_few hist;		/* of the times that are known, without further parts */
};

struct tallies {
	struct map map;
	uint64_t (*value)(const struct tally *tally);	/* of it, the first has most */
	uint64_t others;	/* IOs that became "(others)" */
};

struct tally *tally_add(struct tallies *t, const struct iob_iolog_bin_record *rec, enum pivot by,
			unsigned int parts, uint64_t extra);
size_t tally_sorted(const struct tallies *t, struct tally ***list);
uint64_t tally_timed(const struct tally *tally);
uint64_t tally_percentile(const struct tally *tally, double part);
void tally_clear(struct tallies *t);

#endif
