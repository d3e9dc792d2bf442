// SPDX-License-Identifier: GPL-2.0
/*
 * A flight is one bio from block_bio_queue until all its bytes are done.  It
 * is found by the bio's address.  Requests need no table of their own: the
 * bios of a request are chained to it, whatever was merged, and each says by
 * its own position how far it is.
 *
 * A bio may be split: its front goes into a new bio, chained to the old one,
 * which keeps the rest.  On a disk with requests, block_split tells, and the
 * front gets a flight of its own.  Where nothing tells, the chain leads to
 * the flight of the whole, which then lives until the bytes of all its pieces
 * are done.  A disk without requests ends the whole at once.
 *
 * Some drivers send the upper disk's bio on as it is (md0 and linear on 5.10,
 * nvme's multipath).  It is not queued again, and what ends is the lower disk's
 * request: so there it has another flight, which is found by the bio from then
 * on, and that of the upper disk ends when the bytes of those below are done.
 *
 * Lifetime: whoever completes bytes of a flight holds it by these bytes; who
 * takes the last ones frees it.  A flight whose end never came is replaced
 * when its bio's address comes round again (counted), or freed at the end of
 * the session.
 */
#include <linux/ktime.h>
#include <linux/sched.h>

#include <compat/compiler.h>
#include <compat/rcu.h>

#include "core/act.h"
#include "stacked/loop_file.h"
#include "blame/bio_kind.h"
#include "stack/stack.h"
#include "core/stats.h"
#include "core/task.h"
#include "bio_ctx.h"
#include "bio.h"
#include "account.h"
#include "stacked/loop.h"
#include "fast.h"
#include "parent.h"

/* Take it out of the tables and free it. */
static __always_inline void finish(struct iob_bio_ctx *f)
{
	if (unlikely(f->hashed)) {
		iob_bio_ctx_remove(f);
		iob_parent_end(f);
	}
	iob_bio_ctx_put(f);
}

static void end_passed(const struct iob_bio_ctx *f);

static noinline void let_go_hashed(struct iob_bio_ctx *f, u32 bytes, int error)
{
	while (f) {
		struct iob_bio_ctx *above = iob_bio_ctx_above(f);

		if (above && error)
			WRITE_ONCE(iob_hashed_ctx(above)->error, error);
		if (atomic_sub_and_test(max_t(u32, bytes, 1), &f->left)) {
			if (f->hashed && iob_hashed_ctx(f)->passed)
				end_passed(f);
			finish(f);
		}
		f = above;
	}
}

/*
 * @bytes of it are done, and of those above of which it is a piece.  Who has had
 * the last ones frees it.
 */
static __always_inline void let_go(struct iob_bio_ctx *f, u32 bytes, int error)
{
	u32 n = max_t(u32, bytes, 1);

	if (unlikely(f->hashed))
		let_go_hashed(f, bytes, error);
	/* who has all that is left is the only one */
	else if (atomic_read_acquire(&f->left) == n ||
		 atomic_sub_and_test(n, &f->left))
		finish(f);
}

/* The end of @bytes below was not seen: nor is that of the whole, or NULL. */
void iob_bio_ctx_lose(struct iob_bio_ctx *whole, u32 bytes)
{
	struct iob_bio_ctx *f;

	for (f = whole; f; f = iob_bio_ctx_above(f))
		WRITE_ONCE(f->disk, NULL);
	let_go_hashed(whole, bytes, 0);
}

/* It is complete: whoever has the bio finds it from now on. */
static __always_inline void insert(struct iob_bio_ctx *f)
{
	struct iob_bio_ctx *old;

	/* a slot's is found since it was taken */
	if (likely(!f->hashed))
		return;
	old = iob_bio_ctx_insert(f);
	if (old) {
		iob_stat_inc(inflight_stale);
		iob_parent_end(old);
		iob_bio_ctx_lose(iob_bio_ctx_above(old), atomic_read(&old->left));
		iob_bio_ctx_put(old);
	}
	iob_parent_begin(f);
}

/* It begins.  Any context but NMI, inside iob_read_lock(). */
void iob_bio_ctx_begin(struct iob_bio_ctx *f)
{
	insert(f);
}

