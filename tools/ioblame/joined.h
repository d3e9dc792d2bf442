/* SPDX-License-Identifier: GPL-2.0 */
/*
 * joined - the recordings that ioblamed has kept of a stretch of time, read as one
 *
 * ioblamed keeps records around moments that stood out (moment_file.h).  A view that needs records
 * is shown those of the recordings between --since and --until, one after the other: names and
 * intents of all are known, and an intent of several has one number.  Times are on one clock, so
 * all must be of one boot.  That clock stops in a suspend: each recording has offsets of its own
 * to the time of day, and a further head where that changes.
 */
#ifndef IOBLAME_JOINED_H
#define IOBLAME_JOINED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/ioblame.h>

#include "recording.h"
#include "store.h"
#include "stream.h"

struct joined {
	char **path;
	int64_t *end_ns;		/* when each ended; it has what was until then */
	size_t nr, at;			/* how many, and which is read */
	int64_t since_ns, until_ns;	/* CLOCK_REALTIME */
	uint64_t from_ns, to_ns;	/* the same on the clock of the last records */
	uint64_t start_ns;		/* of the recording that is read, on the clock of then, */
	int64_t start_wall_ns;		/* and what is added to that for the time of day */
	uint64_t latest_ns;		/* of the records until now */
	uint64_t floor_ns;		/* the records up to here were in the recordings before */
	int64_t wall_ns, boot_ns;	/* of the first one's head, */
	char boot_id[48];		/* and this, too */
	bool reached;			/* one that was read has the beginning of that time */
	bool left_out;			/* one could not be read, which is said */
};

int joined_find(struct joined *k, const char *folder, int64_t since_ns, int64_t until_ns);
void joined_begin(struct joined *k, const struct recording *r, const struct store_head *head);
void joined_clock(struct joined *k, const struct store_head *head);
int joined_start(const struct joined *k, struct store_head *head, bool found);
bool joined_next(struct joined *k, struct recording *r, struct store_head *head, struct stream *to);
bool joined_takes(struct joined *k, const struct iob_iolog_bin_record *rec);
void joined_free(struct joined *k);

#endif
