/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/entry - a callback at the entry of a function
 *
 * Hides: since 5.11 (d19ad0775dcd) ftrace passes struct ftrace_regs to callbacks instead of
 * struct pt_regs, and the flag about recursion has the opposite meaning.  On x86 it then
 * passes the arguments, the stack pointer and the frame pointer without
 * FTRACE_OPS_FL_SAVE_REGS, which costs more at each call.  Where ftrace passes no registers,
 * IOB_ENTRY_FTRACE is not defined, and kprobes are used.
 */
#ifndef IOB_COMPAT_ENTRY_H
#define IOB_COMPAT_ENTRY_H

#include <linux/ftrace.h>
#include <linux/ptrace.h>

#if defined(CONFIG_X86_64) && defined(CONFIG_DYNAMIC_FTRACE_WITH_ARGS)
#define IOB_ENTRY_FTRACE
#define IOB_ENTRY_FLAGS		0
#elif defined(CONFIG_DYNAMIC_FTRACE_WITH_REGS)
#define IOB_ENTRY_FTRACE
#define IOB_ENTRY_FLAGS		FTRACE_OPS_FL_SAVE_REGS
#endif

#ifdef IOB_HAVE_FTRACE_REGS
/* The parameters of a callback; the last one is for iob_entry_regs(). */
#define IOB_FTRACE_ARGS		unsigned long ip, unsigned long parent_ip, \
				struct ftrace_ops *ops, struct ftrace_regs *fregs
/* ftrace does not protect a callback from recursion unless a flag asks for it */
#define IOB_ENTRY_REENTRANT	0

/*
 * Valid are the arguments, the instruction pointer, the stack pointer and the frame pointer.
 * Other registers may have any value.
 */
static inline struct pt_regs *iob_entry_regs(struct ftrace_regs *fregs)
{
#ifdef arch_ftrace_regs
	return &arch_ftrace_regs(fregs)->regs;
#else
	return &fregs->regs;
#endif
}
#else
#define IOB_FTRACE_ARGS		unsigned long ip, unsigned long parent_ip, \
				struct ftrace_ops *ops, struct pt_regs *fregs
#define IOB_ENTRY_REENTRANT	FTRACE_OPS_FL_RECURSION_SAFE

static inline struct pt_regs *iob_entry_regs(struct pt_regs *regs)
{
	return regs;
}
#endif

/* PERMANENT: kernel.ftrace_enabled=0 would silently make the result wrong. */
#define IOB_ENTRY_OPS_FLAGS	(IOB_ENTRY_FLAGS | IOB_ENTRY_REENTRANT | \
				 FTRACE_OPS_FL_PERMANENT)

#endif
