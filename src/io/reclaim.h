/* SPDX-License-Identifier: GPL-2.0 */
/*
 * reclaim - roles, causes and acts that are not needed any more are freed
 *
 * A worker looks once a second.  What was unused for ttl_secs goes.  When three quarters of
 * a limit are taken, the oldest go earlier, until a quarter of the limit is free again.
 *
 * Example: max_causes is 131072, and a build has made 98304 causes within a minute.  Those
 * that were unused for 30 s are 40000: they go, but for 500 that still have dirty pages.
 */
#ifndef IOB_IO_RECLAIM_H
#define IOB_IO_RECLAIM_H

#include <linux/types.h>

/* What was freed in this session. */
struct iob_reclaimed {
	u64 roles;
	u64 causes;
	u64 acts;
};

void iob_reclaim_start(void);
void iob_reclaim_stop(void);
void iob_reclaim_sum(struct iob_reclaimed *sum);

#endif
