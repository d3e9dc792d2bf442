// SPDX-License-Identifier: GPL-2.0
/*
 * raid456 copies what it writes to pages of its own, a block of each disk at a time: a
 * stripe.  Bios join a stripe for the blocks that they have data for.
 *
 * The acts that pay for a bio's bytes pay for the block of data that they go to.  Parity, and
 * what is read to compute it, is written or read once for all that have data in the stripe:
 * the bio that joined last pays.  A discard takes whole stripes, and no bio joins for it:
 * the acts that discard the data beside the parity pay for it.
 *
 * Example: act 7 writes 4 KiB to an array of three disks.  Its block of data is act 7's,
 * exact; the old data and parity that are read, and the parity that is written, are act
 * 7's, inherited.
 *
 * A bio ends, and its context with it, after all blocks of its stripes are written: what is
 * noted of a stripe counts only while that context is there and has the sector that joined.
 * So resynchronising, which no bio joins, is not charged to an earlier user of the stripe, unless
 * the bio has more stripes and these are still to be written.
 *
 * Context: the hook runs in the task that gives the array its IO, interrupts may be off.
 */
#include <compat/blkdev.h>
#include <compat/raid5.h>

#include "blame/association.h"
#include "blame/bio_kind.h"
#include "blame/provider.h"
#include "core/layout.h"
#include "hooks/hook.h"
#include "io/bio_ctx.h"
#include "io/parent.h"

/* Not acts: the bio that joined a stripe last; the sub number says what is noted. */
static struct iob_assoc_kind raid5_assoc_stripe = { .name = "stripe_head" };

enum {
	JOINED_BIO,		/* the bio */
	JOINED_SECTOR,		/* and which of its sectors */
	JOINED_READ = 2,	/* added to them: the same of a read */
};

/* that have data for one block, which is a page at most: one for each sector */
#define MAX_BIOS	(PAGE_SIZE >> SECTOR_SHIFT)

static const struct iob_layout_member r5dev_members[] = {
	[IOB_R5DEV_REQ] = IOB_LAYOUT_MEMBER("req", struct iob_r5dev, req),
	[IOB_R5DEV_RREQ] = IOB_LAYOUT_MEMBER("rreq", struct iob_r5dev, rreq),
	[IOB_R5DEV_VEC] = IOB_LAYOUT_MEMBER("vec", struct iob_r5dev, vec),
	[IOB_R5DEV_RVEC] = IOB_LAYOUT_MEMBER("rvec", struct iob_r5dev, rvec),
	[IOB_R5DEV_PAGE] = IOB_LAYOUT_MEMBER("page", struct iob_r5dev, page),
	[IOB_R5DEV_ORIG_PAGE] = IOB_LAYOUT_MEMBER("orig_page", struct iob_r5dev, orig_page),
	[IOB_R5DEV_OFFSET] = IOB_LAYOUT_MEMBER("offset", struct iob_r5dev, offset),
	[IOB_R5DEV_TOREAD] = IOB_LAYOUT_MEMBER("toread", struct iob_r5dev, toread),
	[IOB_R5DEV_TOWRITE] = IOB_LAYOUT_MEMBER("towrite", struct iob_r5dev, towrite),
	[IOB_R5DEV_WRITTEN] = IOB_LAYOUT_MEMBER("written", struct iob_r5dev, written),
	[IOB_R5DEV_SECTOR] = IOB_LAYOUT_MEMBER("sector", struct iob_r5dev, sector),
};

/* What is read of it is proved each time by the bio's page. */
static struct iob_layout r5dev_layout = {
	.type = "r5dev", IOB_LAYOUT_IN("raid456", CONFIG_MD_RAID456),
	IOB_LAYOUT_OF(r5dev_members), .of = sizeof(struct iob_r5dev),
	.cost = "which acts pay when raid456 reads and writes data",
};

static const struct iob_layout_member stripe_members[] = {
	{ .name = "dev" },
};

/* Where in a stripe its disks begin: learnt from the first one that is seen. */
static struct iob_layout stripe_layout = {
	.type = "stripe_head", IOB_LAYOUT_IN("raid456", CONFIG_MD_RAID456),
	IOB_LAYOUT_OF(stripe_members),
	.cost = "which sector of a stripe a bio has, and which acts pay for discards of parity",
};

