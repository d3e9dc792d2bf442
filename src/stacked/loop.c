// SPDX-License-Identifier: GPL-2.0
/*
 * A worker carries out a loop device's requests: it reads and writes a file.  While it
 * handles a request, it acts on behalf of the acts that pay for the request's bytes
 * (blame/behalf).  They become the dirtiers of the file's pages, pay for the bios that the
 * worker submits, and for other changes, such as those of the file's inode.
 *
 * Example: dd (act 7) writes 8 KiB at offset 1 MiB of loop0.  The worker dirties two pages
 * of the file: both are act 7's, as inherited, and so is their IO to the disk below.
 *
 * The request of a direct IO of the file is an argument of the hooked function; on older
 * releases (IOB_LOOP_WORK) so is the request of any IO.  Elsewhere the worker reads or writes
 * the file segment by segment.  A request is then found by its place in the file and its
 * first page, which are noted when the driver gets it.  If two requests have both in common
 * (reads into one page), neither is known.
 *
 * All this is done only for devices whose file can come to a watched disk (loop_file.c).
 * Requests of others are not noted, and so never found.
 *
 * Context: the hooks run in the worker, preemption off; but lo_ioctl's in the task that
 * does an ioctl, those of swap areas in any task, under locks of theirs.
 */
#include <linux/blk-mq.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/uio.h>

#include <compat/compiler.h>
#include <compat/loop.h>

#include "blame/association.h"
#include "blame/behalf.h"
#include "blame/provider.h"
#include "core/layout.h"
#include "core/task.h"
#include "hooks/hook.h"
#include "io/bio_ctx.h"
#include "io/parent.h"
#include "loop_file.h"
#include "stack/call.h"
#include "stack/stack.h"

/* the place in the file at which a request begins, if it is not known */
#define NOWHERE		U64_MAX

/* noted for a place at which several requests begin */
#define SEVERAL		1

/* What a worker is doing; struct iob_parent_io has what others must know of it. */
struct loop_state {
	const struct request *mine;	/* the worker's only one; NULL: it takes any */
	const struct request *rq;	/* the request at hand, if it is direct IO */
	u32 bytes;		/* its size */
	u64 next;		/* where in the file it goes on */
	const struct file *file;	/* that file; NULL: all is done at once */
	const struct bio *bio;	/* its first bio, as long as that has a context */
	u64 sector;		/* where that begins */
};

static struct iob_task_part loop_part = {
	.name = "loop",
	.size = sizeof(struct loop_state),
};

/* Not an act: the request. */
static struct iob_assoc_kind loop_assoc_rq = { .name = "loop_request" };

static struct loop_state *loop_state_of(const struct iob_task *t)
{
	return iob_task_part_of(t, &loop_part);
}

/*
 * A place in a file, and the memory for it: no two requests under way have both in common,
 * so it is that of the request which has just come to that segment.
 */
static u64 loop_place(u64 pos, const struct page *page, unsigned int offset)
{
	/* (hash_64() has the upper 32 bits of the product at most) */
	return pos ^ (u64)(page_to_phys(page) + offset) * GOLDEN_RATIO_64;
}

/*
 * The place at which a request begins: in the device's file; its first page where struct
 * loop_device does not tell the file.  Return: the object, @sub gets the place in it.
 */
static const void *loop_place_of(const struct request *rq, u64 *sub)
{
	const void *device = rq->q->queuedata;
	const struct file *file = iob_loop_file_of(device);

	if (file) {
		*sub = loop_place(iob_loop_pos(device, iob_loop_layout.at, rq), bio_page(rq->bio),
				  bio_offset(rq->bio));
		return file;
	}
	*sub = bio_offset(rq->bio);
	return bio_page(rq->bio);
}

static void loop_forget_place(const struct request *rq)
{
	const void *object;
	u64 sub;

	if (!rq->bio || !bio_has_data(rq->bio))
		return;
	object = loop_place_of(rq, &sub);
	iob_assoc_forget(&loop_assoc_rq, object, sub);
}

#ifdef IOB_LOOP_LIST
static void loop_note_place(const struct request *rq)
{
	u64 sub, id = (unsigned long)rq, old;
	const void *object = loop_place_of(rq, &sub);

	old = iob_assoc_get(&loop_assoc_rq, object, sub);
	iob_assoc_set(&loop_assoc_rq, object, sub, old && old != id ? SEVERAL : id);
}

