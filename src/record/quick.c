// SPDX-License-Identifier: GPL-2.0
/*
 * What the short ways of quick.h leave to others.
 */
#include <linux/slab.h>

#include "../blame/memo.h"
#include "../blame/stack.h"
#include "../blame/task.h"
#include "inflight.h"
#include "io.h"
#include "quick.h"

/*
 * How the stack is known again, which this CPU has met a moment ago.  Where a function
 * aligns its stack it is one of two by turns.  Without memory it is not known in brief.
 */
static void note_stack(struct iob_quick *q, const struct iob_memo *m)
{
	const struct iob_pick *pick = iob_stack_pick(q->set);
	struct iob_quick_stacks *s = q->stacks;

	if (!s) {
		s = kmalloc(sizeof(*s), GFP_NOWAIT | __GFP_NOWARN);
		if (!s)
			return;
		q->stacks = s;
	}
	s->turn = 0;
	if (pick->span && pick->last->intent == pick->other->intent &&
	    iob_memo_shorten(pick->other, &s->one[1])) {
		m = pick->last;
		s->turn = pick->ip;
		s->turn_place = pick->place;
	}
	if (!iob_memo_shorten(m, &s->one[0]))
		s->turn = 0;
}

/* Another IO: its stack is noted when it is done again, as most are not. */
static void forget_stack(struct iob_quick *q)
{
	q->missed = 0;
	if (!q->stacks)
		return;
	q->stacks->turn = 0;
	q->stacks->one[0].start = 0;
}

/* Whether it is the same IO by a stack that was not noted. */
static bool known(struct iob_quick *q, unsigned long ip, unsigned long sp,
		  unsigned long bp)
{
	const struct iob_memo *m;

	if (!iob_stack_known_in(q->set, ip, sp, bp, &m) ||
	    m->intent != q->intent)
		return false;
	/* there may be more than two: then to note them would be in vain */
	if (m->short_end && q->missed++ % 8 == 0)
		note_stack(q, m);
	return true;
}

/**
 * iob_quick_other - a bio goes to a disk, and not by the shortest way
 * @bio:  the bio
 * @like: the current task if it did the like before, maybe by another stack; or NULL
 * @ip:   where the probe is, see iob_stack_here()
 * @sp:   likewise
 * @bp:   likewise
 *
 * From a probe: any context but NMI, inside iob_read_lock().
 */
void iob_quick_other(struct bio *bio, struct iob_task *like, unsigned long ip,
		     unsigned long sp, unsigned long bp)
{
	if (!like || !known(&like->quick, ip, sp, bp) ||
	    !iob_quick_fly(bio, &like->quick))
		iob_inflight_queue(bio, ip, sp, bp);
}

/**
 * iob_quick_note - the task's next direct IO may be like this one
 * @f:     its flight, of the current task
 * @gd:    the disk
 * @ip:    where the stack begins at which it was queued, see iob_stack_here()
 * @epoch: iob_tasks_now(), from before the act was looked for
 *
 * From a probe: any context but NMI, inside iob_read_lock().
 */
void iob_quick_note(const struct iob_flight *f, const struct gendisk *gd,
		    unsigned long ip, u32 epoch)
{
	const struct iob_part *p = &f->origin.one;
	struct iob_task *t = iob_task_get();
	const struct iob_dev *dev;
	struct iob_quick *q;
	struct iob_act *act;

	if (!t)
		return;
	q = &t->quick;
	q->epoch = 0;
	dev = iob_dev_of(gd, f->sector, f->size);
	act = iob_act_id(p->act);
	/* a piece of another bio is ended by that one's end */
	if (f->tabled || !dev || !act || p->act <= IOB_ACT_LOST ||
	    READ_ONCE(act->dead) || iob_end_chained(f->bio))
		return;
	q->dev = iob_bio_devt(f->bio);
	if (iob_disk_is_loop(gd)) {
		q->dev = IOB_LOOP_OF(q->dev);
		q->backing = iob_backing_of_now(gd);
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
 * iob_quick_other_end - a request of one flight is done, and not as most are
 * @f:     the flight, of which iob_quick_simple() is true
 * @rq:    the request
 * @error: 0 or a negative errno
 *
 * Somebody reads along, say, or the act was looked for in another epoch.  If one act
 * pays, what iob_io_part() and iob_io_end() do.  From a probe, inside iob_read_lock():
 * hardirq mostly.
 */
void iob_quick_other_end(struct iob_flight *f, struct request *rq, int error)
{
	u32 wanted = iob_counters_wanted(f->op);
	enum iob_how how = IOB_HOW_EXACT;
	struct iob_disk *disk = f->disk;
	struct iob_act *act = f->act;
	bool logged;

	if (unlikely(!disk || f->origin.shape != IOB_ORIGIN_ONE)) {
		iob_inflight_rq_done(rq, error, f->size);
		return;
	}
	if (likely(f->epoch == iob_tasks_now()))
		iob_io_note(disk, f->op, how, f->size, act);
	else
		act = iob_io_charge(disk, f->op, &f->origin.one, &how);
	this_cpu_inc(disk->sums->ios[f->op]);
	logged = iob_iolog_wanted();
	if (unlikely(logged || wanted & ~IOB_COUNTERS_PLAIN))
		iob_io_record(f, rq, error, act, how, wanted, logged);
	else if (wanted)
		iob_counters_charge_plain(act, f->op, f->size,
					  iob_clock_usecs(f->first.queue_at,
							  iob_clock_now()));
	WRITE_ONCE(disk->last_end, f->sector + (f->size >> SECTOR_SHIFT));
	iob_flight_release(f);
}