/* A flight without an origin; @lone: see iob_bio_ctx_get(). */
static __always_inline struct iob_bio_ctx *make(struct bio *bio,
					       const struct gendisk *gd,
					       struct iob_disk *disk, int op,
					       bool lone)
{
	struct iob_bio_ctx *f = iob_bio_ctx_get(bio, lone);

	if (!f)
		return NULL;
	if (unlikely(f->hashed)) {
		struct iob_hashed_ctx *t = iob_hashed_ctx(f);

		t->gd = gd;
		t->vec = bio->bi_io_vec;
		t->idx = bio->bi_iter.bi_idx;
		t->done = bio->bi_iter.bi_bvec_done;
	}
	iob_bio_ctx_of(f, bio, bio->bi_iter.bi_size, disk);
	f->claimed = false;
	f->child = false;
	f->epoch = 0;
	f->op = op;
	f->first.opf = (__force u32)bio->bi_opf;
	iob_note_submitter(&f->first, in_task());
	return f;
}

/*
 * The flight that has the first of a bio's bytes, and where in it they are,
 * looked for from @b on: the bio itself or one that it is chained to.
 */
static struct iob_bio_ctx *ctx_from(const struct bio *b,
				      const struct bio *bio, u32 *pos)
{
	u32 size = bio->bi_iter.bi_size;
	struct iob_bio_ctx *f;
	int depth;

	for (depth = 0; depth < IOB_MAX_CHAIN; depth++) {
		f = iob_bio_ctx_find(b);
		if (f) {
			u64 at = b == bio ? (u64)f->size - size :
				 (bio->bi_iter.bi_sector - f->sector) <<
				 SECTOR_SHIFT;

			/* the sectors of a piece of it may be another disk's */
			if (b != bio && iob_bio_ctx_disk(f) != iob_bio_disk(bio))
				return NULL;
			if (at > f->size || at + size > f->size)
				return NULL;
			*pos = at;
			return f;
		}
		if (!iob_bio_chained(b))
			return NULL;
		b = b->bi_private;
	}
	return NULL;
}

/* A chained bio without a flight is part of the one that it is chained to. */
static struct iob_bio_ctx *ctx_of(const struct bio *bio, u32 *pos)
{
	return ctx_from(bio, bio, pos);
}

/* The same of the first of a request's bios, from @bio on, that has one. */
static struct iob_bio_ctx *first_ctx(const struct bio *bio)
{
	struct iob_bio_ctx *f;
	u32 pos;

	for (; bio; bio = bio->bi_next) {
		f = ctx_of(bio, &pos);
		if (f)
			return f;
	}
	return NULL;
}

/* Where IO of a disk that hands it on may end is to be looked at, too. */
static void ends_anywhere(const struct gendisk *gd)
{
	/* only its requests are made into others */
	if (!iob_disk_bio_based(gd) && iob_disk_maps_requests(gd))
		iob_disk_maybe_from_now(gd);
	else
		iob_disks_maybe_all();
}

/* A flight without an origin, if the bio is one to be followed; @lone as above. */
static __always_inline struct iob_bio_ctx *follow(struct bio *bio,
						 const struct gendisk *gd,
						 bool lone)
{
	struct iob_disk *disk = iob_disk_of(gd, bio->bi_iter.bi_sector,
					    bio->bi_iter.bi_size);
	bool hands_on = iob_disk_hands_on(gd);
	int op = iob_op_of(bio);

	if (op < 0 || (!disk && !(hands_on && iob_disk_any())))
		return NULL;
	if (hands_on) {
		ends_anywhere(gd);
		if (iob_disk_is_file(gd))
			WRITE_ONCE(iob_loop_any, true);
	}
	return make(bio, gd, disk, op, lone && !hands_on);
}

/* Whether a claimed flight is this bio's, not one's that had its address. */
static bool is_claim_of(const struct iob_bio_ctx *f, const struct bio *bio)
{
	return f->claimed && f->private == bio->bi_private &&
	       f->sector == bio->bi_iter.bi_sector &&
	       f->size == bio->bi_iter.bi_size;
}

/* Forget the flight that an earlier bio of this address left behind. */
static void drop_stale(struct iob_bio_ctx *f)
{
	iob_stat_inc(inflight_stale);
	iob_bio_ctx_lose(iob_bio_ctx_above(f), atomic_read(&f->left));
	finish(f);
}

/**
 * iob_bio_claim - a bio may be held back before it is queued
 * @bio:  the bio
 * @regs: as they were at the function's entry
 *
 * A throttled bio is queued by a worker; who pays is known only now.
 * From a probe: any context but NMI, inside iob_read_lock().
 */
