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
#ifndef IOB_RECORD_QUICK_H
#define IOB_RECORD_QUICK_H

#include <linux/blkdev.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/sched.h>

#include <compat/rcu.h>

#include "../blame/act.h"
#include "../blame/backing.h"
#include "../blame/intent.h"
#include "../blame/memo.h"
#include "../blame/stack.h"
#include "../blame/stats.h"
#include "../blame/task.h"
#include "clock.h"
#include "counters.h"
#include "flight.h"
#include "inflight.h"
#include "io.h"
#include "iolog.h"
#include "loop.h"
#include "upper.h"

void iob_quick_note(const struct iob_flight *f, const struct gendisk *gd,
		    unsigned long ip, u32 epoch);
void iob_quick_other(struct bio *bio, struct iob_task *like, unsigned long ip,
		     unsigned long sp, unsigned long bp);
void iob_quick_other_end(struct iob_flight *f, struct request *rq, int error);

/*
 * Whether a request may be anybody's concern: false for most, where only some disks are
 * watched.  Any context; nothing is looked at that would have to be kept from being freed.
 */
static __always_inline bool iob_quick_has(const struct request *rq)
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

/* iob_quick.dev of a loop device: no device's number, so that it is asked more */
#define IOB_LOOP_OF(dev)	(~(dev))

/*
 * Whether it is a loop device that the last IO went to, too.  Its flights were in slots
 * then; now its IO may be followed, as it has another file, or as swap came.
 */
static __always_inline bool iob_quick_same_loop(const struct iob_quick *q,
						const struct bio *bio)
{
	const struct gendisk *gd = iob_queued_disk(bio);

	/* (a partition's number may have gone to another disk since) */
	return q->dev == IOB_LOOP_OF(iob_bio_devt(bio)) &&
	       iob_disk_is_loop(gd) &&
	       (likely(iob_backing_is(gd, q->backing)) ||
		!iob_backing_disk_reaches(gd));
}

/* Whether the bio is what the task has sent last, but for the place. */
static __always_inline bool iob_quick_alike(const struct iob_quick *q,
					    const struct bio *bio)
{
	return (likely(q->dev == iob_bio_devt(bio)) ||
		iob_quick_same_loop(q, bio)) &&
	       q->end == bio->bi_end_io &&
	       q->opf == (__force u32)bio->bi_opf &&
	       bio->bi_iter.bi_sector - q->start < q->sectors;
}

/* Whether the task is what it was then, and the act lives: see iob_tasks_now(). */
static __always_inline bool iob_quick_unchanged(const struct iob_task *t)
{
	const struct iob_quick *q = &t->quick;

	/* a thread that execs takes over its leader's pid; t->pid may be that by now */
	return q->epoch == iob_tasks_now() && q->pid == current->pid &&
	       !iob_task_serves(t) && t->direct == q->direct &&
	       (!q->direct || iob_file_same(&t->file, &q->file));
}

/*
 * Whether the stack is one that was noted, which holds for the epoch: no code comes or
 * goes in it.
 */
static __always_inline bool iob_quick_stack(const struct iob_quick *q,
					    unsigned long ip, unsigned long sp,
					    unsigned long bp)
{
	unsigned long end = (unsigned long)task_stack_page(current) +
			    THREAD_SIZE;
	const struct iob_quick_stacks *s = q->stacks;
	const struct iob_brief *b;

	if (!s)
		return false;
	b = &s->one[0];
	if (s->turn && end - sp >= b->span &&
	    ((const unsigned long *)sp)[s->turn_place] != s->turn)
		b++;
	if (!iob_brief_is(b, ip, sp, bp, end))
		return false;
	iob_stat_inc(stack_known);
	if (unlikely(READ_ONCE(iob_check_stacks)))
		iob_intent_check(q->intent, ip, sp, bp);
	return true;
}

