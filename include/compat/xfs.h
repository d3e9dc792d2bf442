/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/xfs - which checkpoint of the log is being written
 *
 * Hides: from 5.14 on the writer of a checkpoint passes its number to
 * xlog_cil_order_write().  Before, xlog_write() gets a pointer to start_lsn in the private
 * struct xfs_cil_ctx, and the number stands right before start_lsn.
 *
 * No header that Kbuild can read declares either function.  Kbuild tests for folios (5.16)
 * instead: ioblame supports no kernel between 5.14 and 5.16, and such a kernel would show a
 * hook as missing.
 */
#ifndef IOB_COMPAT_XFS_H
#define IOB_COMPAT_XFS_H

#include <linux/ptrace.h>

#include <compat/peek.h>

/*
 * Get the log and the number of a checkpoint.  struct xfs_cil_ctx is private, but has always
 * begun with a pointer to the CIL and the number.  The CIL begins with a pointer to the log.
 * Return: false if they cannot be read.
 */
static inline bool iob_xlog_checkpoint(const void *ctx, const void **log, u64 *seq)
{
	struct {
		const void *const *cil;
		u64 seq;
	} begin;

	if (!iob_peek(&begin, ctx) || !iob_peek(log, begin.cil))
		return false;
	*seq = begin.seq;
	return true;
}

#ifndef IOB_HAVE_FOLIO
#define IOB_XLOG_WRITE_LSN

/*
 * The number of the checkpoint that xlog_write(log, lv, ticket, &ctx->start_lsn,
 * commit_iclog, flags, ...) writes, at its entry.  Return: 0 for an unmount record, -1 for a
 * commit record, which belongs to the checkpoint written before, and if it cannot be read.
 */
static inline s64 iob_xlog_write_seq(struct pt_regs *regs)
{
	const s64 *start_lsn = (void *)regs_get_kernel_argument(regs, 3);
	s64 seq;

	if (regs_get_kernel_argument(regs, 4))
		return -1;
	if (regs_get_kernel_argument(regs, 5))
		return 0;
	return iob_peek(&seq, &start_lsn[-1]) ? seq : -1;
}
#endif

#endif
