/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/f2fs - what f2fs frees, and what it compresses
 *
 * Hides: from 6.14 on f2fs_invalidate_blocks(sbi, block, count) takes many at a
 * time.  It is declared in no header that Kbuild could look into: a tracepoint
 * that 6.15 renamed stands for it.
 *
 * And that what a page of a compressed cluster points to is private: since 5.6,
 * which brought it, a magic number, the file, an array and its length.
 */
#ifndef IOB_COMPAT_F2FS_H
#define IOB_COMPAT_F2FS_H

#include <linux/ptrace.h>

/* how struct compress_io_ctx begins */
struct iob_f2fs_cluster {
	u32 magic;
	struct inode *inode;
	struct page **pages;
	unsigned int nr;	/* of pages in a cluster */
};

#define IOB_F2FS_CLUSTER_MAGIC	0xf5f2c000	/* F2FS_COMPRESSED_PAGE_MAGIC */
#define IOB_F2FS_CLUSTER_MAX	256		/* 1 << MAX_COMPRESS_LOG_SIZE */

/* How many blocks f2fs_invalidate_blocks() is called for, at its entry. */
static inline u32 iob_f2fs_freed(struct pt_regs *regs)
{
#ifdef IOB_HAVE_F2FS_FOLIO
	return regs_get_kernel_argument(regs, 2);
#else
	return 1;
#endif
}

#endif
