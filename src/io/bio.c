// SPDX-License-Identifier: GPL-2.0
/*
 * A bio has a context from block_bio_queue until all its bytes are done.
 *
 * Requests need no context.  The bios of a request are chained to it, whatever was merged,
 * and the position of each bio says how much of it is done.
 *
 * A bio may be split: its front becomes a new bio, chained to the old one, which keeps the
 * rest.  On a disk with requests block_split reports it, and the front gets a context of
 * its own.  Where nothing reports it, the chain leads to the context of the whole, which
 * lives until the bytes of all pieces are done.  A disk without requests ends the whole at
 * once.
 *
 * Before 7.0 a bio with ciphertext takes the place of the file's bio behind block_bio_queue:
 * the file's context is that of both.  If a device's limits split it, its rest is queued.
 *
 * A bio that a cgroup's limit may hold back is queued by a worker later.  It is claimed
 * while its submitter is still current: its context begins then, and block_bio_queue finds
 * it.
 */
#include <linux/ktime.h>
#include <linux/sched.h>

#include <compat/compiler.h>
#include <compat/rcu.h>

#include "blame/async.h"
#include "blame/bio_kind.h"
#include "stack/stack.h"
#include "bio.h"
#include "bio_end.h"
#include "parent.h"

/*
 * IO to a disk that hands it on: its end must be seen.  A disk with requests ends it itself,
 * so look at its requests.  Bios that a driver makes for a disk below are queued there, and
 * followed only if that is watched or hands them on.  A bio that it passes on as it is, is
 * followed to its new disk: io/remap looks at that disk from then on.
 */
static void watch_end_of_bio(const struct gendisk *gd)
{
	if (iob_disk_passes_silently(gd))
		iob_disks_maybe_all();
	else
		iob_disk_maybe_from_now(gd);
}

/* iob_bio_follow(), inlined where each bio passes. */
static __always_inline struct iob_bio_ctx *
follow_bio(struct bio *bio, const struct gendisk *gd, u64 sector, bool lone)
{
	struct iob_disk *disk = iob_disk_of(gd, sector, bio->bi_iter.bi_size);
	bool hands_on = iob_disk_hands_on(gd);
	int op = iob_op_of(bio);

	if (op < 0 || (!disk && !(hands_on && iob_disk_any())))
		return NULL;
	if (hands_on) {
		watch_end_of_bio(gd);
		if (iob_disk_is_file(gd))
			iob_parent_expect_workers();
	}
	return iob_bio_ctx_make(bio, gd, disk, op, lone && !hands_on);
}

/**
 * iob_bio_follow - a new context, if the bio is to be followed
 * @bio:  the bio
 * @gd:   its disk
 * @lone: see iob_bio_ctx_get()
 *
 * Any context but NMI, inside iob_read_lock().  Return: as iob_bio_ctx_make(), or NULL if
 * neither the disk nor one below is watched.
 */
struct iob_bio_ctx *iob_bio_follow(struct bio *bio, const struct gendisk *gd,
				   bool lone)
{
	return follow_bio(bio, gd, bio->bi_iter.bi_sector, lone);
}

/* True if the context of the file's bio covers the bio, which has the ciphertext of its end. */
static __always_inline bool is_rest_of_ciphertext(const struct bio *bio)
{
	u32 pos;

	return iob_bio_may_be_rest_of_ciphertext(bio) &&
	       iob_bio_ctx_chain(bio->bi_private, bio, &pos);
}

/* True if a claimed context is this bio's, not that of an earlier bio at its address. */
static bool is_claim_of(const struct iob_bio_ctx *f, const struct bio *bio)
{
	return f->claimed && f->private == bio->bi_private &&
	       f->sector == bio->bi_iter.bi_sector &&
	       f->size == bio->bi_iter.bi_size;
}

/**
 * iob_bio_claim - a bio may be held back before it is queued
 * @bio:  the bio
 * @regs: at the function's entry
 *
 * A worker queues it then; who pays is known only now.  Once it is claimed, further calls do
 * nothing.  From a probe: any context but NMI, inside iob_read_lock().
 */
void iob_bio_claim(struct bio *bio, struct pt_regs *regs)
{
	struct iob_bio_ctx *f = iob_bio_ctx_find(bio);
	u64 at;

	/* such a context is found by the parent's address */
	if (iob_bio_ends_with_parent(bio))
		return;
	/* it waits again, or is the rest of a bio that was split */
	if (f && (!f->claimed || is_claim_of(f, bio)))
		return;
	if (f)
		iob_bio_ctx_drop_stale(f);
	if (is_rest_of_ciphertext(bio))
		return;
	/* on a partition, the bio may have its place on the disk only when it is queued */
	at = iob_bio_disk_sector(bio);
	f = follow_bio(bio, iob_bio_disk(bio), at, true);
	if (!f)
		return;
	f->sector = at;
	if (!iob_parent_find(&f->origin, bio))
		iob_origin_find(&f->origin, bio, f->op, NULL, regs);
	if (f->op == IOB_OP_WRITE)
		iob_async_bio(bio, iob_origin_at(&f->origin, 0), NULL, regs);
	f->first.queue_at = iob_clock_now();
	f->claimed = true;
	f->private = bio->bi_private;
	iob_bio_ctx_begin(f);
}

