/* SPDX-License-Identifier: GPL-2.0 */
/*
 * call - one call of a kernel function, noted at its entry
 *
 * A note that holds "until the function returns" names the call by its return address.
 * The call is still under way if that address is in the task's stack trace.
 *
 * Example: do_writepages() is entered from __writeback_single_inode()+0x4e.  The call is
 * { that address, the stack pointer at the entry }.  A page that is dirtied later, with
 * __writeback_single_inode()+0x4e in its trace, is dirtied inside this call.
 */
#ifndef IOB_STACK_CALL_H
#define IOB_STACK_CALL_H

#include <compat/unwind.h>

struct iob_call {
	unsigned long ret;	/* the address it returns to; 0: no call */
	unsigned long sp;	/* where that address is on the stack */
};

/* The call of the function that has just been entered with @regs. */
static inline struct iob_call iob_call_at(struct pt_regs *regs)
{
	return (struct iob_call){ iob_caller_of(regs), iob_stack_at(regs) };
}

#endif
