/* SPDX-License-Identifier: GPL-2.0 */
/*
 * log_merge - which of many CPUs has the oldest record
 *
 * A heap of CPUs by the time of the oldest record of each: the root is the oldest of all.
 * A record costs log2(CPUs) comparisons.
 *
 * Example: CPUs 0, 1 and 2 have records of the times 30, 10 and 20.  The root is CPU 1.  Its
 * next record has the time 25: CPU 2 is the root then.
 *
 * Pure: builds in userspace too.
 */
#ifndef IOB_IO_LOG_MERGE_H
#define IOB_IO_LOG_MERGE_H

#include <linux/types.h>

struct iob_log_head {
	u64 at;		/* the time of the CPU's oldest record */
	u32 cpu;
};

struct iob_log_merge {
	u32 nr;				/* CPUs with a record */
	struct iob_log_head head[];	/* room for all CPUs; [0] is the root */
};

void iob_log_merge_add(struct iob_log_merge *m, u32 cpu, u64 at);
void iob_log_merge_renew(struct iob_log_merge *m, u64 at);
void iob_log_merge_drop(struct iob_log_merge *m);

#endif
