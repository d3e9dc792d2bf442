/* SPDX-License-Identifier: GPL-2.0 */
/*
 * when - moments that stand out
 *
 * Pure.  A point is what one disk did in one stretch of time.  It stands out if IO failed, if its
 * 99th percentile is 4 times the usual one or its bytes a second are 8 times the usual ones, if
 * the disk was busy twice as long as usual, or if a rule says so; usual is the median of the
 * points of the same disk that are about as long.  Moments that follow each other are one, of the
 * program that failed most in all of them, or that has most of the largest.
 * Example: in a night of minutes with a p99 of 2 ms, the three from 03:04 with 60 to 90 ms are
 * one moment of three minutes and 90 ms.
 */
#ifndef IOBLAME_WHEN_H
#define IOBLAME_WHEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rule.h"

enum when_what {
	WHEN_ERRORS, WHEN_SLOW, WHEN_BUSY, WHEN_USED, NR_WHEN,
	WHEN_RULE = NR_WHEN,
};

enum {
	WHEN_LEAST_IOS = 16,		/* for a percentile */
	WHEN_LEAST_POINTS = 10,		/* for what is usual */
};

/* IOs of a program that failed */
struct when_failed {
	const char *program;		/* equal names have equal addresses */
	uint64_t errors;
};

/* Each program once, in the order in which they were recorded */
struct when_failures {
	struct when_failed *list;
	size_t nr;
};

/* What a rule compares in a point */
struct when_ruled {
	uint64_t value;
	const char *who;
	struct when_failures failures;	/* of RULE_ERRORS */
};

struct when_point {
	int64_t from_ns, until_ns;
	const char *disk;		/* equal names have equal addresses */
	int level;			/* only points of one level are compared */
	uint64_t ios, bytes, errors, p99_ns;
	uint64_t used;			/* of the time, as RULE_UTIL */
	bool used_known;
	const char *who[NR_WHEN];	/* the program that has most of it */
	struct when_failures failures;
	struct when_ruled *ruled;	/* one for each rule */
};

struct when_moment {
	int64_t from_ns, until_ns;
	const char *disk, *who;
	enum when_what what;
	const struct rule *rule;	/* of WHEN_RULE */
	/* errors, nanoseconds, bytes a second, as RULE_UTIL; 0: not known */
	uint64_t value, usual;
};

size_t when_judge(const struct when_point *p, size_t nr, const struct rule *rules,
		  size_t nr_rules, struct when_moment **moments);

#endif
