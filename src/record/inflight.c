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
 * Lifetime: whoever completes bytes of a flight holds it by these bytes; who
 * takes the last ones frees it.  A flight whose end never came is replaced
 * when its bio's address comes round again (counted), or freed at the end of
 * the session.
 */
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/ktime.h>

#include <compat/rcu.h>
#include <compat/slab.h>

#include "../blame/act.h"
#include "../blame/end.h"
#include "../blame/stats.h"
#include "inflight.h"
#include "io.h"
#include "upper.h"

#define MAX_CHAIN	4

static struct hlist_bl_head *flights;
static struct kmem_cache *cache;
static atomic_t nr_flights;

static struct hlist_bl_head *bucket(const struct bio *bio)
{
	return &flights[hash_ptr(bio, IOB_FLIGHT_BITS)];
}

static struct iob_flight *find_locked(struct hlist_bl_head *b,
				      const struct bio *bio, bool child)
{
	struct hlist_bl_node *pos;
	struct iob_flight *f;

	hlist_bl_for_each_entry(f, pos, b, hash) {
		if (f->bio == bio && f->child == child)
			return f;
	}
	return NULL;
}

static struct iob_flight *find_kind(const struct bio *bio, bool child)
{
	struct hlist_bl_head *b = bucket(bio);
	struct iob_flight *f;
	unsigned long flags;

	/* almost always empty for a disk that is not watched */
	if (hlist_bl_empty(b))
		return NULL;
	flags = iob_flights_lock(b);
	f = find_locked(b, bio, child);
	iob_flights_unlock(b, flags);
	return f;
}

static struct iob_flight *find(const struct bio *bio)
{
	return find_kind(bio, false);
}

/*
 * Neither is the disk watched nor is anything known of the bio: most IO, where
 * only some disks are watched, gets no further than here.
 */
static bool is_foreign(const struct bio *bio, const struct gendisk *gd)
{
	return hlist_bl_empty(bucket(bio)) && !iob_disk_of(gd, 0, false) &&
	       !iob_end_chained(bio);
}

static void release(struct iob_flight *f)
{
	iob_origin_free(&f->origin);
	kmem_cache_free(cache, f);
	atomic_dec(&nr_flights);
}

/* Take it out of the tables and free it. */
static void finish(struct iob_flight *f)
{
	struct hlist_bl_head *b = bucket(f->bio);
	unsigned long flags = iob_flights_lock(b);

	hlist_bl_del(&f->hash);
	iob_flights_unlock(b, flags);
	iob_upper_end(f);
	release(f);
}

/* @bytes of it are done.  Who has had the last ones frees it. */
static void let_go(struct iob_flight *f, u32 bytes)
{
	if (atomic_sub_and_test(max_t(u32, bytes, 1), &f->left))
		finish(f);
}

static void insert(struct iob_flight *f)
{
	struct hlist_bl_head *b = bucket(f->bio);
	struct iob_flight *old;
	unsigned long flags;

	flags = iob_flights_lock(b);
	/* a bio may have several that are chained to it */
	old = f->child ? NULL : find_locked(b, f->bio, false);
	if (old)
		hlist_bl_del(&old->hash);
	hlist_bl_add_head(&f->hash, b);
	iob_flights_unlock(b, flags);
	if (old) {
		iob_stat_inc(inflight_stale);
		iob_upper_end(old);
		release(old);
	}
	iob_upper_begin(f);
}

static struct iob_flight *make(struct bio *bio, struct iob_disk *disk, int op)
{
	struct iob_flight *f = kmem_cache_alloc(cache, GFP_NOWAIT | __GFP_NOWARN);

	if (!f) {
		iob_stat_inc(inflight_nomem);
		return NULL;
	}
	INIT_HLIST_BL_NODE(&f->vec_hash);
	f->bio = bio;
	f->vec = bio->bi_io_vec;
	f->idx = bio->bi_iter.bi_idx;
	f->done = bio->bi_iter.bi_bvec_done;
	f->disk = disk;
	f->sector = bio->bi_iter.bi_sector;
	f->queue_ns = ktime_get_ns();
	f->issue_ns = 0;
	f->size = bio->bi_iter.bi_size;
	atomic_set(&f->left, max_t(u32, f->size, 1));
	f->opf = (__force u32)bio->bi_opf;
	f->op = op;
	f->claimed = false;
	f->child = false;
	f->self = bio;
	f->sub_pid = in_task() ? current->pid : 0;
	memcpy(f->sub_comm, current->comm, sizeof(f->sub_comm));
	if (!in_task())
		strscpy(f->sub_comm, "interrupt", sizeof(f->sub_comm));
	atomic_inc(&nr_flights);
	return f;
}

