/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/f2fs - what f2fs frees, and what it compresses
 *
 * Hides: from 6.14 on f2fs_invalidate_blocks(sbi, block, count) takes many blocks at a time.
 * No header that Kbuild can read declares it, so Kbuild tests for a tracepoint that 6.14
 * renamed, too.
 *
 * Hides also struct compress_io_ctx, which is private: a page of a compressed cluster points
 * to it.  It has had the layout below since compression came with 5.6.
 */
#ifndef IOB_COMPAT_F2FS_H
#define IOB_COMPAT_F2FS_H

#include <linux/mm.h>
#include <linux/ptrace.h>

#include <compat/peek.h>

/* The first members of struct compress_io_ctx; only gives offsets. */
struct iob_f2fs_cluster {
	u32 magic;
	struct inode *inode;
	struct page **pages;
	unsigned int nr;	/* pages in the cluster */
};

enum iob_f2fs_cluster_member {
	IOB_F2FS_MAGIC,
	IOB_F2FS_INODE,
	IOB_F2FS_NR,
};

/* True if a page's private word points to something, and is not -1 or -2 or flags. */
static inline bool iob_f2fs_is_pointer(const void *from)
{
	return IS_ALIGNED((unsigned long)from, sizeof(long)) &&
	       (unsigned long)from >= PAGE_OFFSET && from < (const void *)high_memory;
}

/*
 * Read what is at @from, which may be any address, by the offsets @at.  Return: false if that
 * is not possible.
 */
static inline bool iob_f2fs_cluster_read(const void *from, const u16 *at,
					 struct iob_f2fs_cluster *to)
{
	const char *c = from;

	return iob_peek(&to->magic, (const u32 *)(c + at[IOB_F2FS_MAGIC])) &&
	       iob_peek(&to->inode, (struct inode *const *)(c + at[IOB_F2FS_INODE])) &&
	       iob_peek(&to->nr, (const unsigned int *)(c + at[IOB_F2FS_NR]));
}

#define IOB_F2FS_CLUSTER_MAGIC	0xf5f2c000	/* F2FS_COMPRESSED_PAGE_MAGIC */
#define IOB_F2FS_CLUSTER_MAX	256		/* 1 << MAX_COMPRESS_LOG_SIZE */

/* The number of blocks that f2fs_invalidate_blocks() frees, at its entry. */
static inline u32 iob_f2fs_freed(struct pt_regs *regs)
{
#ifdef IOB_HAVE_F2FS_FOLIO
	return regs_get_kernel_argument(regs, 2);
#else
	return 1;
#endif
}

#endif