void iob_bio_claim(struct bio *bio, struct pt_regs *regs)
{
	struct iob_bio_ctx *f = iob_bio_ctx_find(bio);

	/* its flight is to be found by its parent */
	if (iob_bio_ends_with_parent(bio))
		return;
	/* it waits again, or is the rest of one that was split */
	if (f && (!f->claimed || is_claim_of(f, bio)))
		return;
	if (f)
		drop_stale(f);
	f = follow(bio, iob_bio_disk(bio), true);
	if (!f)
		return;
	if (!iob_parent_find(&f->origin, bio))
		iob_origin_find(&f->origin, bio, f->op, NULL, regs);
	f->first.queue_at = iob_clock_now();
	f->claimed = true;
	f->private = bio->bi_private;
	insert(f);
}

/**
 * iob_bio_queue - a bio goes to a disk
 * @bio: the bio, at block_bio_queue
 * @ip:  where the caller is, which stays at work: see iob_stack_here()
 * @sp:  likewise
 * @bp:  likewise
 *
 * From a probe: any context but NMI, inside iob_read_lock().
 */
void iob_bio_queue(struct bio *bio, unsigned long ip, unsigned long sp,
			unsigned long bp)
{
	const struct gendisk *gd = iob_bio_disk(bio);
	struct iob_frame at = { ip, sp, bp };
	struct iob_bio_ctx *f = iob_bio_ctx_find(bio);
	u32 epoch = iob_epoch_now();

	if (unlikely(f)) {
		if (is_claim_of(f, bio)) {
			f->claimed = false;
			f->first.queue_at = iob_clock_now();
			return;
		}
		drop_stale(f);
	}
	f = follow(bio, gd, true);
	if (!f)
		return;
	f->first.queue_at = iob_clock_now();
	if (!iob_parent_find(&f->origin, bio) &&
	    iob_origin_find(&f->origin, bio, f->op, &at, NULL))
		iob_fast_note(f, gd, ip, epoch);
	if (iob_bio_ends_with_parent(bio)) {
		f->child = true;
		iob_hashed_ctx(f)->self = bio;
		f->bio = bio->bi_private;
	}
	insert(f);
}

/**
 * iob_bio_clone - a bio without pages is made from one of a disk above
 * @bio:    the new one, which will be queued
 * @disk:   the disk above
 * @sector: and where on that it is from
 *
 * From a probe: any context but NMI, inside iob_read_lock().
 */
void iob_bio_clone(struct bio *bio, dev_t disk, u64 sector)
{
	const struct gendisk *gd = iob_bio_disk(bio);
	const struct bio *last;
	struct iob_bio_ctx *f;

	/* most often there is no such disk; a stripe is asked when it is queued */
	if (!atomic_read(&iob_nr_parents) || iob_bio_ctx_find(bio) ||
	    iob_bio_kind_of(bio, &last) == IOB_BIO_STRIPE)
		return;
	/* md does not queue what a disk of an array cannot do */
	if (bio_op(bio) == REQ_OP_DISCARD && !iob_disk_discards(gd))
		return;
	f = follow(bio, gd, true);
	if (!f)
		return;
	iob_origin_begin(&f->origin);
	if (!iob_parent_without_pages(&f->origin, bio, disk, sector)) {
		iob_bio_ctx_put(f);
		return;
	}
	f->first.queue_at = iob_clock_now();
	f->claimed = true;
	f->private = bio->bi_private;
	insert(f);
}

/**
 * iob_bio_ctx_piece - a flight for a bio that is a piece of another one
 * @whole:  the other one's
 * @bio:    the piece
 * @pos:    where in it, in bytes
 * @hashed: it is to be in the table
 *
 * Any context but NMI, inside iob_read_lock().
 * Return: a flight as it is on @whole's disk, not yet begun; NULL without memory.
 */
struct iob_bio_ctx *iob_bio_ctx_piece(const struct iob_bio_ctx *whole,
				    struct bio *bio, u32 pos, bool hashed)
{
	struct iob_bio_ctx *f = make(bio, iob_bio_ctx_disk(whole), whole->disk,
				    whole->op, !hashed);

