// SPDX-License-Identifier: GPL-2.0
/*
 * xfs: its metadata are buffers and inodes that no other part of the kernel knows of.
 *
 * All that changes them is a transaction, which first joins an inode.  The transaction is
 * charged to the task that makes it; in a worker, which ends writes or frees what was
 * deleted, to the act that changed that inode before.  From there the act goes with the
 * transaction: to the buffers and inodes that it logs, and to the checkpoint of the log
 * that it is added to.  An inode hands the act on to the buffer that it is copied into, a
 * checkpoint to the pieces of the log (iclogs) that it is written to.
 *
 * Example: touch (act 7) makes transaction T, which joins inode I and logs buffer B: T, I
 * and B are noted for act 7, and act 7 takes part in checkpoint 12.  When B is written, its
 * bio is charged to act 7.  The iclog with checkpoint 12 is charged to its participants.
 *
 * Context: the entry of functions that run in tasks, preemption off; that of xlog_cil_destroy()
 * in the task that unmounts, or whose mount fails; that of xfs_dio_write_end_io() also in an
 * interrupt.  All of xfs' objects are addresses that are compared and not followed; iomap's struct
 * iomap_ioend is the worker's own until it has ended it, and a struct kiocb until end_io returns.
 */
#include <linux/iomap.h>
#include <linux/pagemap.h>
#include <linux/sched.h>

#include <compat/xfs.h>

#include "async_end.h"
#include "blame/association.h"
#include "blame/async.h"
#include "blame/behalf.h"
#include "blame/bio_kind.h"
#include "blame/provider.h"
#include "blame/transaction.h"
#include "core/cause.h"
#include "core/code.h"
#include "core/hands_on.h"
#include "core/layout.h"
#include "core/task.h"
#include "hooks/hook.h"
#include "stack/call.h"
#include "stack/stack.h"
#include "xfs_range.h"

static const struct iob_layout_member ctx_members[] = {
	[IOB_XFS_CTX_CIL] = IOB_LAYOUT_MEMBER("cil", struct iob_xfs_cil_ctx, cil),
	[IOB_XFS_CTX_SEQUENCE] = IOB_LAYOUT_MEMBER("sequence", struct iob_xfs_cil_ctx, sequence),
	[IOB_XFS_CTX_START_LSN] = IOB_LAYOUT_MEMBER("start_lsn", struct iob_xfs_cil_ctx,
						    start_lsn),
};

/* where xlog_write() tells the checkpoint, the log, too */
#define XFS_CIL_COST							\
	"which act freed what xfs discards, and who pays for its log if xlog_write() is hooked"

/* Both are proved each time: by the log, which points back, and must be one that is known. */
static struct iob_layout ctx_layout = {
	.type = "xfs_cil_ctx", IOB_LAYOUT_IN("xfs", CONFIG_XFS_FS), IOB_LAYOUT_OF(ctx_members),
	.cost = XFS_CIL_COST,
};

static const struct iob_layout_member cil_members[] = {
	IOB_LAYOUT_MEMBER("xc_log", struct iob_xfs_cil, log),
};

static struct iob_layout cil_layout = {
	.type = "xfs_cil", IOB_LAYOUT_IN("xfs", CONFIG_XFS_FS), IOB_LAYOUT_OF(cil_members),
	.cost = XFS_CIL_COST,
};

/* The arguments of xlog_write(), where that is hooked: the checkpoint's log must be the first. */
static struct iob_layout write_layout = {
	.type = "xlog_write()", IOB_LAYOUT_IN("xfs", CONFIG_XFS_FS), .by_use_only = true,
	.cost = "which checkpoint is written: who pays for the log of xfs",
};

