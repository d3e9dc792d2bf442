/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/write - which of its write() calls the current task is at
 *
 * Hides: without CONFIG_TASK_XACCT nobody counts them.
 */
#ifndef IOB_COMPAT_WRITE_H
#define IOB_COMPAT_WRITE_H

#include <linux/sched.h>

#include <compat/unwind.h>

#if defined(CONFIG_TASK_XACCT) && defined(IOB_UNWIND_FRAMES) && \
	defined(MODULES_VADDR)
/*
 * How many calls of vfs_write() that went on to the file's own write or write_iter
 * the task has ended: each adds one when that has returned, and before it returns
 * itself (/proc/PID/io: syscw).  Others add to it, too; nobody takes away.
 */
static __always_inline u64
iob_writes_ended(const struct task_struct *task)
{
	return task->ioac.syscw;
}

/* Whether an address is in a module, and so not in what the kernel is made of. */
static inline bool iob_in_modules(unsigned long ip)
{
	return ip >= MODULES_VADDR && ip < MODULES_END;
}
#else
static __always_inline u64
iob_writes_ended(const struct task_struct *task)
{
	return 0;
}

static inline bool iob_in_modules(unsigned long ip)
{
	return false;
}
#endif

#endif
