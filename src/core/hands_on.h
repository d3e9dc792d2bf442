/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hands_on - tasks whose work is always somebody else's
 *
 * A worker of a workqueue and kswapd change nothing for themselves: they go on with what another
 * task has begun.  If nobody knows which, they are not the originator, either.  Other kernel
 * threads may be: a server's changes files for its clients, which are on another host.
 *
 * Example: dd writes to a file and exits.  kswapd writes a page of it, which makes the inode dirty:
 * that stays dd's.  A thread of the kernel's file server writes to a file: that is the thread's, as
 * a program's would be.
 */
#ifndef IOB_CORE_HANDS_ON_H
#define IOB_CORE_HANDS_ON_H

#include <linux/sched.h>

#include "cause.h"

/* True if the current task only hands on what others have changed.  In a task's context. */
static inline bool iob_hands_on(void)
{
	return current->flags & (PF_WQ_WORKER | PF_KSWAPD);
}

/* The same, and it is not known whose: @ref, of cause @c, is the task's own.  Likewise. */
static inline bool iob_hands_on_unknown(const struct iob_cause *c, u64 ref)
{
	return c->kthread && iob_hands_on() && !(ref & IOB_CAUSE_INHERITED);
}

#endif
