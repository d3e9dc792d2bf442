// SPDX-License-Identifier: GPL-2.0
/*
 * The slow side of fast.h: what is noted for the next direct IO, and IOs that the fast
 * path refuses.
 */
#include <linux/slab.h>

#include <compat/compiler.h>

#include "blame/async.h"
#include "bio.h"
#include "fast.h"

#ifdef IOB_UNWIND_RECORDS
/* No stack is noted. */
static void forget_stacks(struct iob_fast_stacks *s)
{
	s->nr = 0;
}

/* Note the addresses in @m. */
static void note_stacks(struct iob_fast_stacks *s, const struct iob_stack_hint *hint,
			const struct iob_stack_slot *m)
{
	memcpy(s->ip, m->ip, m->nr * sizeof(*s->ip));
	s->nr = m->nr;
}

static bool is_stack_notable(const struct iob_stack_slot *m)
{
	return true;
}
#else
/* No stack is noted. */
static void forget_stacks(struct iob_fast_stacks *s)
{
	s->most = 0;
	s->one[1].addrs = 0;
}

/*
 * Note the signature of the stack in @m.  A function that aligns its stack has one of two
 * layouts by turns: then both are noted.
 */
static void note_stacks(struct iob_fast_stacks *s, const struct iob_stack_hint *hint,
			const struct iob_stack_slot *m)
{
	forget_stacks(s);
	if (hint->span && hint->last->intent == hint->other->intent &&
	    iob_signature_make(hint->other, THREAD_SIZE, &s->one[1]))
		m = hint->last;
	if (!iob_signature_make(m, THREAD_SIZE, &s->one[0])) {
		s->one[1].addrs = 0;
		return;
	}
	s->most = s->one[0].most;
	if (s->one[1].addrs) {
		s->most = min(s->most, s->one[1].most);
		/* the hint may be older than its slots: its word must be on the stack, too */
		s->most = hint->span < THREAD_SIZE ?
			  min_t(u32, s->most, THREAD_SIZE - hint->span) : 0;
		s->ip = hint->ip;
		s->place = hint->place;
	} else {
		/* one of its own */
		s->ip = s->one[0].word[0].value;
		s->place = s->one[0].word[0].place;
	}
}

static bool is_stack_notable(const struct iob_stack_slot *m)
{
	return m->short_end;
}
#endif

/* Note the stack in @m, which this CPU has just found.  Without memory it is not noted. */
static void note_fast_stack(struct iob_fast *q, const struct iob_stack_slot *m)
{
	struct iob_fast_stacks *s = q->stacks;

	if (!s) {
		s = kmalloc(sizeof(*s), GFP_NOWAIT | __GFP_NOWARN);
		if (!s)
			return;
		q->stacks = s;
	}
	note_stacks(s, iob_stack_hint_of(q->set), m);
}

/* Another IO.  Its stack is noted when it is repeated, as most are not. */
static void forget_fast_stack(struct iob_fast *q)
{
	q->missed = 0;
	if (q->stacks)
		forget_stacks(q->stacks);
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
	if (is_stack_notable(m) && q->missed++ % 8 == 0)
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
	q->cause = cause->node.id;
	q->on = p->file;
	q->kind = f->kind;
	/* it is touched, and its act is looked for, when the IO is repeated */
	q->act = NULL;
	q->tick = iob_cause_now() - 1;
	q->epoch = epoch;
}

/*
 * The cause of @q is in use.  If its IO is counted, find the act, which the first IO made.  (An
 * act that is less exact is not this one.  The top bit: see iob_share_never_dirty().)
 */
static void renew_fast(struct iob_fast *q)
{
	struct iob_cause *cause = iob_cause_of(q->cause);
	struct iob_act *act = NULL;

	if (cause)
		iob_cause_touch(cause);
	if (iob_counters_wanted(q->op))
		act = iob_act_of(q->cause, &q->on);
	if (act && (READ_ONCE(act->dead) || READ_ONCE(act->cause) != q->cause ||
		    !iob_file_same(&act->file, &q->on) || (long)act > 0))
		act = NULL;
	q->act = act;
	q->tick = iob_cause_now();
}

/* What iob_fast_takes() leaves out: the stack's intent is the one that it would take. */
static void check_fast(const struct iob_fast *q, unsigned long ip, unsigned long sp,
		       unsigned long bp)
{
	if (READ_ONCE(iob_check_stacks) && iob_fast_stack(q, sp, bp))
		iob_stack_intent_check(q->intent, ip, sp, bp);
}