/* Forget the flight that an earlier bio of this address left behind. */
static void drop_stale(const struct bio *bio)
{
	struct iob_flight *f = find(bio);

	if (f) {
		iob_stat_inc(inflight_stale);
		finish(f);
	}
}

/*
 * Whether the end of this bio is not announced: 5.10 goes on to the parent
 * before it looks at what was to be traced.  (With requests it is announced.)
 */
static bool ends_with_parent(const struct bio *bio)
{
	return IOB_CHAINED_END_SILENT && iob_end_chained(bio) &&
	       iob_disk_bio_based(iob_bio_disk(bio));
}

/*
 * The flight that has the first of a bio's bytes, and where in it they are,
 * looked for from @b on: the bio itself or one that it is chained to.
 */
static struct iob_flight *flight_from(const struct bio *b,
				      const struct bio *bio, u32 *pos)
{
	u32 size = bio->bi_iter.bi_size;
	struct iob_flight *f;
	int depth;

	for (depth = 0; depth < MAX_CHAIN; depth++) {
		f = find(b);
		if (f) {
			u64 at = b == bio ? (u64)f->size - size :
				 (bio->bi_iter.bi_sector - f->sector) <<
				 SECTOR_SHIFT;

			if (at > f->size || at + size > f->size)
				return NULL;
			*pos = at;
			return f;
		}
		if (!iob_end_chained(b))
			return NULL;
		b = b->bi_private;
	}
	return NULL;
}

/* A chained bio without a flight is part of the one that it is chained to. */
static struct iob_flight *flight_of(const struct bio *bio, u32 *pos)
{
	return flight_from(bio, bio, pos);
}

/**
 * iob_flight_bio - which bio has the flight of a bio
 * @bio: under way
 *
 * Any context but NMI, inside iob_read_lock().
 * Return: @bio, or one that it is chained to, or NULL.
 */
const struct bio *iob_flight_bio(const struct bio *bio)
{
	int depth;

	for (depth = 0; depth < MAX_CHAIN; depth++) {
		if (find(bio))
			return bio;
		if (!iob_end_chained(bio))
			return NULL;
		bio = bio->bi_private;
	}
	return NULL;
}

/**
 * iob_flight_slice - who pays for some of a flight's sectors
 * @o:	    gets the parts behind those that it has
 * @bio:    has the flight if there is one; not looked into
 * @sector: the first one, on the flight's disk
 * @bytes:  how many; what is outside of the flight is left out
 *
 * Cut under the bucket's lock: a flight whose end was never seen can be
 * replaced at any time.  Any context but NMI, inside iob_read_lock().
 * Return: how many bytes @o has got.
 */
u32 iob_flight_slice(struct iob_origin *o, const struct bio *bio, u64 sector,
		     u32 bytes)
{
	struct hlist_bl_head *b = bucket(bio);
	const struct iob_flight *f;
	unsigned long flags;
	u64 from, to;
	u32 got = 0;

	flags = iob_flights_lock(b);
	f = find_locked(b, bio, false);
	if (f) {
		from = max(sector, f->sector);
		to = min(sector + (bytes >> SECTOR_SHIFT),
			 f->sector + (f->size >> SECTOR_SHIFT));
		if (from < to) {
			got = (to - from) << SECTOR_SHIFT;
			iob_origin_append(o, &f->origin,
					  (from - f->sector) << SECTOR_SHIFT,
					  got);
		}
	}
	iob_flights_unlock(b, flags);
	return got;
}

/* Begin a flight with the current task as the submitter, and its origin. */
static struct iob_flight *begin(struct bio *bio, const struct gendisk *gd,
				struct pt_regs *regs, bool late)
{
	struct iob_disk *disk = iob_disk_of(gd, bio->bi_iter.bi_sector,
					    bio->bi_iter.bi_size);
	int op = iob_op_of(bio);
	struct iob_flight *f;