/* The disk @nr of a stripe; NULL if it is not known where it is. */
static const void *raid5_disk(const void *stripe, unsigned int nr)
{
	if (!iob_layout_is_learnt(&stripe_layout))
		return NULL;
	return iob_layout_at(&stripe_layout, 0, stripe) + nr * READ_ONCE(r5dev_layout.of);
}

static u64 raid5_sector_of(const void *dev)
{
	return IOB_R5DEV(dev, r5dev_layout.at, SECTOR, sector_t);
}

/* The sector of @bio that has joined; its first one if that cannot be told. */
static u64 raid5_joined_sector(const void *stripe, const struct bio *bio, unsigned int disk)
{
	const void *dev = raid5_disk(stripe, disk);
	u64 sector;

	if (!dev)
		return bio->bi_iter.bi_sector;
	sector = raid5_sector_of(dev);
	if (sector < bio->bi_iter.bi_sector || sector >= bio_end_sector(bio))
		return bio->bi_iter.bi_sector;
	return sector;
}

/* (stripe, bio, disk, whether it is a write, ...) */
static void raid5_join_entered(struct pt_regs *regs)
{
	const void *stripe = iob_arg_ptr(regs, 0);
	const struct bio *bio = iob_arg_ptr(regs, 1);
	u64 shift, sub = (int)iob_arg(regs, 3) ? 0 : JOINED_READ;
	const struct bio *whole = iob_parent_whole(bio, &shift);

	if (!whole)
		return;
	iob_assoc_set(&raid5_assoc_stripe, stripe, sub + JOINED_BIO, (unsigned long)whole);
	iob_assoc_set(&raid5_assoc_stripe, stripe, sub + JOINED_SECTOR,
		      raid5_joined_sector(stripe, bio, iob_arg(regs, 2)) + shift);
}

/* True if a bio of a block has sectors that the block has: what is read of the block is right. */
static bool raid5_bio_is_of(const struct bio *bio, u64 first, u64 end)
{
	bool right = iob_bio_readable(bio) && bio->bi_iter.bi_sector < end &&
		     bio_end_sector(bio) > first;

	if (!right)
		iob_layout_tell(&r5dev_layout, false);
	return right;
}

/*
 * The bios that a block has data from, or is read for, in the order of sectors.  *@old: it is read
 * because they will be written, to compute parity.
 */
static const struct bio *raid5_bios_of(const void *dev, bool write, bool *old)
{
	const u16 *at = r5dev_layout.at;
	const struct bio *bio;

	*old = false;
	if (write) {
		bio = IOB_R5DEV(dev, at, WRITTEN, struct bio *);
	} else {
		bio = IOB_R5DEV(dev, at, TOREAD, struct bio *);
		*old = !bio;
		if (*old)
			bio = IOB_R5DEV(dev, at, TOWRITE, struct bio *);
	}
	return bio;
}

static u32 raid5_add_data(struct iob_origin *o, const void *dev, bool write, u32 bytes)
{
	u64 sector = raid5_sector_of(dev), end = sector + (bytes >> SECTOR_SHIFT);
	const struct bio *whole, *bio;
	unsigned int i;
	u32 got = 0;
	bool old;
	u64 shift;

	bio = raid5_bios_of(dev, write, &old);
	if (bio && !iob_layout_is_sure(&r5dev_layout) && !raid5_bio_is_of(bio, sector, end))
		return 0;
	for (i = 0; bio && i < MAX_BIOS; i++, bio = READ_ONCE(bio->bi_next)) {
		whole = iob_parent_whole(bio, &shift);
		if (!whole)
			break;
		got += iob_bio_ctx_slice(o, whole, sector + shift, bytes);
		/* what comes next is another stripe's */
		if (bio_end_sector(bio) >= end)
			break;
	}
	if (old)
		iob_origin_inherit(o);
	return got;
}

/*
 * Parity is discarded with all data of its stripe.  At least one of the two disks next to it
 * has data.  The second one is looked at on RAID 6 only, so it exists.
 */
