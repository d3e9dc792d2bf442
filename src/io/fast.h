/* SPDX-License-Identifier: GPL-2.0 */
/*
 * quick - what each IO runs through, and the short way that most of them take
 *
 * Three probes run for each IO of the machine.  Here is where each of them ends
 * for most: for IO that nobody watches with a question to its disk; for a direct
 * IO that is like the task's last one with what came of that; for a request of one
 * bio for which one act pays with its sums and counters.  All else goes on to
 * inflight and io, which know no short ways.
 *
 * A direct IO is like the last one if all is the same from which blame/origin
 * found who pays: the device, what is done, who ends the bio, the task's state,
 * its stack - by its intent, which is one for one trace - and the file that it
 * reads or writes.  What came of it holds for one epoch (blame/task).
 *
 * All of it is compiled into the probes themselves, and only quick.c is not.
 */
#ifndef IOB_IO_FAST_H
#define IOB_IO_FAST_H

#include <linux/blkdev.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/sched.h>

#include <compat/rcu.h>

#include "core/act.h"
#include "stacked/loop_file.h"
#include "core/intent.h"
#include "stack/slot.h"
#include "stack/stack.h"
#include "core/stats.h"
#include "core/task.h"
#include "clock.h"
#include "counters.h"
#include "bio_ctx.h"
#include "bio.h"
#include "account.h"
#include "log.h"
#include "stacked/loop.h"
#include "parent.h"

void iob_fast_note(const struct iob_bio_ctx *f, const struct gendisk *gd,
		    unsigned long ip, u32 epoch);
void iob_fast_other(struct bio *bio, struct iob_task *like, unsigned long ip,
		     unsigned long sp, unsigned long bp);
void iob_fast_other_end(struct iob_bio_ctx *f, struct request *rq, int error);

/*
 * Whether a request may be anybody's concern: false for most, where only some disks are
 * watched.  Any context; nothing is looked at that would have to be kept from being freed.
 */
static __always_inline bool iob_fast_has(const struct request *rq)
{
	const struct gendisk *gd = iob_rq_disk(rq);

	/* a command of a driver's own may be for no disk */
	return rq->bio && gd && iob_disk_maybe(gd);
}

/*
 * Whether anybody asks when requests are issued, or which: who carries out those of a
 * loop device.  Any context.
 */
static __always_inline bool iob_io_issues(void)
{
	return READ_ONCE(iob_counters_timed) || iob_iolog_listened() ||
	       iob_loop_issues();
}

/* iob_fast.dev of a loop device: no device's number, so that it is asked more */
#define IOB_LOOP_OF(dev)	(~(dev))

/*
 * Whether it is a loop device that the last IO went to, too.  Its flights were in slots
 * then; now its IO may be followed, as it has another file, or as swap came.
 */
static __always_inline bool iob_fast_same_loop(const struct iob_fast *q,
						const struct bio *bio)
{
	const struct gendisk *gd = iob_queued_disk(bio);

	/* (a partition's number may have gone to another disk since) */
	return q->dev == IOB_LOOP_OF(iob_bio_devt(bio)) &&
	       iob_disk_is_file(gd) &&
	       (likely(iob_loop_file_is(gd, q->backing)) ||
		!iob_loop_file_disk_reaches(gd));
}

/* Whether the bio is what the task has sent last, but for the place. */
static __always_inline bool iob_fast_alike(const struct iob_fast *q,
					    const struct bio *bio)
{
	return (likely(q->dev == iob_bio_devt(bio)) ||
		iob_fast_same_loop(q, bio)) &&
	       q->end == bio->bi_end_io &&
	       q->opf == (__force u32)bio->bi_opf &&
	       bio->bi_iter.bi_sector - q->start < q->sectors;
}

/* Whether the task is what it was then, and the act lives: see iob_epoch_now(). */
static __always_inline bool iob_fast_unchanged(const struct iob_task *t)
{
	const struct iob_fast *q = &t->fast;

	/* a thread that execs takes over its leader's pid; t->pid may be that by now */
	return q->epoch == iob_epoch_now() && q->pid == current->pid &&
	       !iob_task_serves(t) && t->direct == q->direct &&
	       (!q->direct || iob_file_same(&t->file, &q->file));
}

/*
 * Whether the stack is one that was noted, which holds for the epoch: no code comes or
 * goes in it.
 */
static __always_inline bool iob_fast_stack(const struct iob_fast *q,
					    unsigned long ip, unsigned long sp,
					    unsigned long bp)
{
	unsigned long end = (unsigned long)task_stack_page(current) +
			    THREAD_SIZE;
	const struct iob_fast_stacks *s = q->stacks;
	const struct iob_signature *b;

	if (!s)
		return false;
	b = &s->one[0];
	if (s->turn && end - sp >= b->span &&
	    ((const unsigned long *)sp)[s->turn_place] != s->turn)
		b++;
	if (!iob_signature_is(b, ip, sp, bp, end))
		return false;
	iob_stat_inc(stack_known);
	if (unlikely(READ_ONCE(iob_check_stacks)))
		iob_stack_intent_check(q->intent, ip, sp, bp);
	return true;
}

