// SPDX-License-Identifier: GPL-2.0
/*
 * raid456 copies what it writes to pages of its own, a block of each disk at a
 * time: a stripe.  Bios join a stripe by the block that they have data for.  A
 * block of data is paid for by who pays for these bytes of the bios that it is
 * from.  Parity, and what is read to compute it, is written or read once for all
 * who have data in the stripe: the one who joined last pays.
 *
 * A discard takes whole stripes, and nobody joins for it: parity is discarded for
 * those who discard the data beside it.
 *
 * A bio ends after all blocks of its stripes are written, and so does its
 * flight: what is noted of a stripe counts only while that flight is there and
 * has the sector that joined.  Resynchronising, which nobody joins, is thus
 * never charged to who used the stripe before.
 */
#include <compat/raid5.h>

#include "blame/association.h"
#include "raid5.h"
#include "io/parent.h"

/* who joined a stripe last, as IOB_ASSOC_STRIPE's sub: in place of an act, */
enum {
	JOINED_BIO,		/* the bio */
	JOINED_SECTOR,		/* and which of its sectors */
	JOINED_READ = 2,	/* the same for a read */
};

#define MAX_BIOS	8	/* that have data for one block */

/* where in a stripe its disks begin, 0 until it is known; always the same */
static unsigned int start;

/* Which of @bio's sectors has joined; the first if we cannot tell. */
static u64 joined_sector(const void *stripe, const struct bio *bio,
			 unsigned int disk)
{
	unsigned int at = READ_ONCE(start);
	u64 sector;

	if (!at)
		return bio->bi_iter.bi_sector;
	sector = iob_r5dev_nr(stripe, at, disk)->sector;
	if (sector < bio->bi_iter.bi_sector || sector >= bio_end_sector(bio))
		return bio->bi_iter.bi_sector;
	return sector;
}

/**
 * iob_raid5_join - a bio has data for a stripe, or wants some of it
 * @stripe: the stripe
 * @bio:    the array's bio, or a piece of it
 * @disk:   in which of the stripe's disks the data are
 * @write:  whether it has data
 *
 * From a probe, inside iob_read_lock().
 */
void iob_raid5_join(const void *stripe, const struct bio *bio,
		     unsigned int disk, bool write)
{
	u64 shift, sub = write ? 0 : JOINED_READ;
	const struct bio *whole = iob_parent_whole(bio, &shift);

	if (!whole)
		return;
	iob_assoc_set(IOB_ASSOC_STRIPE, stripe, sub + JOINED_BIO,
		      (unsigned long)whole);
	iob_assoc_set(IOB_ASSOC_STRIPE, stripe, sub + JOINED_SECTOR,
		      joined_sector(stripe, bio, disk) + shift);
}

/* The bios that a block has data from, or is read for, by their sectors. */
static const struct bio *bios_of(const struct iob_r5dev *dev, bool write)
{
	const struct bio *bio;

	if (write)
		return READ_ONCE(dev->written);
	bio = READ_ONCE(dev->toread);
	return bio ? bio : READ_ONCE(dev->towrite);
}

static u32 find_data(struct iob_origin *o, const struct iob_r5dev *dev,
		     bool write, u32 bytes)
{
	u64 end = dev->sector + (bytes >> SECTOR_SHIFT);
	const struct bio *whole, *bio = bios_of(dev, write);
	unsigned int i;
	u32 got = 0;
	u64 shift;

	for (i = 0; bio && i < MAX_BIOS; i++, bio = bio->bi_next) {
		whole = iob_parent_whole(bio, &shift);
		if (!whole)
			break;
		got += iob_bio_ctx_slice(o, whole, dev->sector + shift, bytes);
		/* what comes next is another stripe's */
		if (bio_end_sector(bio) >= end)
			break;
	}
	return got;
}

/*
 * Parity is discarded with all the data of its stripe.  Of the two disks beside
 * it one has data; the second is there, as only RAID 6 gets to look at it.
 */
static u32 find_discarded(struct iob_origin *o, const struct iob_r5dev *dev,
			  const void *stripe, u32 bytes)
{
	unsigned int at = READ_ONCE(start), i;
	unsigned int nr = iob_r5dev_index(dev, stripe, at);
	u32 got = 0;

	for (i = 1; i <= 2 && !got; i++)
		got = find_data(o, iob_r5dev_nr(stripe, at, nr < i ? i : nr - i),
				true, bytes);
	return got;
}

static u32 find_joined(struct iob_origin *o, const void *stripe, u64 sub)
{
	u64 bio = iob_assoc_get(IOB_ASSOC_STRIPE, stripe, sub + JOINED_BIO);
	u64 sector = iob_assoc_get(IOB_ASSOC_STRIPE, stripe,
				   sub + JOINED_SECTOR);

	if (!bio)
		return 0;
	return iob_bio_ctx_slice(o, (const void *)(unsigned long)bio, sector,
				1 << SECTOR_SHIFT);
}

/* Who pays for what serves all that have data in the stripe. */
static u32 find_shared(struct iob_origin *o, const struct iob_r5dev *dev,
		       const struct bio *bio, u32 bytes)
{
	const void *stripe = bio->bi_private;
	u32 got;

	if (bio_op(bio) == REQ_OP_DISCARD)
		return dev ? find_discarded(o, dev, stripe, bytes) : 0;
	got = find_joined(o, stripe, 0);
	if (!got && !op_is_write(bio_op(bio)))
		got = find_joined(o, stripe, JOINED_READ);
	return got;
}

/**
 * iob_raid5_find - who pays for a bio of a stripe
 * @o:   gets the parts; iob_origin_free() it in the end
 * @bio: as it is queued, one that raid456 ends as a stripe's
 *
 * Any context but NMI, inside iob_read_lock().
 * Return: false if nobody is known; @o is not set.
 */
bool iob_raid5_find(struct iob_origin *o, const struct bio *bio)
{
	const struct iob_r5dev *dev = iob_r5dev_of(bio);
	const void *stripe = bio->bi_private;
	bool write = op_is_write(bio_op(bio));
	u32 bytes = bio->bi_iter.bi_size, got = 0;

	iob_origin_begin(o);
	if (dev) {
		if (!READ_ONCE(start))
			WRITE_ONCE(start, iob_r5dev_start(dev, stripe));
		got = find_data(o, dev, write, bytes);
	}
	if (!got) {
		got = find_shared(o, dev, bio, bytes);
		if (got)
			iob_origin_inherit(o);
	}
	/* the rest of a block that was given in part */
	if (got && got < bytes)
		iob_origin_stretch(o, bytes - got);
	if (!got)
		iob_origin_free(o);
	return got;
}
