/* SPDX-License-Identifier: GPL-2.0 */
/*
 * moment_judge - whether something stands out now, of the records of the log
 *
 * Pure.  Records are added up by disk in windows, which the caller ends once a second.  A window
 * of a disk stands out if IO failed; if its p99 is 4 times the usual one, and 10 ms; if the disk
 * was busy for nine tenths of it, and twice as long as usual; or if a rule says so.  Usual is the
 * median of the last minute's windows; less than ten say nothing.
 */
#ifndef IOBLAMED_MOMENT_JUDGE_H
#define IOBLAMED_MOMENT_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/ioblame.h>

#include "map.h"
#include "rule.h"
#include "usage.h"

enum {
	JUDGE_DISKS = 1024,	/* as many as are watched; the rest is not judged, and counted */
	JUDGE_RULES = 16,
	JUDGE_USUAL = 60,	/* windows that say what is usual */
	JUDGE_LEAST = 10,	/* of them, to say it */
	JUDGE_LEAST_IOS = 16,	/* for a percentile of a disk's own */
	JUDGE_IDLE = 600,	/* windows without IO, and a disk is forgotten */
};

enum judge_what {
	JUDGE_ERRORS, JUDGE_SLOW, JUDGE_USED, NR_JUDGE_WHATS,
	JUDGE_RULE = NR_JUDGE_WHATS,	/* and which rule, added to it */
	NR_JUDGES = JUDGE_RULE + JUDGE_RULES,
};

/* What a rule is about, of this window */
struct judge_ruled {
	uint64_t ios, bytes, ns, errors;
	uint64_t failed_ns;		/* when the last of @errors completed */
	uint64_t above;			/* IOs that took longer than its limit */
};

struct judge_disk {
	uint32_t disk;			/* major << 20 | minor; the key */
	unsigned int idle;		/* windows since it did something */
	unsigned int rules;		/* a bit for each that is about it */
	uint64_t ios, errors;		/* of this window */
	uint64_t failed_ns;		/* when the last of @errors completed */
	uint64_t lat[USAGE_SLOTS];
	struct judge_ruled ruled[JUDGE_RULES];
	uint64_t p99_ns[JUDGE_USUAL];	/* of windows before; the oldest is overwritten */
	unsigned int nr_p99;		/* that there ever were */
	uint32_t used[JUDGE_USUAL];	/* as RULE_UTIL */
	unsigned int nr_used;
};

struct judge_found {
	uint32_t disk;
	int what;			/* enum judge_what, or JUDGE_RULE + which rule */
	uint64_t value, usual;		/* as when_moment has them */
	uint64_t left_out;		/* for judge.may: how often it was not told */
};

struct judge {
	const struct rule *rules;
	unsigned int nr_rules;
	/* asked of a disk that is new and of each at the end of a window: bits of its rules */
	unsigned int (*rules_of)(uint32_t disk, void *arg);
	/* asked of IO on such a disk, of a rule of a unit, program or user */
	bool (*is_of)(unsigned int rule, const struct iob_iolog_bin_record *rec, void *arg);
	/* milliseconds that a disk was busy in this window; -1: not known */
	int64_t (*busy_ms)(uint32_t disk, void *arg);
	/* asked of what is to be told, which it may change; false: it takes no place; or NULL */
	bool (*may)(struct judge_found *found, void *arg);
	void *arg;

	/* moment_judge.c's own */
	struct judge_disk *disk[JUDGE_DISKS];
	unsigned int nr;
	struct judge_disk *last;	/* of the record before */
	struct map by_disk;		/* the same, by their number */
	uint32_t first;			/* the disk that a window begins with */
	uint64_t not_judged;		/* IOs of more disks */
};

void judge_take(struct judge *j, const struct iob_iolog_bin_record *rec);
size_t judge_end_window(struct judge *j, int64_t ns, struct judge_found *found, size_t most);
void judge_forget(struct judge *j);

#endif
