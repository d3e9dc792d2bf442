/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/raid5 - the part of a raid456 stripe that each of its disks has
 *
 * Hides: struct r5dev is private, and so is struct stripe_head, whose last member is an array
 * of them.  struct r5dev is the same in 5.10 to 7.2.  iob_r5dev_of() still checks that a bio
 * and its page are where this layout has them.
 *
 * Example: if sizeof(struct iob_r5dev) is 480 and the array begins at 232 of a stripe, disk 2
 * is at 232 + 2 * 480 = 1192, and iob_r5dev_start() of it is 1192 % 480 = 232.
 */
#ifndef IOB_COMPAT_RAID5_H
#define IOB_COMPAT_RAID5_H

#include <linux/bio.h>

struct iob_r5dev {
	struct bio req, rreq;
	struct bio_vec vec, rvec;
	struct page *page, *orig_page;
	unsigned int offset;
	struct bio *toread, *read, *towrite, *written;
	sector_t sector;	/* of the array; not valid for a parity block */
	unsigned long flags;
	u32 log_checksum;
	unsigned short write_hint;
};

/* The r5dev that has @bio, a bio made by raid456, as a member.  NULL if that is not sure. */
static inline const struct iob_r5dev *iob_r5dev_of(const struct bio *bio)
{
	const struct iob_r5dev *dev = container_of(bio, struct iob_r5dev, req);
	const struct bio_vec *vec = bio->bi_io_vec;

	/* rreq is a write to the replacement of a disk */
	if (vec != &dev->vec)
		dev = container_of(bio, struct iob_r5dev, rreq);
	if (vec != &dev->vec && vec != &dev->rvec)
		return NULL;
	if (vec->bv_page != dev->page && vec->bv_page != dev->orig_page)
		return NULL;
	return vec->bv_offset == dev->offset ? dev : NULL;
}

/*
 * The offset of the array in a stripe, given one of its elements.  The first element must
 * begin less than its own size behind the stripe's begin.
 */
static inline unsigned int iob_r5dev_start(const struct iob_r5dev *dev,
					   const void *stripe)
{
	return ((unsigned long)dev - (unsigned long)stripe) % sizeof(*dev);
}

/* Element @nr of a stripe's array, which begins at offset @start. */
static inline const struct iob_r5dev *iob_r5dev_nr(const void *stripe,
						   unsigned int start,
						   unsigned int nr)
{
	return stripe + start + nr * sizeof(struct iob_r5dev);
}

/* The index of @dev in a stripe's array, which begins at offset @start. */
static inline unsigned int iob_r5dev_index(const struct iob_r5dev *dev,
					   const void *stripe,
					   unsigned int start)
{
	return ((unsigned long)dev - (unsigned long)stripe - start) /
	       sizeof(*dev);
}

#endif
