/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flight - one bio under way, as inflight and upper share it
 */
#ifndef IOB_RECORD_FLIGHT_H
#define IOB_RECORD_FLIGHT_H

#include <linux/list_bl.h>

#include "../blame/origin.h"

#define IOB_FLIGHT_BITS	14

struct iob_flight {
	struct hlist_bl_node hash;
	struct hlist_bl_node vec_hash;	/* if it is on a disk that clones */
	const struct bio *bio;		/* key */
	const struct bio_vec *vec;	/* the other key */
	u32 idx, done;			/* where in @vec it began */
	struct iob_disk *disk;		/* NULL: only followed */
	const struct gendisk *gd;	/* lives as long as the bio */
	u64 sector;
	u64 queue_ns;
	u64 issue_ns;			/* of the request that it leads */
	u32 size;
	atomic_t left;			/* bytes to come, or 1 if size is 0 */
	u32 opf;
	u32 sub_pid;
	u8 op;
	bool claimed;			/* not queued yet */
	bool child;			/* ends with @bio, which it is chained to */
	const struct bio *self;		/* the bio itself */
	const void *private;		/* the bio's, while it is claimed */
	char sub_comm[IOB_COMM_LEN];
	struct iob_origin origin;
};

/* Interrupts off: a completion may come in the middle. */
static inline unsigned long iob_flights_lock(struct hlist_bl_head *b)
	__acquires(bitlock)
{
	unsigned long flags;

	local_irq_save(flags);
	hlist_bl_lock(b);
	return flags;
}

static inline void iob_flights_unlock(struct hlist_bl_head *b,
				      unsigned long flags)
	__releases(bitlock)
{
	hlist_bl_unlock(b);
	local_irq_restore(flags);
}

const struct bio *iob_flight_bio(const struct bio *bio);
u32 iob_flight_slice(struct iob_origin *o, const struct bio *bio, u64 sector,
		     u32 bytes);

#endif
