/* SPDX-License-Identifier: GPL-2.0 */
/*
 * free_blocks - the current task frees blocks of a file system that has one disk
 */
#ifndef IOB_FS_FREE_BLOCKS_H
#define IOB_FS_FREE_BLOCKS_H

#include <linux/fs.h>

struct pt_regs;

void iob_free_blocks(const struct super_block *sb, struct inode *inode, u64 block,
		     u64 count, struct pt_regs *regs);

#endif
