/* SPDX-License-Identifier: GPL-2.0 */
/*
 * diskstats - what the kernel counts of a disk, in /proc/diskstats
 *
 * Pure, but for diskstats_read().
 */
#ifndef IOBLAME_DISKSTATS_H
#define IOBLAME_DISKSTATS_H

#include <stdbool.h>
#include <stdint.h>

#include "map.h"

enum diskstats_op {
	STAT_READ,
	STAT_WRITE,
	STAT_DISCARD,
	STAT_FLUSH,		/* as the disk gets them: without @merges and @sectors */
	STAT_OPS,
};

struct diskstats {
	uint64_t ios[STAT_OPS], merges[STAT_OPS], sectors[STAT_OPS], ms[STAT_OPS];
	uint64_t busy_ms;	/* at least one request was under way */
	uint64_t queue_ms;	/* the same, times their number */
};

/* The file, in which each disk is found at once */
struct diskstats_file {
	char *text;
	struct map lines;	/* by the number of their disk */
};

/* What was seen of a disk */
struct diskstats_look {
	bool there;
	struct diskstats st;	/* its numbers, if it was */
	struct diskstats sum;	/* what it did since the last diskstats_next() */
	bool unknown;		/* that is not all of it */
};

void diskstats_parse_numbers(const char *at, struct diskstats *st);
void diskstats_parse(struct diskstats_file *file, char *text);
void diskstats_read(struct diskstats_file *file);
void diskstats_free(struct diskstats_file *file);
bool diskstats_find(const struct diskstats_file *file, uint32_t dev, struct diskstats *st);
bool diskstats_since(struct diskstats *st, const struct diskstats *before);
void diskstats_gather(struct diskstats_look *look, const struct diskstats_file *file, uint32_t dev);
bool diskstats_next(struct diskstats_look *look, const struct diskstats_file *file,
		    uint32_t dev, struct diskstats *st);

#endif
