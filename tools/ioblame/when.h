/* SPDX-License-Identifier: GPL-2.0 */
/*
 * when - moments that stand out
 *
 * Pure.  A point is what one disk did in one stretch of time.  It stands out if IO failed, if its
 * 99th percentile is 4 times the usual one or its bytes a second are 8 times the usual ones; usual
 * is the median of the points of the same disk that are about as long.  Moments that follow each
 * other are one.  Example: in a night of minutes with a p99 of 2 ms, the three from 03:04 with
 * 60 to 90 ms are one moment of three minutes and 90 ms.
 */
#ifndef IOBLAME_WHEN_H
#define IOBLAME_WHEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum when_what {
	WHEN_ERRORS, WHEN_SLOW, WHEN_BUSY, NR_WHEN,
};

enum {
	WHEN_LEAST_IOS = 16,		/* for a percentile */
	WHEN_LEAST_POINTS = 10,		/* for what is usual */
};

struct when_point {
	int64_t from_ns, until_ns;
	const char *disk;		/* equal names have equal addresses */
	int level;			/* only points of one level are compared */
	uint64_t ios, bytes, errors, p99_ns;
	const char *who[NR_WHEN];	/* the program that has most of it */
};

struct when_moment {
	int64_t from_ns, until_ns;
	const char *disk, *who;
	enum when_what what;
	uint64_t value, usual;		/* errors, nanoseconds, bytes a second; 0: not known */
};

size_t when_judge(const struct when_point *p, size_t nr, struct when_moment **moments);

#endif
