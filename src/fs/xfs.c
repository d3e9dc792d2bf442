// SPDX-License-Identifier: GPL-2.0
/*
 * xfs: its metadata are buffers and inodes that nobody else knows of, and all
 * that changes them is a transaction, whose first act is to join an inode.
 * The transaction is for whoever makes it, or, in a worker that ends writes or
 * frees what was deleted, for who changed that inode before.  From there the
 * blame goes with the transaction: to the buffers and inodes that it logs, and
 * to the checkpoint of the log that it is added to.  An inode hands it on to
 * the buffer that it is copied into, a checkpoint to the pieces of the log
 * (iclogs) that it is written to.
 *
 * Context: the entry of functions that run in tasks, preemption off.
 * All objects are addresses that are compared and not followed.
 */
#include <linux/sched.h>

#include <compat/xfs.h>

#include "blame/dirty.h"
#include "blame/association.h"
#include "core/task.h"
#include "hooks/table.h"

static const void *arg(struct pt_regs *regs, unsigned int nr)
{
	return (const void *)regs_get_kernel_argument(regs, nr);
}

/* For whom a transaction is.  New ones were forgotten when they were freed. */
static u64 act_of_trans(const void *tp, const void *ip, struct pt_regs *regs)
{
	u64 act = iob_assoc_get(IOB_ASSOC_XFS_TRANS, tp, 0);

	if (act != IOB_ACT_NONE)
		return act;
	act = iob_dirty_act(regs);
	if (act == IOB_ACT_NONE && ip)
		act = iob_assoc_get(IOB_ASSOC_XFS_INODE, ip, 0);
	if (act != IOB_ACT_NONE)
		iob_assoc_set(IOB_ASSOC_XFS_TRANS, tp, 0, act);
	return act;
}

/* (tp, ip, ...) */
static void join(struct pt_regs *regs)
{
	act_of_trans(arg(regs, 0), arg(regs, 1), regs);
}

/* (tp, ip, ...): workers keep who was there before */
static void log_inode(struct pt_regs *regs)
{
	const void *ip = arg(regs, 1);
	u64 act;

	act = act_of_trans(arg(regs, 0), ip, regs);
	if (act != IOB_ACT_NONE && iob_dirty_known(regs))
		iob_assoc_set(IOB_ASSOC_XFS_INODE, ip, 0, act);
}

/* (tp, bp) */
static void log_buf(struct pt_regs *regs)
{
	u64 act;

	act = act_of_trans(arg(regs, 0), NULL, regs);
	if (act != IOB_ACT_NONE)
		iob_assoc_set(IOB_ASSOC_BUF, arg(regs, 1), 0, act);
}

/* (tp): the next one at this address is another's */
static void free_trans(struct pt_regs *regs)
{
	iob_assoc_forget(IOB_ASSOC_XFS_TRANS, arg(regs, 0), 0);
}

/* (bp): inodes are about to be copied into it */
static void flush_cluster(struct pt_regs *regs)
{
	struct iob_task *t;

	t = iob_task_get();
	if (t) {
		t->xfs.buf = arg(regs, 0);
		iob_assoc_forget(IOB_ASSOC_BUF, t->xfs.buf, 0);
	}
}

/* (ip, ...): the first whose owner is known pays for the buffer */
static void flush_inode(struct pt_regs *regs)
{
	struct iob_task *t;
	u64 act;

	t = iob_task_get();
	act = iob_assoc_get(IOB_ASSOC_XFS_INODE, arg(regs, 0), 0);
	if (t && t->xfs.buf && act != IOB_ACT_NONE &&
	    iob_assoc_get(IOB_ASSOC_BUF, t->xfs.buf, 0) == IOB_ACT_NONE)
		iob_assoc_set(IOB_ASSOC_BUF, t->xfs.buf, 0, act);
}

/* (bp): it was written, or is freed.  It is locked: nobody changes it. */
static void end_buf(struct pt_regs *regs)
{
	iob_assoc_forget(IOB_ASSOC_BUF, arg(regs, 0), 0);
}

/* (ip): the next one at this address is another */
static void free_inode(struct pt_regs *regs)
{
	iob_assoc_forget(IOB_ASSOC_XFS_INODE, arg(regs, 0), 0);
}

/* (log, tp, ...): not yet which checkpoint takes it */
static void commit(struct pt_regs *regs)
{
	struct iob_task *t;

	t = iob_task_get();
	if (t) {
		t->xfs.log = arg(regs, 0);
		t->xfs.act = act_of_trans(arg(regs, 1), NULL, regs);
		t->xfs.committed = t->xfs.freer == arg(regs, 1) ?
				   t->xfs.freed : 0;
		t->xfs.freer = NULL;
	}
}

/* The transaction that is committed has an item in that checkpoint. */
static void in_checkpoint(struct iob_task *t, u64 seq)
{
	iob_transaction_join(t->xfs.log, seq, t->xfs.act);
	if (t->xfs.committed)
		iob_transaction_share(iob_transaction_freed_key(t->xfs.log), seq, t->xfs.act,
			      t->xfs.committed);
	t->xfs.committed = 0;
}