/* What a task is doing in xfs. */
struct xfs_state {
	const void *buf;	/* inodes are being copied into this buffer */
	const void *dquot;	/* the item of a dquot that is being copied into its buffer */
	const void *log;	/* a transaction is being added to this log, */
	const void *tp;		/* it is this one, */
	u64 act;		/* for this act, */
	u32 in;			/* which takes part in this checkpoint; 0: not yet */
	u32 items;		/* with so many items more than blame/transaction knows of */
	u64 joined;		/* for this act is the transaction that joined an inode last */
	u64 seq;		/* the checkpoint that is being written to the log */
	u64 split;		/* for this act a worker is about to split a block, */
	bool splits;		/* if it is */
	bool flushed;		/* the act of an inode that was copied into @buf is known */
	const void *freer;	/* this transaction frees */
	u32 freed;		/* so many blocks */
	u32 committed;		/* blocks that the transaction of @log freed */
	const void *ended;	/* the IO of this buffer ended last, */
	u64 ended_act;		/* for this act, if that is known */
	struct iob_call done;	/* until it returns, a checkpoint is being ended: */
	const void *done_log;
	u64 done_seq;
};

static struct iob_task_part xfs_part = {
	.name = "xfs",
	.size = sizeof(struct xfs_state),
};

static struct iob_assoc_kind xfs_assoc_buf = { .name = "xfs_buf" };
static struct iob_assoc_kind xfs_assoc_inode = { .name = "xfs_inode" };
static struct iob_assoc_kind xfs_assoc_dquot = { .name = "xfs_dquot" };
static struct iob_assoc_kind xfs_assoc_trans = { .name = "xfs_trans" };
/* By the place of its stack, a task that perhaps waits for a worker. */
static struct iob_assoc_kind xfs_assoc_split = { .name = "xfs_btree_split_args" };
/* Not an act but the checkpoints in it: first << 32 | last. */
static struct iob_assoc_kind xfs_assoc_iclog = { .name = "xlog_in_core" };

/* it was seen that a transaction is freed after it was added to a log */
static bool xfs_sees_free;

/* the function that copies dquots into their buffers and queues these */
static struct iob_code xfs_dquot_push;

static struct xfs_state *xfs_state_of(const struct iob_task *t)
{
	return iob_task_part_of(t, &xfs_part);
}

/* What the current task is doing in xfs, NULL without memory. */
static struct xfs_state *xfs_state_get(void)
{
	struct iob_task *t = iob_task_get();

	return t ? xfs_state_of(t) : NULL;
}

/*
 * The act that pays for a transaction.  A new transaction has none: it was forgotten when
 * the last one at its address was freed.
 */
static u64 xfs_act_of_trans(const void *tp, const void *ip, struct pt_regs *regs)
{
	u64 act = iob_assoc_get(&xfs_assoc_trans, tp, 0);

	if (act != IOB_CAUSE_NONE)
		return act;
	act = iob_behalf_current(regs);
	if (act == IOB_CAUSE_NONE && ip && iob_hands_on()) {
		/* it goes on with what somebody did to the inode, or to its file */
		act = iob_assoc_get(&xfs_assoc_inode, ip, 0);
		if (act > IOB_CAUSE_LOST)
			act |= IOB_CAUSE_INHERITED;
	}
	if (act != IOB_CAUSE_NONE)
		iob_assoc_set(&xfs_assoc_trans, tp, 0, act);
	return act;
}

/* (tp, ip, ...) */
static void xfs_join_entered(struct pt_regs *regs)
{
	u64 act = xfs_act_of_trans(iob_arg_ptr(regs, 0), iob_arg_ptr(regs, 1), regs);
	struct xfs_state *x = xfs_state_get();

	if (x)
		x->joined = act;
}

/* The place of the stack on which an object lies. */
static const void *xfs_stack_of(unsigned long object)
{
	return (const void *)(object & ~(THREAD_SIZE - 1UL));
}

/*
 * A block of a btree is split.  It may be done by a worker, for which the task waits: the
 * work_struct is on the task's stack then.
 */
static void xfs_split_entered(struct pt_regs *regs)
{
	const void *stack = xfs_stack_of(iob_stack_at(regs));
	struct xfs_state *x = xfs_state_get();

	if (x && x->joined != IOB_CAUSE_NONE)
		iob_assoc_set(&xfs_assoc_split, stack, 0, x->joined);
	else
		iob_assoc_forget(&xfs_assoc_split, stack, 0);
}

/*
 * (work): a work function, which returns to where all works of its worker do.  So the call that it
 * makes next is on behalf of the task that waits.
 */
