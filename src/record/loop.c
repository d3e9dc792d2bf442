// SPDX-License-Identifier: GPL-2.0
/*
 * A loop device's requests are carried out by a worker, which reads and writes
 * a file.  What it dirties there is dirtied by who pays for those bytes of the
 * request; what it submits, they pay for; and what else it changes, as the
 * file's inode, is changed for them: the worker is in a scope (blame/dirty).
 *
 * Which request that is, a direct IO of the file says itself, and from some
 * releases on any IO.  Elsewhere the file is written segment by segment, and
 * the first segment's page tells: it is noted when the request is queued, for
 * the device, and only a worker of that device looks it up.  So the request is
 * one that this worker is about to carry out.
 */
#include <linux/mm.h>
#include <linux/sched.h>

#include "../blame/dirty.h"
#include "../blame/owner.h"
#include "../blame/stack.h"
#include "../blame/task.h"
#include "flight.h"
#include "loop.h"

bool iob_loop_any;

/**
 * iob_loop_queue - a loop device is given a request
 * @rq: the request, whose IO is to be followed to the device's file
 *
 * From a probe, inside iob_read_lock().
 */
void iob_loop_queue(const struct request *rq)
{
	const void *device = rq->q->queuedata;
	struct bio *bio = rq->bio;

	if (!bio || !device)
		return;
	iob_owner_set(IOB_OWNER_LOOP, rq, (unsigned long)device,
		      (unsigned long)rq);
	if (bio_has_data(bio))
		iob_owner_set(IOB_OWNER_LOOP, bio_page(bio),
			      (unsigned long)device + bio_offset(bio),
			      (unsigned long)rq);
}

/* Who pays for the bytes of a request, from its bios' flights. */
static void gather(struct iob_origin *o, const struct request *rq)
{
	const struct bio *bio, *whole;

	iob_origin_free(o);
	iob_origin_begin(o);
	for (bio = rq->bio; bio; bio = bio->bi_next) {
		u32 got = 0, bytes = bio->bi_iter.bi_size;

		whole = iob_flight_bio(bio);
		if (whole)
			got = iob_flight_slice(o, whole, bio->bi_iter.bi_sector,
					       bytes);
		if (got < bytes)
			iob_origin_add_lost(o, bytes - got);
	}
}

static void take(struct iob_task *t, const struct request *rq, u64 pos)
{
	t->backing.bytes = blk_rq_bytes(rq);
	t->backing.pos = pos;
	t->backing.next = pos;
	t->backing.rq = NULL;
	gather(&t->backing.origin, rq);
}

/* What the call does it does for the request that the task has taken. */
static void enter(struct iob_task *t, u64 pos, const struct iob_call *call)
{
	WRITE_ONCE(iob_loop_any, true);
	t->backing.call = *call;
	iob_scope_backing(pos, call);
}

/* ... or for one that is not known; what was noted of the last one is over. */
static void enter_unknown(struct iob_task *t, const struct iob_call *call)
{
	t->backing.rq = NULL;
	t->backing.bytes = 0;
	iob_origin_free(&t->backing.origin);
	iob_origin_begin(&t->backing.origin);
	enter(t, 0, call);
}

/**
 * iob_loop_work - the current task begins to work for a loop device
 * @device: whose
 * @rq:     a request, if it does so for one at a time; else NULL
 * @call:   until it returns
 *
 * From a probe, inside iob_read_lock().
 */
void iob_loop_work(const void *device, const struct request *rq,
		   const struct iob_call *call)
{
	struct iob_task *t = iob_task_get();

	if (!t)
		return;
	/* (its file may be another one before the task is done with the device) */
	t->backing.worker = *call;
	t->backing.key = device;
	t->backing.mine = rq;
	t->backing.call.ret = 0;
	t->backing.rq = NULL;
	t->backing.bytes = 0;
	if (!rq || !iob_backing_device_reaches(device))
		return;
	take(t, rq, IOB_LOOP_NOWHERE);
	enter(t, IOB_LOOP_NOWHERE, call);
}

/* What the task does now comes to no watched disk: it is for nobody. */
static void leave(struct iob_task *t)
{
	t->backing.call.ret = 0;
	t->backing.rq = NULL;
	t->backing.bytes = 0;
}

/* The request that was noted for the task's device; NULL if there is none. */
static const struct request *noted(const struct iob_task *t, const void *object,
				   unsigned int offset)
{
	u64 sub = (unsigned long)t->backing.key + offset;
	u64 rq = iob_owner_get(IOB_OWNER_LOOP, object, sub);

	if (rq)
		iob_owner_forget(IOB_OWNER_LOOP, object, sub);
	return (const struct request *)(unsigned long)rq;
}

/**
 * iob_loop_begin - the current task reads or writes all of a request
 * @rq:   the request; taken for one only if it was queued for the task's device
 * @pos:  where in the file
 * @call: until it returns; the request is there as long as that submits IO
 *
 * From a probe, inside iob_read_lock().
 */
