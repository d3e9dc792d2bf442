/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fast - the code that each IO runs through
 *
 * Three probes run for each IO of the machine.  All of the fast path is compiled into them:
 *
 *  - IO to a disk that is not watched ends after one question to the disk;
 *  - a direct IO that is like the task's previous one takes over who pays for it;
 *  - a request of one bio, for which one act pays, needs the disk's sums and the simple
 *    counters only.
 *
 * All else goes to io/bio and io/request.
 *
 * A direct IO is like the previous one if all is the same from which blame/origin found who
 * pays: the device, the operation and its flags, the function that ends the bio, the task's
 * state, its stack (by the intent: one trace has one intent), and the file.  What is noted
 * holds for one epoch, see core/epoch.
 *
 * Example: fio writes 4 KiB blocks to a file with O_DIRECT.  The first write takes the slow
 * path: the stack is walked, the act is found, and iob_fast_other() keeps both in the task's
 * context.  The second write has the same device, flags, end_io, file and, by a signature
 * of a few words, the same stack: its bio gets act, disk and operation by a few stores.
 */
#ifndef IOB_IO_FAST_H
#define IOB_IO_FAST_H

#include <linux/blkdev.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/sched.h>

#include <compat/raw.h>
#include <compat/rcu.h>

#include "core/cause.h"
#include "core/intent.h"
#include "core/stats.h"
#include "core/task.h"
#include "stack/slot.h"
#include "stack/stack.h"
#include "account.h"
#include "bio_ctx.h"
#include "clock.h"
#include "counters.h"
#include "log.h"
#include "parent.h"
#include "request.h"
#include "sum.h"

#ifdef IOB_UNWIND_RECORDS
/* The stack by which a task does the same IO. */
struct iob_fast_stacks {
	unsigned int nr;	/* return addresses; 0: there is none */
	unsigned long ip[IOB_STACK_SLOT_FRAMES];
};
#else
/* The stacks by which a task does the same IO: one, or two in turn. */
struct iob_fast_stacks {
	unsigned long ip;	/* the first has this address */
	u32 most;		/* iob_signature.most of both; 0: there is none */
	u16 place;		/* .. here, in words above sp */
	struct iob_signature one[2];	/* the second may be empty */
};
#endif

/* each task that repeats a direct IO has them: one word more would make them 2 KiB */
static_assert(sizeof(struct iob_fast_stacks) <= 1024);

/* A task's last direct IO: what is compared with the next one, and what came of it. */
struct iob_fast {
	dev_t dev;
	u32 intent;
	bio_end_io_t *end;
	union {
		struct {
			u32 epoch;	/* nothing here holds in another epoch */
			u8 op;
		};
		u64 kind;	/* as in the bio's context */
	};
	union {
		struct {
			u32 opf;
			u32 pid;	/* the task's */
		};
		u64 what;	/* likewise */
	};
	u64 start, sectors;	/* what is watched; beyond may be another device */
	unsigned long direct;	/* iob_task.direct, */
	struct iob_file file;	/* and its file, if that is not 0 */
	struct iob_disk *disk;
	u64 cause;		/* pays: its id; alive in this epoch */
	struct iob_file on;	/* for this file */
	struct iob_act *act;	/* counts that; alive in this epoch, NULL if not known */
	const struct file *backing;	/* see iob_parent_file_of_now() */
	u32 tick;		/* iob_cause_now() when the cause was touched last */
	u8 set;			/* of the stack cache, in which its stack is */
	u8 missed;		/* how often its stack was none of these: */
	struct iob_fast_stacks *stacks;	/* owned, or NULL */
};

static_assert(sizeof(struct iob_fast) <= IOB_ROOM_DIRECT);

int iob_fast_init(void);
bool iob_io_issues(void);
void iob_fast_async(struct iob_task *t, const struct kiocb *iocb, const struct inode *inode);

void iob_fast_other(struct bio *bio, unsigned long ip, unsigned long sp,
		    unsigned long bp);
void iob_fast_other_end(struct iob_bio_ctx *f, struct request *rq, int error);

/* What the current task's previous direct IO was. */
static __always_inline struct iob_fast *iob_fast_of(struct iob_task *t)
{
	return (struct iob_fast *)t->room_direct;
}

/*
 * False if a request concerns no watched disk.  Where only some disks are watched, that is
 * the usual case.  Any context.
 *
 * A bio keeps its disk, but a user's own command (SG_IO) has no disk to keep: that may go
 * meanwhile, and is freed by RCU.
 */
static __always_inline bool iob_fast_has(const struct request *rq)
{
	const struct gendisk *gd;
	bool maybe;

	iob_probe_lock();
	gd = iob_rq_disk(rq);
	/* a command of a driver's own may be for no disk */
	maybe = rq->bio && gd && iob_disk_maybe(gd);
	iob_probe_unlock();
	return maybe;
}

/* iob_fast.dev of a disk whose content is a file: no device's number, so more is asked */
#define IOB_FAST_FILE_DISK(dev)	(~(dev))