static void xfs_split_worker_entered(struct pt_regs *regs)
{
	u64 act = iob_assoc_take(&xfs_assoc_split, xfs_stack_of(iob_arg(regs, 0)), 0);
	struct xfs_state *x = xfs_state_get();

	if (x) {
		x->split = act;
		x->splits = true;
	}
}

/* What is read here is read for the transaction of the task that waits. */
static void xfs_split_begins(struct pt_regs *regs)
{
	struct xfs_state *x = xfs_state_get();

	if (x && x->splits) {
		x->splits = false;
		iob_behalf_for(x->split, regs);
	}
}

/* (ip, ...): a worker frees what was deleted, or ends a write */
static void xfs_for_inode_entered(struct pt_regs *regs)
{
	if (current->flags & PF_KTHREAD)
		iob_behalf_for(iob_assoc_get(&xfs_assoc_inode, iob_arg_ptr(regs, 0), 0), regs);
}

/* The same of a zoned xfs, 6.15 and later: no such write is noted when it begins. */
static void xfs_zoned_entered(struct pt_regs *regs)
{
	iob_async_end_other(regs);
}

/* (ip, ...): a worker ends a write.  The two hooks around it know better for whom. */
static void xfs_unwritten_entered(struct pt_regs *regs)
{
	if (!(current->flags & PF_KTHREAD))
		return;
	/* the last call from here was for another inode */
	iob_behalf_for(IOB_CAUSE_NONE, regs);
	if (iob_behalf_current(regs) == IOB_CAUSE_NONE)
		xfs_for_inode_entered(regs);
}

/*
 * (struct iomap_ioend *): a worker maps what was written, in transactions of its own.  They are the
 * dirtier's, whoever has changed the inode since: a read changes the time of access.
 */
static void xfs_end_ioend_entered(struct pt_regs *regs)
{
	const struct iomap_ioend *ioend = iob_arg_ptr(regs, 0);

	if (ioend->io_size)
		iob_behalf_pages(ioend->io_inode, ioend->io_offset >> PAGE_SHIFT,
				 (ioend->io_offset + ioend->io_size - 1) >> PAGE_SHIFT, false,
				 regs);
}

/*
 * (tp, ip, ...): a worker or kswapd leaves the inode to the act that was noted before, if there is
 * one, and so does a kernel thread that acts on another's behalf.  One that acts for itself, such
 * as nfsd, does not.
 */
static void xfs_log_inode_entered(struct pt_regs *regs)
{
	const void *ip = iob_arg_ptr(regs, 1);
	u64 act, before;

	act = xfs_act_of_trans(iob_arg_ptr(regs, 0), ip, regs);
	if (!iob_behalf_is_known(regs)) {
		before = act & IOB_CAUSE_INHERITED || iob_hands_on() ?
			 iob_assoc_get(&xfs_assoc_inode, ip, 0) : IOB_CAUSE_NONE;
		/*
		 * It is noted anew: the inode is dirty from now on.  Since it was written its cause
		 * may have gone unused for long.
		 */
		if (before != IOB_CAUSE_NONE) {
			iob_cause_touch_nr(iob_cause_number(before));
			act = before > IOB_CAUSE_LOST ? before | IOB_CAUSE_INHERITED : before;
		}
	}
	if (act != IOB_CAUSE_NONE)
		iob_assoc_set(&xfs_assoc_inode, ip, 0, act);
	else
		iob_assoc_forget(&xfs_assoc_inode, ip, 0);
}

/* (tp, bp, ...) */
static void xfs_log_buf_entered(struct pt_regs *regs)
{
	u64 act;

	act = xfs_act_of_trans(iob_arg_ptr(regs, 0), NULL, regs);
	if (act != IOB_CAUSE_NONE)
		iob_assoc_set(&xfs_assoc_buf, iob_arg_ptr(regs, 1), 0, act);
}

/*
 * The act has its whole part in the checkpoint from here on.  xfs has unlocked that: the next
 * one may have participants, and this one may be written already.
 */
static void xfs_share_rest(struct xfs_state *x)
{
	if (x->items)
		iob_transaction_share_more(x->log, x->in, x->act, x->items);
	x->items = 0;
	x->in = 0;
}