/* True if no request is to be followed to a device's file. */
static __always_inline bool loop_is_unfollowed(struct pt_regs *regs)
{
	return !READ_ONCE(iob_parent_workers);
}

IOB_OWN_OPS(loop_queue_ops, loop_is_unfollowed);

/* (queue, struct blk_mq_queue_data): the driver gets a request, and gives it to a worker */
static void loop_queue_entered(struct pt_regs *regs)
{
	const struct blk_mq_queue_data *data = iob_arg_ptr(regs, 1);
	const struct request *rq = data->rq;

	if (loop_is_unfollowed(regs) || !rq->bio || !rq->q->queuedata ||
	    !iob_parent_reaches(iob_rq_disk(rq)))
		return;
	iob_assoc_set(&loop_assoc_rq, rq, 0, (unsigned long)rq);
	if (bio_has_data(rq->bio))
		loop_note_place(rq);
}
#endif

/* The origin of a request's bytes, from its bios' contexts. */
static void loop_gather(struct iob_origin *o, const struct request *rq)
{
	const struct bio *bio, *whole;

	iob_origin_free(o);
	iob_origin_begin(o);
	for (bio = rq->bio; bio; bio = bio->bi_next) {
		u32 got = 0, bytes = bio->bi_iter.bi_size;

		whole = iob_bio_ctx_bio(bio);
		if (whole)
			got = iob_bio_ctx_slice(o, whole, bio->bi_iter.bi_sector, bytes);
		if (got < bytes)
			iob_origin_add_lost(o, bytes - got);
	}
}

/* The worker takes a request, which begins at @pos of the file. */
static void loop_take(struct iob_task *t, const struct request *rq, u64 pos)
{
	struct iob_parent_io *p = iob_parent_io_of(t);
	struct loop_state *l = loop_state_of(t);

	p->pos = pos;
	l->bytes = blk_rq_bytes(rq);
	l->next = pos;
	l->rq = NULL;
	l->file = NULL;
	l->bio = rq->bio ? iob_bio_ctx_bio(rq->bio) : NULL;
	l->sector = rq->bio ? rq->bio->bi_iter.bi_sector : 0;
	loop_gather(&p->origin, rq);
}

/* The call is for a request that is not known: forget the last one. */
static void loop_enter_unknown(struct iob_task *t, struct pt_regs *regs)
{
	struct iob_parent_io *p = iob_parent_io_of(t);
	struct loop_state *l = loop_state_of(t);

	l->rq = NULL;
	l->bytes = 0;
	iob_origin_free(&p->origin);
	iob_origin_begin(&p->origin);
	iob_behalf_parent(0, regs);
}

/* What the worker does comes to no watched disk: forget the last request. */
static void loop_leave(struct iob_task *t)
{
	struct loop_state *l = loop_state_of(t);

	l->rq = NULL;
	l->bytes = 0;
	l->file = NULL;
	iob_behalf_parent_end(t);
}

/* The request that is noted, which is forgotten; NULL if none is. */
static const struct request *loop_noted(const void *object, u64 sub)
{
	u64 rq = iob_assoc_take(&loop_assoc_rq, object, sub);

	return rq == SEVERAL ? NULL : (const void *)(unsigned long)rq;
}

#ifdef IOB_LOOP_LIST
/*
 * (loop, rq, ...): a part of the file is freed or zeroed.  The compiler may pass the loop
 * as two of its members; then the request is the third argument.
 */
static void loop_discard_entered(struct pt_regs *regs)
{
	const struct request *rq;
	struct iob_task *t;

	if (!READ_ONCE(iob_parent_workers))
		return;
	t = iob_task_get();
	if (!t)
		return;
	rq = loop_noted(iob_arg_ptr(regs, 1), 0);
	if (!rq)
		rq = loop_noted(iob_arg_ptr(regs, 2), 0);
	if (!rq) {
		loop_enter_unknown(t, regs);
		return;
	}
	loop_take(t, rq, NOWHERE);
	iob_behalf_parent(NOWHERE, regs);
}
#else
/* (kthread_work): the worker begins to work at a request, and at no other */
static void loop_work_entered(struct pt_regs *regs)
{
	const struct request *rq = iob_loop_rq(regs);
	bool reaches = iob_loop_device_reaches(rq->q->queuedata);
	struct iob_task *t;

	if (reaches)
		iob_parent_expect_workers();
	if (!READ_ONCE(iob_parent_workers))
		return;
	t = iob_task_get();
	if (!t)
		return;
	loop_state_of(t)->mine = rq;
	if (!reaches) {
		loop_leave(t);
		return;
	}
	loop_take(t, rq, NOWHERE);
	iob_behalf_parent(NOWHERE, regs);
}
#endif

