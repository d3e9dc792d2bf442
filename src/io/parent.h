/* SPDX-License-Identifier: GPL-2.0 */
/*
 * upper - the flight on an upper disk that a bio is made from
 */
#ifndef IOB_IO_PARENT_H
#define IOB_IO_PARENT_H

#include "bio_ctx.h"
#include "stacked/loop.h"

int iob_parents_start(void);
void iob_parents_stop(void);
void iob_parent_begin(struct iob_bio_ctx *f);
void iob_parent_end(struct iob_bio_ctx *f);
const struct bio *iob_parent_whole(const struct bio *bio, u64 *shift);
bool iob_parent_without_pages(struct iob_origin *o, const struct bio *bio,
			     dev_t disk, u64 sector);
bool iob_parent_mapped(struct iob_origin *o, const struct bio *bio, dev_t disk);
bool iob_parent_look(struct iob_origin *o, const struct bio *bio);

extern atomic_t iob_nr_parents;

/**
 * iob_parent_find - who pays for a bio that is made from others
 * @o:   gets the parts; iob_origin_free() it in the end
 * @bio: as it is queued
 *
 * Any context but NMI, inside iob_read_lock(), in the context of whoever
 * submits.  Return: false if it is none, or nobody is known; @o is not set.
 */
static inline bool iob_parent_find(struct iob_origin *o, const struct bio *bio)
{
	if (iob_loop_find(o, bio))
		return true;
	/* most systems have no upper disks: they pay for these two questions */
	return atomic_read(&iob_nr_parents) && iob_parent_look(o, bio);
}

#endif
