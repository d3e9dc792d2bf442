// SPDX-License-Identifier: GPL-2.0
/*
 * jbd2: who changes a buffer in which transaction, and which block of the
 * journal then holds its copy.  The journal's thread writes those blocks, and
 * those that serve the transaction as a whole.
 *
 * Context: dirty in the task that changes the buffer; copy and commit in the
 * journal's thread.  Preemption is off.
 */
#include <linux/blkdev.h>
#include <linux/jbd2.h>
#include <linux/log2.h>

#include <compat/blkdev.h>

#include "blame/dirty.h"
#include "blame/dirty_fast.h"
#include "blame/association.h"
#include "core/task.h"
#include "hooks/table.h"

/* (handle, bh): whether this is not the buffer's first change in a transaction */
static __always_inline bool is_no_change(struct pt_regs *regs)
{
	const handle_t *handle = (void *)regs_get_kernel_argument(regs, 0);
	const struct buffer_head *bh = (void *)regs_get_kernel_argument(regs, 1);
	const struct journal_head *jh;

	/* an aborted handle has none, and nothing then keeps what the buffer points to */
	if (!handle->h_transaction || !buffer_jbd(bh))
		return true;
	jh = bh->b_private;
	/* cleared when a transaction first gets to it: whoever was first pays */
	return READ_ONCE(jh->b_modified);
}

/* Called several times for each file that is made or deleted. */
IOB_OWN_OPS(dirty_alone, is_no_change);

/* (handle, bh): once for each time that a handle changes the buffer */
static void dirty(struct pt_regs *regs)
{
	const handle_t *handle = (void *)regs_get_kernel_argument(regs, 0);
	struct buffer_head *bh = (void *)regs_get_kernel_argument(regs, 1);
	const transaction_t *transaction = handle->h_transaction;

	if (!is_no_change(regs))
		iob_dirty_logged(transaction->t_journal, transaction->t_tid,
				 bh, regs);
}

/* (transaction, jh, new bh, block): a copy goes to that block of the journal */
static void copy(struct pt_regs *regs)
{
	const transaction_t *transaction =
		(void *)regs_get_kernel_argument(regs, 0);
	const struct journal_head *jh = (void *)regs_get_kernel_argument(regs, 1);
	u64 act;

	/* a transaction copies a buffer once */
	act = iob_assoc_take(IOB_ASSOC_LOGGED, jh->b_bh, transaction->t_tid);
	/* the journal goes round: the block will be another transaction's */
	if (act != IOB_ACT_NONE)
		iob_assoc_set(IOB_ASSOC_LOG_BLOCK, transaction->t_journal,
			      iob_transaction_block(transaction->t_tid,
					    regs_get_kernel_argument(regs, 3)),
			      act);
}

/* (journal): its thread commits the running transaction */
static void commit(struct pt_regs *regs)
{
	const journal_t *journal = (void *)regs_get_kernel_argument(regs, 0);
	const transaction_t *running = READ_ONCE(journal->j_running_transaction);
	struct iob_task *t;

	t = iob_task_get();
	/* who unmounts may commit too, but writes more than the journal */
	if (t && running && current == journal->j_task) {
		iob_dirty_not_cacheable(t);
		t->writes.key = journal;
		t->writes.first = running->t_tid;
		t->writes.last = running->t_tid;
		t->writes.always = true;
		t->writes.shift = ilog2(journal->j_blocksize) - SECTOR_SHIFT;
		t->writes.gd = journal->j_dev->bd_disk;
		t->writes.start = get_start_sect(journal->j_dev);
	}
}

#define JBD2(func, probe, what) {					\
	.name = func, .kind = IOB_HOOK_FUNCTION,				\
	.phase = IOB_HOOK_ENABLED, .entered = probe, .module = "jbd2",	\
	.impact = what,							\
}

static const struct iob_hook hooks[] = {
	{
		.name = "jbd2_journal_dirty_metadata",
		.kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,
		.entered = dirty, .own_ops = &dirty_alone, .module = "jbd2",
		.impact = "who changed metadata",
	},
	JBD2("jbd2_journal_write_metadata_buffer", copy,
	     "whose metadata a block of the journal holds"),
	JBD2("jbd2_journal_commit_transaction", commit,
	     "who took part in a transaction"),
};

IOB_HOOK_LIST(iob_journal_hooks, hooks);