/*
 * (tp): the next transaction at this address is another.  A transaction that was added to a log is
 * freed by the same task soon: before the task waits for its checkpoint, but after it has waited
 * for room in the log.
 */
static void xfs_trans_free_entered(struct pt_regs *regs)
{
	struct xfs_state *x = xfs_state_get();
	const void *tp = iob_arg_ptr(regs, 0);

	iob_assoc_forget(&xfs_assoc_trans, tp, 0);
	if (!x || x->tp != tp)
		return;
	x->tp = NULL;
	xfs_share_rest(x);
	if (!READ_ONCE(xfs_sees_free))
		WRITE_ONCE(xfs_sees_free, true);
}

/*
 * (bp): inodes are about to be copied into it, maybe none after all: those that are locked or
 * not yet in the log wait for the next time, and the buffer is written for what was noted before
 */
static void xfs_flush_cluster_entered(struct pt_regs *regs)
{
	struct xfs_state *x = xfs_state_get();

	if (x) {
		x->buf = iob_arg_ptr(regs, 0);
		x->flushed = false;
	}
}

/* (ip, ...): the first inode whose act is known pays for the buffer */
static void xfs_flush_inode_entered(struct pt_regs *regs)
{
	struct xfs_state *x = xfs_state_get();
	u64 act;

	act = iob_assoc_get_last(&xfs_assoc_inode, iob_arg_ptr(regs, 0), 0);
	if (x && x->buf && !x->flushed && act != IOB_CAUSE_NONE) {
		/* (the act moves to a place that the reclaim of causes may have passed) */
		iob_cause_touch_nr(iob_cause_number(act));
		iob_assoc_set(&xfs_assoc_buf, x->buf, 0, act);
		x->flushed = true;
	}
}

/* (bp): the next buffer at this address is another */
static void xfs_buf_free_entered(struct pt_regs *regs)
{
	iob_assoc_forget(&xfs_assoc_buf, iob_arg_ptr(regs, 0), 0);
}

/* (bp): it was written.  It is locked: no task changes it. */
static void xfs_buf_end_entered(struct pt_regs *regs)
{
	const void *bp = iob_arg_ptr(regs, 0);
	u64 act = iob_assoc_take(&xfs_assoc_buf, bp, 0);
	struct xfs_state *x = xfs_state_get();

	if (!x)
		return;
	x->ended = bp;
	x->ended_act = act;
	/* (nor does that reclaim look here, from where the act may come back) */
	if (act != IOB_CAUSE_NONE)
		iob_cause_touch_nr(iob_cause_number(act));
}

/*
 * The function above asks here what to do, as the write has failed.  Before it unlocks the buffer
 * it may write it again at once; else the log's thread does so later.
 */
static void xfs_buf_failed_entered(struct pt_regs *regs)
{
	struct xfs_state *x = xfs_state_get();

	if (!x || x->ended_act == IOB_CAUSE_NONE)
		return;
	iob_assoc_set(&xfs_assoc_buf, x->ended, 0, x->ended_act);
	x->ended_act = IOB_CAUSE_NONE;
}

/* (ip): the next inode at this address is another */
static void xfs_inode_free_entered(struct pt_regs *regs)
{
	iob_assoc_forget(&xfs_assoc_inode, iob_arg_ptr(regs, 0), 0);
}

/* (log, tp, ...): which checkpoint takes it is not known yet */
static void xfs_commit_entered(struct pt_regs *regs)
{
	struct xfs_state *x = xfs_state_get();
	const void *tp = iob_arg_ptr(regs, 1);

	if (x) {
		/* (nothing, but if the end of the last one was not seen) */
		xfs_share_rest(x);
		x->log = iob_arg_ptr(regs, 0);
		x->tp = tp;
		x->act = xfs_act_of_trans(tp, NULL, regs);
		x->committed = x->freer == tp ? x->freed : 0;
		x->freer = NULL;
	}
}

/*
 * (item, checkpoint): one of the committed transaction's items is in that checkpoint.  With the
 * first one the act takes part, while the checkpoint is locked: it is not written yet.  The others
 * are counted, and added when the transaction is freed: two times, not each, it takes a lock that
 * all CPUs share.
 */
