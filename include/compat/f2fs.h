/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/f2fs - what f2fs frees
 *
 * Hides: from 6.14 on f2fs_invalidate_blocks(sbi, block, count) takes many at a
 * time.  It is declared in no header that Kbuild could look into: a tracepoint
 * that 6.15 renamed stands for it.
 */
#ifndef IOB_COMPAT_F2FS_H
#define IOB_COMPAT_F2FS_H

#include <linux/ptrace.h>

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
