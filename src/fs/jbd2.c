// SPDX-License-Identifier: GPL-2.0
/*
 * jbd2: the journal of ext4 and others.  Two things are noted: the act that first changes a
 * buffer in a transaction, and the block of the journal that holds the buffer's copy.  The
 * journal's thread writes these blocks, and those that serve the transaction as a whole.
 *
 * Example: in transaction 81 mkdir (act 7) changes the buffer of block 1027.  The commit
 * copies it to block 300 of the journal: { block 300 of transaction 81 } -> 7.  The bio
 * that writes that block is charged to act 7; the commit block to all participants.
 *
 * A task asks for each buffer before it changes it.  jbd2 answers at once if the transaction
 * has the buffer already, so the function that is hooked is called once for each buffer of a
 * transaction, by the first task.  Where the kernel does not have this function, a hook at
 * each change serves.
 *
 * Context: access, create and dirty run in the task that changes the buffer, copy and commit in
 * the journal's thread or a task that unmounts, end in one that unmounts.  Preemption is off.
 */
#include <linux/blkdev.h>
#include <linux/jbd2.h>
#include <linux/log2.h>

#include <compat/blkdev.h>

#include "blame/bio_kind.h"
#include "blame/dirty.h"
#include "blame/dirty_fast.h"
#include "blame/provider.h"
#include "blame/transaction.h"
#include "core/disk.h"
#include "core/task.h"
#include "hooks/hook.h"

static void jbd2_note_change(const transaction_t *transaction, struct buffer_head *bh,
			     struct pt_regs *regs)
{
	iob_dirty_logged(transaction->t_journal, transaction->t_tid, bh, regs);
}

/*
 * (handle, jh, force): a task asks to change a buffer that is not in the transaction yet.  It
 * waits for an older transaction, maybe, and then changes the buffer; who asks later is not
 * the first, and is not seen here.
 */
static void jbd2_access_entered(struct pt_regs *regs)
{
	const handle_t *handle = iob_arg_ptr(regs, 0);
	const struct journal_head *jh = iob_arg_ptr(regs, 1);
	/* (not of an aborted handle: the function itself follows it at once) */
	const transaction_t *transaction = handle->h_transaction;

	/* asked for once more, to undo the change */
	if (READ_ONCE(jh->b_transaction) != transaction &&
	    READ_ONCE(jh->b_next_transaction) != transaction)
		jbd2_note_change(transaction, jh->b_bh, regs);
}

/* (handle, bh): the same for a block that is new, or has been freed in the transaction */
static void jbd2_create_entered(struct pt_regs *regs)
{
	const handle_t *handle = iob_arg_ptr(regs, 0);

	/* an aborted handle has no transaction */
	if (handle->h_transaction)
		jbd2_note_change(handle->h_transaction, iob_arg_ptr(regs, 1), regs);
}

/* (handle, bh): whether this is not the buffer's first change in the transaction */
static __always_inline bool jbd2_is_no_change(struct pt_regs *regs)
{
	const handle_t *handle = iob_arg_ptr(regs, 0);
	const struct buffer_head *bh = iob_arg_ptr(regs, 1);
	const struct journal_head *jh;

	/* without a transaction nothing keeps b_private's target */
	if (!handle->h_transaction || !buffer_jbd(bh))
		return true;
	jh = bh->b_private;
	/* cleared when a transaction first gets the buffer: the first change pays */
	return READ_ONCE(jh->b_modified);
}

/* Called several times for each file that is made or deleted. */
IOB_OWN_OPS(jbd2_dirty_ops, jbd2_is_no_change);

/* (handle, bh): once for each time that a handle changes the buffer */
static void jbd2_dirty_entered(struct pt_regs *regs)
{
	const handle_t *handle = iob_arg_ptr(regs, 0);

	if (!jbd2_is_no_change(regs))
		jbd2_note_change(handle->h_transaction, iob_arg_ptr(regs, 1), regs);
}

