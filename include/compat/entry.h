/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/entry - being called at the entry of functions
 *
 * Hides: 5.11 d19ad0775dcd hands struct ftrace_regs to ftrace's callbacks instead
 * of struct pt_regs, and turns round the flag by which a callback says whether
 * it may be called again while it runs.  On x86 since then the arguments, the
 * stack and the frame pointer are there without asking for all registers, which
 * would cost more at each call.  Where ftrace gives no registers at all there
 * is no IOB_ENTRY_FTRACE, and kprobes have to do.
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
/* what a callback is given; the last for iob_entry_regs() */
#define IOB_FTRACE_ARGS		unsigned long ip, unsigned long parent_ip, \
				struct ftrace_ops *ops, struct ftrace_regs *fregs
/* ftrace itself does not keep a callback from being called while it runs */
#define IOB_ENTRY_REENTRANT	0

/*
 * The arguments, the instruction and stack pointers and the frame pointer; the
 * others may be anything.
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

/* PERMANENT: with kernel.ftrace_enabled=0 blame would go wrong in silence. */
#define IOB_ENTRY_OPS_FLAGS	(IOB_ENTRY_FLAGS | IOB_ENTRY_REENTRANT | \
				 FTRACE_OPS_FL_PERMANENT)

#endif