	if (op < 0 || (!disk && !(iob_upper_disk(gd) && iob_disk_any())))
		return NULL;
	f = make(bio, disk, op);
	if (!f)
		return NULL;
	f->gd = gd;
	if (iob_upper_find(&f->origin, bio))
		return f;
	if (late)
		iob_origin_find_late(&f->origin, bio, op);
	else
		iob_origin_find(&f->origin, bio, op, regs);
	return f;
}

/* Whether a claimed flight is this bio's, not one's that had its address. */
static bool is_claim_of(const struct iob_flight *f, const struct bio *bio)
{
	return f->claimed && f->private == bio->bi_private &&
	       f->sector == bio->bi_iter.bi_sector &&
	       f->size == bio->bi_iter.bi_size;
}

/**
 * iob_inflight_claim - a bio may be held back before it is queued
 * @bio:  the bio
 * @regs: what the kprobe's handler was given
 *
 * A throttled bio is queued by a worker; who pays is known only now.
 * From a probe: any context but NMI, inside iob_read_lock().
 */
void iob_inflight_claim(struct bio *bio, struct pt_regs *regs)
{
	struct iob_flight *f = find(bio);

	/* its flight is to be found by its parent */
	if (ends_with_parent(bio))
		return;
	/* it waits again, or is the rest of one that was split */
	if (f && (!f->claimed || is_claim_of(f, bio)))
		return;
	f = begin(bio, iob_bio_disk(bio), regs, false);
	if (!f)
		return;
	f->claimed = true;
	f->private = bio->bi_private;
	insert(f);
}

/* The bio was claimed: now it is queued. */
static bool was_claimed(const struct bio *bio)
{
	struct iob_flight *f = find(bio);

	if (!f || !is_claim_of(f, bio))
		return false;
	f->claimed = false;
	f->queue_ns = ktime_get_ns();
	return true;
}

/**
 * iob_inflight_queue - a bio goes to a disk
 * @bio: the bio, at block_bio_queue
 *
 * From a probe: any context but NMI, inside iob_read_lock().
 */
void iob_inflight_queue(struct bio *bio)
{
	const struct gendisk *gd = iob_bio_disk(bio);
	struct iob_flight *f;

	if (!iob_upper_disk(gd) && is_foreign(bio, gd))
		return;
	if (was_claimed(bio))
		return;
	f = begin(bio, gd, NULL, false);
	if (f) {
		f->child = ends_with_parent(bio);
		if (f->child)
			f->bio = bio->bi_private;
		insert(f);
	} else {
		/* none of ours, but it may have the address of one that was */
		drop_stale(bio);
	}
}

/**
 * iob_inflight_split - the front of a bio has become one of its own
 * @bio: the front
 *
 * From a probe: any context but NMI, inside iob_read_lock().  Without memory
 * it goes on as part of the whole.
 */
void iob_inflight_split(struct bio *bio)
{
	struct iob_flight *f, *whole;
	u32 pos, size = bio->bi_iter.bi_size;

	/* some report the rest, which has a flight, or split bio by bio */
	if (!iob_end_chained(bio) || iob_disk_bio_based(iob_bio_disk(bio)))
		return;
	whole = flight_from(bio->bi_private, bio, &pos);
	if (!whole)
		return;
	/* its rest is not to be taken for a new one at the throttle */
	whole->claimed = false;
	f = make(bio, whole->disk, whole->op);
	if (!f)
		return;
	if (!iob_origin_slice(&f->origin, &whole->origin, pos, size)) {
		release(f);
		return;
	}
	f->gd = whole->gd;
	f->queue_ns = whole->queue_ns;
	f->sub_pid = whole->sub_pid;
	memcpy(f->sub_comm, whole->sub_comm, sizeof(f->sub_comm));
	insert(f);
	/* the rest still has bytes to come: it stays */
	if (atomic_sub_and_test(size, &whole->left))
		finish(whole);
}

/*
 * A bio that no tracepoint announced: switched on since, or put together by a
 * driver below.  Its pages may still say who pays.
 */
static struct iob_flight *late(struct bio *bio, const struct gendisk *gd)
{
	struct iob_flight *f = begin(bio, gd, NULL, true);

	if (!f)
		return NULL;
	iob_stat_inc(inflight_unseen);
	insert(f);
	return f;
}

