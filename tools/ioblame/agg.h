/* SPDX-License-Identifier: GPL-2.0 */
/*
 * agg - sums of IOs
 *
 * An atom is all IO of one originator, under one name, on one file for one reason.
 *
 * An IO of several parts is one IO, as in the module's sums: its first part's atom has the IO and
 * its time, the others have their bytes.  So atoms can be put together into any rows, and no row
 * counts an IO twice.  Example: 210 small files of tar are written as one IO of 5 ms.  The row of
 * tar has one IO and 5 ms; in rows by file, the first file has these.
 *
 * That an IO failed is said in each row that has a part of it, and once in each.  Rows are not
 * known yet, so an atom counts by pivot what is not new to its row.
 *
 * The number of atoms is bounded.  When there are many, agg_squeeze() merges the
 * lighter half of them into atoms without file and stack, and counts their IOs.
 * An atom that finds no room between two squeezes is merged in the same way at
 * once.  Example: of 16,384 atoms, the 8,192 that wrote least become one atom for
 * each process, device and operation.
 */
#ifndef IOBLAME_AGG_H
#define IOBLAME_AGG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "choice.h"
#include "hist.h"
#include "map.h"
#include "rec.h"

enum {
	AGG_DISKS = 16384,
	AGG_ATOMS = 16384,	/* 200 to 400 bytes each */
	AGG_FAILED = 64,
};

/* What an atom lost when it was merged */
enum rest {
	REST_NONE,
	REST_FILE,		/* file and stack */
	REST_ALL,		/* the originator, too */
};

struct atom_key {
	uint64_t ino, cgroup;
	uint32_t dev, gen, disk, intent;
	uint32_t who;		/* a process, a thread, a user role's number */
	uint32_t sub_pid;
	uint8_t op, how, kind, rest;
	uint32_t modifier;
	/* only if rows stand for them, as they would make many more atoms */
	uint32_t tid, flags, hwq;
	uint32_t zero;
	char comm[IOB_COMM_LEN];
};

struct atom {
	struct atom_key key;
	char sub_comm[IOB_COMM_LEN];
	const char *why;
	uint64_t ios, bytes, total_ns;
	uint64_t errors;	/* of IOs that failed, the first parts: new to each row */
	uint64_t *further;	/* of a further part: for each pivot, new to its row; or NULL */
	/* of agg.field: of what @hist counts; a few sectors may have more than 64 bits */
	__uint128_t sum;
	uint64_t last_ns;	/* when the last of them completed */
	struct hist_few hist;	/* of agg.field; times: hist_time_slot() */
	bool widen;		/* agg_squeeze() merges it */
	struct atom *next;	/* in the same row: see group.h */
};

/* A part of an IO that failed, by which its further parts are known */
struct agg_failed {
	const struct atom *atom;
	uint64_t queue_ns, complete_ns;
};

struct agg {
	struct map atoms;
	struct map ends;	/* of each disk, where the last IO ended */
	enum field field;
	enum pivot by;		/* what most rows will stand for */
	uint64_t folded;	/* IOs without file and stack */
	uint64_t no_seek;	/* IOs that had no room in @ends */
	uint64_t ios, errors;
	uint64_t records;	/* IOs, and further parts of IOs */
	struct agg_failed failed[AGG_FAILED];	/* the last of them */
	unsigned int nr_failed;			/* that there were, since atoms last moved */
};

void agg_key(struct atom_key *key, const struct iob_iolog_bin_record *rec, enum pivot by);
void agg_init(struct agg *agg, enum field field, enum pivot by);
void agg_add(struct agg *agg, const struct iob_iolog_bin_record *rec);
void agg_pass(struct agg *agg, const struct iob_iolog_bin_record *rec);
void agg_merge(struct agg *to, const struct agg *from);
void agg_squeeze(struct agg *agg);
void agg_clear(struct agg *agg);
void agg_free(struct agg *agg);
void agg_hold_label(const struct atom *label);
void agg_hold_names(const struct agg *agg);
uint64_t agg_weight(const struct atom *atom);
uint64_t agg_errors(const struct atom *atom, enum pivot by);

#endif
