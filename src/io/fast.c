// SPDX-License-Identifier: GPL-2.0
/*
 * The slow side of fast.h: what is noted for the next direct IO, and IOs that the fast
 * path refuses.
 */
#include <linux/slab.h>

#include <compat/compiler.h>

#include "bio.h"
#include "fast.h"

/*
 * Note the signature of the stack in @m, which this CPU has just found.  A function that
 * aligns its stack has one of two layouts by turns: then both are noted.  Without memory
 * no signature is.
 */
static void note_fast_stack(struct iob_fast *q, const struct iob_stack_slot *m)
{
	const struct iob_stack_hint *hint = iob_stack_hint_of(q->set);
	struct iob_fast_stacks *s = q->stacks;

	if (!s) {
		s = kmalloc(sizeof(*s), GFP_NOWAIT | __GFP_NOWARN);
		if (!s)
			return;
		q->stacks = s;
	}
	s->other_ip = 0;
	if (hint->span && hint->last->intent == hint->other->intent &&
	    iob_signature_make(hint->other, &s->one[1])) {
		m = hint->last;
		s->other_ip = hint->ip;
		s->other_place = hint->place;
	}
	if (!iob_signature_make(m, &s->one[0]))
		s->other_ip = 0;
}

/* Another IO.  Its stack is noted when it is repeated, as most are not. */
static void forget_fast_stack(struct iob_fast *q)
{
	q->missed = 0;
	if (!q->stacks)
		return;
	q->stacks->other_ip = 0;
	q->stacks->one[0].start = 0;
}

/* True if it is the same IO, by a stack that was not noted. */
static bool is_fast_stack_known(struct iob_fast *q, unsigned long ip,
				unsigned long sp, unsigned long bp)
{
	const struct iob_stack_slot *m;

	if (!iob_stack_known_in(q->set, ip, sp, bp, &m) ||
	    m->intent != q->intent)
		return false;
	/* a stack with more than two layouts rarely matches a note: note only every 8th */
	if (m->short_end && q->missed++ % 8 == 0)
		note_fast_stack(q, m);
	return true;
}

/*
 * The task's next direct IO may be like that of @f, a context of the current task.
 * @ip: where its stack begins; @epoch: iob_epoch_now(), read before its cause was found.
 */
static void note_fast(const struct iob_bio_ctx *f, const struct gendisk *gd,
		      unsigned long ip, u32 epoch)
{
	const struct iob_share *p = &f->origin.one;
	struct iob_task *t = iob_task_get();
	const struct iob_dev *dev;
	struct iob_fast *q;
	struct iob_cause *cause;

	if (!t)
		return;
	q = iob_fast_of(t);
	q->epoch = 0;
	dev = iob_dev_of(gd, f->sector, f->size);
	cause = iob_cause_of(p->cause);
	/* a chained bio ends with its parent */
	if (f->hashed || !dev || !iob_task_has_role(t) || !cause || p->how != IOB_HOW_EXACT ||
	    cause->intent <= IOB_INTENT_LOST || READ_ONCE(cause->dead) ||
	    iob_bio_chained(f->bio))
		return;
	q->dev = iob_bio_devt(f->bio);
	if (iob_disk_is_file(gd)) {
		q->dev = IOB_FAST_FILE_DISK(q->dev);
		q->backing = iob_parent_file_of_now(gd);
	}
	q->what = f->first.what;
	q->end = f->bio->bi_end_io;
	q->intent = cause->intent;
	q->set = iob_stack_set_user(ip);
	forget_fast_stack(q);
	q->start = dev->start;
	q->sectors = dev->end - dev->start;
	q->direct = t->direct;
	q->file = t->file;
	q->disk = f->disk;
	q->cause = cause;
	q->on = p->file;
	q->kind = f->kind;
	q->epoch = epoch;
}

/**
 * iob_fast_other - a bio goes to a disk, and the fast path refused it
 * @bio:  the bio
 * @like: the current task if its previous IO was like this one, maybe by another stack; or
 *	  NULL
 * @ip:   where the probe is, see iob_stack_here()
 * @sp:   likewise
 * @bp:   likewise
 *
 * From a probe: any context but NMI, inside iob_read_lock().
 */