/*
 * True if the bio goes to the same disk, and the disk's content is the same file.  With another
 * file, or when a swap area is added, IO to the disk may have to be followed.
 */
static __always_inline bool iob_fast_same_file_disk(const struct iob_fast *q,
						    const struct bio *bio)
{
	const struct gendisk *gd = iob_queued_disk(bio);

	/* (a partition's number may have gone to another disk since) */
	return q->dev == IOB_FAST_FILE_DISK(iob_bio_devt(bio)) &&
	       iob_disk_is_file(gd) &&
	       iob_file_disk_has(gd, q->backing, READ_ONCE(iob_parent_file_at));
}

/* True if the bio is like the task's previous one, but for its sectors. */
static __always_inline bool iob_fast_alike(const struct iob_fast *q,
					   const struct bio *bio)
{
	return (likely(q->dev == iob_bio_devt(bio)) ||
		iob_fast_same_file_disk(q, bio)) &&
	       q->end == bio->bi_end_io &&
	       q->opf == (__force u32)bio->bi_opf &&
	       bio->bi_iter.bi_sector - q->start < q->sectors;
}

/* True if the task is as it was, and cause and act are alive: see iob_epoch_now(). */
static __always_inline bool iob_fast_unchanged(struct iob_task *t)
{
	const struct iob_fast *q = iob_fast_of(t);

	/* a thread that execs takes over its leader's pid: t->pid may be older */
	return q->epoch == iob_epoch_now() && q->pid == current->pid &&
	       !iob_task_serves(t) && t->direct == q->direct &&
	       (!q->direct || iob_file_same(&t->file, &q->file));
}

/*
 * True if the stack is one that was noted.  That holds for the epoch, in which no code is
 * loaded or unloaded.  What runs in an interrupt has another stack, or frames that no noted
 * one has: all return addresses are compared.
 */
static __always_inline bool iob_fast_stack(const struct iob_fast *q, unsigned long sp,
					   unsigned long bp)
{
	unsigned long base = (unsigned long)task_stack_page(current);
	const struct iob_fast_stacks *s = q->stacks;
#ifdef IOB_UNWIND_RECORDS
	return s && s->nr && bp - base < THREAD_SIZE - IOB_RECORD_LAST &&
	       iob_records_are(s->ip, s->nr, bp, base + THREAD_SIZE - IOB_RECORD_LAST);
#else
	const struct iob_signature *b;

	if (!s || sp - base > s->most)
		return false;
	b = &s->one[0];
	if (IOB_RAW(((const unsigned long *)sp)[s->place]) != s->ip) {
		b++;
		if (!b->addrs)
			return false;
	}
	return iob_signature_is(b, sp, base);
#endif
}

/* Begin the context of a direct IO that is like the previous one.  Return: false if not. */
static __always_inline bool iob_fast_begin(struct bio *bio,
					   const struct iob_fast *q)
{
	struct iob_bio_ctx *f = iob_bio_ctx_slot(bio);
	u32 size = bio->bi_iter.bi_size;

	/* (an empty write is a flush) */
	if (!size || !iob_bio_ctx_claim(f, bio))
		return false;
	/* in a slot; the current task submits */
	iob_bio_ctx_of(f, bio, size, q->disk);
	f->kind = q->kind;
	f->first.what = q->what;
	/* data_race: as in iob_note_submitter() */
	data_race(memcpy(f->first.sub_comm, current->comm, sizeof(f->first.sub_comm)));
	f->origin.shape = IOB_ORIGIN_ONE;
	f->origin.one.cause = q->cause;
	f->origin.one.file = q->on;
	/* (an address of the kernel is negative: see iob_share_never_dirty()) */
	f->origin.one.act = q->act;
	f->origin.one.how = IOB_HOW_EXACT;
	f->origin.one.bytes = size;
	/* (last, as it may call: no register has to be saved) */
	iob_clock_stamp(&f->first.queue_at);
	return true;
}

/*
 * The current task if the bio is like its previous one; the stack is not compared.  In an
 * interrupt it is the interrupted task.
 */
static __always_inline struct iob_task *iob_fast_task(const struct bio *bio)
{
	struct iob_task *t = iob_task_peek(current);

	return t && iob_fast_alike(iob_fast_of(t), bio) &&
	       iob_fast_unchanged(t) ? t : NULL;
}

/* True if the fast path takes the bio.  It must not call anything but at its end. */
static __always_inline bool iob_fast_takes(struct bio *bio, unsigned long sp, unsigned long bp)
{
	const struct iob_fast *q;
	struct iob_task *t = iob_fast_task(bio);

	if (!t)
		return false;
	q = iob_fast_of(t);
	if (q->tick != iob_cause_now() || unlikely(READ_ONCE(iob_check_stacks)) ||
	    !iob_fast_stack(q, sp, bp) || !iob_fast_begin(bio, q))
		return false;
	iob_stat_inc(stack_known);
	return true;
}

