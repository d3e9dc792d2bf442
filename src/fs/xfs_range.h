/* SPDX-License-Identifier: GPL-2.0 */
/*
 * xfs_range - the checkpoints that are in one iclog: first << 32 | last, 0 for none
 *
 * Several workers write checkpoints.  One that ends in an iclog may release it once more after the
 * next one has been written to it, or be later than that: neither makes the range smaller.
 *
 * Example: checkpoint 7 is in an iclog, then 8, and 7 is released again: 7 to 8.
 *
 * Pure: builds in userspace too.
 */
#ifndef IOB_FS_XFS_RANGE_H
#define IOB_FS_XFS_RANGE_H

#include <linux/types.h>

/* no more checkpoints are written at once: what is farther away was left by another log */
#define IOB_XFS_RANGE_NEAR	64

/* The range with checkpoint @seq, too. */
static inline u64 iob_xfs_range_add(u64 range, u32 seq)
{
	u32 first = range >> 32, last = (u32)range;

	if (!range || seq - first + IOB_XFS_RANGE_NEAR > 2 * IOB_XFS_RANGE_NEAR ||
	    seq - last + IOB_XFS_RANGE_NEAR > 2 * IOB_XFS_RANGE_NEAR)
		return (u64)seq << 32 | seq;
	if ((s32)(seq - first) < 0)
		first = seq;
	if ((s32)(seq - last) > 0)
		last = seq;
	return (u64)first << 32 | last;
}

#endif