/* (..., loop_cmd, pos, ...): the command is behind its request, all of which is done */
static noinline void loop_rw_worker_entered(struct pt_regs *regs)
{
	const struct request *rq = blk_mq_rq_from_pdu(iob_arg_ptr(regs, 1));
	struct iob_task *t = iob_task_get();
	u64 pos = iob_arg(regs, 2);

	if (!t)
		return;
	if (rq == loop_state_of(t)->mine) {
		if (!iob_loop_device_reaches(rq->q->queuedata)) {
			loop_leave(t);
			return;
		}
	} else {
		/* a request only if it was noted */
		if (!loop_noted(rq, 0)) {
			loop_enter_unknown(t, regs);
			return;
		}
		loop_forget_place(rq);
	}
	loop_take(t, rq, pos);
	loop_state_of(t)->rq = rq;
	iob_behalf_parent(pos, regs);
}

/* Whether the call is another task's, or no loop device is followed. */
static __always_inline bool loop_is_unconcerned(struct pt_regs *regs)
{
	return !READ_ONCE(iob_parent_workers) || !(current->flags & PF_KTHREAD);
}

IOB_OWN_OPS(loop_rw_ops, loop_is_unconcerned);

static void loop_rw_entered(struct pt_regs *regs)
{
	if (!loop_is_unconcerned(regs))
		loop_rw_worker_entered(regs);
}

/* The request that begins with the segment that is read or written at @pos. */
static const struct request *loop_begun_by(const struct iov_iter *iter,
					   const struct file *file, u64 pos)
{
	if (iob_loop_file_known())
		return loop_noted(file, loop_place(pos, iter->bvec->bv_page,
						   iter->bvec->bv_offset));
	return loop_noted(iter->bvec->bv_page, iter->bvec->bv_offset);
}

/*
 * Whether the request at hand goes on at @pos.  It is not over as long as its first bio has
 * a context; where a request ended early, another one may begin.
 */
static bool loop_goes_on(const struct loop_state *l, const struct file *file, u64 begin,
			 u64 pos)
{
	struct iob_origin o IOB_UNINIT;
	u32 got;

	if (l->file != file || l->next != pos || pos - begin >= l->bytes)
		return false;
	if (!l->bio)
		return true;
	iob_origin_begin(&o);
	got = iob_bio_ctx_slice(&o, l->bio, l->sector, SECTOR_SIZE);
	iob_origin_free(&o);
	return got;
}

/* The worker reads or writes a segment of a request, at @pos of @file. */
static void loop_segment(struct iob_task *t, const struct file *file,
			 const struct iov_iter *iter, u64 pos, struct pt_regs *regs)
{
	struct iob_parent_io *p = iob_parent_io_of(t);
	struct loop_state *l = loop_state_of(t);
	const struct request *rq;

	if (l->mine) {
		/* (it may be followed only from now on) */
		if (!l->bytes)
			loop_take(t, l->mine, pos);
		else if (p->pos == NOWHERE)
			p->pos = pos;
	} else if (!loop_goes_on(l, file, p->pos, pos)) {
		rq = loop_begun_by(iter, file, pos);
		if (!rq) {
			loop_enter_unknown(t, regs);
			return;
		}
		loop_take(t, rq, pos);
	}
	l->file = file;
	l->next = pos + iov_iter_count(iter);
	iob_behalf_parent(pos, regs);
}

/* (file, iter, pos, ...) */
static noinline void loop_segment_entered(struct pt_regs *regs)
{
	const struct file *file = iob_arg_ptr(regs, 0);
	const struct iov_iter *iter = iob_arg_ptr(regs, 1);
	const loff_t *pos = iob_arg_ptr(regs, 2);
	struct iob_task *t;

	if (!pos)
		return;
	if (!iob_loop_file_reaches(file)) {
		t = iob_task_get();
		if (t && iob_parent_io_of(t)->call.ret)
			loop_leave(t);
		return;
	}
	if (!iov_iter_is_bvec(iter))
		return;
	t = iob_task_get();
	if (t)
		loop_segment(t, file, iter, *pos, regs);
}

