/* SPDX-License-Identifier: GPL-2.0 */
/*
 * upper - the flight on an upper disk that a bio is made from
 */
#ifndef IOB_RECORD_UPPER_H
#define IOB_RECORD_UPPER_H

#include "flight.h"
#include "loop.h"

int iob_uppers_start(void);
void iob_uppers_stop(void);
void iob_upper_begin(struct iob_flight *f);
void iob_upper_end(struct iob_flight *f);
const struct bio *iob_upper_whole(const struct bio *bio, u64 *shift);
bool iob_upper_without_pages(struct iob_origin *o, const struct bio *bio,
			     dev_t disk, u64 sector);
bool iob_upper_mapped(struct iob_origin *o, const struct bio *bio, dev_t disk);
bool iob_upper_look(struct iob_origin *o, const struct bio *bio);

extern atomic_t iob_nr_uppers;

/**
 * iob_upper_find - who pays for a bio that is made from others
 * @o:   gets the parts; iob_origin_free() it in the end
 * @bio: as it is queued
 *
 * Any context but NMI, inside iob_read_lock(), in the context of whoever
 * submits.  Return: false if it is none, or nobody is known; @o is not set.
 */
static inline bool iob_upper_find(struct iob_origin *o, const struct bio *bio)
{
	if (iob_loop_find(o, bio))
		return true;
	/* most systems have no upper disks: they pay for these two questions */
	return atomic_read(&iob_nr_uppers) && iob_upper_look(o, bio);
}

#endif
