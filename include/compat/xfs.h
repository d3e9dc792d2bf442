/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/xfs - which checkpoint of the log is being written
 *
 * Hides: from 5.14 on the writer says so to xlog_cil_order_write().  Before, it
 * can be read next to the argument of xlog_write(): struct xfs_cil_ctx is
 * private, but its start_lsn has always followed its sequence.
 *
 * Neither function is declared in a header that Kbuild could look into.  Folios
 * (5.16) stand for 5.14 here: none of the kernels that ioblame supports lies
 * between the two, and on one that did a hook would be shown as missing.
 */
#ifndef IOB_COMPAT_XFS_H
#define IOB_COMPAT_XFS_H

#include <linux/ptrace.h>

/*
 * The log and the number of a checkpoint, struct xfs_cil_ctx: private, but it has
 * always begun with a pointer to the CIL, which begins with one to the log, and
 * its number.
 */
static inline void iob_xlog_checkpoint(const void *ctx, const void **log, u64 *seq)
{
	const void *const *const *cil = ctx;

	*log = **cil;
	*seq = ((const u64 *)ctx)[1];
}

#ifndef IOB_HAVE_FOLIO
#define IOB_XLOG_WRITE_LSN

/*
 * xlog_write(log, lv, ticket, &ctx->start_lsn, commit_iclog, flags, ...) of a
 * checkpoint's items: its sequence.  0 for an unmount record, -1 for a commit
 * record, which belongs to the checkpoint before.
 */
static inline s64 iob_xlog_write_seq(struct pt_regs *regs)
{
	const s64 *start_lsn = (void *)regs_get_kernel_argument(regs, 3);

	if (regs_get_kernel_argument(regs, 4))
		return -1;
	return regs_get_kernel_argument(regs, 5) ? 0 : start_lsn[-1];
}
#endif

#endif
