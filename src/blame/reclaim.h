/* SPDX-License-Identifier: GPL-2.0 */
/*
 * reclaim - free the acts and roles that are not used any more
 */
#ifndef IOB_BLAME_RECLAIM_H
#define IOB_BLAME_RECLAIM_H

#include <linux/types.h>

/* what reclaim freed, for `status` */
struct iob_reclaimed {
	u64 roles;
	u64 acts;
};

void iob_acts_reclaim(u32 ttl, struct iob_reclaimed *done);

#endif