/*
 * Not a question of the request's disk alone: md and nvme's multipath hand
 * bios of theirs on to another disk as they are.
 */
static bool is_ours(struct request *rq)
{
	u32 pos;

	if (!rq->bio || is_foreign(rq->bio, iob_rq_disk(rq)) ||
	    blk_rq_is_passthrough(rq) || iob_op_of(rq->bio) < 0)
		return false;
	return iob_disk_of(iob_rq_disk(rq), 0, false) ||
	       flight_of(rq->bio, &pos);
}

/**
 * iob_inflight_issue - a request goes to the device
 * @rq: the request, at block_rq_issue; once more after each requeue
 *
 * From a probe: any context but NMI, inside iob_read_lock().
 */
void iob_inflight_issue(struct request *rq)
{
	struct iob_flight *f;
	u32 pos;

	if (!is_ours(rq))
		return;
	f = flight_of(rq->bio, &pos);
	if (!f)
		f = late(rq->bio, iob_rq_disk(rq));
	if (f)
		WRITE_ONCE(f->issue_ns, ktime_get_ns());
}

static void describe(struct iob_io *io, const struct iob_flight *f)
{
	if (f->disk) {
		io->disk = f->disk;
		io->gd = f->gd;
	}
	io->queue_ns = f->queue_ns;
	io->issue_ns = READ_ONCE(f->issue_ns);
	io->opf = f->opf;
	io->op = f->op;
	io->sub_pid = f->sub_pid;
	memcpy(io->sub_comm, f->sub_comm, sizeof(io->sub_comm));
}

/*
 * Hand @bytes of a flight from @pos on to the record, and let go of them.  They
 * are at @sector of the disk: not at the flight's where an upper disk's bio went
 * on to this one as it is.
 */
static void account(struct iob_io *io, struct iob_flight *f, u32 pos, u32 bytes,
		    u64 sector)
{
	u32 left = bytes;
	unsigned int i;

	for (i = 0; i < f->origin.nr; i++) {
		struct iob_part p = f->origin.part[i];

		if (pos >= p.bytes && p.bytes) {
			pos -= p.bytes;
			continue;
		}
		p.bytes = min(left, p.bytes - pos);
		iob_io_part(io, sector, &p);
		sector += p.bytes >> SECTOR_SHIFT;
		left -= p.bytes;
		pos = 0;
		if (!left)
			break;
	}
	let_go(f, bytes);
}

