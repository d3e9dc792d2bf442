// SPDX-License-Identifier: GPL-2.0
/*
 * The IO that is counted is the request: whatever bios were merged into it complete
 * together, and one entry of iolog per run tells of it.
 *
 * Example: bios A (8 KiB at sector 800, act 7) and B (4 KiB at sector 816, act 9) are
 * merged.  The request is issued: A's context notes when.  It is done with 12 KiB: A's
 * shares are handed to io/account, then B's; both contexts have no bytes left and are
 * freed.  If the device first completes 8 KiB only, A is done, and B gets A's time of issue
 * for the rest of the request.
 */
#include <linux/ktime.h>

#include "core/stats.h"
#include "account.h"
#include "bio.h"
#include "bio_end.h"
#include "parent.h"
#include "request.h"

/* The context of the first of a request's bios, from @bio on, that has one. */
static struct iob_bio_ctx *first_ctx_of(const struct bio *bio)
{
	struct iob_bio_ctx *f;
	u32 pos;

	for (; bio; bio = bio->bi_next) {
		f = iob_bio_ctx_chain(bio, bio, &pos);
		if (f)
			return f;
	}
	return NULL;
}

/*
 * A bio that no tracepoint announced: it was queued before the session began, or put
 * together by a driver below.  Its pages may still say who pays.  When it was queued is
 * unknown.
 */
static struct iob_bio_ctx *follow_late_bio(struct bio *bio, const struct gendisk *gd)
{
	struct iob_bio_ctx *f = iob_bio_follow(bio, gd, true);

	if (!f)
		return NULL;
	f->first.queue_at = IOB_TICKS_UNKNOWN;
	if (!iob_parent_find(&f->origin, bio))
		iob_origin_find_late(&f->origin, bio, f->op);
	iob_stat_inc(inflight_unseen);
	iob_bio_ctx_begin(f);
	return f;
}

static void map_bio(struct bio *bio, const struct gendisk *gd, dev_t disk)
{
	struct iob_bio_ctx *f = iob_bio_ctx_find(bio);

	if (f)
		iob_bio_ctx_drop_stale(f);
	/* some kernels leave the upper disk in the bio, so the context needs its own: hash it */
	f = iob_bio_follow(bio, gd, false);
	if (!f)
		return;
	f->first.queue_at = iob_clock_now();
	if (!iob_parent_mapped(&f->origin, bio, disk)) {
		iob_origin_find_late(&f->origin, bio, f->op);
		iob_stat_inc(inflight_unseen);
	}
	iob_bio_ctx_begin(f);
}

/**
 * iob_rq_map - a request for a disk below is made of another request
 * @rq:   the new request, at block_rq_remap; its bios are clones of the other one's
 * @disk: the disk of the other request
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
 * @rq: the request; bios that are done are no longer in it
 *
 * The disk below had no room, say, and the request is made again later: nothing is lost.
 * From a probe: any context but NMI, inside iob_read_lock().
 */
void iob_rq_unmap(const struct request *rq)
{
	struct iob_bio_ctx *f;
	struct bio *bio;

	for (bio = rq->bio; bio; bio = bio->bi_next) {
		f = iob_bio_ctx_find(bio);
		if (f)
			iob_bio_ctx_finish(f);
	}
}

/*
 * True if the request is to be accounted.  Its disk alone does not tell: some drivers hand
 * their bios on to another disk as they are.
 */
static bool is_rq_ours(struct request *rq, const struct iob_bio_ctx *f)
{
	if (blk_rq_is_passthrough(rq) || iob_op_of(rq->bio) < 0)
		return false;
	return f || iob_disk_of(iob_rq_disk(rq), 0, false);
}

/**
 * iob_rq_issue - a request goes to the device
 * @rq: the request, which has bios, at block_rq_issue; once more after each requeue
 *
 * While iob_io_issues(), see io/fast.  From a probe: any context but NMI, inside
 * iob_read_lock().
 */
void iob_rq_issue(struct request *rq)
{
	struct bio *bio = rq->bio;
	struct iob_bio_ctx *f;
	u32 pos;

	f = iob_bio_ctx_chain(bio, bio, &pos);
	if (!is_rq_ours(rq, f))
		return;
	if (!f)
		f = follow_late_bio(bio, iob_rq_disk(rq));
	if (f)
		WRITE_ONCE(f->issue_at, iob_clock_now());
}

/* Account bytes of a bio without a context: the device completed them, no act is known. */
static void account_unseen(struct iob_io *io, struct iob_first *first,
			   const struct bio *bio, u32 bytes)
{
	struct iob_share p = {
		.cause = IOB_CAUSE_LOST, .bytes = bytes, .how = IOB_HOW_LOST,
	};

	iob_stat_inc(inflight_unseen);
	if (!io->begun) {
		io->op = iob_op_of(bio);
		first->opf = (__force u32)bio->bi_opf;
	}
	iob_io_share(io, bio->bi_iter.bi_sector, &p);
}