static void xfs_committing_entered(struct pt_regs *regs)
{
	struct xfs_state *x = xfs_state_get();
	u32 seq = iob_arg(regs, 1);

	if (!x || !x->log || x->act == IOB_CAUSE_NONE)
		return;
	if (x->in == seq && READ_ONCE(xfs_sees_free)) {
		x->items++;
		return;
	}
	xfs_share_rest(x);
	iob_transaction_join(x->log, seq, x->act);
	x->in = seq;
	if (x->committed)
		iob_transaction_share(iob_transaction_freed_key(x->log), seq, x->act,
				      x->committed);
	x->committed = 0;
}

/* (item, checkpoint): a dquot.  What was noted before may be of another one at its address. */
static void xfs_dquot_committing_entered(struct pt_regs *regs)
{
	const void *item = iob_arg_ptr(regs, 0);
	struct xfs_state *x = xfs_state_get();

	if (x && x->log && x->act != IOB_CAUSE_NONE)
		iob_assoc_set(&xfs_assoc_dquot, item, 0, x->act);
	else
		iob_assoc_forget(&xfs_assoc_dquot, item, 0);
	xfs_committing_entered(regs);
}

static void xfs_dquot_push_found(unsigned long func)
{
	iob_code_publish(func, &xfs_dquot_push);
}

/* (item, ...): the log's thread copies a dquot into a buffer, unless one of them is locked */
static void xfs_dquot_push_entered(struct pt_regs *regs)
{
	struct xfs_state *x = xfs_state_get();

	if (x)
		x->dquot = iob_arg_ptr(regs, 0);
}

/* (bp, ...): if the function above calls it, the dquot is in this buffer */
static void xfs_queue_entered(struct pt_regs *regs)
{
	struct xfs_state *x = xfs_state_get();
	u64 act;

	if (!x || !x->dquot || !iob_code_has(&xfs_dquot_push, iob_call_ret(regs)))
		return;
	act = iob_assoc_get_last(&xfs_assoc_dquot, x->dquot, 0);
	x->dquot = NULL;
	if (act == IOB_CAUSE_NONE)
		return;
	/* (the act moves to a place that the reclaim of causes may have passed) */
	iob_cause_touch_nr(iob_cause_number(act));
	iob_assoc_set(&xfs_assoc_buf, iob_arg_ptr(regs, 0), 0, act);
}

static void xfs_set_seq(u64 seq)
{
	struct xfs_state *x = xfs_state_get();

	if (x)
		x->seq = seq;
}

static void xfs_tell(bool right)
{
	iob_layout_tell(&ctx_layout, right);
	iob_layout_tell(&cil_layout, right);
}

/* The log and number of a checkpoint, which may be any address.  Return: false if it is none. */
static bool xfs_checkpoint(const void *ctx, const void **log, u64 *seq)
{
	bool sure = iob_layout_is_sure(&ctx_layout) && iob_layout_is_sure(&cil_layout);

	return !iob_layout_is_bad(&ctx_layout) && !iob_layout_is_bad(&cil_layout) &&
	       iob_xlog_checkpoint(ctx, ctx_layout.at, cil_layout.at[0], sure, log, seq);
}

/* (cil, checkpoint, ...): what this task writes to the log from here on */
static void xfs_order_write_entered(struct pt_regs *regs)
{
	xfs_set_seq(iob_arg(regs, 1));
}

/*
 * (log, ...): the same.  From 5.15 on the second argument is the checkpoint, or NULL for an unmount
 * record: a compiler may have put xlog_cil_order_write() into its callers.  Before, it is a vector,
 * which proves to be no checkpoint of this log.
 */
