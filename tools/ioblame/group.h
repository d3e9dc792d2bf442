/* SPDX-License-Identifier: GPL-2.0 */
/*
 * group - atoms put together into rows
 *
 * A row is the atoms that agree in one aspect, the pivot: by file, the atoms of
 * one file.  Every row gets its sums.  Names and percentiles cost more, so only
 * rows that are shown get them, by group_more().
 */
#ifndef IOBLAME_GROUP_H
#define IOBLAME_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agg.h"
#include "choice.h"
#include "hist.h"

enum row_op {
	ROW_READ,		/* and readahead */
	ROW_WRITE,
	ROW_DISCARD,
	ROW_FLUSH,
	ROW_OPS,
};

struct row {
	struct atom *atoms;	/* a list */
	uint64_t ios[ROW_OPS], bytes[ROW_OPS];
	uint64_t all_ios, all_bytes, errors, total_ns;
	uint64_t sort;		/* the largest comes first */
};

/* Where a row has several of a kind, the heaviest of them */
struct row_more {
	const struct atom *lead, *file, *why, *disk, *cgroup, *via, *stack;
	unsigned int files;
	struct hist hist;
};

size_t group_rows(const struct agg *agg, enum pivot by, enum sort sort, struct row **rows);
void group_more(const struct row *row, struct row_more *more);
__uint128_t group_sum(const struct row *row);
void group_hist(const struct row *row, struct hist *hist);
uint32_t group_process(const struct atom *a);
void group_narrow(enum pivot by, struct atom_key *key);
bool group_same(enum pivot by, const struct atom *a, const struct atom *b);

#endif
