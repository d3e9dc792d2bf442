/* SPDX-License-Identifier: GPL-2.0 */
/*
 * agg - IOs summed up
 *
 * An atom is all IO of one originator on one file for one reason.  Rows are
 * atoms put together by what they have in common.  Of a row only its sums are
 * made for all; the rest, which costs more, for those that are shown.
 *
 * The number of atoms is bounded: when there are many, agg_squeeze() puts the
 * lighter half of them together without file and stack, and counts what it did.
 * What comes between two squeezes and has no room is treated likewise at once.
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
	AGG_ATOMS = 16384,	/* 200 to 400 bytes each */
};

/* What of an atom was given up to have room */
enum rest {
	REST_NONE,
	REST_FILE,		/* file and stack */
	REST_ALL,		/* and who */
};

struct atom_key {
	uint64_t ino, cgroup;
	uint32_t dev, gen, disk, intent;
	uint32_t who;		/* a process, a thread, a user role's number */
	uint32_t sub_pid;
	uint8_t op, how, kind, rest;
	uint32_t modifier;
};

struct atom {
	struct atom_key key;
	char comm[IOB_COMM_LEN], sub_comm[IOB_COMM_LEN];
	const char *why;
	uint64_t ios, bytes, errors, total_ns;
	uint64_t last_ns;	/* when the last of them completed */
	struct hist_few hist;	/* of the field that was asked for */
	bool widen;		/* while it is squeezed */
	struct atom *next;	/* of the same row */
};

struct agg {
	struct map atoms;
	enum field field;
	uint64_t folded;	/* IOs and parts that had no room */
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

struct row {
	struct atom *atoms;	/* the first of them */
	uint64_t ios[ROW_OPS], bytes[ROW_OPS];
	uint64_t all_ios, all_bytes, errors, total_ns;
	uint64_t sort;		/* what the largest comes first of */
};

/* Of those with several, the one that has most of the row's bytes */
struct row_more {
	const struct atom *lead, *file, *why, *disk, *cgroup, *via, *stack;
	unsigned int files;
	struct hist hist;
};

void agg_init(struct agg *agg, enum field field);
void agg_add(struct agg *agg, const struct iob_iolog_bin_record *rec);
void agg_squeeze(struct agg *agg);
void agg_clear(struct agg *agg);
size_t agg_rows(const struct agg *agg, enum pivot by, enum sort sort, struct row **rows);
void agg_more(const struct row *row, struct row_more *more);
void agg_hist(const struct row *row, struct hist *hist);
bool agg_same(enum pivot by, const struct atom *a, const struct atom *b);

#endif
