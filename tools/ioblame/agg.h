/* SPDX-License-Identifier: GPL-2.0 */
/*
 * agg - IOs summed up
 *
 * An atom is all IO of one originator on one file for one reason.  Rows are
 * atoms put together by what they have in common.  The number of atoms is
 * bounded: what comes beyond is summed up without file and stack, and counted.
 */
#ifndef IOBLAME_AGG_H
#define IOBLAME_AGG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hist.h"
#include "map.h"
#include "opts.h"
#include "rec.h"

enum {
	AGG_ATOMS = 20000,	/* about 850 bytes each */
};

struct atom_key {
	uint64_t ino, cgroup;
	uint32_t dev, gen, disk, intent;
	uint32_t who;		/* a process, a thread, a user role's number */
	uint32_t sub_pid;
	uint8_t op, how, kind, rest;	/* rest: without file and stack */
	uint32_t modifier;
};

struct atom {
	struct atom_key key;
	char comm[IOB_COMM_LEN], sub_comm[IOB_COMM_LEN];
	const char *why;
	uint64_t ios, bytes, errors, total_ns;
	struct hist hist;	/* of the field that was asked for */
};

struct agg {
	struct map atoms;
	enum field field;
	uint64_t folded;	/* IOs that had no room */
	uint64_t ios;		/* whole ones */
	uint64_t records;	/* and parts */
};

enum row_op {
	ROW_READ,		/* readahead too */
	ROW_WRITE,
	ROW_DISCARD,
	ROW_FLUSH,
	ROW_OPS,
};

/* Of those with several, the one that has most of the row's bytes */
struct row {
	const struct atom *lead, *file, *why, *disk, *cgroup, *via, *stack;
	unsigned int files;
	uint64_t ios[ROW_OPS], bytes[ROW_OPS];
	uint64_t all_ios, all_bytes, errors, total_ns;
	struct hist hist;
};

void agg_init(struct agg *agg, enum field field);
void agg_add(struct agg *agg, const struct iob_iolog_bin_record *rec);
void agg_clear(struct agg *agg);
size_t agg_rows(const struct agg *agg, enum pivot by, enum sort sort, struct row **rows);
bool agg_same(enum pivot by, const struct atom *a, const struct atom *b);

#endif
