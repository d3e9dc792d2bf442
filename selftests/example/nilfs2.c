// SPDX-License-Identifier: GPL-2.0
/*
 * nilfs2: a log of segments.  The thread segctord writes a segment as a whole: dirty pages
 * of files and of metadata, and what describes them, the summaries and the super root.  The
 * dirtier pays for a page.  No task dirties the rest: the segment is a transaction, and its
 * participant with the most blocks pays for that, as inherited.
 *
 * Example: tar dirties 100 blocks of files and touch changes one inode.  The segment holds
 * these, one block of summary and the super root.  tar pays for the last two.
 *
 * Context: the entry of functions that run in tasks, preemption off.  The super block is a
 * key that is compared and not followed.
 */
#include <linux/fs.h>

#include <compat/nilfs2.h>

#include "blame/behalf.h"
#include "blame/provider.h"
#include "blame/transaction.h"
#include "core/cause.h"
#include "core/disk.h"
#include "core/task.h"
#include "hooks/hook.h"
#include "stack/call.h"

/* The current task takes part in the next segment with @blocks. */
static void nilfs2_take_part(struct inode *inode, u32 blocks, struct pt_regs *regs)
{
	const struct super_block *sb = inode->i_sb;
	u64 act;

	if (!iob_disk_watches(inode))
		return;
	act = iob_behalf_current(regs);
	if (act != IOB_CAUSE_NONE)
		iob_transaction_share(sb, iob_transaction_now(sb), act, max(blocks, 1U));
}

/* (inode, blocks): so many blocks of a file or directory become dirty */
static void nilfs2_dirty_blocks_entered(struct pt_regs *regs)
{
	nilfs2_take_part(iob_arg_ptr(regs, 0), iob_arg(regs, 1), regs);
}

/* (inode, flags) */
static void nilfs2_dirty_inode_entered(struct pt_regs *regs)
{
	nilfs2_take_part(iob_arg_ptr(regs, 0), 1, regs);
}

/*
 * (constructor, ...): until it returns, the task writes segments for their participants.
 * What data-only syncs write takes another path, and is the caller's.
 */
static void nilfs2_construct_entered(struct pt_regs *regs)
{
	const struct super_block *sb = iob_nilfs_super(iob_arg_ptr(regs, 0));
	/* the file is that of each bio */
	static const struct iob_file none;
	struct iob_task *t = iob_task_get();
	struct iob_parent_io *p;
	u64 act;

	if (!t || !sb)
		return;
	act = iob_transaction_most(sb, iob_transaction_next(sb));
	p = iob_parent_io_of(t);
	p->pos = 0;
	iob_origin_free(&p->origin);
	iob_origin_begin(&p->origin);
	if (act != IOB_CAUSE_NONE)
		iob_origin_put(&p->origin, act, &none, IOB_HOW_INHERITED, PAGE_SIZE,
			       IOB_DIRTY_UNKNOWN);
	iob_behalf_parent(0, regs);
}

#define NILFS2(func, probe, what)	\
	IOB_HOOK_FUNC_IN("nilfs2", CONFIG_NILFS2_FS, func, probe, what)

static const struct iob_hook nilfs2_table[] = {
	NILFS2("nilfs_set_file_dirty", nilfs2_dirty_blocks_entered,
	       "who took part in a segment of nilfs2"),
	NILFS2("__nilfs_mark_inode_dirty", nilfs2_dirty_inode_entered,
	       "who took part in a segment of nilfs2"),
	NILFS2("nilfs_segctor_construct", nilfs2_construct_entered,
	       "for whom nilfs2 writes segments"),
};

static IOB_HOOK_LIST(nilfs2_hooks, nilfs2_table);

IOB_PROVIDER(nilfs2) = {
	.hooks = &nilfs2_hooks,
};
