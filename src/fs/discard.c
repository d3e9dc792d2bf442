// SPDX-License-Identifier: GPL-2.0
/*
 * Mounted with discard, file systems tell the disk what was freed when the
 * transaction that did so is safe: in jbd2's thread or a worker of ext4, where
 * xfs ends a checkpoint, at the end of btrfs' commit or in a worker of its, in a
 * thread of f2fs.  Here is who freed it.
 *
 * Context: the entry of functions that run in tasks, preemption off.
 */
#include <linux/blkdev.h>
#include <linux/buffer_head.h>
#include <linux/fs.h>
#include <linux/magic.h>

#include <compat/blkdev.h>
#include <compat/btrfs.h>
#include <compat/f2fs.h>
#include <compat/xfs.h>

#include "core/act.h"
#include "blame/dirty.h"
#include "core/disk.h"
#include "blame/freed_extent.h"
#include "blame/transaction.h"
#include "hooks/table.h"

/* Blocks of a file system that has one disk are freed by the current task. */
static void freed(const struct super_block *sb, struct inode *inode, u64 block,
		  u64 count, struct pt_regs *regs)
{
	unsigned int shift = sb->s_blocksize_bits - SECTOR_SHIFT;
	u64 start;

	if (!sb->s_bdev || !iob_bdev_discards(sb->s_bdev) ||
	    !iob_disk_watches(inode))
		return;
	start = get_start_sect(sb->s_bdev) + (block << shift);
	iob_freed_extent_set(sb->s_bdev->bd_disk, start, start + (count << shift),
		      iob_dirty_act(regs));
}

/* (handle, inode, bh or NULL, block, count, ...) */
static void ext4_frees(struct pt_regs *regs)
{
	struct inode *inode = (void *)regs_get_kernel_argument(regs, 1);
	const struct buffer_head *bh =
		(void *)regs_get_kernel_argument(regs, 2);
	u64 block = regs_get_kernel_argument(regs, 3);

	if (bh && !block)
		block = bh->b_blocknr;
	freed(inode->i_sb, inode, block, regs_get_kernel_argument(regs, 4),
	      regs);
}

/* (sbi, block[, count]): a private struct, whose first member is the super block */
static void f2fs_frees(struct pt_regs *regs)
{
	struct super_block *const *sb = (void *)regs_get_kernel_argument(regs, 0);
	u32 block = regs_get_kernel_argument(regs, 1);

	/* the last two are no blocks: not written yet, or compressed */
	if (!*sb || (*sb)->s_magic != F2FS_SUPER_MAGIC || !(*sb)->s_root ||
	    block >= (u32)-2)
		return;
	freed(*sb, d_inode((*sb)->s_root), block,
	      iob_f2fs_freed(regs), regs);
}

/* (trans, ref): a reference to an extent, maybe the last one */
static void btrfs_drops(struct pt_regs *regs)
{
	const void *fs_info =
		iob_btrfs_of_trans((void *)regs_get_kernel_argument(regs, 0));
	u64 extent[2];

	if (!fs_info ||
	    !iob_btrfs_drops((void *)regs_get_kernel_argument(regs, 1), extent))
		return;
	/* what a commit frees it frees for all */
	iob_freed_extent_set(fs_info, extent[0], extent[0] + extent[1],
		      iob_dirty_in_common(regs) ? IOB_ACT_NONE :
						  iob_dirty_act(regs));
}

/* (fs_info, first, last, whether it is free now): by a transaction's end */
static void btrfs_frees(struct pt_regs *regs)
{
	if (!(regs_get_kernel_argument(regs, 3) & 1))
		return;
	iob_freed_extent_share((void *)regs_get_kernel_argument(regs, 0),
			regs_get_kernel_argument(regs, 1),
			regs_get_kernel_argument(regs, 2) + 1, regs);
}

/* (fs_info, start, bytes, ...): logical addresses */
static void btrfs_discards(struct pt_regs *regs)
{
	struct iob_call call = iob_call_at(regs);

	iob_freed_extent_discard((void *)regs_get_kernel_argument(regs, 0),
			  regs_get_kernel_argument(regs, 1),
			  regs_get_kernel_argument(regs, 2), &call, regs);
}

/* (tp, group, block, count, ...): the same task commits it, see hooks/xfs */
static void xfs_frees(struct pt_regs *regs)
{
	const void *tp = (void *)regs_get_kernel_argument(regs, 0);
	struct iob_task *t = iob_task_get();

	if (t) {
		if (t->xfs.freer != tp)
			t->xfs.freed = 0;
		t->xfs.freer = tp;
		t->xfs.freed += (u32)regs_get_kernel_argument(regs, 3);
	}
}

/* (checkpoint): it is on the disk, and what was freed in it is discarded */
static void xfs_discards(struct pt_regs *regs)
{
	struct iob_task *t = iob_task_get();

	if (t) {
		t->xfs.done = iob_call_at(regs);
		iob_xlog_checkpoint((void *)regs_get_kernel_argument(regs, 0),
				    &t->xfs.done_log, &t->xfs.done_seq);
	}
}

#define FREED(func, probe, mod) {					\
	.name = func, .kind = IOB_HOOK_FUNCTION,				\
	.phase = IOB_HOOK_ENABLED, .entered = probe, .module = mod,	\
	.impact = "whose blocks " mod " discards",			\
}

static const struct iob_hook hooks[] = {
	FREED("ext4_free_blocks", ext4_frees, "ext4"),
	FREED("f2fs_invalidate_blocks", f2fs_frees, "f2fs"),
	FREED("btrfs_free_extent", btrfs_drops, "btrfs"),
	FREED("unpin_extent_range", btrfs_frees, "btrfs"),
	FREED("btrfs_discard_extent", btrfs_discards, "btrfs"),
	FREED("xfs_extent_busy_insert", xfs_frees, "xfs"),
	FREED("xlog_cil_committed", xfs_discards, "xfs"),
};

IOB_HOOK_LIST(iob_discard_hooks, hooks);