/* (transaction, jh, new bh, block): a copy goes to that block of the journal */
static void jbd2_copy_entered(struct pt_regs *regs)
{
	const transaction_t *transaction = iob_arg_ptr(regs, 0);
	const struct journal_head *jh = iob_arg_ptr(regs, 1);
	const struct iob_transaction_write *w;
	struct iob_task *t;
	u64 act;

	/* a transaction copies a buffer once */
	act = iob_assoc_take(&iob_assoc_logged, jh->b_bh, transaction->t_tid);
	t = act == IOB_CAUSE_NONE ? NULL : iob_task_get();
	if (!t)
		return;
	w = iob_transaction_writes(t);
	/* (the act moves to a place that the reclaim of causes may have passed) */
	iob_cause_touch_nr(iob_cause_number(act));
	/* the journal is a ring: the block will be another transaction's */
	if (w->key == transaction->t_journal && w->log_id)
		iob_assoc_set(&iob_assoc_log_block, w->log_id,
			      iob_transaction_block(transaction->t_tid, iob_arg(regs, 3)),
			      act);
}

/* (journal): its thread commits the running transaction */
static void jbd2_commit_entered(struct pt_regs *regs)
{
	const journal_t *journal = iob_arg_ptr(regs, 0);
	const transaction_t *running = READ_ONCE(journal->j_running_transaction);
	struct iob_transaction_write *w;
	struct iob_task *t;

	t = iob_task_get();
	/* a task that unmounts may commit too, but writes more than the journal */
	if (!t || !running || current != journal->j_task)
		return;
	iob_dirty_not_cacheable(t);
	iob_transaction_begin_write(t, journal, running->t_tid, running->t_tid);
	w = iob_transaction_writes(t);
	w->always = true;
	w->shift = ilog2(journal->j_blocksize) - SECTOR_SHIFT;
	w->gd = journal->j_dev->bd_disk;
	w->start = get_start_sect(journal->j_dev);
	w->log_id = iob_disk_maybe(w->gd) ?
		    iob_transaction_log_id(journal, running->t_tid) : NULL;
}

/* (journal): it is about to be freed, and writes nothing any more */
static void jbd2_end_entered(struct pt_regs *regs)
{
	iob_transaction_log_end(iob_arg_ptr(regs, 0));
}

#define JBD2(func, probe, what)	IOB_HOOK_FUNC_IN("jbd2", CONFIG_JBD2, func, probe, what)

static const struct iob_hook jbd2_table[] = {
	/* the last that jbd2_journal_destroy() calls with the journal */
	JBD2("jbd2_journal_destroy_revoke", jbd2_end_entered,
	     "that a journal is another one than the last at its address"),
	JBD2("do_get_write_access", jbd2_access_entered,
	     "time, as another function is called more often"),
	{
		/* compilers may put the function above into its callers */
		.name = "jbd2_journal_dirty_metadata", .spare_for = "do_get_write_access",
		.kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,
		.entered = jbd2_dirty_entered, .own_ops = &jbd2_dirty_ops,
		IOB_IN_MODULE("jbd2", CONFIG_JBD2),
		.impact = "which act changed metadata",
	},
	JBD2("jbd2_journal_get_create_access", jbd2_create_entered,
	     "which act changed new blocks of metadata first"),
	JBD2("jbd2_journal_write_metadata_buffer", jbd2_copy_entered,
	     "which act changed what a block of the journal holds"),
	JBD2("jbd2_journal_commit_transaction", jbd2_commit_entered,
	     "the participants of a transaction"),
	IOB_HOOK_END_IN("jbd2", CONFIG_JBD2, "journal_end_buffer_io_sync", &iob_bio_buffer,
			"the files of data that ext4 writes to its journal"),
};

static IOB_HOOK_LIST(jbd2_hooks, jbd2_table);

/* (of a file system without a journal of this kind it says nothing, or has another meaning) */
static bool jbd2_logs(const struct buffer_head *bh)
{
	return buffer_jbd(bh);
}

IOB_PROVIDER(jbd2) = {
	.hooks = &jbd2_hooks,
	.logs = jbd2_logs,
};