	if (!f)
		return NULL;
	if (!iob_origin_slice(&f->origin, &whole->origin, pos, f->size)) {
		iob_bio_ctx_put(f);
		return NULL;
	}
	if (hashed)
		iob_hashed_ctx(f)->above = iob_bio_ctx_above(whole);
	f->first.queue_at = whole->first.queue_at;
	f->first.sub_pid = whole->first.sub_pid;
	memcpy(f->first.sub_comm, whole->first.sub_comm,
	       sizeof(f->first.sub_comm));
	return f;
}

/**
 * iob_bio_split - the front of a bio has become one of its own
 * @bio: the front
 *
 * From a probe: any context but NMI, inside iob_read_lock().  Without memory
 * it goes on as part of the whole.
 */
void iob_bio_split(struct bio *bio)
{
	struct iob_bio_ctx *f, *whole;
	u32 pos, size = bio->bi_iter.bi_size;

	/* some report the rest, which has a flight, or split bio by bio */
	if (!iob_bio_chained(bio) || iob_disk_bio_based(iob_bio_disk(bio)))
		return;
	whole = ctx_from(bio->bi_private, bio, &pos);
	if (!whole)
		return;
	/* its rest is not to be taken for a new one at the throttle */
	whole->claimed = false;
	f = iob_bio_ctx_find(bio);
	if (f)
		drop_stale(f);
	f = iob_bio_ctx_piece(whole, bio, pos, whole->hashed);
	if (!f)
		return;
	insert(f);
	/* the rest still has bytes to come: it stays */
	if (atomic_sub_and_test(size, &whole->left))
		finish(whole);
}

/*
 * A bio that no tracepoint announced: switched on since, or put together by a
 * driver below.  Its pages may still say who pays.  When it was queued nobody knows.
 */
static struct iob_bio_ctx *late(struct bio *bio, const struct gendisk *gd)
{
	struct iob_bio_ctx *f = follow(bio, gd, true);

	if (!f)
		return NULL;
	f->first.queue_at = IOB_TICKS_UNKNOWN;
	if (!iob_parent_find(&f->origin, bio))
		iob_origin_find_late(&f->origin, bio, f->op);
	iob_stat_inc(inflight_unseen);
	insert(f);
	return f;
}

static void map_bio(struct bio *bio, const struct gendisk *gd, dev_t disk)
{
	struct iob_bio_ctx *f = iob_bio_ctx_find(bio);

	if (f)
		drop_stale(f);
	/* on some kernels it says that it is on the disk above: not for a slot */
	f = follow(bio, gd, false);
	if (!f)
		return;
	f->first.queue_at = iob_clock_now();
	if (!iob_parent_mapped(&f->origin, bio, disk)) {
		iob_origin_find_late(&f->origin, bio, f->op);
		iob_stat_inc(inflight_unseen);
	}
	insert(f);
}

/**
 * iob_rq_map - a request is made from another one, for a disk below
 * @rq:   it, at block_rq_remap: of clones of the other one's bios
 * @disk: the other one's
 *
 * From a probe: any context but NMI, inside iob_read_lock().
 */
void iob_rq_map(struct request *rq, dev_t disk)
{
	const struct gendisk *gd = iob_rq_disk(rq);
	struct bio *bio;

	if (!gd || blk_rq_is_passthrough(rq))
		return;
	for (bio = rq->bio; bio; bio = bio->bi_next)
		map_bio(bio, gd, disk);
}

/**
 * iob_rq_unmap - the bios of such a request are thrown away
 * @rq: the request; those that are done it does not have any more
 *
 * The disk below had no room, say, and it will be made anew: nothing is lost.  From a
 * probe: any context but NMI, inside iob_read_lock().
 */
void iob_rq_unmap(const struct request *rq)
{
	struct iob_bio_ctx *f;
	struct bio *bio;

	for (bio = rq->bio; bio; bio = bio->bi_next) {
		f = iob_bio_ctx_find(bio);
		if (f)
			finish(f);
	}
}

/*
 * Not a question of the request's disk alone: md and nvme's multipath hand
 * bios of theirs on to another disk as they are.
 */
static bool is_ours(struct request *rq, const struct iob_bio_ctx *f)
{
	if (blk_rq_is_passthrough(rq) || iob_op_of(rq->bio) < 0)
		return false;
	return f || iob_disk_of(iob_rq_disk(rq), 0, false);
}

/**
 * iob_rq_issue - a request goes to the device
 * @rq: the request, which has bios, at block_rq_issue; once more after each
 *	requeue
 *
 * While somebody asks when that is, or a loop device's IO is followed: iob_io_issues().
 * From a probe: any context but NMI, inside iob_read_lock().
 */
