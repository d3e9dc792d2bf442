/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/write - tell one write() call of a task from the next
 *
 * Hides: the kernel counts the calls only with CONFIG_TASK_XACCT.
 *
 * Example: a task has ended 41 calls.  Two pages that are dirtied while the count is 41
 * belong to call 42, or to no call.
 */
#ifndef IOB_COMPAT_WRITE_H
#define IOB_COMPAT_WRITE_H

#include <linux/sched.h>

#include <compat/unwind.h>

#if defined(CONFIG_TASK_XACCT) && defined(IOB_UNWIND_FRAMES) && \
	defined(MODULES_VADDR)
/*
 * The number of calls of vfs_write() that the task has ended and that called the file's own
 * write or write_iter.  Each adds 1 between the return of that function and its own return
 * (syscw in /proc/PID/io).  Other system calls add to it, too.  It never goes down.
 */
static __always_inline u64
iob_writes_ended(const struct task_struct *task)
{
	return task->ioac.syscw;
}

/* True if an address is in a module, not in the kernel image. */
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