/* The number of bios that the first @bytes cover. */
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

/* The rest of the request begins with @bio: it was issued when the done part was. */
static void hand_on_issue(const struct bio *bio, u64 issue_at)
{
	struct iob_bio_ctx *f;
	u32 pos;

	f = iob_bio_ctx_chain(bio, bio, &pos);
	if (f)
		WRITE_ONCE(f->issue_at, issue_at);
}

/*
 * Account @bytes of a bio, which begin at @pos of its context @f, or have none, and at @sector.
 * Where a zone is appended to, only its end tells the sector.
 */
static void account_bio(struct iob_io *io, struct iob_first *first, const struct bio *bio,
			struct iob_bio_ctx *f, u32 pos, u32 bytes, u64 sector)
{
	bool placed = f && f->disk && !iob_bio_ctx_appends(f);

	if (f && !io->begun)
		iob_bio_ctx_describe(io, first, f);
	if (!io->disk)
		io->disk = iob_disk_of(io->gd, sector, true);
	if (io->disk && f)
		iob_bio_ctx_account(io, f, pos, bytes,
				    placed ? f->sector + (pos >> SECTOR_SHIFT) : sector);
	else if (io->disk)
		account_unseen(io, first, bio, bytes);
	if (f)
		iob_bio_ctx_done(f, bytes, io->error);
}

/*
 * The sector of the first bytes of a bio that are still to complete.  The driver says where it has
 * appended to a zone; where the block layer turns that into a write, it says so in the bio.
 */
static u64 sector_of(struct request *rq, const struct bio *bio)
{
	return bio_op(bio) == REQ_OP_ZONE_APPEND ? blk_rq_pos(rq) : bio->bi_iter.bi_sector;
}

/*
 * The second end of a request with data and a flush: all bytes of its one bio are done, and its
 * context, if there was one at the first end, has waited for this.
 */
static void flush_done(struct iob_io *io, struct iob_first *first, const struct bio *bio)
{
	struct iob_bio_ctx *f = iob_bio_ctx_find(bio);
	u32 left;

	if (!f || !f->size || bio->bi_iter.bi_size)
		return;
	left = atomic_read(&f->left);
	io->nr_bios = 1;
	account_bio(io, first, bio, f, f->size - left, left,
		    bio->bi_iter.bi_sector - (left >> SECTOR_SHIFT));
	iob_io_end(io);
}

/**
 * iob_rq_done - the first bytes of a request are done
 * @rq:    the request, at block_rq_complete: its bios are still as they were
 * @error: 0 or a negative errno
 * @bytes: how many; 0 for a flush without data, and for the second end of a flush with
 *	   data
 *
 * Accounts bio by bio, share by share.  A disk with a volatile cache is flushed before a bio
 * with REQ_PREFLUSH, and, if it has no FUA, behind one with REQ_FUA.  The request ends twice then:
 * with its bytes, when its data is done, and without any, when all is, with the error of all.  The
 * bio ends the second time, and so does its context.
 *
 * From a probe: hardirq mostly, inside iob_read_lock().
 */
void iob_rq_done(struct request *rq, int error, unsigned int bytes)
{
	struct iob_first first = { .queue_at = IOB_TICKS_UNKNOWN };
	struct iob_io io = {
		.gd = iob_rq_disk(rq), .error = error, .rq = rq, .first = &first,
	};
	struct bio *bio = rq->bio;
	struct iob_bio_ctx *f = first_ctx_of(bio);
	u32 pos = 0;

	if (!is_rq_ours(rq, f))
		return;
	/* the second end follows */
	if (bytes && rq->rq_flags & RQF_FLUSH_SEQ && f && f == iob_bio_ctx_find(bio))
		return;
	io.nr_bios = count_bios(bio, bytes);
	do {
		u32 piece = min(bio->bi_iter.bi_size, bytes);

		f = iob_bio_ctx_chain(bio, bio, &pos);
		if (!bytes && (!f || f->size)) {
			flush_done(&io, &first, bio);
			return;
		}
		if (!f) {
			f = follow_late_bio(bio, io.gd);
			pos = 0;
		}
		account_bio(&io, &first, bio, f, pos, piece, sector_of(rq, bio));
		bytes -= piece;
		if (piece < bio->bi_iter.bi_size)
			break;
		bio = bio->bi_next;
	} while (bio && bytes);
	if (bio && io.issue_at)
		hand_on_issue(bio, io.issue_at);
	iob_io_end(&io);
}