/**
 * iob_fast_queue - a bio goes to a disk
 * @bio: the bio, at block_bio_queue, to a disk whose IO may concern a watched disk
 *
 * From a probe: any context but NMI.  Do not keep a value across a call here: the compiler
 * would save it in this frame, and a saved word that sometimes looks like a stack address
 * spoils the slot that is learned from this stack.  The frame has a frame pointer, as
 * iob_signature_is() does not look at the register.
 */
static __always_inline void iob_fast_queue(struct bio *bio)
{
	unsigned long ip, sp, bp;

	iob_probe_lock();
	if (!iob_fast_takes(bio, iob_sp_here(), (unsigned long)__builtin_frame_address(0))) {
		iob_stack_here(&ip, &sp, &bp);
		iob_fast_other(bio, ip, sp, (unsigned long)__builtin_frame_address(0));
	}
	/* a call, no tail jump: this frame is part of the stack */
	barrier();
	iob_probe_unlock();
}

/**
 * iob_fast_issue - a request goes to the device
 * @rq: the request, with iob_fast_has(), at block_rq_issue; once more after each requeue
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
 * True if the request ends as most do: at once, with one bio, and once.  (Only for a context of
 * iob_fast_begin() that also means that one act pays, and that the disk is watched.)
 */
static __always_inline bool iob_fast_simple(const struct request *rq, const struct bio *bio,
					    const struct iob_bio_ctx *f, u32 bytes)
{
	/* a context of 0 bytes has 1 left: false */
	return READ_ONCE(f->bio) == bio && !(rq->rq_flags & RQF_FLUSH_SEQ) &&
	       f->first.opf == (__force u32)bio->bi_opf &&
	       atomic_read_acquire(&f->left) == bytes && f->size == bytes &&
	       bio->bi_iter.bi_size == bytes && !bio->bi_next;
}

/*
 * Add an exact IO to the first sum of the context's act.  Members are read again: what is kept
 * until here takes a register, and then a frame.  Return: false if the first sum is another one.
 */
static __always_inline bool iob_fast_sum(const struct iob_bio_ctx *f, u64 ticks, u32 usecs)
{
	struct iob_sum *sum = READ_ONCE(READ_ONCE(f->origin.one.act)->sums);

	if (unlikely(!sum || sum->disk != READ_ONCE(f->disk)))
		return false;
	if (unlikely(sum->key != iob_sum_key(READ_ONCE(f->op), IOB_HOW_EXACT)))
		return false;
	iob_sum_io(sum, READ_ONCE(f->size), iob_clock_nsecs_of(ticks), usecs);
	return true;
}

/*
 * What iob_io_share() and iob_io_end() do for a context of iob_fast_begin(), if there was no
 * error and iolog has no reader.  Call no function here: it would cost a frame.
 * Return: false, with nothing done, if the IO needs more than this.
 */
static __always_inline bool iob_fast_end(struct iob_bio_ctx *f)
{
	unsigned long op = f->op;
	u32 wanted = iob_counters_wanted(op);
	struct iob_disk_sums __percpu *sums;
	struct iob_act *act = f->origin.one.act;
	u32 *hist, usecs, size;
	u64 ticks;

	if (unlikely(wanted & ~IOB_COUNTERS_CHEAP || iob_iolog_listened()))
		return false;
	/* (not the act of an earlier epoch; of a context that is not io/fast's it is no act) */
	if (unlikely(f->epoch != iob_epoch_now())) {
		if (!f->epoch)
			return false;
		act = NULL;
	}
	if (wanted) {
		if (unlikely(!act)) {
			act = iob_act_recently(f->origin.one.cause, &f->origin.one.file);
			if (!act)
				return false;
			f->origin.one.act = act;
		}
		hist = READ_ONCE(act->counters);
		if (unlikely(!hist && iob_counters_wanted(op) & IOB_COUNTERS_SIMPLE))
			return false;
		if (unlikely(!iob_clock_soon(f->first.queue_at, &usecs, &ticks)))
			return false;
		/* (the setting may change now: this IO is summed up, or it is not) */
		if (unlikely(data_race(iob_sums_wanted)) && !iob_fast_sum(f, ticks, usecs))
			return false;
		size = READ_ONCE(f->size);
		if (likely(hist))
			iob_counters_add_simple(hist, op, size, usecs);
		iob_act_touch(act);
	} else {
		size = f->size;
	}
	op = READ_ONCE(f->op);
	sums = f->disk->sums;
	this_cpu_add(sums->bytes[op][IOB_HOW_EXACT], size);
	this_cpu_inc(sums->ios[op]);
	return true;
}

/**
 * iob_fast_rq_done - the first bytes of a request are done
 * @rq:    the request, with iob_fast_has(), at block_rq_complete: its bios are still as
 *	   they were
 * @error: 0 or a negative errno
 * @bytes: how many; 0 for a flush without data, and for the second end of a flush with
 *	   data
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
	if (unlikely(!iob_fast_simple(rq, bio, f, bytes)))
		iob_rq_done(rq, error, bytes);
	else if (likely(!error && iob_fast_end(f)))
		iob_bio_ctx_release(f);
	else
		iob_fast_other_end(f, rq, error);
	iob_probe_unlock();
}

#endif
