// SPDX-License-Identifier: GPL-2.0
/*
 * ext4: its metadata are pages of the block device, and its journal is jbd2's.  Two things
 * are left: a worker marks extents as written when their data is on the disk, and blocks
 * are freed long before they are discarded.
 *
 * Context: the entry of functions that run in tasks, preemption off; that of
 * ext4_dio_write_end_io() also in an interrupt.
 */
#include <linux/buffer_head.h>
#include <linux/fs.h>

#include "async_end.h"
#include "blame/async.h"
#include "blame/behalf.h"
#include "blame/dirty_range.h"
#include "blame/provider.h"
#include "free_blocks.h"
#include "hooks/hook.h"

/* (handle, inode, offset, bytes): a worker, when data was written */
static void ext4_written_entered(struct pt_regs *regs)
{
	loff_t pos = iob_arg(regs, 2);
	size_t bytes = iob_arg(regs, 3);

	/* a task that writes directly does it for itself */
	if (!(current->flags & PF_KTHREAD) || !bytes)
		return;
	/* the last call from here was for another inode */
	iob_behalf_for(IOB_CAUSE_NONE, regs);
	/* around it, iob_async_end_entered() knows better for whom */
	if (iob_behalf_is_known(regs))
		return;
	iob_behalf_pages(iob_arg_ptr(regs, 1), pos >> PAGE_SHIFT,
			 (pos + bytes - 1) >> PAGE_SHIFT, false, regs);
}

/* (handle, inode, bh or NULL, block, count, ...) */
static void ext4_free_entered(struct pt_regs *regs)
{
	struct inode *inode = iob_arg_ptr(regs, 1);
	const struct buffer_head *bh = iob_arg_ptr(regs, 2);
	u64 block = iob_arg(regs, 3);

	if (bh && !block)
		block = bh->b_blocknr;
	iob_free_blocks(inode->i_sb, inode, block, iob_arg(regs, 4), regs);
}

#ifdef IOB_HAVE_FOLIO
/* (vmf): where a compiler has put do_page_mkwrite(), which calls it, into its callers */
static void ext4_mkwrite_entered(struct pt_regs *regs)
{
	iob_dirty_mkwrite(iob_arg_ptr(regs, 0), regs);
}
#endif

#define EXT4_ASYNC	"who wrote directly, where a worker changes the file for that (ext4)"

static const struct iob_hook ext4_table[] = {
	IOB_HOOK_FUNC_IN("ext4", CONFIG_EXT4_FS, "ext4_dio_write_end_io", iob_async_end_entered,
			 EXT4_ASYNC),
	IOB_HOOK_END_IN("ext4", CONFIG_EXT4_FS, "ext4_dio_write_end_io", &iob_async_end_io,
			EXT4_ASYNC),
	IOB_HOOK_FUNC_IN("ext4", CONFIG_EXT4_FS, "ext4_convert_unwritten_extents",
			 ext4_written_entered, "which act pays when ext4 marks extents as written"),
	{
		/* kernels that have atomic writes call one or the other */
		.name = "ext4_convert_unwritten_extents_atomic",
		.instead = "ext4_convert_unwritten_extents",
		.kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,
		.entered = ext4_written_entered,
		IOB_IN_MODULE("ext4", CONFIG_EXT4_FS),
		.impact = "which act pays when ext4 marks as written what was written atomically",
	},
	IOB_HOOK_FUNC_IN("ext4", CONFIG_EXT4_FS, "ext4_free_blocks",
			 ext4_free_entered, "which act freed what ext4 discards"),
#ifdef IOB_HAVE_FOLIO
	IOB_HOOK_SPARE_IN("ext4", CONFIG_EXT4_FS, "ext4_page_mkwrite", "do_page_mkwrite",
			  ext4_mkwrite_entered,
			  "which act stored into which page of a large folio"),
#endif
};

static IOB_HOOK_LIST(ext4_hooks, ext4_table);

IOB_PROVIDER(ext4) = {
	.hooks = &ext4_hooks,
};
