/* SPDX-License-Identifier: GPL-2.0 */
/*
 * epoch - how long a shortcut stays valid
 *
 * Tasks keep shortcuts: the act of the last page, the act of the last direct IO.  A
 * shortcut is valid in the epoch in which it was noted, and in no other.  A new epoch
 * begins when an act or a role is buried, when a task is moved to another cgroup, when other
 * devices are watched, when code comes or goes, and with each session.
 *
 * Example: a task notes act 17 in epoch 5.  Reclaim buries act 17 and begins epoch 6.
 * The task compares 5 with 6, drops its shortcut and looks the act up anew.
 */
#ifndef IOB_CORE_EPOCH_H
#define IOB_CORE_EPOCH_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/types.h>

extern atomic_t iob_epoch;

/*
 * The current epoch, never 0.  A caller that saw in this epoch that an act is alive may
 * use the act inside iob_read_lock() while the epoch lasts.  Any context.
 */
static inline u32 iob_epoch_now(void)
{
	return atomic_read_acquire(&iob_epoch);
}

/*
 * Begin a new epoch: after the change that invalidates shortcuts, and a grace period
 * before anything is freed that a shortcut may point to.  Any context.
 */
static inline void iob_epoch_bump(void)
{
	/* a reader of the new epoch sees the change, too; 0 stands for no epoch */
	while (unlikely(!atomic_inc_return(&iob_epoch)))
		;
}

#endif