static u32 raid5_add_discarded(struct iob_origin *o, const void *dev,
			       const void *stripe, u32 bytes)
{
	const void *first = raid5_disk(stripe, 0);
	unsigned int i, nr;
	u32 got = 0;

	if (!first)
		return 0;
	nr = (dev - first) / READ_ONCE(r5dev_layout.of);
	for (i = 1; i <= 2 && !got; i++)
		got = raid5_add_data(o, raid5_disk(stripe, nr < i ? i : nr - i), true, bytes);
	return got;
}

/* The bio that joined last, by @sub.  Return: its bytes, 0 if it is not known. */
static u32 raid5_add_joined(struct iob_origin *o, const void *stripe, u64 sub)
{
	u64 bio = iob_assoc_get(&raid5_assoc_stripe, stripe, sub + JOINED_BIO);
	u64 sector = iob_assoc_get(&raid5_assoc_stripe, stripe, sub + JOINED_SECTOR);

	if (!bio)
		return 0;
	return iob_bio_ctx_slice(o, (const void *)(unsigned long)bio, sector,
				 1 << SECTOR_SHIFT);
}

/* The origin of what serves all that have data in the stripe. */
static u32 raid5_add_shared(struct iob_origin *o, const void *dev, const struct bio *bio,
			    u32 bytes)
{
	const void *stripe = bio->bi_private;
	u32 got;

	if (bio_op(bio) == REQ_OP_DISCARD)
		return dev ? raid5_add_discarded(o, dev, stripe, bytes) : 0;
	got = raid5_add_joined(o, stripe, 0);
	if (!got && !op_is_write(bio_op(bio)))
		got = raid5_add_joined(o, stripe, JOINED_READ);
	return got;
}

/* The r5dev that has the bio; NULL if that is not sure. */
static const void *raid5_dev_of(const struct bio *bio)
{
	const void *dev, *stripe = bio->bi_private;
	unsigned int size = READ_ONCE(r5dev_layout.of);

	if (iob_layout_is_bad(&r5dev_layout) || !bio->bi_io_vec)
		return NULL;
	dev = iob_r5dev_of(bio, r5dev_layout.at);
	iob_layout_tell(&r5dev_layout, dev);
	if (dev && !iob_layout_is_learnt(&stripe_layout) && !iob_layout_is_bad(&stripe_layout))
		iob_layout_learn(&stripe_layout, 0, iob_r5dev_start(dev, stripe, size));
	return dev;
}

/* A bio of a stripe, bi_private: struct stripe_head.  struct iob_bio_kind.find_parent */
static bool raid5_find_parent(struct iob_origin *o, const struct bio *bio,
			      const struct bio *whole)
{
	u32 bytes = bio->bi_iter.bi_size, got = 0;
	const void *dev;

	/* raid456 chains no bios */
	if (whole != bio)
		return false;
	dev = raid5_dev_of(bio);
	iob_origin_begin(o);
	if (dev)
		got = raid5_add_data(o, dev, op_is_write(bio_op(bio)), bytes);
	if (!got) {
		got = raid5_add_shared(o, dev, bio, bytes);
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

static const struct iob_bio_kind raid5_bio_stripe = {
	.name = "raid456 stripe",
	.find_parent = raid5_find_parent,
	.when_queued = true,
};

#define STRIPE_END(func)						\
	IOB_HOOK_END_IN("raid456", CONFIG_MD_RAID456, func, &raid5_bio_stripe,	\
			"which acts pay when raid456 reads and writes")

static const struct iob_hook raid5_table[] = {
	{
		.name = "__add_stripe_bio|add_stripe_bio",
		.called_in = "add_all_stripe_bios|make_stripe_request|raid5_make_request",
		.kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,
		.entered = raid5_join_entered, IOB_IN_MODULE("raid456", CONFIG_MD_RAID456),
		.impact = "which acts pay when raid456 writes parity",
	},
	STRIPE_END("raid5_end_write_request"),
	STRIPE_END("raid5_end_read_request"),
};

static IOB_HOOK_LIST(raid5_hooks, raid5_table);

IOB_PROVIDER(raid5) = {
	.hooks = &raid5_hooks,
	.layout = { &r5dev_layout, &stripe_layout },
	.assoc = { &raid5_assoc_stripe },
};
