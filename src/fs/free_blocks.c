// SPDX-License-Identifier: GPL-2.0
/*
 * Freed blocks are kept as extents of the disk, in sectors of 512 bytes.  Example: a file
 * system with blocks of 4 KiB on a partition that begins at sector 2048 frees 3 blocks from
 * block 100 on.  The extent is 2048 + 100 * 8 = 2848 up to, not including, 2872.
 */
#include <linux/blkdev.h>

#include <compat/blkdev.h>

#include "blame/behalf.h"
#include "blame/freed_extent.h"
#include "core/disk.h"
#include "free_blocks.h"

/**
 * iob_free_blocks - note which act frees blocks, for the discard that comes later
 * @sb:    the file system
 * @inode: any of its inodes
 * @block: the first block, in units of @sb's block size
 * @count: how many
 * @regs:  as they were at the function's entry
 *
 * Nothing is noted if the disk takes no discards, or is not watched; nor of blocks behind its end:
 * a file system may count them through several devices, of which this is the first.  From a probe,
 * inside iob_read_lock().
 */
void iob_free_blocks(const struct super_block *sb, struct inode *inode, u64 block,
		     u64 count, struct pt_regs *regs)
{
	unsigned int shift = sb->s_blocksize_bits - SECTOR_SHIFT;
	u64 start;

	if (!sb->s_bdev || !iob_bdev_discards(sb->s_bdev) ||
	    !iob_disk_watches(inode))
		return;
	if ((block + count) << shift > iob_bdev_sectors(sb->s_bdev))
		return;
	start = get_start_sect(sb->s_bdev) + (block << shift);
	iob_freed_extent_set(sb->s_bdev->bd_disk, start, start + (count << shift),
			     iob_behalf_current(regs));
}
