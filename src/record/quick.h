/* SPDX-License-Identifier: GPL-2.0 */
/*
 * quick - what each IO runs through, and the short way that most of them take
 */
#ifndef IOB_RECORD_QUICK_H
#define IOB_RECORD_QUICK_H

#include <linux/blkdev.h>

#include "../blame/backing.h"
#include "flight.h"

/*
 * Whether IO that goes to a disk, or a request of it, may be anybody's concern: false
 * for most, where only some disks are watched.  Any context; nothing is looked at that
 * would have to be kept from being freed.
 */
static __always_inline bool iob_quick_queues(const struct bio *bio)
{
	const struct gendisk *gd = iob_queued_disk(bio);

	return iob_disk_maybe(gd) || iob_disk_stacks(gd);
}

static __always_inline bool iob_quick_has(const struct request *rq)
{
	const struct gendisk *gd = iob_rq_disk(rq);

	/* a command of a driver's own may be for no disk */
	return rq->bio && gd && iob_disk_maybe(gd);
}

void iob_quick_queue(struct bio *bio);
void iob_quick_note(const struct iob_flight *f, const struct gendisk *gd,
		    u32 epoch);
void iob_quick_issue(struct request *rq);
void iob_quick_rq_done(struct request *rq, int error, unsigned int bytes);

#endif
