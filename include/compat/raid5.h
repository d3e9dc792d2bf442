/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/raid5 - the part of a raid456 stripe that each of its disks has
 *
 * Hides: struct r5dev is private, and so is struct stripe_head, whose last member is an array
 * of them.  The mirror below has what is the same in 5.10 to 7.2; it only gives offsets, which
 * are asked for by IOB_R5DEV_...  iob_r5dev_of() still checks that a bio and its page are where
 * these offsets have them.
 *
 * Example: if struct r5dev has 480 bytes and the array begins at 232 of a stripe, disk 2
 * is at 232 + 2 * 480 = 1192, and iob_r5dev_start() of it is 1192 % 480 = 232.
 */
#ifndef IOB_COMPAT_RAID5_H
#define IOB_COMPAT_RAID5_H

#include <linux/bio.h>

#include <compat/peek.h>

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

/* Members, in the order of a table of offsets. */
enum iob_r5dev_member {
	IOB_R5DEV_REQ,
	IOB_R5DEV_RREQ,
	IOB_R5DEV_VEC,
	IOB_R5DEV_RVEC,
	IOB_R5DEV_PAGE,
	IOB_R5DEV_ORIG_PAGE,
	IOB_R5DEV_OFFSET,
	IOB_R5DEV_TOREAD,
	IOB_R5DEV_TOWRITE,
	IOB_R5DEV_WRITTEN,
	IOB_R5DEV_SECTOR,
};

/* A member of @dev, of that type; @at: the offsets */
#define IOB_R5DEV(dev, at, member, type)					\
	READ_ONCE(*(const type *)((const char *)(dev) + (at)[IOB_R5DEV_##member]))

/* True if @vec, a bio's, is where @dev has the page of its disk. */
static inline bool iob_r5dev_has(const void *dev, const u16 *at, const struct bio_vec *vec)
{
	const char *d = dev;
	struct page *page, *orig;
	unsigned int offset;

	if ((const char *)vec != d + at[IOB_R5DEV_VEC] &&
	    (const char *)vec != d + at[IOB_R5DEV_RVEC])
		return false;
	if (!iob_peek(&page, (struct page **)(d + at[IOB_R5DEV_PAGE])) ||
	    !iob_peek(&orig, (struct page **)(d + at[IOB_R5DEV_ORIG_PAGE])) ||
	    !iob_peek(&offset, (unsigned int *)(d + at[IOB_R5DEV_OFFSET])))
		return false;
	return (vec->bv_page == page || vec->bv_page == orig) && vec->bv_offset == offset;
}

/* The r5dev that has @bio, a bio made by raid456, as a member.  NULL if that is not sure. */
static inline const void *iob_r5dev_of(const struct bio *bio, const u16 *at)
{
	const char *b = (const char *)bio;

	if (iob_r5dev_has(b - at[IOB_R5DEV_REQ], at, bio->bi_io_vec))
		return b - at[IOB_R5DEV_REQ];
	/* a write to the replacement of a disk */
	if (iob_r5dev_has(b - at[IOB_R5DEV_RREQ], at, bio->bi_io_vec))
		return b - at[IOB_R5DEV_RREQ];
	return NULL;
}

/*
 * The offset of the array in a stripe, given one of its elements of @size bytes.  The first
 * element must begin less than its own size behind the stripe's begin.
 */
static inline unsigned int iob_r5dev_start(const void *dev, const void *stripe,
					   unsigned int size)
{
	return ((unsigned long)dev - (unsigned long)stripe) % size;
}

#endif
