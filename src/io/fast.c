// SPDX-License-Identifier: GPL-2.0
/*
 * What the short ways of quick.h leave to others.
 */
#include <linux/slab.h>

#include "stack/slot.h"
#include "stack/stack.h"
#include "core/task.h"
#include "bio.h"
#include "account.h"
#include "fast.h"

/*
 * How the stack is known again, which this CPU has met a moment ago.  Where a function
 * aligns its stack it is one of two by turns.  Without memory it is not known in brief.
 */
static void note_stack(struct iob_fast *q, const struct iob_stack_slot *m)
{
	const struct iob_stack_hint *hint = iob_stack_hint_of(q->set);
	struct iob_fast_stacks *s = q->stacks;

	if (!s) {
		s = kmalloc(sizeof(*s), GFP_NOWAIT | __GFP_NOWARN);
		if (!s)
			return;
		q->stacks = s;
	}
	s->turn = 0;
	if (hint->span && hint->last->intent == hint->other->intent &&
	    iob_signature_make(hint->other, &s->one[1])) {
		m = hint->last;
		s->turn = hint->ip;
		s->turn_place = hint->place;
	}
	if (!iob_signature_make(m, &s->one[0]))
		s->turn = 0;
}

/* Another IO: its stack is noted when it is done again, as most are not. */
static void forget_stack(struct iob_fast *q)
{
	q->missed = 0;
	if (!q->stacks)
		return;
	q->stacks->turn = 0;
	q->stacks->one[0].start = 0;
}

/* Whether it is the same IO by a stack that was not noted. */
static bool known(struct iob_fast *q, unsigned long ip, unsigned long sp,
		  unsigned long bp)
{
	const struct iob_stack_slot *m;

	if (!iob_stack_known_in(q->set, ip, sp, bp, &m) ||
	    m->intent != q->intent)
		return false;
	/* there may be more than two: then to note them would be in vain */
	if (m->short_end && q->missed++ % 8 == 0)
		note_stack(q, m);
	return true;
}

/**
 * iob_fast_other - a bio goes to a disk, and not by the shortest way
 * @bio:  the bio
 * @like: the current task if it did the like before, maybe by another stack; or NULL
 * @ip:   where the probe is, see iob_stack_here()
 * @sp:   likewise
 * @bp:   likewise
 *
 * From a probe: any context but NMI, inside iob_read_lock().
 */
void iob_fast_other(struct bio *bio, struct iob_task *like, unsigned long ip,
		     unsigned long sp, unsigned long bp)
{
	if (!like || !known(&like->fast, ip, sp, bp) ||
	    !iob_fast_begin(bio, &like->fast))
		iob_bio_queue(bio, ip, sp, bp);
}

/**
 * iob_fast_note - the task's next direct IO may be like this one
 * @f:     its flight, of the current task
 * @gd:    the disk
 * @ip:    where the stack begins at which it was queued, see iob_stack_here()
 * @epoch: iob_epoch_now(), from before the act was looked for
 *
 * From a probe: any context but NMI, inside iob_read_lock().
 */
void iob_fast_note(const struct iob_bio_ctx *f, const struct gendisk *gd,
		    unsigned long ip, u32 epoch)
{
	const struct iob_share *p = &f->origin.one;
	struct iob_task *t = iob_task_get();
	const struct iob_dev *dev;
	struct iob_fast *q;
	struct iob_act *act;

	if (!t)
		return;
	q = &t->fast;
	q->epoch = 0;
	dev = iob_dev_of(gd, f->sector, f->size);
	act = iob_act_id(p->act);
	/* a piece of another bio is ended by that one's end */
	if (f->hashed || !dev || !act || p->act <= IOB_ACT_LOST ||
	    READ_ONCE(act->dead) || iob_bio_chained(f->bio))
		return;
	q->dev = iob_bio_devt(f->bio);
	if (iob_disk_is_file(gd)) {
		q->dev = IOB_LOOP_OF(q->dev);
		q->backing = iob_loop_file_of_now(gd);
	}
	q->what = f->first.what;
	q->end = f->bio->bi_end_io;
	q->intent = act->intent;
	q->set = iob_stack_set_user(ip);
	forget_stack(q);
	q->start = dev->start;
	q->sectors = dev->end - dev->start;
	q->direct = t->direct;
	q->file = t->file;
	q->disk = f->disk;
	q->act = act;
	q->id = p->act;
	q->kind = f->kind;
	q->epoch = epoch;
}

/**
 * iob_fast_other_end - a request of one flight is done, and not as most are
 * @f:     the flight, of which iob_fast_simple() is true
 * @rq:    the request
 * @error: 0 or a negative errno
 *
 * Somebody reads along, say, or the act was looked for in another epoch.  If one act
 * pays, what iob_io_share() and iob_io_end() do.  From a probe, inside iob_read_lock():
 * hardirq mostly.
 */
void iob_fast_other_end(struct iob_bio_ctx *f, struct request *rq, int error)
{
	u32 wanted = iob_counters_wanted(f->op);
	enum iob_how how = IOB_HOW_EXACT;
	struct iob_disk *disk = f->disk;
	struct iob_act *act = f->act;
	bool logged;

	if (unlikely(!disk || f->origin.shape != IOB_ORIGIN_ONE)) {
		iob_rq_done(rq, error, f->size);
		return;
	}
	if (likely(f->epoch == iob_epoch_now()))
		iob_io_note(disk, f->op, how, f->size, act);
	else
		act = iob_io_charge(disk, f->op, &f->origin.one, &how);
	this_cpu_inc(disk->sums->ios[f->op]);
	logged = iob_iolog_wanted();
	if (unlikely(logged || wanted & ~IOB_COUNTERS_SIMPLE))
		iob_io_record(f, rq, error, act, how, wanted, logged);
	else if (wanted)
		iob_counters_charge_simple(act, f->op, f->size,
					  iob_clock_usecs(f->first.queue_at,
							  iob_clock_now()));
	WRITE_ONCE(disk->last_end, f->sector + (f->size >> SECTOR_SHIFT));
	iob_bio_ctx_release(f);
}