/* (item, checkpoint): one of the transaction's items is in that checkpoint */
static void committing(struct pt_regs *regs)
{
	struct iob_task *t;

	t = iob_task_get();
	if (t && t->xfs.log && t->xfs.act != IOB_ACT_NONE)
		in_checkpoint(t, regs_get_kernel_argument(regs, 1));
}

static void set_seq(u64 seq)
{
	struct iob_task *t;

	t = iob_task_get();
	if (t)
		t->xfs.seq = seq;
}

#ifdef IOB_XLOG_WRITE_LSN
static void write_checkpoint(struct pt_regs *regs)
{
	s64 seq = iob_xlog_write_seq(regs);

	if (seq >= 0)
		set_seq(seq);
}
#else
/* (cil, checkpoint, ...): what this task writes to the log from here on */
static void write_checkpoint(struct pt_regs *regs)
{
	set_seq(regs_get_kernel_argument(regs, 1));
}
#endif

/* A worker that did write checkpoints only asks for them now. */
static void no_checkpoint(struct pt_regs *regs)
{
	set_seq(0);
}

/* The checkpoints of an iclog, in place of an act: first << 32 | last. */
static void fill_iclog(const void *iclog)
{
	struct iob_task *t;
	u64 range;

	t = iob_task_get();
	if (t && t->xfs.seq) {
		range = iob_assoc_get(IOB_ASSOC_XFS_ICLOG, iclog, 0);
		range = range ? range >> 32 << 32 : t->xfs.seq << 32;
		iob_assoc_set(IOB_ASSOC_XFS_ICLOG, iclog, 0,
			      range | (u32)t->xfs.seq);
	}
}

/* (log, iclog, ...): the task has written to it */
static void release_iclog(struct pt_regs *regs)
{
	fill_iclog(arg(regs, 1));
}

#ifdef IOB_XLOG_WRITE_LSN
/* (iclog) */
static void release_last(struct pt_regs *regs)
{
	fill_iclog(arg(regs, 0));
}
#endif

/* (log, iclog, ...): whoever does it submits the bios before he returns */
static void write_iclog(struct pt_regs *regs)
{
	const void *iclog = arg(regs, 1);
	struct iob_task *t;
	u64 range;

	t = iob_task_get();
	range = iob_assoc_get(IOB_ASSOC_XFS_ICLOG, iclog, 0);
	if (t && !t->writes.always) {
		t->writes.key = range ? arg(regs, 0) : NULL;
		t->writes.first = range >> 32;
		t->writes.last = (u32)range;
	}
	iob_assoc_forget(IOB_ASSOC_XFS_ICLOG, iclog, 0);
}

#define XFS(func, probe, what) {					\
	.name = func, .kind = IOB_HOOK_FUNCTION,				\
	.phase = IOB_HOOK_ENABLED, .entered = probe, .module = "xfs",	\
	.impact = what,							\
}

#define XFS_END(func, what_end, what) {				\
	.name = func, .kind = IOB_HOOK_ADDRESS,				\
	.phase = IOB_HOOK_LOADED, .end = what_end,			\
	.module = "xfs", .impact = what,					\
}

static const struct iob_hook hooks[] = {
	/* before those that note: what is noted must be forgotten in time */
	XFS("xfs_trans_free", free_trans, "the end of a transaction of xfs"),
	XFS("xfs_buf_free", end_buf, "the end of a buffer of xfs"),
	XFS("xfs_buf_ioend", end_buf, "the end of a buffer's write"),
	XFS("xfs_inode_free", free_inode, "the end of an inode of xfs"),
	XFS("xfs_trans_ijoin", join, "for whom xfs changes metadata"),
	XFS("xfs_trans_log_inode", log_inode, "who changed an inode of xfs"),
	XFS("xfs_trans_dirty_buf", log_buf, "who changed a buffer of xfs"),
	XFS("xfs_iflush_cluster", flush_cluster, "whose inodes xfs writes"),
	XFS("xfs_iflush_fork", flush_inode, "whose inodes xfs writes"),
	XFS("xlog_cil_commit", commit, "who took part in xfs's log"),
	XFS("xfs_inode_item_committing", committing,
	    "who took part in xfs's log"),
	XFS("xfs_buf_item_committing", committing,
	    "who took part in xfs's log"),
	XFS("xfs_log_worker", no_checkpoint, "which checkpoint is written"),
	XFS("xfs_log_force", no_checkpoint, "which checkpoint is written"),
	XFS("xfs_log_force_seq", no_checkpoint, "which checkpoint is written"),
	XFS("xlog_state_release_iclog", release_iclog,
	    "which checkpoint is written"),
#ifdef IOB_XLOG_WRITE_LSN
	XFS("xlog_write", write_checkpoint, "which checkpoint is written"),
	XFS("xfs_log_release_iclog", release_last,
	    "which checkpoint is written"),
#else
	XFS("xlog_cil_order_write", write_checkpoint,
	    "which checkpoint is written"),
#endif
	XFS("xlog_write_iclog", write_iclog, "which checkpoint is written"),
	XFS_END("xfs_buf_bio_end_io", IOB_BIO_XFS_BUF,
		"which buffer of xfs is written"),
	XFS_END("xlog_bio_end_io", IOB_BIO_XFS_LOG,
		"which IO is xfs's log"),
};

IOB_HOOK_LIST(iob_xfs_hooks, hooks);
