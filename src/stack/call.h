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

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/hash.h>

#include <compat/unwind.h>

#define IOB_CALL_BITS	9
#define IOB_CALL_PLACES	BIT(IOB_CALL_BITS)

struct iob_call {
	unsigned long ret;	/* the address it returns to; 0: no call */
	unsigned long sp;	/* where that address is on the stack */
};

extern unsigned long iob_call_rets[IOB_CALL_PLACES];

unsigned long iob_call_find_ret(unsigned long word, struct pt_regs *regs);

/**
 * iob_call_ret - the address that a function returns to
 * @regs: as they were at its entry, which has just been
 *
 * As stack traces have it.  Any context but NMI, preemption off.
 */
static inline unsigned long iob_call_ret(struct pt_regs *regs)
{
	unsigned long word = iob_return_word(regs);

	if (likely(READ_ONCE(iob_call_rets[hash_long(word, IOB_CALL_BITS)]) == word))
		return word;
	return iob_call_find_ret(word, regs);
}

/*
 * Whether the return address of a call of the current task, or one of its callers, is still where
 * it was.  If not, the call has returned, or a tracer of returns has put its own address there.
 */
static inline bool iob_call_is_kept(const struct iob_call *call)
{
#ifdef CONFIG_X86
	return READ_ONCE_NOCHECK(*(unsigned long *)call->sp) == call->ret;
#else
	/* (a register has it at the entry) */
	return true;
#endif
}

/* The call of the function that has just been entered with @regs. */
static inline struct iob_call iob_call_at(struct pt_regs *regs)
{
	return (struct iob_call){ iob_call_ret(regs), iob_stack_at(regs) };
}

#endif
