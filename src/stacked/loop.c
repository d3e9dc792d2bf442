// SPDX-License-Identifier: GPL-2.0
/*
 * A loop device's requests are carried out by a worker, which reads and writes
 * a file.  What it dirties there is dirtied by who pays for those bytes of the
 * request; what it submits, they pay for; and what else it changes, as the
 * file's inode, is changed for them: the worker is in a scope (blame/dirty).
 *
 * Which request that is, a direct IO of the file says itself, and from some
 * releases on any IO.  Elsewhere the file is written segment by segment, and the
 * place in the file tells, at which a request begins, and its first page: that is
 * noted when the request is issued.  Two that have both in common (reads into one
 * page) are none that is known.
 *
 * All this is only for devices whose file can come to a watched disk
 * (blame/backing).  Requests of others are not noted, and so never found.
 */
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/sched.h>

#include <compat/compiler.h>

#include "loop_file.h"
#include "blame/dirty.h"
#include "blame/association.h"
#include "stack/stack.h"
#include "core/task.h"
#include "io/parent.h"
#include "loop.h"

/* noted for a place where several requests begin */
#define SEVERAL		1

/*
 * A place in a file, and the memory that goes there: no two requests under way have the
 * same, so it is the one of who has just come to that segment.
 */
static u64 begins_at(u64 pos, const struct page *page, unsigned int offset)
{
	return pos ^ hash_64(page_to_phys(page) + offset, 64);
}

/*
 * Where a request begins: in the device's file; by its first page, where struct
 * loop_device does not say which file that is.  Return: what, @sub gets where.
 */
static const void *place_of(const struct request *rq, u64 *sub)
{
	const void *device = rq->q->queuedata;
	const struct file *file = iob_loop_file_file(device);

	if (file) {
		*sub = begins_at(iob_loop_pos(device, rq), bio_page(rq->bio),
				 bio_offset(rq->bio));
		return file;
	}
	*sub = bio_offset(rq->bio);
	return bio_page(rq->bio);
}

static void note_place(const struct request *rq)
{
	u64 sub, id = (unsigned long)rq, old;
	const void *object = place_of(rq, &sub);

	old = iob_assoc_get(IOB_ASSOC_LOOP, object, sub);
	iob_assoc_set(IOB_ASSOC_LOOP, object, sub,
		      old && old != id ? SEVERAL : id);
}

static void forget_place(const struct request *rq)
{
	const void *object;
	u64 sub;

	if (!rq->bio || !bio_has_data(rq->bio))
		return;
	object = place_of(rq, &sub);
	iob_assoc_forget(IOB_ASSOC_LOOP, object, sub);
}

/**
 * iob_loop_queue - a loop device is given a request
 * @rq: the request, whose IO is to be followed to the device's file
 *
 * From a probe, inside iob_read_lock().
 */
void iob_loop_queue(const struct request *rq)
{
	struct bio *bio = rq->bio;

	if (!bio || !rq->q->queuedata)
		return;
	WRITE_ONCE(iob_parent_workers, true);
	iob_assoc_set(IOB_ASSOC_LOOP, rq, 0, (unsigned long)rq);
	if (bio_has_data(bio))
		note_place(rq);
}

