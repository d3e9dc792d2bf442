/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/xfs - which checkpoint of the log is being written
 *
 * Hides: from 5.15 on (68a74dcae673) the writer of a checkpoint passes its number to
 * xlog_cil_order_write().  Before, xlog_write() gets a pointer to start_lsn in the private
 * struct xfs_cil_ctx, which has the number, too.  No header that Kbuild can read declares
 * either function: the kernel is asked which it has.
 */
#ifndef IOB_COMPAT_XFS_H
#define IOB_COMPAT_XFS_H

#include <linux/kernel.h>
#include <linux/ptrace.h>

#include <compat/peek.h>

/* How the private struct xfs_cil_ctx, a checkpoint, has always begun; only gives offsets. */
struct iob_xfs_cil_ctx {
	const void *cil;
	s64 sequence;
	s64 start_lsn;
};

enum {
	IOB_XFS_CTX_CIL,
	IOB_XFS_CTX_SEQUENCE,
	IOB_XFS_CTX_START_LSN,
};

#define IOB_XLOG_START_TRANS	0x01U	/* XLOG_START_TRANS */

/* Likewise struct xfs_cil. */
struct iob_xfs_cil {
	const void *log;
};

/*
 * True if @log, any address, may be the log of @cil: one of its first words points back.  In
 * 5.10 to 7.2 it is the third.
 */
static inline bool iob_xlog_has_cil(const void *log, const void *cil)
{
	const void *word[4];
	unsigned int i;

	if (!iob_peek(&word, (const void *const *)log))
		return false;
	for (i = 0; i < ARRAY_SIZE(word); i++) {
		if (word[i] == cil)
			return true;
	}
	return false;
}

/*
 * Get the log and the number of a checkpoint; @ctx: offsets in struct xfs_cil_ctx, @log_at:
 * that of the log in struct xfs_cil; @sure: these need no proof.  @checkpoint may be any
 * address.  Return: false if they cannot be read, or are wrong.
 */
static inline bool iob_xlog_checkpoint(const void *checkpoint, const u16 *ctx,
				       unsigned int log_at, bool sure,
				       const void **log, u64 *seq)
{
	const char *c = checkpoint, *cil;

	return iob_peek(&cil, (const char **)(c + ctx[IOB_XFS_CTX_CIL])) &&
	       iob_peek(seq, (const u64 *)(c + ctx[IOB_XFS_CTX_SEQUENCE])) &&
	       iob_peek(log, (const void **)(cil + log_at)) &&
	       (sure || iob_xlog_has_cil(*log, cil));
}

/*
 * The checkpoint that xlog_write(log, lv, ticket, &ctx->start_lsn, commit_iclog, flags, ...)
 * writes, at its entry, on kernels without xlog_cil_order_write().  Of a checkpoint flags is 0;
 * 5.14 passes the type of the record there, which is START_TRANS.  *@seq: 0 for
 * an unmount record, -1 for a commit record, which belongs to the checkpoint written before.
 * Return: NULL if it is one of these; else an address that may be anything.
 */
static inline const void *iob_xlog_written(struct pt_regs *regs, const u16 *ctx, s64 *seq)
{
	*seq = -1;
	if (regs_get_kernel_argument(regs, 4))
		return NULL;
	*seq = 0;
	if ((u32)regs_get_kernel_argument(regs, 5) & ~IOB_XLOG_START_TRANS)
		return NULL;
	return (const char *)regs_get_kernel_argument(regs, 3) - ctx[IOB_XFS_CTX_START_LSN];
}

#endif