void iob_fast_other(struct bio *bio, struct iob_task *like, unsigned long ip,
		    unsigned long sp, unsigned long bp)
{
	const struct iob_bio_ctx *f;
	u32 epoch;

	if (like && is_fast_stack_known(iob_fast_of(like), ip, sp, bp)) {
		if (iob_fast_begin(bio, iob_fast_of(like)))
			return;
		/* a bio in a new region gets a slot; without one, what is noted stays true */
		iob_place_add(bio);
		if (!iob_fast_begin(bio, iob_fast_of(like)))
			iob_bio_queue(bio, ip, sp, bp);
		return;
	}
	/* before the cause is looked for: what is noted must not outlive it */
	epoch = iob_epoch_now();
	f = iob_bio_queue(bio, ip, sp, bp);
	if (f)
		note_fast(f, iob_bio_disk(bio), ip, epoch);
}

/* Count and log the request of one context; what io/account takes is put together. */
static noinline void record_simple(const struct iob_bio_ctx *f,
				   const struct request *rq, int error,
				   u32 wanted, bool logged)
{
	struct iob_io io IOB_UNINIT;

	/* member by member: clearing all of it first would double the time */
	io.disk = f->disk;
	io.gd = iob_rq_disk(rq);
	io.rq = rq;
	io.first = &f->first;
	io.issue_at = f->issue_at;
	io.error = error;
	io.nr_bios = 1;
	io.op = f->op;
	io.done_at = 0;
	io.done_ns = 0;
	io.queue_ns = 0;
	io.issue_ns = 0;
	io.nr_runs = 0;
	io.run = f->origin.one;
	io.run_sector = f->sector;
	iob_io_record(&io, wanted, logged);
}

/* True if a cause is there, with its intent: nothing about it is to be counted. */
static bool is_cause_whole(u64 id)
{
	const struct iob_cause *cause = iob_cause_of(id);

	return cause && cause->intent > IOB_INTENT_LOST;
}

/* Count the IO of one context for its act, which may have no file for want of room. */
static noinline void count_simple(const struct iob_bio_ctx *f)
{
	const struct iob_share *one = &f->origin.one;
	struct iob_act *act = iob_io_act(one->cause, &one->file);

	if (unlikely(!iob_file_same(&act->file, &one->file)))
		this_cpu_add(f->disk->sums->less[IOB_LESS_FILE], f->size);
	iob_counters_charge_simple(act, f->op, f->size,
				   iob_clock_usecs(f->first.queue_at, iob_clock_now()));
}

/**
 * iob_fast_other_end - a request of one context is done, and the fast path refused it
 * @f:     the context, with iob_fast_simple()
 * @rq:    the request
 * @error: 0 or a negative errno
 *
 * iolog is read, say, or an act has no histograms yet.  From a probe, inside
 * iob_read_lock(): hardirq mostly.
 */
void iob_fast_other_end(struct iob_bio_ctx *f, struct request *rq, int error)
{
	u32 wanted = iob_counters_wanted(f->op);
	struct iob_disk *disk = f->disk;
	bool logged;

	/* several shares, or a cause that was reclaimed meanwhile or is less exact */
	if (unlikely(!disk || f->origin.shape != IOB_ORIGIN_ONE ||
		     !is_cause_whole(f->origin.one.cause))) {
		iob_rq_done(rq, error, f->size);
		return;
	}
	iob_io_charge(disk, f->op, f->origin.one.how, f->size);
	this_cpu_inc(disk->sums->ios[f->op]);
	logged = iob_iolog_wanted();
	if (unlikely(logged || wanted & ~IOB_COUNTERS_SIMPLE))
		record_simple(f, rq, error, wanted, logged);
	else if (wanted)
		count_simple(f);
	if (wanted & IOB_COUNTERS_SEEK)
		WRITE_ONCE(disk->last_end, f->sector + (f->size >> SECTOR_SHIFT));
	iob_bio_ctx_release(f);
}

/* True if the time of issue is wanted: then iob_fast_issue() is called.  Any context. */
bool iob_io_issues(void)
{
	return READ_ONCE(iob_counters_timed) || iob_iolog_listened();
}

static void fast_free(void *part)
{
	struct iob_fast *q = part;

	kfree(q->stacks);
	q->stacks = NULL;
}

static void fast_new_role(void *part)
{
	struct iob_fast *q = part;

	q->epoch = 0;
}

static struct iob_task_part fast_part = {
	.name = "fast",
	.size = sizeof(struct iob_fast),
	.offset = offsetof(struct iob_task, room_direct),
	.free = fast_free,
	.new_role = fast_new_role,
};

/* Module load, before any context of a task is made.  Return: 0 or a negative errno. */
int iob_fast_init(void)
{
	return iob_task_part_add(&fast_part);
}
