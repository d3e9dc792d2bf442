/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sum - the sums of acts: made at the first IO, handed to the readers when an act goes
 *
 * While the setting `sums` is on, each IO is added to a sum of its act, see core/sum.  The sums
 * of an act are a list that only grows.  Its order is that of the first IOs, and the fast path
 * looks at the first one only: most acts have no other.  For others each CPU remembers some.
 *
 * What finds no room, and what has no act of its own, is added to the rest of its disk, where
 * there is a sum for each operation and certainty from the start.  So all sums of a disk
 * together are what the disk did.
 *
 * Example: with max_sums 2 three programs write to sda.  The third one's IO is added to sda's
 * rest of exact writes, and sum_nospc counts it.
 */
#ifndef IOB_IO_SUM_H
#define IOB_IO_SUM_H

#include "core/act.h"
#include "core/disk.h"
#include "core/sum.h"

struct iob_sum *iob_sum_of(struct iob_act *act, const struct iob_disk *disk, u8 op, u8 how);
void iob_sum_free(struct iob_sum *sum);
u32 iob_sums_count(void);
u64 iob_sums_total(void);
void iob_sums_forget_recent(void);
int iob_sums_begin(void);
void iob_sums_end(void);
int iob_sums_cache_init(void);
void iob_sums_cache_exit(void);

#endif
