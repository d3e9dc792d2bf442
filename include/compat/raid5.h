/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/raid5 - what a stripe of raid456 has for each of its disks
 *
 * Hides: struct r5dev is private, and in an array at the end of a private
 * struct.  It is the same in 5.10 to 7.2; still, nothing in it is believed before
 * a bio in it was seen to lie where we expect it, with its page.
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
	sector_t sector;	/* of the array; of a parity block: none */
	unsigned long flags;
	u32 log_checksum;
	unsigned short write_hint;
};

/* What @bio, which raid456 has made, is a member of; NULL if that is not sure. */
static inline const struct iob_r5dev *iob_r5dev_of(const struct bio *bio)
{
	const struct iob_r5dev *dev = container_of(bio, struct iob_r5dev, req);
	const struct bio_vec *vec = bio->bi_io_vec;

	/* a write to a disk's replacement */
	if (vec != &dev->vec)
		dev = container_of(bio, struct iob_r5dev, rreq);
	if (vec != &dev->vec && vec != &dev->rvec)
		return NULL;
	if (vec->bv_page != dev->page && vec->bv_page != dev->orig_page)
		return NULL;
	return vec->bv_offset == dev->offset ? dev : NULL;
}

/* Where in a stripe its disks begin, by one of them.  Less than one's size. */
static inline unsigned int iob_r5dev_start(const struct iob_r5dev *dev,
					   const void *stripe)
{
	return ((unsigned long)dev - (unsigned long)stripe) % sizeof(*dev);
}

/* A stripe's disk, @start being where the first one is. */
static inline const struct iob_r5dev *iob_r5dev_nr(const void *stripe,
						   unsigned int start,
						   unsigned int nr)
{
	return stripe + start + nr * sizeof(struct iob_r5dev);
}

/* Which of a stripe's disks @dev is. */
static inline unsigned int iob_r5dev_index(const struct iob_r5dev *dev,
					   const void *stripe,
					   unsigned int start)
{
	return ((unsigned long)dev - (unsigned long)stripe - start) /
	       sizeof(*dev);
}

#endif