void iob_loop_begin(const struct request *rq, u64 pos,
		    const struct iob_call *call)
{
	struct iob_task *t = iob_task_get();

	if (!t)
		return;
	if (!iob_backing_device_reaches(t->backing.key)) {
		leave(t);
		return;
	}
	if (rq != t->backing.mine && !noted(t, rq, 0)) {
		enter_unknown(t, call);
		return;
	}
	if (rq->bio && bio_has_data(rq->bio))
		noted(t, bio_page(rq->bio), bio_offset(rq->bio));
	take(t, rq, pos);
	t->backing.rq = rq;
	enter(t, pos, call);
}

/* The task if it is at work for a loop device; @regs as they were at a function's entry. */
static struct iob_task *worker(struct pt_regs *regs)
{
	struct iob_stack stack IOB_UNINIT;
	struct iob_task *t;

	if (!(current->flags & PF_KTHREAD))
		return NULL;
	t = iob_task_get();
	if (!t || !t->backing.worker.ret)
		return NULL;
	iob_stack_get(&stack, regs);
	if (iob_stack_has(&stack, t->backing.worker.ret))
		return t;
	t->backing.worker.ret = 0;
	return NULL;
}

/**
 * iob_loop_segment - the current task reads or writes a segment of a request
 * @iter: the segment, if it is a loop device's worker that does
 * @pos:  where in the file
 * @call: until it returns
 * @regs: as they were at the entry
 *
 * From a probe, inside iob_read_lock().
 */
void iob_loop_segment(const struct iov_iter *iter, u64 pos,
		      const struct iob_call *call, struct pt_regs *regs)
{
	struct iob_task *t = worker(regs);
	struct iob_backing *b;
	const struct request *rq;

	if (!t || !iov_iter_is_bvec(iter))
		return;
	b = &t->backing;
	if (b->mine && !b->bytes) {
		take(t, b->mine, pos);
	} else if (b->mine && b->pos == IOB_LOOP_NOWHERE) {
		b->pos = pos;
	} else if (b->next != pos || pos - b->pos >= b->bytes) {
		/* the last request is done with: this begins another one */
		rq = noted(t, iter->bvec->bv_page, iter->bvec->bv_offset);
		if (!rq) {
			enter_unknown(t, call);
			return;
		}
		take(t, rq, pos);
	}
	b->next = pos + iov_iter_count(iter);
	enter(t, pos, call);
}

/**
 * iob_loop_discard - the current task frees a part of the file, or zeroes it
 * @one:   may be the request
 * @other: if it is not this
 * @call:  until it returns
 * @regs:  as they were at the entry
 *
 * From a probe, inside iob_read_lock().
 */
void iob_loop_discard(const void *one, const void *other,
		      const struct iob_call *call, struct pt_regs *regs)
{
	struct iob_task *t = worker(regs);
	const struct request *rq;

	if (!t)
		return;
	if (!iob_backing_device_reaches(t->backing.key)) {
		leave(t);
		return;
	}
	rq = noted(t, one, 0);
	if (!rq)
		rq = noted(t, other, 0);
	if (!rq) {
		enter_unknown(t, call);
		return;
	}
	take(t, rq, IOB_LOOP_NOWHERE);
	enter(t, IOB_LOOP_NOWHERE, call);
}

/* Where in a request the first byte of @bio is, by its page. */
static bool place_in(const struct request *rq, const struct bio *bio, u32 *pos)
{
	u64 at = page_to_phys(bio_page(bio)) + bio_offset(bio);
	struct req_iterator iter;
	struct bio_vec bv;
	u32 done = 0;

	rq_for_each_bvec(bv, rq, iter) {
		u64 first = page_to_phys(bv.bv_page) + bv.bv_offset;

		if (at >= first && at < first + bv.bv_len) {
			*pos = done + (at - first);
			return true;
		}
		done += bv.bv_len;
	}
	return false;
}

/* Of iob_loop_find(): the current task may be a worker. */
bool iob_loop_look(struct iob_origin *o, const struct bio *bio)
{
	struct iob_stack stack IOB_UNINIT;
	struct iob_task *t;
	u32 pos;

	if (!bio_has_data((struct bio *)bio))
		return false;
	t = iob_task_get();
	if (!t || !t->backing.rq)
		return false;
	iob_stack_get(&stack, NULL);
	if (!iob_stack_has(&stack, t->backing.call.ret)) {
		t->backing.rq = NULL;
		return false;
	}
	if (!place_in(t->backing.rq, bio, &pos) ||
	    pos + bio->bi_iter.bi_size > t->backing.bytes)
		return false;
	if (iob_origin_slice(o, &t->backing.origin, pos, bio->bi_iter.bi_size))
		return true;
	iob_origin_free(o);
	return false;
}

/* A session begins: nobody works for a loop device yet. */
void iob_loops_start(void)
{
	iob_loop_any = false;
}