/* The flight of a direct IO that is like the last one.  Return: false if it has none. */
static __always_inline bool iob_quick_fly(struct bio *bio,
					  const struct iob_quick *q)
{
	struct iob_flight *f = iob_flight_slot(bio);
	u32 size = bio->bi_iter.bi_size;

	/* (a write of nothing is another thing) */
	if (!size || READ_ONCE(f->bio) ||
	    !hlist_bl_empty(iob_flight_bucket(bio)) ||
	    atomic_read(&iob_nr_uppers) || cmpxchg(&f->bio, NULL, bio))
		return false;
	iob_act_touch(q->act);
	/* it is in a slot, and the task's */
	iob_flight_of(f, bio, size, q->disk);
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
static __always_inline struct iob_task *iob_quick_task(const struct bio *bio)
{
	struct iob_task *t;

	if (!in_task())
		return NULL;
	t = iob_task_peek(current);
	return t && iob_quick_alike(&t->quick, bio) &&
	       iob_quick_unchanged(t) ? t : NULL;
}

/**
 * iob_quick_queue - a bio goes to a disk
 * @bio: the bio, at block_bio_queue: of a disk whose IO may be anybody's concern
 *
 * From a probe: any context but NMI.  Nothing that is needed behind it is kept while
 * another function is called: else there are words in our own frame that sometimes
 * point to where a register does, and what is learned of the stack is to hold always.
 */
static __always_inline void iob_quick_queue(struct bio *bio)
{
	struct iob_task *t;
	unsigned long ip, sp, bp;

	iob_probe_lock();
	iob_stack_here(&ip, &sp, &bp);
	t = iob_quick_task(bio);
	if (!t || !iob_quick_stack(&t->quick, ip, sp, bp) ||
	    !iob_quick_fly(bio, &t->quick))
		iob_quick_other(bio, t, ip, sp, bp);
	/* no jump: where we are is part of the stack */
	barrier();
	iob_probe_unlock();
}

/**
 * iob_quick_issue - a request goes to the device
 * @rq: the request, of which iob_quick_has() is true, at block_rq_issue; once more after
 *	each requeue
 *
 * While iob_io_issues().  From a probe: any context but NMI.
 */
static __always_inline void iob_quick_issue(struct request *rq)
{
	struct bio *bio = rq->bio;
	struct iob_flight *f;

	iob_probe_lock();
	f = iob_flight_slot(bio);
	if (likely(READ_ONCE(f->bio) == bio))
		WRITE_ONCE(f->issue_at, iob_clock_now());
	else
		iob_inflight_issue(rq);
	iob_probe_unlock();
}

/*
 * As most requests end: all at once, with one bio.  (Whether one act pays for it, and on a
 * disk that is watched, is another question, but for a flight of iob_quick_fly().)
 */
static __always_inline bool iob_quick_simple(const struct bio *bio,
					     const struct iob_flight *f,
					     u32 bytes)
{
	/* of a flight without bytes there is one left: its end is not simple */
	return READ_ONCE(f->bio) == bio &&
	       f->first.opf == (__force u32)bio->bi_opf &&
	       atomic_read_acquire(&f->left) == bytes && f->size == bytes &&
	       bio->bi_iter.bi_size == bytes && !bio->bi_next;
}

/*
 * In short what iob_io_part() and iob_io_end() do for a flight of iob_quick_fly() that went
 * well, while nobody reads along.  An act that is pointed at in this epoch is there as long
 * as we are in the probe.  Nothing is called here: it would cost a frame.
 * Return: false if it takes more than this; then nothing was done.
 */
static __always_inline bool iob_quick_end(const struct iob_flight *f)
{
	unsigned long op = f->op;
	u32 size = f->size, wanted = iob_counters_wanted(op);
	struct iob_disk *disk = f->disk;
	struct iob_act *act = f->act;
	u32 *hist;
	u64 usecs;

	if (unlikely(f->epoch != iob_tasks_now() ||
		     wanted & ~IOB_COUNTERS_PLAIN || iob_iolog_listened()))
		return false;
	if (wanted) {
		hist = READ_ONCE(act->counters);
		if (unlikely(!hist ||
			     !iob_clock_soon(f->first.queue_at, &usecs)))
			return false;
		iob_counters_add_plain(hist, op, size, usecs);
	}
	iob_io_note(disk, op, IOB_HOW_EXACT, size, act);
	this_cpu_inc(disk->sums->ios[op]);
	iob_stat_inc(iolog_unread);
	WRITE_ONCE(disk->last_end, f->sector + (size >> SECTOR_SHIFT));
	return true;
}

/**
 * iob_quick_rq_done - the first bytes of a request are done
 * @rq:    the request, of which iob_quick_has() is true, at block_rq_complete: its
 *	   bios are still as they were
 * @error: 0 or a negative errno
 * @bytes: how many; 0 for a flush that carries no data, and for the second
 *	   end of one that does
 *
 * From a probe: hardirq mostly.
 */
static __always_inline void iob_quick_rq_done(struct request *rq, int error,
					      unsigned int bytes)
{
	struct bio *bio = rq->bio;
	struct iob_flight *f;

	iob_probe_lock();
	f = iob_flight_slot(bio);
	if (unlikely(!iob_quick_simple(bio, f, bytes)))
		iob_inflight_rq_done(rq, error, bytes);
	else if (likely(!error && iob_quick_end(f)))
		iob_flight_release(f);
	else
		iob_quick_other_end(f, rq, error);
	iob_probe_unlock();
}

#endif
