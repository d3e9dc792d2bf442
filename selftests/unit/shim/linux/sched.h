/* SPDX-License-Identifier: GPL-2.0 */
/* The test has the task that runs. */
#ifndef SHIM_LINUX_SCHED_H
#define SHIM_LINUX_SCHED_H

#define PF_KTHREAD	0x00200000

struct task_struct {
	unsigned int flags;
};

extern struct task_struct *current;

#define cond_resched()	((void)0)

#endif