void iob_rq_issue(struct request *rq)
{
	struct bio *bio = rq->bio;
	struct iob_bio_ctx *f;
	u32 pos;

	if (unlikely(iob_loop_follows(iob_rq_disk(rq))))
		iob_loop_queue(rq);
	f = ctx_of(bio, &pos);
	if (!is_ours(rq, f))
		return;
	if (!f) {
		f = late(bio, iob_rq_disk(rq));
		if (f)
			f->first.queue_at = iob_clock_now();
	}
	if (f)
		WRITE_ONCE(f->issue_at, iob_clock_now());
}

static void describe(struct iob_io *io, struct iob_first *first,
		     const struct iob_bio_ctx *f)
{
	if (f->disk) {
		io->disk = f->disk;
		io->gd = iob_bio_ctx_disk(f);
	}
	io->op = f->op;
	io->issue_at = READ_ONCE(f->issue_at);
	/* the flight may end before the IO does */
	*first = f->first;
}

/* Hand @bytes of a flight from @pos on to the record: they are at @sector. */
static void account(struct iob_io *io, const struct iob_bio_ctx *f, u32 pos,
		    u32 bytes, u64 sector)
{
	u32 left = bytes;
	unsigned int i;

	for (i = 0; i < f->origin.nr; i++) {
		struct iob_share p = f->origin.share[i];

		if (pos >= p.bytes && p.bytes) {
			pos -= p.bytes;
			continue;
		}
		p.bytes = min(left, p.bytes - pos);
		iob_io_share(io, sector, &p);
		sector += p.bytes >> SECTOR_SHIFT;
		left -= p.bytes;
		pos = 0;
		if (!left)
			break;
	}
}

/* Bytes of which nothing is known but that the device did them. */
static void account_unseen(struct iob_io *io, struct iob_first *first,
			   const struct bio *bio, u32 bytes)
{
	struct iob_share p = {
		.act = IOB_ACT_LOST, .bytes = bytes, .how = IOB_HOW_LOST,
	};

	iob_stat_inc(inflight_unseen);
	if (!io->begun) {
		io->op = iob_op_of(bio);
		first->opf = (__force u32)bio->bi_opf;
	}
	iob_io_share(io, bio->bi_iter.bi_sector, &p);
}

static u32 count_bios(const struct bio *bio, u32 bytes)
{
	u32 nr = 0;

	for (; bio; bio = bio->bi_next) {
		nr++;
		if (bio->bi_iter.bi_size >= bytes)
			break;
		bytes -= bio->bi_iter.bi_size;
	}
	return nr;
}

/* The request goes on with @bio: it was issued when its first one was. */
static void hand_on_issue(const struct bio *bio, u64 issue_at)
{
	struct iob_bio_ctx *f;
	u32 pos;

	f = ctx_of(bio, &pos);
	if (f)
		WRITE_ONCE(f->issue_at, issue_at);
}

/**
 * iob_rq_done - the first bytes of a request are done
 * @rq:    the request, at block_rq_complete: its bios are still as they were
 * @error: 0 or a negative errno
 * @bytes: how many; 0 for a flush that carries no data, and for the second
 *	   end of one that does
 *
 * Bio by bio, part by part.  From a probe: hardirq mostly, inside
 * iob_read_lock().
 */
void iob_rq_done(struct request *rq, int error, unsigned int bytes)
{
	struct iob_first first = { .queue_at = IOB_TICKS_UNKNOWN };
	struct iob_io io = {
		.gd = iob_rq_disk(rq), .error = error, .rq = rq, .first = &first,
	};
	struct bio *bio = rq->bio;
	struct iob_bio_ctx *f;
	u32 pos = 0;

	if (!is_ours(rq, first_ctx(bio)))
		return;
	io.nr_bios = count_bios(bio, bytes);
	do {
		u32 piece = min(bio->bi_iter.bi_size, bytes);

		f = ctx_of(bio, &pos);
		if (!bytes && (!f || f->size))
			return;
		if (!f) {
			f = late(bio, io.gd);
			pos = 0;
		}
		if (f && !io.begun)
			describe(&io, &first, f);
		if (!io.disk)
			io.disk = iob_disk_of(io.gd, bio->bi_iter.bi_sector,
					      true);
		if (io.disk && f)
			account(&io, f, pos, piece,
				f->disk ? f->sector + (pos >> SECTOR_SHIFT) :
					  bio->bi_iter.bi_sector);
		else if (io.disk)
			account_unseen(&io, &first, bio, piece);
		if (f)
			let_go(f, piece, error);
		bytes -= piece;
		if (piece < bio->bi_iter.bi_size)
			break;
		bio = bio->bi_next;
	} while (bio && bytes);
	if (bio && io.issue_at)
		hand_on_issue(bio, io.issue_at);
	iob_io_end(&io);
}

