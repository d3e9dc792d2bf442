/* SPDX-License-Identifier: GPL-2.0 */
/* The test has the task that runs. */
#ifndef SHIM_LINUX_SCHED_H
#define SHIM_LINUX_SCHED_H

#include <linux/types.h>

#define PF_IO_WORKER	0x00000010
#define PF_WQ_WORKER	0x00000020
#define PF_KSWAPD	0x00020000
#define PF_KTHREAD	0x00200000
#define TASK_COMM_LEN	16

struct task_struct {
	unsigned int flags;
	int pid, tgid;
	u64 start_boottime;
	struct task_struct *group_leader;
	struct signal_struct *signal;
	struct css_set *cgroups;
	char comm[TASK_COMM_LEN];
};

extern struct task_struct *current;

#define cond_resched()	((void)0)

#endif