/* Bytes of which nothing is known but that the device did them. */
static void account_unseen(struct iob_io *io, const struct bio *bio, u32 bytes)
{
	struct iob_part p = {
		.act = IOB_ACT_LOST, .bytes = bytes, .how = IOB_HOW_LOST,
	};

	iob_stat_inc(inflight_unseen);
	if (!io->begun) {
		io->op = iob_op_of(bio);
		io->opf = (__force u32)bio->bi_opf;
	}
	iob_io_part(io, bio->bi_iter.bi_sector, &p);
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
static void hand_on_issue(const struct bio *bio, u64 issue_ns)
{
	struct iob_flight *f;
	u32 pos;

	f = flight_of(bio, &pos);
	if (f)
		WRITE_ONCE(f->issue_ns, issue_ns);
}

/**
 * iob_inflight_rq_done - the first bytes of a request are done
 * @rq:    the request, at block_rq_complete: its bios are still as they were
 * @error: 0 or a negative errno
 * @bytes: how many; 0 for a flush that carries no data, and for the second
 *	   end of one that does
 *
 * From a probe: hardirq mostly, inside iob_read_lock().
 */
void iob_inflight_rq_done(struct request *rq, int error, unsigned int bytes)
{
	struct iob_io io = {
		.gd = iob_rq_disk(rq), .error = error, .hwq = iob_rq_hwq(rq),
		.segments = rq->nr_phys_segments,
	};
	struct bio *bio = rq->bio;
	struct iob_flight *f;
	u32 pos = 0;

	if (!is_ours(rq))
		return;
	io.done_ns = ktime_get_ns();
	io.nr_bios = count_bios(bio, bytes);
	do {
		u32 piece = min(bio->bi_iter.bi_size, bytes);

		f = flight_of(bio, &pos);
		if (!bytes && (!f || f->size))
			return;
		if (f && !io.begun)
			describe(&io, f);
		if (!io.disk)
			io.disk = iob_disk_of(io.gd, bio->bi_iter.bi_sector,
					      true);
		if (!io.disk && f)
			let_go(f, piece);
		else if (f)
			account(&io, f, pos, piece,
				f->disk ? f->sector + (pos >> SECTOR_SHIFT) :
					  bio->bi_iter.bi_sector);
		else if (io.disk)
			account_unseen(&io, bio, piece);
		bytes -= piece;
		if (piece < bio->bi_iter.bi_size)
			break;
		bio = bio->bi_next;
	} while (bio && bytes);
	if (bio && io.issue_ns)
		hand_on_issue(bio, io.issue_ns);
	iob_io_end(&io);
}

/*
 * Whether it never went to the device: it was not to wait, and would have had
 * to.  Who sent it does so again in a way that may wait.
 */
static bool was_refused(const struct iob_flight *f, int error)
{
	return error == -EAGAIN && f->opf & (__force u32)REQ_NOWAIT &&
	       !READ_ONCE(f->issue_ns);
}

/* All that is left of a flight ends at once. */
static void end_flight(struct iob_flight *f, int error, u64 now)
{
	struct iob_io io = {
		.hwq = 0xffff, .nr_bios = 1, .error = error, .done_ns = now,
	};
	u32 left = min_t(u32, atomic_read(&f->left), f->size);

	if (f->disk && was_refused(f, error)) {
		iob_stat_inc(io_refused);
		finish(f);
		return;
	}
	if (!f->disk) {
		finish(f);
		return;
	}
	describe(&io, f);
	account(&io, f, f->size - left, left,
		f->sector + ((f->size - left) >> SECTOR_SHIFT));
	iob_io_end(&io);
}

/* And with it what is chained to it, and to that: a list, not a tree. */
static void end_children(const struct bio *bio, int error, u64 now)
{
	struct iob_flight *f;

	while ((f = find_kind(bio, true))) {
		const struct bio *self = f->self;

		end_flight(f, error, now);
		if (!find_kind(bio, true))
			bio = self;
	}
}

/**
 * iob_inflight_bio_done - a bio is done that was not part of a request
 * @bio: the bio, at block_bio_complete
 *
 * From a probe: any context but NMI, inside iob_read_lock().
 */
void iob_inflight_bio_done(struct bio *bio)
{
	int error = blk_status_to_errno(bio->bi_status);
	struct iob_flight *f = find(bio);
	u64 now = ktime_get_ns();

	/* the front of a split bio: the whole ends once, with the last piece */
	if (f)
		end_flight(f, error, now);
	if (IOB_CHAINED_END_SILENT)
		end_children(bio, error, now);
}

/* How many flights there are.  Any context. */
unsigned int iob_inflight_count(void)
{
	return atomic_read(&nr_flights);
}

/* A session begins.  May sleep.  Return: 0 or -ENOMEM. */
int iob_inflight_start(void)
{
	unsigned int i;

	flights = kvmalloc_array(1 << IOB_FLIGHT_BITS, sizeof(*flights),
				 GFP_KERNEL);
	if (!flights)
		return -ENOMEM;
	for (i = 0; i < 1 << IOB_FLIGHT_BITS; i++)
		INIT_HLIST_BL_HEAD(&flights[i]);
	return iob_uppers_start();
}

/* The session ends: no probe is attached.  IOs still under way go on alone. */
void iob_inflight_stop(void)
{
	struct hlist_bl_node *pos, *next;
	struct iob_flight *f;
	unsigned int i;

	for (i = 0; flights && i < 1 << IOB_FLIGHT_BITS; i++) {
		hlist_bl_for_each_entry_safe(f, pos, next, &flights[i], hash)
			release(f);
	}
	kvfree(flights);
	flights = NULL;
	iob_uppers_stop();
}

/* Module load.  May sleep.  Return: 0 or -ENOMEM. */
int iob_inflight_init(void)
{
	iob_ends_init();
	cache = iob_cache_create("iob_flight", sizeof(struct iob_flight), 0);
	return cache ? 0 : -ENOMEM;
}

/* Module unload. */
void iob_inflight_exit(void)
{
	kmem_cache_destroy(cache);
}
