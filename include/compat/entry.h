/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/entry - a callback at the entry of a function
 *
 * Hides: since 5.11 (d19ad0775dcd) ftrace passes struct ftrace_regs to callbacks instead of
 * struct pt_regs, and the flag about recursion has the opposite meaning.  On x86 it then
 * passes the arguments, the stack pointer and the frame pointer without
 * FTRACE_OPS_FL_SAVE_REGS, which costs more at each call.  So it does on arm64 from 6.2
 * (26299b3f6ba2) on, in a struct of its own: handlers get a struct pt_regs with the same.  Where
 * ftrace passes no registers, IOB_ENTRY_FTRACE is not defined, and kprobes are used.
 *
 * Hides also that ftrace's place in a function is not the function's address everywhere, and
 * that x86 takes a kprobe's breakpoint for an NMI.
 */
#ifndef IOB_COMPAT_ENTRY_H
#define IOB_COMPAT_ENTRY_H

#include <linux/ftrace.h>
#include <linux/hardirq.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/lockdep.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>

#include <compat/compiler.h>
#include <compat/peek.h>
#include <compat/unwind.h>

#if (defined(CONFIG_X86_64) || defined(CONFIG_ARM64)) && defined(CONFIG_DYNAMIC_FTRACE_WITH_ARGS)
#define IOB_ENTRY_FTRACE
#define IOB_ENTRY_FLAGS		0
#elif defined(CONFIG_DYNAMIC_FTRACE_WITH_REGS)
#define IOB_ENTRY_FTRACE
#define IOB_ENTRY_FLAGS		FTRACE_OPS_FL_SAVE_REGS
#endif

/* Where handlers get their registers, if not what ftrace or a kprobe has. */
struct iob_entry_room {
#ifdef CONFIG_ARM64
	struct pt_regs regs;
#endif
};

#ifdef IOB_HAVE_FTRACE_REGS
/* The parameters of a callback; the last one is for iob_entry_regs(). */
#define IOB_FTRACE_ARGS		unsigned long ip, unsigned long parent_ip, \
				struct ftrace_ops *ops, struct ftrace_regs *fregs
/* ftrace does not protect a callback from recursion unless a flag asks for it */
#define IOB_ENTRY_REENTRANT	0

#ifdef arch_ftrace_regs
#define iob_ftrace_regs(fregs)	arch_ftrace_regs(fregs)
#else
#define iob_ftrace_regs(fregs)	(fregs)
#endif

#if defined(CONFIG_ARM64) && defined(CONFIG_DYNAMIC_FTRACE_WITH_ARGS)
/*
 * Valid are the arguments, the instruction pointer, the stack pointer, the frame pointer and
 * what else iob_return_word() reads.  Other registers may have any value.
 */
static __always_inline struct pt_regs *iob_entry_regs(struct ftrace_regs *fregs,
						      struct iob_entry_room *room)
{
	struct pt_regs *regs = &room->regs;
	unsigned int i;

	for (i = 0; i < 8; i++)
		regs->regs[i] = iob_ftrace_regs(fregs)->regs[i];
	regs->regs[29] = iob_ftrace_regs(fregs)->fp;
	regs->regs[30] = iob_ftrace_regs(fregs)->lr;
	regs->sp = iob_ftrace_regs(fregs)->sp;
	regs->pc = iob_ftrace_regs(fregs)->pc;
	return regs;
}
#else
/*
 * Valid are the arguments, the instruction pointer, the stack pointer and the frame pointer.
 * Other registers may have any value.
 */
static __always_inline struct pt_regs *iob_entry_regs(struct ftrace_regs *fregs,
						      struct iob_entry_room *room)
{
	return &iob_ftrace_regs(fregs)->regs;
}
#endif
#else
#define IOB_FTRACE_ARGS		unsigned long ip, unsigned long parent_ip, \
				struct ftrace_ops *ops, struct pt_regs *fregs
#define IOB_ENTRY_REENTRANT	FTRACE_OPS_FL_RECURSION_SAFE

static inline struct pt_regs *iob_entry_regs(struct pt_regs *regs, struct iob_entry_room *room)
{
	return regs;
}
#endif

/*
 * The registers of a kprobe at the function's entry, as handlers get them.  On x86 the instruction
 * pointer is a byte behind @addr, where the kprobe is.  There the first instruction may have moved
 * the stack, for all that the unwinder knows.  The caller puts it back.
 */
static inline struct pt_regs *iob_kprobe_regs(struct pt_regs *regs, unsigned long addr,
					      struct iob_entry_room *room)
{
#ifdef CONFIG_ARM64
	room->regs = *regs;
	room->regs.pc |= IOB_UNWIND_INTERRUPTED;
	return &room->regs;
#else
	instruction_pointer_set(regs, addr);
	return regs;
#endif
}

/*
 * The handler of a kprobe goes on in the context of the probed function.  A breakpoint may be
 * anywhere, in an NMI's handler, too.  So x86 counts it as an NMI in an interrupt (since 5.8),
 * and lockdep looks away.  A function that no NMI calls runs in a task or an interrupt, as
 * in_task() says after this, and its handler may take locks.
 *
 * Example: in a task in_task() is false before this, and true until iob_kprobe_nmi_again().
 * Preemption is off.  Return: what iob_kprobe_nmi_again() needs to know.
 */
static inline bool iob_kprobe_nmi_leave(void)
{
	if (likely((preempt_count() & NMI_MASK) != NMI_OFFSET))
		return false;
	lockdep_hardirq_exit();
	__preempt_count_sub(NMI_OFFSET + HARDIRQ_OFFSET);
	lockdep_on();
	return true;
}

/* The handler is done.  @left: what iob_kprobe_nmi_leave() returned. */
static inline void iob_kprobe_nmi_again(bool left)
{
	if (likely(!left))
		return;
	lockdep_off();
	__preempt_count_add(NMI_OFFSET + HARDIRQ_OFFSET);
	lockdep_hardirq_enter();
}

/*
 * Where a kprobe makes no use of ftrace, and finds the registers as they are at the entry of the
 * function at @addr, in which ftrace has a place.
 */
static inline unsigned long iob_entry_behind(unsigned long addr)
{
#ifdef CONFIG_KPROBES_ON_FTRACE
	addr += MCOUNT_INSN_SIZE;
#endif
	return addr;
}

/*
 * Where ftrace's call is in the function at @addr: what callbacks get as ip.  ftrace itself
 * refuses another place.  May sleep.
 *
 * arm64 calls from the second instruction, which is behind the one that says that the function
 * may be called indirectly (BTI), if there is one.
 */
static inline unsigned long iob_entry_place(unsigned long addr)
{
#ifdef CONFIG_ARM64
	u32 code;

	if (IS_ENABLED(CONFIG_ARM64_BTI_KERNEL) && iob_peek(&code, (const u32 *)addr) &&
	    (code & ~0xc0U) == 0xd503241fU)
		addr += 4;
	addr += 4;
#endif
	return addr;
}

/*
 * False if ftrace cannot attach where @kp is.  Where kprobes do not use ftrace themselves, they
 * do not know: then ftrace says so.
 */
static inline bool iob_entry_traceable(const struct kprobe *kp)
{
#ifdef CONFIG_KPROBES_ON_FTRACE
	return kp->flags & KPROBE_FLAG_FTRACE;
#else
	return true;
#endif
}

/* PERMANENT: kernel.ftrace_enabled=0 would silently make the result wrong. */
#define IOB_ENTRY_OPS_FLAGS	(IOB_ENTRY_FLAGS | IOB_ENTRY_REENTRANT | \
				 FTRACE_OPS_FL_PERMANENT)

#endif