/* Called for each segment. */
IOB_OWN_OPS(loop_read_ops, loop_is_unconcerned);
IOB_OWN_OPS(loop_write_ops, loop_is_unconcerned);

/* (file, iter, pos, ...): of any file, by any task */
static void loop_iter_entered(struct pt_regs *regs)
{
	if (!loop_is_unconcerned(regs))
		loop_segment_entered(regs);
}

/* Where in a request the first byte of @bio is, by its page. */
static bool loop_find_page(const struct request *rq, const struct bio *bio, u32 *pos)
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

/*
 * struct iob_parent_ops.find_worker: a direct IO of the file, which has the request's own
 * pages
 */
static bool loop_find_parent(struct iob_origin *o, const struct bio *bio)
{
	struct iob_stack stack IOB_UNINIT;
	const struct iob_parent_io *p;
	struct loop_state *l;
	struct iob_task *t;
	u32 pos;

	if (!bio_has_data((struct bio *)bio))
		return false;
	t = iob_task_get();
	if (!t)
		return false;
	l = loop_state_of(t);
	if (!l->rq)
		return false;
	p = iob_parent_io_of(t);
	iob_stack_get(&stack, NULL);
	if (!iob_stack_has(&stack, p->call.ret)) {
		l->rq = NULL;
		return false;
	}
	if (!loop_find_page(l->rq, bio, &pos) ||
	    pos + bio->bi_iter.bi_size > l->bytes)
		return false;
	if (iob_origin_slice(o, &p->origin, pos, bio->bi_iter.bi_size))
		return true;
	iob_origin_free(o);
	return false;
}

/* (device, mode, command, ...): of some device, whatever the command */
static void loop_ioctl_entered(struct pt_regs *regs)
{
	iob_loop_ioctl();
}

static void loop_swapon_entered(struct pt_regs *regs)
{
	iob_loop_swapon();
}

static const struct iob_parent_ops loop_parent_ops = {
	.find_worker = loop_find_parent,
	.reaches = iob_loop_disk_reaches,
	.file_of_now = iob_loop_file_now,
};

static int loop_init(void)
{
	return iob_parent_ops_add(&loop_parent_ops);
}

#define LOOP(func, probe, ops) {					\
	.name = func, .kind = IOB_HOOK_FUNCTION,				\
	.phase = IOB_HOOK_ENABLED, .entered = probe,			\
	IOB_IN_MODULE("loop", CONFIG_BLK_DEV_LOOP), .own_ops = ops,	\
	.impact = "which acts pay when a loop device reads and writes its file",	\
}

static const struct iob_hook loop_table[] = {
	{
		.name = "_enable_swap_info", .instead = "add_to_avail_list",
		.kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,
		.entered = loop_swapon_entered, .attached = iob_loop_sees_swapon,
		.impact = "nothing, but loop devices on a tmpfs cost more",
	}, {
		/* of an area that comes, and of a full one when it has room */
		.name = "add_to_avail_list",
		.kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,
		.entered = loop_swapon_entered, .attached = iob_loop_sees_room,
		.impact = "nothing, but loop devices on a tmpfs cost more",
	}, {
		.name = "lo_ioctl",
		.kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,
		.entered = loop_ioctl_entered, .attached = iob_loop_sees_ioctl,
		IOB_IN_MODULE("loop", CONFIG_BLK_DEV_LOOP),
		.impact = "nothing, but loop devices that are not followed cost more",
	},
#ifdef IOB_LOOP_LIST
	LOOP("loop_queue_rq", loop_queue_entered, &loop_queue_ops),
	LOOP("lo_fallocate|lo_fallocate.isra.0", loop_discard_entered, NULL),
#else
	LOOP(IOB_LOOP_WORK, loop_work_entered, NULL),
#endif
	LOOP("lo_rw_aio|lo_rw_aio.isra.0", loop_rw_entered, &loop_rw_ops),
	LOOP("vfs_iter_write", loop_iter_entered, &loop_write_ops),
	LOOP("vfs_iter_read", loop_iter_entered, &loop_read_ops),
};

static IOB_HOOK_LIST(loop_hooks, loop_table);

IOB_PROVIDER(loop) = {
	.hooks = &loop_hooks,
	.part = { &loop_part },
	.assoc = { &loop_assoc_rq },
	.layout = { &iob_loop_layout },
	.init = loop_init,
};