/* Who pays for the bytes of a request, from its bios' flights. */
static void gather(struct iob_origin *o, const struct request *rq)
{
	const struct bio *bio, *whole;

	iob_origin_free(o);
	iob_origin_begin(o);
	for (bio = rq->bio; bio; bio = bio->bi_next) {
		u32 got = 0, bytes = bio->bi_iter.bi_size;

		whole = iob_bio_ctx_bio(bio);
		if (whole)
			got = iob_bio_ctx_slice(o, whole, bio->bi_iter.bi_sector,
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
	t->backing.file = NULL;
	t->backing.bio = rq->bio ? iob_bio_ctx_bio(rq->bio) : NULL;
	t->backing.sector = rq->bio ? rq->bio->bi_iter.bi_sector : 0;
	gather(&t->backing.origin, rq);
}

/* What the call does it does for the request that the task has taken. */
static void enter(struct iob_task *t, u64 pos, const struct iob_call *call)
{
	t->backing.call = *call;
	iob_behalf_backing(pos, call);
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

static void forget(struct iob_task *t)
{
	unsigned int i;

	t->backing.call.ret = 0;
	t->backing.rq = NULL;
	t->backing.bytes = 0;
	t->backing.file = NULL;
	for (i = 0; i < IOB_MAX_BEHALFS; i++) {
		if (t->behalf[i].backing)
			t->behalf[i].act = IOB_ACT_NONE;
	}
}

/**
 * iob_loop_leave - the current task does what comes to no watched disk
 *
 * For nobody, as far as that is concerned; what was noted of the last request that
 * did is over.  From a probe, inside iob_read_lock().
 */
void iob_loop_leave(void)
{
	struct iob_task *t = iob_task_get();

	if (t && t->backing.call.ret)
		forget(t);
}

/**
 * iob_loop_work - the current task begins to work at a request, and nothing else
 * @rq:   the request
 * @call: until it returns
 *
 * From a probe, inside iob_read_lock().
 */
void iob_loop_work(const struct request *rq, const struct iob_call *call)
{
	bool reaches = iob_loop_file_device_reaches(rq->q->queuedata);
	struct iob_task *t;

	if (reaches)
		WRITE_ONCE(iob_parent_workers, true);
	if (!READ_ONCE(iob_parent_workers))
		return;
	t = iob_task_get();
	if (!t)
		return;
	t->backing.mine = rq;
	if (!reaches) {
		forget(t);
		return;
	}
	take(t, rq, IOB_LOOP_NOWHERE);
	enter(t, IOB_LOOP_NOWHERE, call);
}

/* What was noted, once; NULL if that is nothing. */
static const struct request *noted(const void *object, u64 sub)
{
	u64 rq = iob_assoc_get(IOB_ASSOC_LOOP, object, sub);

	if (rq)
		iob_assoc_forget(IOB_ASSOC_LOOP, object, sub);
	return rq == SEVERAL ? NULL : (const void *)(unsigned long)rq;
}

/**
 * iob_loop_begin - the current task reads or writes all of a request
 * @rq:   the request; taken for one only if it is known
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
	if (rq == t->backing.mine) {
		if (!iob_loop_file_device_reaches(rq->q->queuedata)) {
			forget(t);
			return;
		}
	} else {
		if (!noted(rq, 0)) {
			enter_unknown(t, call);
			return;
		}
		forget_place(rq);
	}
	take(t, rq, pos);
	t->backing.rq = rq;
	enter(t, pos, call);
}

/* The request that begins with a segment which is read or written at @pos. */
static const struct request *begun_by(const struct iov_iter *iter,
				      const struct file *file, u64 pos)
{
	if (iob_loop_file_known())
		return noted(file, begins_at(pos, iter->bvec->bv_page,
					     iter->bvec->bv_offset));
	return noted(iter->bvec->bv_page, iter->bvec->bv_offset);
}

/*
 * Whether the request at hand goes on at @pos.  It is not over as long as its first bio
 * has a flight; where one stopped that ended early, another one may begin.
 */
static bool goes_on(const struct iob_backing *b, const struct file *file,
		    u64 pos)
{
	struct iob_origin o IOB_UNINIT;
	u32 got;

	if (b->file != file || b->next != pos || pos - b->pos >= b->bytes)
		return false;
	if (!b->bio)
		return true;
	iob_origin_begin(&o);
	got = iob_bio_ctx_slice(&o, b->bio, b->sector, SECTOR_SIZE);
	iob_origin_free(&o);
	return got;
}

/**
 * iob_loop_segment - the current task reads or writes a segment of a request
 * @file: the file, if it is a loop device's worker that does
 * @iter: the segment
 * @pos:  where in the file
 * @call: until it returns
 *
 * From a probe, inside iob_read_lock().
 */
void iob_loop_segment(const struct file *file, const struct iov_iter *iter,
		      u64 pos, const struct iob_call *call)
{
	const struct request *rq;
	struct iob_backing *b;
	struct iob_task *t;

	if (!iov_iter_is_bvec(iter))
		return;
	t = iob_task_get();
	if (!t)
		return;
	b = &t->backing;
	if (b->mine) {
		/* (it may be followed only from now on) */
		if (!b->bytes)
			take(t, b->mine, pos);
		else if (b->pos == IOB_LOOP_NOWHERE)
			b->pos = pos;
	} else if (!goes_on(b, file, pos)) {
		rq = begun_by(iter, file, pos);
		if (!rq) {
			enter_unknown(t, call);
			return;
		}
		take(t, rq, pos);
	}
	b->file = file;
	b->next = pos + iov_iter_count(iter);
	enter(t, pos, call);
}

/**
 * iob_loop_discard - the current task frees a part of the file, or zeroes it
 * @one:   may be the request
 * @other: if it is not this
 * @call:  until it returns
 *
 * From a probe, inside iob_read_lock().
 */
void iob_loop_discard(const void *one, const void *other,
		      const struct iob_call *call)
{
	const struct request *rq;
	struct iob_task *t;

	t = iob_task_get();
	if (!t)
		return;
	rq = noted(one, 0);
	if (!rq)
		rq = noted(other, 0);
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

/**
 * iob_loop_find - who pays for a bio that a worker of a loop device submits
 * @o:   gets the parts; iob_origin_free() it in the end
 * @bio: as it is queued
 *
 * For direct IO of the file, which has the request's own pages.  Any context
 * but NMI, inside iob_read_lock().  Return: false if it is none; @o is not set.
 */
bool iob_loop_find(struct iob_origin *o, const struct bio *bio)
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

const struct iob_parent_ops iob_loop_parent_ops = {
	.find_worker = iob_loop_find,
	.reaches = iob_loop_file_disk_reaches,
	.issue = iob_loop_queue,
	.file_of_now = iob_loop_file_of_now,
};