static void xfs_write_entered(struct pt_regs *regs)
{
	const void *ctx = iob_arg_ptr(regs, 1), *log;
	u64 number;
	bool right;
	s64 seq;

	if (!ctx || (xfs_checkpoint(ctx, &log, &number) && log == iob_arg_ptr(regs, 0))) {
		if (ctx) {
			xfs_tell(true);
			iob_layout_tell(&write_layout, true);
		}
		xfs_set_seq(ctx ? number : 0);
		return;
	}
	ctx = iob_xlog_written(regs, ctx_layout.at, &seq);
	if (ctx) {
		right = xfs_checkpoint(ctx, &log, &number) && log == iob_arg_ptr(regs, 0);
		xfs_tell(right);
		iob_layout_tell(&write_layout, right);
		seq = right ? number : 0;
	}
	if (seq >= 0)
		xfs_set_seq(seq);
}

/* A worker that wrote checkpoints before does something else now. */
static void xfs_no_checkpoint_entered(struct pt_regs *regs)
{
	xfs_set_seq(0);
}

/* The checkpoint at hand is in this iclog, too. */
static void xfs_fill_iclog(const void *iclog)
{
	struct xfs_state *x = xfs_state_get();
	u64 range;

	if (x && x->seq) {
		range = iob_assoc_get(&xfs_assoc_iclog, iclog, 0);
		iob_assoc_set(&xfs_assoc_iclog, iclog, 0, iob_xfs_range_add(range, x->seq));
	}
}

/* (log, iclog, ...): the task has written to it */
static void xfs_release_iclog_entered(struct pt_regs *regs)
{
	xfs_fill_iclog(iob_arg_ptr(regs, 1));
}

/* (iclog): on kernels without xlog_cil_order_write() */
static void xfs_release_last_entered(struct pt_regs *regs)
{
	xfs_fill_iclog(iob_arg_ptr(regs, 0));
}

/* (log, iclog, ...): the task submits the bios before it returns */
static void xfs_write_iclog_entered(struct pt_regs *regs)
{
	const void *iclog = iob_arg_ptr(regs, 1);
	struct iob_task *t = iob_task_get();
	u64 range;

	range = iob_assoc_take(&xfs_assoc_iclog, iclog, 0);
	if (t && !iob_transaction_writes(t)->always)
		iob_transaction_begin_write(t, range ? iob_arg_ptr(regs, 0) : NULL,
					    range >> 32, (u32)range);
}

/* (tp, group, block, count, ...): the same task commits it */
static void xfs_free_entered(struct pt_regs *regs)
{
	struct xfs_state *x = xfs_state_get();
	const void *tp = iob_arg_ptr(regs, 0);

	if (x) {
		if (x->freer != tp)
			x->freed = 0;
		x->freer = tp;
		x->freed += (u32)iob_arg(regs, 3);
	}
}

/* (checkpoint): it is on the disk, and what was freed in it is discarded */
static void xfs_committed_entered(struct pt_regs *regs)
{
	struct xfs_state *x = xfs_state_get();

	if (!x)
		return;
	x->done = iob_call_at(regs);
	if (!xfs_checkpoint(iob_arg_ptr(regs, 0), &x->done_log, &x->done_seq)) {
		x->done.ret = 0;
		xfs_tell(false);
	} else if (iob_transaction_key_is_known(x->done_log)) {
		xfs_tell(true);
	}
}

/* Participants pay for discards by the blocks that they freed. */
static bool xfs_discards(const struct iob_task *t, const struct iob_stack *stack,
			 struct iob_transaction_write *what)
{
	const struct xfs_state *x = xfs_state_of(t);

	if (!x->done.ret || !iob_stack_has(stack, x->done.ret))
		return false;
	*what = (struct iob_transaction_write){
		.key = iob_transaction_freed_key(x->done_log),
		.first = x->done_seq,
		.last = x->done_seq,
		.modifier = IOB_MODIFIER_DISCARD,
	};
	return true;
}

/* (log): it is about to be freed, and writes nothing any more */
static void xfs_log_end_entered(struct pt_regs *regs)
{
	const void *log = iob_arg_ptr(regs, 0);

	iob_transaction_log_end(log);
	iob_transaction_log_end(iob_transaction_freed_key(log));
}

/* bi_private: struct xfs_buf */
static u64 xfs_buf_changed_by(const struct bio *whole)
{
	return iob_assoc_get(&xfs_assoc_buf, whole->bi_private, 0);
}

static const struct iob_bio_kind xfs_bio_buf = {
	.name = "xfs buffer",
	.changed_by = xfs_buf_changed_by,
};

