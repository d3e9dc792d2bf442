/* SPDX-License-Identifier: GPL-2.0 */
/*
 * origin - which acts pay for a bio
 *
 * Example: the flusher queues a write of 12 KiB with pages 5 to 7 of a file.  The dirtier
 * table has the entries 20, 20 and 31 for their page frames, and both acts are on this file.
 * The origin is { act 20, 8192 bytes }, { act 31, 4096 bytes }.
 */
#ifndef IOB_BLAME_ORIGIN_H
#define IOB_BLAME_ORIGIN_H

#include <linux/bio.h>

#include "core/disk.h"
#include "share.h"
#include "stack/slot.h"

struct pt_regs;

/* The operation as iolog names it; -1 if such a bio is not accounted. */
static inline int iob_op_of(const struct bio *bio)
{
	switch (bio_op(bio)) {
	case REQ_OP_READ:
		return bio->bi_opf & REQ_RAHEAD ? IOB_OP_AHEAD : IOB_OP_READ;
	case REQ_OP_WRITE:
	case REQ_OP_ZONE_APPEND:
		/* a write without data only carries a flush */
		return bio->bi_iter.bi_size ? IOB_OP_WRITE : IOB_OP_FLUSH;
	case REQ_OP_DISCARD:
	case REQ_OP_SECURE_ERASE:
	case REQ_OP_WRITE_ZEROES:
		return IOB_OP_DISCARD;
	case REQ_OP_FLUSH:
		return IOB_OP_FLUSH;
	default:
		return -1;
	}
}

bool iob_origin_find(struct iob_origin *o, struct bio *bio, enum iob_op op,
		     const struct iob_frame *at, struct pt_regs *regs);
void iob_origin_find_late(struct iob_origin *o, struct bio *bio, enum iob_op op);

#endif