/*
 * Whether it never went to the device: it was not to wait, and would have had
 * to.  Who sent it does so again in a way that may wait.  (A request's end, which
 * comes from the device, is not asked.)
 */
static bool was_refused(const struct iob_bio_ctx *f, int error)
{
	return error == -EAGAIN && f->first.opf & (__force u32)REQ_NOWAIT;
}

/* A flight is over: record it from @pos on. */
static void record_end(const struct iob_bio_ctx *f, u32 pos, int error)
{
	struct iob_first first;
	struct iob_io io = {
		.nr_bios = 1, .error = error, .first = &first,
	};

	if (!f->disk)
		return;
	if (was_refused(f, error)) {
		iob_stat_inc(io_refused);
		return;
	}
	describe(&io, &first, f);
	account(&io, f, pos, f->size - pos, f->sector + (pos >> SECTOR_SHIFT));
	iob_io_end(&io);
}

/* Its bio went on to disks below: all that became of it is done. */
static void end_passed(const struct iob_bio_ctx *f)
{
	record_end(f, 0, READ_ONCE(iob_hashed_ctx(f)->error));
}

/* All that is left of a flight ends at once. */
static void end_ctx(struct iob_bio_ctx *f, int error)
{
	u32 left = min_t(u32, atomic_read(&f->left), f->size);

	/* pieces that went on below have let go of their bytes unrecorded */
	record_end(f, iob_disk_bio_based(iob_bio_ctx_disk(f)) ? 0 :
		   f->size - left, error);
	let_go(f, left, error);
}

/* And with it what is chained to it, and to that: a list, not a tree. */
static void end_children(const struct bio *bio, int error)
{
	struct iob_bio_ctx *f;

	while ((f = iob_bio_ctx_hashed(bio, true))) {
		const struct bio *self = iob_hashed_ctx(f)->self;

		end_ctx(f, error);
		if (!iob_bio_ctx_hashed(bio, true))
			bio = self;
	}
}

/*
 * Whether a bio went on to a disk below in a request, which will tell of the end: nvme's
 * multipath says of a request's first bio that it is done, right before, and that it was
 * on the disk above.  (One that comes back from there is on that disk again.)
 */
static bool request_tells(const struct bio *bio, const struct request_queue *q)
{
	return q != iob_bio_disk(bio)->queue;
}

/**
 * iob_bio_done - a bio is done that was not part of a request
 * @bio: the bio, at block_bio_complete
 * @q:	 of which disk it is said to be done
 *
 * From a probe: any context but NMI, inside iob_read_lock().
 */
void iob_bio_done(struct bio *bio, const struct request_queue *q)
{
	struct iob_bio_ctx *f = iob_bio_ctx_find(bio);
	int error;

	if (!f && !IOB_CHAINED_END_SILENT)
		return;
	if (f && request_tells(bio, q))
		return;
	error = blk_status_to_errno(bio->bi_status);
	/* the front of a split bio: the whole ends once, with the last piece */
	if (f)
		end_ctx(f, error);
	if (IOB_CHAINED_END_SILENT)
		end_children(bio, error);
}

/* A session begins.  May sleep.  Return: 0 or -ENOMEM. */
int iob_bios_start(void)
{
	int err = iob_bio_ctxs_start();

	return err ? err : iob_parents_start();
}

/* The session ends: no probe is attached.  IOs still under way go on alone. */
void iob_bios_stop(void)
{
	iob_bio_ctxs_stop();
	iob_parents_stop();
}

/* Module load.  May sleep.  Return: 0 or -ENOMEM. */
int iob_bios_init(void)
{
	iob_bio_kinds_init();
	return iob_bio_ctxs_init();
}

/* Module unload. */
void iob_bios_exit(void)
{
	iob_bio_ctxs_exit();
}
