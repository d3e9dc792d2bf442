// SPDX-License-Identifier: GPL-2.0
/*
 * A bio that a driver sends on to a disk below as it is: md0 and linear do so on
 * 5.10, nvme's multipath on all.  The block layer has announced it once and will
 * not again; only block_bio_remap tells.  Below it has a flight of its own, which
 * is a piece of the upper disk's: that one ends with the last of its bytes.
 *
 * What is split for it is split by the driver, without a word: then the front is
 * chained to the rest, which has the upper disk's flight or has gone on, too.
 */
#include <linux/sched.h>

#include <compat/blkdev.h>

#include "core/disk.h"
#include "bio_ctx.h"
#include "bio.h"

/* The flight that a bio, or one that it is chained to, has or had on a disk. */
static struct iob_bio_ctx *whole_on(const struct bio *bio, dev_t disk)
{
	struct iob_bio_ctx *f;
	int depth;

	for (depth = 0; depth < IOB_MAX_CHAIN; depth++) {
		f = iob_bio_ctx_on(bio, disk);
		if (f || !iob_bio_chained(bio))
			return f;
		bio = bio->bi_private;
	}
	return NULL;
}

/* Where @bio is now. */
static void place(struct iob_bio_ctx *f, const struct bio *bio)
{
	const struct gendisk *gd = iob_bio_disk(bio);

	iob_hashed_ctx(f)->gd = gd;
	f->issue_at = 0;
	f->sector = bio->bi_iter.bi_sector;
	f->disk = iob_disk_of(gd, f->sector, f->size);
}

static void go_below(struct iob_bio_ctx *whole, struct bio *bio, u32 pos)
{
	struct iob_bio_ctx *f = iob_bio_ctx_piece(whole, bio, pos, true);

	/* the bio is to be found below, or not at all */
	if (whole->bio == bio)
		WRITE_ONCE(iob_hashed_ctx(whole)->passed, true);
	if (!f) {
		iob_bio_ctx_lose(whole, bio->bi_iter.bi_size);
		return;
	}
	iob_hashed_ctx(f)->above = whole;
	place(f, bio);
	f->child = iob_bio_ends_with_parent(bio);
	if (f->child) {
		iob_hashed_ctx(f)->self = bio;
		f->bio = bio->bi_private;
	}
	iob_bio_ctx_begin(f);
}

/**
 * iob_bio_remap - a bio goes on to another place
 * @bio:    the bio, which is there already
 * @disk:   where it was: a disk or a partition
 * @sector: and at which sector of that
 *
 * From a probe: any context but NMI, inside iob_read_lock().
 */
void iob_bio_remap(struct bio *bio, dev_t disk, u64 sector)
{
	struct iob_bio_ctx *f, *whole, *above;
	u64 pos;

	/* most are new ones, which will be queued */
	if (!bio_flagged(bio, BIO_TRACE_COMPLETION)) {
		if (!bio_has_data(bio) && bio->bi_iter.bi_size)
			iob_bio_clone(bio, disk, sector);
		return;
	}
	f = iob_bio_ctx_on(bio, 0);
	/* it goes to a partition below, or comes again for another path */
	above = f ? iob_bio_ctx_above(f) : NULL;
	if (above && (iob_bio_ctx_disk(f) == iob_bio_disk(bio) ||
		      iob_disk_is(iob_bio_ctx_disk(above), disk))) {
		place(f, bio);
		return;
	}
	whole = whole_on(bio, disk);
	if (!whole || iob_bio_ctx_disk(whole) == iob_bio_disk(bio))
		return;
	pos = (sector - whole->sector) << SECTOR_SHIFT;
	if (pos + bio->bi_iter.bi_size <= whole->size)
		go_below(whole, bio, pos);
}
