// SPDX-License-Identifier: GPL-2.0
/*
 * Some drivers do not clone a bio but send it on as it is: two simple ones up to 6.1, and one
 * with several paths to a disk on all kernels.  The block layer has announced the bio once
 * and will not again; only block_bio_remap tells.  Below, the bio has a context of its own,
 * which is a piece of the upper disk's context; that one ends with the last of its bytes.
 *
 * The driver splits such bios itself, and nothing announces it.  The front is then chained
 * to the rest, which has the upper disk's context or was sent on, too.
 *
 * Example: bio A of 8 KiB on an upper disk at sector 100 is sent to sector 40 of a lower
 * disk.  The upper context becomes .passed: a lookup of A now finds the new context, { bio
 * A, lower disk, sector 40, 8 KiB, above = the upper context }.  A's request ends on the
 * lower disk: 8 KiB are recorded there, then 8 KiB at sector 100 of the upper disk.
 */
#include <linux/sched.h>

#include <compat/blkdev.h>

#include "core/disk.h"
#include "bio.h"
#include "bio_end.h"
#include "remap.h"

/* The context that a bio, or a bio that it is chained to, has on a disk. */
static struct iob_bio_ctx *find_whole_on(const struct bio *bio, dev_t disk)
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

/* Move a context to where @bio is now. */
static void move_ctx(struct iob_bio_ctx *f, const struct bio *bio)
{
	const struct gendisk *gd = iob_bio_disk(bio);

	/* its end is seen there: before the bio is */
	iob_disk_maybe_from_now(gd);
	iob_hashed_ctx_set_disk(iob_hashed_ctx(f), gd);
	f->issue_at = 0;
	f->sector = bio->bi_iter.bi_sector;
	f->disk = iob_disk_of(gd, f->sector, f->size);
}

/* True if a context is that of @bio itself, and not of a bio that @bio is a part of. */
static bool is_ctx_of(const struct iob_bio_ctx *f, const struct bio *bio)
{
	return (f->child ? iob_hashed_ctx(f)->self : f->bio) == bio;
}

static void pass_bio_down(struct iob_bio_ctx *whole, struct bio *bio, u32 pos)
{
	struct iob_bio_ctx *f = iob_bio_ctx_piece(whole, bio, pos, true);

	/* a lookup of the bio finds the lower context or none */
	if (is_ctx_of(whole, bio))
		WRITE_ONCE(iob_hashed_ctx(whole)->passed, true);
	if (!f) {
		iob_bio_ctx_lose(whole, bio->bi_iter.bi_size);
		return;
	}
	iob_bio_ctx_set_above(f, whole);
	move_ctx(f, bio);
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
 * @sector: the sector there
 *
 * From a probe: any context but NMI, inside iob_read_lock().
 */
void iob_bio_remap(struct bio *bio, dev_t disk, u64 sector)
{
	struct iob_bio_ctx *f, *whole, *above;
	u64 pos;

	/* most are new bios, which will be queued */
	if (!bio_flagged(bio, BIO_TRACE_COMPLETION)) {
		if (!bio_has_data(bio) && bio->bi_iter.bi_size)
			iob_bio_clone(bio, disk, sector);
		return;
	}
	f = iob_bio_ctx_on(bio, 0);
	/* it goes to a partition of the lower disk, or comes again for another path */
	above = f ? iob_bio_ctx_above(f) : NULL;
	if (above && (iob_bio_ctx_disk(f) == iob_bio_disk(bio) ||
		      iob_hashed_ctx(above)->devt == disk)) {
		move_ctx(f, bio);
		return;
	}
	whole = find_whole_on(bio, disk);
	if (!whole || iob_bio_ctx_disk(whole) == iob_bio_disk(bio))
		return;
	pos = (sector - whole->sector) << SECTOR_SHIFT;
	if (pos + bio->bi_iter.bi_size <= whole->size)
		pass_bio_down(whole, bio, pos);
}
