// SPDX-License-Identifier: GPL-2.0
/*
 * nilfs2: a log of segments.  A segment is written as a whole, mostly by the thread
 * segctord: the dirty pages of files, and metadata that depends on their new places.  The
 * dirtiers pay for the pages of files.  What the thread adds itself is a transaction: the
 * participant that changed the most pays for it.
 *
 * Example: tar dirties 100 blocks of files and touch changes one inode.  The segment has 101
 * blocks and some 8 more: summaries, the maps of segments, checkpoints and blocks, the super
 * root.  tar pays for those 8 as inherited, because it took part with 100 of 101 blocks.
 *
 * Context: the entry of functions that run in tasks, preemption off.  A super block is an
 * address that is compared and not followed, unless an inode keeps it.
 */
#include <linux/fs.h>

#include <compat/nilfs2.h>

#include "blame/behalf.h"
#include "blame/provider.h"
#include "blame/transaction.h"
#include "core/act.h"
#include "core/disk.h"
#include "core/task.h"
#include "hooks/hook.h"
#include "stack/call.h"

/* The current task makes @blocks of the next segment necessary. */
static void nilfs2_take_part(struct inode *inode, u32 blocks, struct pt_regs *regs)
{
	const struct super_block *sb = inode->i_sb;
	u64 act;

	if (!iob_disk_watches(inode))
		return;
	act = iob_behalf_current(regs);
	if (act != IOB_ACT_NONE)
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
 * (constructor, ...): segments are written until it returns, for all who took part.  An
 * fsync of one file has another way, and pays for it.
 */
static void nilfs2_construct_entered(struct pt_regs *regs)
{
	const struct super_block *sb = iob_nilfs_super(iob_arg_ptr(regs, 0));
	struct iob_call call = iob_call_at(regs);
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
	if (act != IOB_ACT_NONE)
		iob_origin_put(&p->origin, act, IOB_HOW_INHERITED, PAGE_SIZE,
			       IOB_DIRTY_UNKNOWN);
	iob_behalf_parent(0, &call);
}

#define NILFS2(func, probe, what) {					\
	.name = func, .kind = IOB_HOOK_FUNCTION,			\
	.phase = IOB_HOOK_ENABLED, .entered = probe,			\
	IOB_IN_MODULE("nilfs2", CONFIG_NILFS2_FS),			\
	.impact = what,							\
}

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
