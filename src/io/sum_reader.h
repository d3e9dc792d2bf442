/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sum_reader - passes over all sums, each with what has changed since the reader's last one
 *
 * There may be any number of readers, each at a place of its own.  A pass is three parts:
 *
 *  1. In a reader's first pass: the past, one sum for each disk, operation and certainty of all
 *     sums that went before.
 *  2. The rest of each disk, then the sums of acts, that have changed.
 *  3. The sums that went with their acts since the reader's last pass.
 *
 * A sum that goes is kept as its last record until each reader has seen it; then it is added to
 * the past.  So whoever adds up what he reads has all IO, whenever he began.  A reader that stops
 * reading stops nothing: when five quarters of max_sums are kept, the oldest is added to the past
 * unseen (sum_unseen).  As long as it reads, sums do not go for want of room, for them or for acts,
 * while more than a quarter of max_sums is still to be seen: all may go at once then, and it misses
 * none.  They go in any case when roles are short.
 *
 * Whatever goes during a first pass, it has each sum: among those of acts, or of those that went,
 * or of both with the same numbers, or in the past.
 *
 * Example: two readers are open when dd's act is reclaimed.  The first one's next pass has
 * dd's sum as gone; the record stays for the second one's.
 */
#ifndef IOB_IO_SUM_READER_H
#define IOB_IO_SUM_READER_H

#include <linux/ioblame.h>
#include <linux/list.h>
#include <linux/types.h>

struct gone_sum;
struct iob_act;
struct iob_disk;

/* Where a pass is. */
enum iob_sum_part {
	IOB_SUM_PART_BEGIN,	/* the next read begins it */
	IOB_SUM_PART_PAST,
	IOB_SUM_PART_REST,
	IOB_SUM_PART_ACTS,
	IOB_SUM_PART_GONE,
	IOB_SUM_PART_END,	/* the next read tells of the end */
};

/* R: sum_mutex; the others are the caller's to lock */
struct iob_sum_reader {
	struct list_head link;	/* R */
	u64 seen;		/* R: the last record of those that went, by its number, */
	struct gone_sum *last;	/* R: and itself; NULL: it is kept no more, the front is next */
	time64_t passed;	/* R: when the last pass began, in seconds from boot */
	u32 session;		/* of the last pass */
	bool first;		/* there was no pass yet in this session */
	enum iob_sum_part part;
	u32 from;		/* sums that noted this generation or a later one have changed */
	u32 next;		/* the generation that this pass began */
	struct iob_disk *disk;	/* the next one of the part, NULL: its first disk */
	u32 at;			/* of the disk, or the number of the act: the next one */
	u32 place;		/* in the list of the act */
};

int iob_sum_readers_init(void);
void iob_sum_readers_exit(void);
bool iob_sums_may_go(void);
void iob_sum_reader_open(struct iob_sum_reader *r, u32 session);
void iob_sum_reader_close(struct iob_sum_reader *r);
u32 iob_sum_reader_next(struct iob_sum_reader *r, u32 session, struct iob_sum_bin_record *to,
			u32 max);

void iob_sums_keep(struct iob_act *act);
void iob_sums_release(struct iob_act *act);
int iob_sums_start(void);
void iob_sums_stop(void);

#endif
