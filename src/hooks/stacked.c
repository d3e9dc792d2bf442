// SPDX-License-Identifier: GPL-2.0
/*
 * Disks that are made of others and do not just pass bios on: raid456.
 *
 * Context: kprobes at the entry of functions that run in the task that the
 * upper disk is given its bios by, interrupts maybe off; preemption is off.
 */
#include <linux/bio.h>

#include <compat/rcu.h>

#include "../record/stripe.h"
#include "table.h"

/* (stripe, bio, disk, whether it is a write, ...) */
static int join_stripe(struct kprobe *kp, struct pt_regs *regs)
{
	iob_read_lock();
	iob_stripe_join((void *)regs_get_kernel_argument(regs, 0),
			(void *)regs_get_kernel_argument(regs, 1),
			regs_get_kernel_argument(regs, 2),
			(int)regs_get_kernel_argument(regs, 3));
	iob_read_unlock();
	return 0;
}

#define STRIPE_END(func) {						\
	.name = func, .kind = IOB_HOOK_ADDRESS,				\
	.phase = IOB_HOOK_LOADED, .end = IOB_END_STRIPE,		\
	.module = "raid456",						\
	.lost = "for whom raid456 reads and writes",			\
}

static const struct iob_hook hooks[] = {
	{
		.name = "__add_stripe_bio|add_stripe_bio",
		.kind = IOB_HOOK_KPROBE, .phase = IOB_HOOK_ENABLED,
		.handler = join_stripe, .module = "raid456",
		.lost = "for whom raid456 writes parity",
	},
	STRIPE_END("raid5_end_write_request"),
	STRIPE_END("raid5_end_read_request"),
};

IOB_HOOK_LIST(iob_stacked_hooks, hooks);