/**
 * iob_fast_other - a bio goes to a disk, and the fast path refused it
 * @bio: the bio
 * @ip:	 where the probe is, see iob_stack_here()
 * @sp:	 likewise
 * @bp:	 likewise
 *
 * From a probe: any context but NMI, inside iob_read_lock().
 */
void iob_fast_other(struct bio *bio, unsigned long ip, unsigned long sp,
		    unsigned long bp)
{
	struct iob_task *like = in_task() ? iob_fast_task(bio) : NULL;
	const struct iob_bio_ctx *f;
	struct iob_fast *q;
	u32 epoch;

	if (like && is_fast_stack_known(iob_fast_of(like), ip, sp, bp)) {
		q = iob_fast_of(like);
		renew_fast(q);
		check_fast(q, ip, sp, bp);
		if (iob_fast_begin(bio, q))
			return;
		/* a bio in a new region gets a slot; without one, what is noted stays true */
		iob_place_add(bio);
		if (!iob_fast_begin(bio, q))
			iob_bio_queue(bio, ip, sp, bp);
		return;
	}
	/* before the cause is looked for: what is noted must not outlive it */
	epoch = iob_epoch_now();
	f = iob_bio_queue(bio, ip, sp, bp);
	if (f)
		note_fast(f, iob_bio_disk(bio), ip, epoch);
}

/**
 * iob_fast_async - the current task begins a direct write that a worker may end
 * @t:     its context, whose .direct and .file are the write's
 * @iocb:  the write
 * @inode: its file
 *
 * The fast path notes nothing.  So what it is going to charge is noted now, or it does not take the
 * first bio.  From a probe, inside iob_read_lock().
 */
void iob_fast_async(struct iob_task *t, const struct kiocb *iocb, const struct inode *inode)
{
	struct iob_fast *q = iob_fast_of(t);
	u64 cause = IOB_CAUSE_NONE;

	if (q->op == IOB_OP_WRITE && iob_fast_unchanged(t))
		cause = q->cause;
	else
		q->epoch = 0;
	iob_async_begin(t, iocb, inode, cause);
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
	/* as in iob_bio_ctx_describe() */
	io.issue_at = f->claimed ? 0 : f->issue_at;
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

/* Add the IO of one context to a sum of its act. */
static void add_simple_to_sum(const struct iob_bio_ctx *f, struct iob_act *act, int error,
			      u64 done)
{
	struct iob_sum *sum = iob_sum_of(act, f->disk, f->op, f->origin.one.how);
	u64 usecs = iob_clock_usecs(f->first.queue_at, done);

	iob_sum_io(sum, f->size, iob_clock_nsecs(f->first.queue_at, done),
		   min_t(u64, usecs, S32_MAX));
	if (unlikely(error))
		iob_sum_error(sum);
}

/* Add the IO of one context to the simple counters of its act. */
static void add_simple_to_counters(const struct iob_bio_ctx *f, struct iob_act *act, u64 done)
{
	if (iob_clock_knows(f->first.queue_at, done))
		iob_counters_charge_simple(act, f->op, f->size,
					   iob_clock_usecs(f->first.queue_at, done));
	else
		iob_counters_charge_size(act, f->op, f->size);
}

/* Count the IO of one context for its act, which may have no file for want of room. */
static noinline void count_simple(const struct iob_bio_ctx *f, int error, u32 wanted)
{
	const struct iob_share *one = &f->origin.one;
	struct iob_act *act = iob_act_of(one->cause, &one->file);
	u64 done = iob_clock_now();

	if (unlikely(!iob_file_same(&act->file, &one->file)))
		this_cpu_add(f->disk->sums->less[IOB_LESS_FILE], f->size);
	if (wanted & IOB_COUNTERS_SUMS)
		add_simple_to_sum(f, act, error, done);
	if (wanted & IOB_COUNTERS_SIMPLE)
		add_simple_to_counters(f, act, done);
	iob_act_touch(act);
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

	/* several shares; a cause that was reclaimed meanwhile or is less exact; another sector */
	if (unlikely(!disk || f->origin.shape != IOB_ORIGIN_ONE ||
		     !is_cause_whole(f->origin.one.cause) || iob_bio_ctx_appends(f))) {
		iob_rq_done(rq, error, f->size);
		return;
	}
	iob_io_charge(disk, f->op, f->origin.one.how, f->size);
	this_cpu_inc(disk->sums->ios[f->op]);
	logged = iob_iolog_wanted();
	if (unlikely(logged || wanted & ~IOB_COUNTERS_CHEAP))
		record_simple(f, rq, error, wanted, logged);
	else if (wanted)
		count_simple(f, error, wanted);
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