/* bi_private: struct xlog_in_core */
static bool xfs_bio_is_log(const struct iob_task *t)
{
	return true;
}

static const struct iob_bio_kind xfs_bio_log = {
	.name = "xfs log",
	.is_log = xfs_bio_is_log,
};

#define XFS(func, probe, what)						\
	IOB_HOOK_FUNC_IN("xfs", CONFIG_XFS_FS, func, probe, what)
/* on kernels without @first; @other is what newer ones of these have instead */
#define XFS_SPARE(func, first, other, probe, what)	{			\
	.name = func, .kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,	\
	.entered = probe, IOB_IN_MODULE("xfs", CONFIG_XFS_FS), .impact = what,	\
	.spare_for = first, .instead = other,					\
}

#define XFS_END(func, ended, what)					\
	IOB_HOOK_END_IN("xfs", CONFIG_XFS_FS, func, ended, what)

#define XFS_ASYNC	"who wrote directly, where a worker changes the file for that (xfs)"

static const struct iob_hook xfs_table[] = {
	/* those that forget come first: what is noted must be forgotten in time */
	XFS("xfs_trans_free", xfs_trans_free_entered, "the end of a transaction of xfs"),
	XFS("xfs_buf_free", xfs_buf_free_entered, "the end of a buffer of xfs"),
	{
		/* (where there is the first, the second only hands on what did not end well) */
		.name = "__xfs_buf_ioend|xfs_buf_ioend", .called_in = "xfs_buf_ioend_work",
		.kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,
		.entered = xfs_buf_end_entered, IOB_IN_MODULE("xfs", CONFIG_XFS_FS),
		.impact = "the end of a buffer's write",
	},
	{
		.name = "xfs_error_get_cfg",
		.called_in = "xfs_buf_ioend_handle_error|__xfs_buf_ioend|xfs_buf_ioend",
		.kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,
		.entered = xfs_buf_failed_entered, IOB_IN_MODULE("xfs", CONFIG_XFS_FS),
		.impact = "which act changed a buffer whose write has failed before",
	},
	/* (xfs_inode_free() is no replacement: reclaim does not call it) */
	XFS("__xfs_inode_free", xfs_inode_free_entered, "the end of an inode of xfs"),
	XFS("xlog_cil_destroy", xfs_log_end_entered,
	    "that a log of xfs is another one than the last at its address"),
	XFS("xfs_trans_ijoin", xfs_join_entered, "which act changes metadata of xfs"),
	XFS("xfs_btree_split", xfs_split_entered, "for which act a worker reads btrees of xfs"),
	XFS("xfs_btree_split_worker", xfs_split_worker_entered,
	    "for which act a worker reads btrees of xfs"),
	XFS("__xfs_btree_split", xfs_split_begins,
	    "for which act a worker reads btrees of xfs"),
	XFS("xfs_end_ioend|xfs_end_ioend_write", xfs_end_ioend_entered,
	    "for which act a worker maps what was written (xfs)"),
	XFS("xfs_dio_write_end_io", iob_async_end_entered, XFS_ASYNC),
	XFS_END("xfs_dio_write_end_io", &iob_async_end_io, XFS_ASYNC),
	{
		/* so that none is taken for another write */
		.name = "xfs_zoned_dio_write_end_io", .instead = "xfs_dio_write_end_io",
		.kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,
		.entered = xfs_zoned_entered, IOB_IN_MODULE("xfs", CONFIG_XFS_FS),
		.impact = XFS_ASYNC,
	},
	XFS("xfs_inactive", xfs_for_inode_entered, "for which act a worker reads btrees of xfs"),
	XFS("xfs_iomap_write_unwritten", xfs_unwritten_entered,
	    "for which act a worker reads btrees of xfs"),
	XFS("xfs_trans_log_inode", xfs_log_inode_entered, "which act changed an inode of xfs"),
	{
		.name = "xfs_trans_dirty_buf", .called_in = "xfs_trans_log_buf",
		.instead = "xfs_trans_log_buf",
		.kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,
		.entered = xfs_log_buf_entered, IOB_IN_MODULE("xfs", CONFIG_XFS_FS),
		.impact = "which act changed a buffer of xfs",
	},
	/* its callers, into which clang puts it, but for one that hands on what is noted already */
	XFS_SPARE("xfs_trans_log_buf", "xfs_trans_dirty_buf", NULL, xfs_log_buf_entered,
		  "which act changed a buffer of xfs"),
	XFS_SPARE("xfs_trans_ordered_buf", "xfs_trans_dirty_buf", NULL, xfs_log_buf_entered,
		  "which act changed a buffer of xfs"),
	XFS("xfs_iflush_cluster", xfs_flush_cluster_entered,
	    "which act changed the inodes that xfs writes"),
	XFS("xfs_iflush_fork", xfs_flush_inode_entered,
	    "which act changed the inodes that xfs writes"),
	XFS("xfs_qm_dquot_logitem_push", xfs_dquot_push_entered,
	    "which act changed a quota of xfs"),
	IOB_HOOK_ADDR_IN("xfs", CONFIG_XFS_FS, "xfs_qm_dquot_logitem_push",
			 xfs_dquot_push_found, "which act changed a quota of xfs"),
	XFS("xfs_buf_delwri_queue", xfs_queue_entered, "which act changed a quota of xfs"),
	XFS("xlog_cil_commit", xfs_commit_entered, "the participants of a checkpoint of xfs"),
	XFS("xfs_inode_item_committing", xfs_committing_entered,
	    "the participants of a checkpoint of xfs"),
	XFS("xfs_buf_item_committing", xfs_committing_entered,
	    "the participants of a checkpoint of xfs"),
	XFS("xfs_qm_dquot_logitem_committing", xfs_dquot_committing_entered,
	    "which act changed a quota of xfs"),
	XFS("xfs_log_worker", xfs_no_checkpoint_entered, "which checkpoint is written"),
	XFS("xfs_log_force", xfs_no_checkpoint_entered, "which checkpoint is written"),
	/* (up to 5.13, and in early 5.10.y) */
	XFS("xfs_log_force_seq|xfs_log_force_lsn", xfs_no_checkpoint_entered,
	    "which checkpoint is written"),
	XFS("xlog_state_release_iclog", xfs_release_iclog_entered,
	    "which checkpoint is written"),
	{
		.name = "xlog_cil_order_write", .instead = "xlog_write",
		.called_in = "xlog_cil_write_chain|xlog_cil_push_work",
		.kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,
		.entered = xfs_order_write_entered, IOB_IN_MODULE("xfs", CONFIG_XFS_FS),
		.impact = "which checkpoint is written",
	},
	XFS_SPARE("xlog_write", "xlog_cil_order_write", NULL, xfs_write_entered,
		  "which checkpoint is written"),
	XFS_SPARE("xfs_log_release_iclog", "xlog_cil_order_write", "xlog_state_release_iclog",
		  xfs_release_last_entered, "which checkpoint is written"),
	XFS("xlog_write_iclog", xfs_write_iclog_entered, "which checkpoint is written"),
	XFS("xfs_extent_busy_insert", xfs_free_entered, "which act freed what xfs discards"),
	{
		.name = "xlog_cil_committed", .called_in = "xlog_cil_process_committed",
		.kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,
		.entered = xfs_committed_entered, IOB_IN_MODULE("xfs", CONFIG_XFS_FS),
		.impact = "which act freed what xfs discards",
	},
	XFS_END("xfs_buf_bio_end_io", &xfs_bio_buf, "which buffer of xfs is written"),
	XFS_END("xlog_bio_end_io", &xfs_bio_log, "which IO is xfs's log"),
};

static IOB_HOOK_LIST(xfs_hooks, xfs_table);

IOB_PROVIDER(xfs) = {
	.hooks = &xfs_hooks,
	.part = { &xfs_part },
	.assoc = { &xfs_assoc_buf, &xfs_assoc_inode, &xfs_assoc_dquot, &xfs_assoc_trans,
		   &xfs_assoc_iclog, &xfs_assoc_split },
	.layout = { &ctx_layout, &cil_layout, &write_layout },
	.discards = xfs_discards,
};