/*
 * What has this bio's address for its parent, although nothing was chained to the bio: it ended
 * with an earlier bio there.  That one was given up before it was queued: its end was not seen.
 */
static noinline void drop_stale_children(struct bio *bio)
{
	struct iob_bio_ctx *f;

	while (!bio_flagged(bio, BIO_CHAIN) && (f = iob_bio_ctx_hashed(bio, true)))
		iob_bio_ctx_drop_stale(f);
}

/* iob_bio_ctx_find() for a bio that is queued: what it finds is claimed or stale. */
static __always_inline struct iob_bio_ctx *find_ctx_of_new(struct bio *bio)
{
	struct iob_bio_ctx *f = iob_bio_ctx_slot(bio);

	if (READ_ONCE(f->bio) == bio)
		return f;
	if (likely(hlist_bl_empty(iob_bio_ctx_bucket(bio))))
		return NULL;
	if (IOB_CHAINED_END_SILENT)
		drop_stale_children(bio);
	return iob_bio_ctx_hashed(bio, false);
}

/**
 * iob_bio_queue - a bio goes to a disk
 * @bio: the bio, at block_bio_queue
 * @ip:  where the caller is, which must not return before: see iob_stack_here()
 * @sp:  likewise
 * @bp:  likewise
 *
 * From a probe: any context but NMI, inside iob_read_lock().
 * Return: its context if the task's next direct IO may be like it, see io/fast; or NULL.
 */
struct iob_bio_ctx *iob_bio_queue(struct bio *bio, unsigned long ip,
				  unsigned long sp, unsigned long bp)
{
	const struct gendisk *gd = iob_bio_disk(bio);
	struct iob_frame at = { ip, sp, bp };
	struct iob_bio_ctx *f = find_ctx_of_new(bio);
	bool repeatable;

	if (unlikely(f)) {
		if (is_claim_of(f, bio)) {
			f->claimed = false;
			f->issue_at = 0;
			f->first.queue_at = iob_clock_now();
			return NULL;
		}
		iob_bio_ctx_drop_stale(f);
	}
	if (is_rest_of_ciphertext(bio))
		return NULL;
	f = follow_bio(bio, gd, bio->bi_iter.bi_sector, true);
	if (!f)
		return NULL;
	f->first.queue_at = iob_clock_now();
	repeatable = !iob_parent_find(&f->origin, bio) &&
		     iob_origin_find(&f->origin, bio, f->op, &at, NULL);
	if (f->op == IOB_OP_WRITE)
		iob_async_bio(bio, iob_origin_at(&f->origin, 0), &at, NULL);
	if (iob_bio_ends_with_parent(bio)) {
		f->child = true;
		iob_hashed_ctx(f)->self = bio;
		f->bio = bio->bi_private;
	}
	iob_bio_ctx_begin(f);
	return repeatable ? f : NULL;
}

/**
 * iob_bio_clone - a bio without pages is made from a bio of a disk above
 * @bio:    the new one, which will be queued
 * @disk:   the disk above
 * @sector: the sector there
 *
 * From a probe: any context but NMI, inside iob_read_lock().
 */
void iob_bio_clone(struct bio *bio, dev_t disk, u64 sector)
{
	const struct gendisk *gd = iob_bio_disk(bio);
	const struct iob_bio_kind *kind;
	const struct bio *whole;
	struct iob_bio_ctx *f;
	u64 at;

	/* mostly there is no such disk */
	if (!READ_ONCE(iob_has_parents) || iob_bio_ctx_find(bio))
		return;
	kind = iob_bio_kind_of(bio, &whole);
	if (kind && kind->when_queued)
		return;
	/* a driver does not queue what a lower disk cannot do */
	if (bio_op(bio) == REQ_OP_DISCARD && !iob_disk_discards(gd))
		return;
	/* on a partition, the bio has its place on the disk only when it is queued */
	at = iob_bio_disk_sector(bio);
	f = follow_bio(bio, gd, at, true);
	if (!f)
		return;
	f->sector = at;
	iob_origin_begin(&f->origin);
	if (!iob_parent_without_pages(&f->origin, bio, disk, sector)) {
		iob_bio_ctx_put(f);
		return;
	}
	f->first.queue_at = iob_clock_now();
	f->claimed = true;
	f->private = bio->bi_private;
	iob_bio_ctx_begin(f);
}