/* The flight of a direct IO that is like the last one.  Return: false if it has none. */
static __always_inline bool iob_fast_begin(struct bio *bio,
					  const struct iob_fast *q)
{
	struct iob_bio_ctx *f = iob_bio_ctx_slot(bio);
	u32 size = bio->bi_iter.bi_size;

	/* (a write of nothing is another thing) */
	if (!size || READ_ONCE(f->bio) ||
	    !hlist_bl_empty(iob_bio_ctx_bucket(bio)) ||
	    atomic_read(&iob_nr_parents) || cmpxchg(&f->bio, NULL, bio))
		return false;
	iob_act_touch(q->act);
	/* it is in a slot, and the task's */
	iob_bio_ctx_of(f, bio, size, q->disk);
	f->kind = q->kind;
	f->first.what = q->what;
	memcpy(f->first.sub_comm, current->comm, sizeof(f->first.sub_comm));
	/* (a free slot's origin.part is its own) */
	f->origin.shape = IOB_ORIGIN_ONE;
	f->act = q->act;
	f->origin.one.act = q->id;
	f->origin.one.how = IOB_HOW_EXACT;
	f->origin.one.bytes = size;
	f->origin.one.dirty_ns = IOB_DIRTY_NEVER;
	/* (it may call: nothing else has to be kept meanwhile) */
	f->first.queue_at = iob_clock_now();
	return true;
}

/* The current task, if the bio is like what it did before; but for the stack. */
static __always_inline struct iob_task *iob_fast_task(const struct bio *bio)
{
	struct iob_task *t;

	if (!in_task())
		return NULL;
	t = iob_task_peek(current);
	return t && iob_fast_alike(&t->fast, bio) &&
	       iob_fast_unchanged(t) ? t : NULL;
}

/**
 * iob_fast_queue - a bio goes to a disk
 * @bio: the bio, at block_bio_queue: of a disk whose IO may be anybody's concern
 *
 * From a probe: any context but NMI.  Nothing that is needed behind it is kept while
 * another function is called: else there are words in our own frame that sometimes
 * point to where a register does, and what is learned of the stack is to hold always.
 */
static __always_inline void iob_fast_queue(struct bio *bio)
{
	struct iob_task *t;
	unsigned long ip, sp, bp;

	iob_probe_lock();
	iob_stack_here(&ip, &sp, &bp);
	t = iob_fast_task(bio);
	if (!t || !iob_fast_stack(&t->fast, ip, sp, bp) ||
	    !iob_fast_begin(bio, &t->fast))
		iob_fast_other(bio, t, ip, sp, bp);
	/* no jump: where we are is part of the stack */
	barrier();
	iob_probe_unlock();
}

/**
 * iob_fast_issue - a request goes to the device
 * @rq: the request, of which iob_fast_has() is true, at block_rq_issue; once more after
 *	each requeue
 *
 * While iob_io_issues().  From a probe: any context but NMI.
 */
static __always_inline void iob_fast_issue(struct request *rq)
{
	struct bio *bio = rq->bio;
	struct iob_bio_ctx *f;

	iob_probe_lock();
	f = iob_bio_ctx_slot(bio);
	if (likely(READ_ONCE(f->bio) == bio))
		WRITE_ONCE(f->issue_at, iob_clock_now());
	else
		iob_rq_issue(rq);
	iob_probe_unlock();
}

/*
 * As most requests end: all at once, with one bio.  (Whether one act pays for it, and on a
 * disk that is watched, is another question, but for a flight of iob_fast_begin().)
 */
static __always_inline bool iob_fast_simple(const struct bio *bio,
					     const struct iob_bio_ctx *f,
					     u32 bytes)
{
	/* of a flight without bytes there is one left: its end is not simple */
	return READ_ONCE(f->bio) == bio &&
	       f->first.opf == (__force u32)bio->bi_opf &&
	       atomic_read_acquire(&f->left) == bytes && f->size == bytes &&
	       bio->bi_iter.bi_size == bytes && !bio->bi_next;
}

/*
 * In short what iob_io_share() and iob_io_end() do for a flight of iob_fast_begin() that went
 * well, while nobody reads along.  An act that is pointed at in this epoch is there as long
 * as we are in the probe.  Nothing is called here: it would cost a frame.
 * Return: false if it takes more than this; then nothing was done.
 */
static __always_inline bool iob_fast_end(const struct iob_bio_ctx *f)
{
	unsigned long op = f->op;
	u32 size = f->size, wanted = iob_counters_wanted(op);
	struct iob_disk *disk = f->disk;
	struct iob_act *act = f->act;
	u32 *hist;
	u64 usecs;

	if (unlikely(f->epoch != iob_epoch_now() ||
		     wanted & ~IOB_COUNTERS_SIMPLE || iob_iolog_listened()))
		return false;
	if (wanted) {
		hist = READ_ONCE(act->counters);
		if (unlikely(!hist ||
			     !iob_clock_soon(f->first.queue_at, &usecs)))
			return false;
		iob_counters_add_simple(hist, op, size, usecs);
	}
	iob_io_note(disk, op, IOB_HOW_EXACT, size, act);
	this_cpu_inc(disk->sums->ios[op]);
	iob_stat_inc(iolog_unread);
	WRITE_ONCE(disk->last_end, f->sector + (size >> SECTOR_SHIFT));
	return true;
}

/**
 * iob_fast_rq_done - the first bytes of a request are done
 * @rq:    the request, of which iob_fast_has() is true, at block_rq_complete: its
 *	   bios are still as they were
 * @error: 0 or a negative errno
 * @bytes: how many; 0 for a flush that carries no data, and for the second
 *	   end of one that does
 *
 * From a probe: hardirq mostly.
 */
static __always_inline void iob_fast_rq_done(struct request *rq, int error,
					      unsigned int bytes)
{
	struct bio *bio = rq->bio;
	struct iob_bio_ctx *f;

	iob_probe_lock();
	f = iob_bio_ctx_slot(bio);
	if (unlikely(!iob_fast_simple(bio, f, bytes)))
		iob_rq_done(rq, error, bytes);
	else if (likely(!error && iob_fast_end(f)))
		iob_bio_ctx_release(f);
	else
		iob_fast_other_end(f, rq, error);
	iob_probe_unlock();
}

#endif