/*
 * The context of the bio that @bio was the front of, if a driver has sent that on without notice.
 * It is the context of the upper disk, with sectors of that.
 */
static struct iob_bio_ctx *find_whole_above(const struct bio *bio, u32 *pos)
{
	struct bio *rest = bio->bi_private;
	struct iob_bio_ctx *whole;
	u64 size;

	/* the context of a bio that was not announced may be an earlier one's */
	if (!bio_flagged(rest, BIO_TRACE_COMPLETION))
		return NULL;
	whole = iob_bio_ctx_find(rest);
	size = (u64)rest->bi_iter.bi_size + bio->bi_iter.bi_size;
	if (!whole || iob_bio_ctx_disk(whole) == iob_bio_disk(bio) || size > whole->size)
		return NULL;
	*pos = whole->size - size;
	return whole;
}

/**
 * iob_bio_split - the front of a bio has become a bio of its own
 * @bio: the front
 *
 * From a probe: any context but NMI, inside iob_read_lock().  Without memory the front
 * stays part of the whole.
 */
void iob_bio_split(struct bio *bio)
{
	struct iob_bio_ctx *f, *whole;
	u32 pos, size = bio->bi_iter.bi_size;

	/* some report the rest, which has a context, or split bio by bio */
	if (!iob_bio_chained(bio) || iob_disk_bio_based(iob_bio_disk(bio)))
		return;
	whole = iob_bio_ctx_chain(bio->bi_private, bio, &pos);
	if (!whole)
		whole = find_whole_above(bio, &pos);
	if (!whole)
		return;
	/* or the rest would be taken for a new bio when it is held back */
	if (whole->claimed) {
		whole->claimed = false;
		whole->issue_at = 0;
	}
	f = iob_bio_ctx_find(bio);
	if (f)
		iob_bio_ctx_drop_stale(f);
	f = iob_bio_ctx_piece(whole, bio, pos, whole->hashed);
	if (!f)
		return;
	f->sector = whole->sector + (pos >> SECTOR_SHIFT);
	iob_bio_ctx_begin(f);
	/* the rest still has bytes to complete: the context stays */
	if (atomic_sub_and_test(size, &whole->left))
		iob_bio_ctx_finish(whole);
}

/* All that is left of a context ends at once; @bio_based: its disk takes bios as they are. */
static void end_rest_of_bio(struct iob_bio_ctx *f, bool bio_based, int error)
{
	u32 left = min_t(u32, atomic_read(&f->left), f->size);

	/* pieces that went to lower disks have subtracted their bytes unrecorded */
	iob_bio_ctx_record(f, bio_based ? 0 : f->size - left, error);
	iob_bio_ctx_done(f, left, error);
}

/*
 * And so do the bios that are chained to it, and to those: a list, not a tree.  The disk of one
 * that was an earlier bio's child may be gone; what it was says iob_bio_ends_with_parent().
 */
static void end_children_of_bio(const struct bio *bio, int error)
{
	struct iob_bio_ctx *f;

	while ((f = iob_bio_ctx_hashed(bio, true))) {
		const struct bio *self = iob_hashed_ctx(f)->self;

		end_rest_of_bio(f, true, error);
		if (!iob_bio_ctx_hashed(bio, true))
			bio = self;
	}
}

/*
 * True if a bio went to a lower disk in a request, whose end will be seen: a driver with
 * several paths to a disk reports that the first bio of a request is done, with the upper
 * disk's queue, right before the request is.  (A bio that comes back for another path is on
 * the upper disk again.)
 */
static bool request_reports_end(const struct bio *bio, const struct request_queue *q)
{
	return q != iob_bio_disk(bio)->queue;
}

/**
 * iob_bio_done - a bio is done that was not part of a request
 * @bio: the bio, at block_bio_complete
 * @q:	 the queue with which that is reported
 *
 * From a probe: any context but NMI, inside iob_read_lock().
 */
void iob_bio_done(struct bio *bio, const struct request_queue *q)
{
	struct iob_bio_ctx *f = iob_bio_ctx_find(bio);
	int error;

	if (!f && !IOB_CHAINED_END_SILENT)
		return;
	if (f && request_reports_end(bio, q))
		return;
	error = blk_status_to_errno(bio->bi_status);
	/* not for the front of a split bio: the whole ends once, with the last piece */
	if (f)
		end_rest_of_bio(f, iob_bio_ctx_bio_based(f), error);
	if (IOB_CHAINED_END_SILENT)
		end_children_of_bio(bio, error);
}
