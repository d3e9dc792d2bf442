/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/unwind - a stack trace that begins at given registers
 *
 * Hides: stack_trace_save_regs() is not exported, but x86's unwinder is.  On arm64 the trace
 * begins in the caller instead, and what lies before the registers is cut off.  Elsewhere it is
 * not, and a function's return address is not known (IOB_UNWIND_CALLS).  Of x86's unwinders only
 * ORC's tells its registers in each frame.  arm64's follows frame records (IOB_UNWIND_RECORDS), and
 * so can we.  Elsewhere each stack is walked (no IOB_UNWIND_FRAMES).
 */
#ifndef IOB_COMPAT_UNWIND_H
#define IOB_COMPAT_UNWIND_H

#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/stacktrace.h>

#if defined(CONFIG_X86) || defined(CONFIG_ARM64)
#define IOB_UNWIND_CALLS	true
#else
#define IOB_UNWIND_CALLS	false
#endif

#ifdef CONFIG_X86
#include <asm/unwind.h>

/* The current task only, preemption off.  Return: how many addresses. */
static inline unsigned int iob_unwind_regs(unsigned long *trace,
					   unsigned int max,
					   struct pt_regs *regs)
{
	struct unwind_state state;
	unsigned int nr = 0;

	for (unwind_start(&state, current, regs, NULL);
	     nr < max && !unwind_done(&state); unwind_next_frame(&state)) {
		unsigned long ip = unwind_get_return_address(&state);

		if (!ip)
			break;
		trace[nr++] = ip;
	}
	return nr;
}

#ifdef CONFIG_UNWINDER_ORC
#define IOB_UNWIND_FRAMES

/* Where the caller is.  One asm statement, so that the three belong to one instruction. */
static __always_inline void iob_here(unsigned long *ip, unsigned long *sp,
				     unsigned long *bp)
{
	asm volatile("lea 0(%%rip), %0\n\t"
		     "mov %%rsp, %1\n\t"
		     "mov %%rbp, %2\n\t"
		     : "=r" (*ip), "=r" (*sp), "=r" (*bp));
}

/* The stack pointer alone, the same in all of a function. */
static __always_inline unsigned long iob_sp_here(void)
{
	unsigned long sp;

	asm volatile("mov %%rsp, %0" : "=r" (sp));
	return sp;
}

/* The number of the system call that the current task, no kernel thread, is in. */
static __always_inline unsigned long iob_syscall_nr(void)
{
	return task_pt_regs(current)->orig_ax;
}

/* The registers that the unwinder has in its current frame. */
static inline void iob_unwind_at(const struct unwind_state *state,
				 unsigned long *sp, unsigned long *bp)
{
	*sp = state->sp;
	*bp = state->bp;
}

/*
 * True if the unwinder is at registers that were saved by an interrupt or on entry to the
 * kernel, not at a call.  @user: they are those of the user's code, where a stack ends.
 */
static inline bool iob_unwind_interrupted(struct unwind_state *state,
					  bool *user)
{
	const struct pt_regs *regs = unwind_get_entry_regs(state, NULL);

	*user = regs && regs == task_pt_regs(current);
	return regs;
}
#endif

/*
 * The word that the probed function returns to, and where it is on the stack.  The function
 * has just been entered, on the current stack.
 */
static inline unsigned long iob_return_word(struct pt_regs *regs)
{
	/* not regs_get_kernel_stack_nth(), which first checks which stack it is */
	return READ_ONCE_NOCHECK(*(unsigned long *)kernel_stack_pointer(regs));
}

static inline unsigned long iob_stack_at(struct pt_regs *regs)
{
	return kernel_stack_pointer(regs);
}

/*
 * The address that the probed function returns to in the end, also if a tracer of returns has
 * put another one in the place of @word, what is there now.  0 if that is not known.
 */
static inline unsigned long iob_unwind_caller(struct pt_regs *regs, unsigned long word)
{
#ifdef CONFIG_UNWINDER_ORC
	unsigned long ret;

	/* the unwinder begins behind the function that the registers are of */
	return iob_unwind_regs(&ret, 1, regs) ? ret : 0;
#else
	/* frame pointers begin with the caller's caller */
	return word;
#endif
}

/* Argument 6, from 0, of the probed function: a pointer. */
static inline void *iob_seventh_argument(struct pt_regs *regs)
{
	return READ_ONCE_NOCHECK(((void **)kernel_stack_pointer(regs))[1]);
}

#elif defined(CONFIG_ARM64)
#define IOB_UNWIND_FRAMES
#define IOB_UNWIND_RECORDS

/* Where the caller is.  It has made its frame record, which @bp points to. */
static __always_inline void iob_here(unsigned long *ip, unsigned long *sp,
				     unsigned long *bp)
{
	asm volatile("adr %0, .\n\t"
		     "mov %1, sp\n\t"
		     : "=r" (*ip), "=r" (*sp));
	*bp = (unsigned long)__builtin_frame_address(0);
}

static __always_inline unsigned long iob_sp_here(void)
{
	unsigned long sp;

	asm volatile("mov %0, sp" : "=r" (sp));
	return sp;
}

/* The number of the system call that the current task, no kernel thread, is in. */
static __always_inline unsigned long iob_syscall_nr(void)
{
	return task_pt_regs(current)->syscallno;
}

/* The unwinder is done at this frame record: so many bytes below the end of a stack. */
#define IOB_RECORD_LAST	(sizeof(struct pt_regs) - offsetof(struct pt_regs, stackframe))

/*
 * In the instruction pointer of the registers that handlers get: an exception has interrupted
 * the function.  The frames are those of its caller then, which the function would return to.
 */
#define IOB_UNWIND_INTERRUPTED	1UL
/* At most so many frames lie between a function and its handler: callers have room for more. */
#define IOB_UNWIND_BEFORE	24

/*
 * At the entry of a function, which @regs are of, it has no frame yet.  ftrace makes one for it,
 * so that the trace has its caller.  Behind an exception the kernel's unwinder does not
 * tell the caller, which is in a register (some do, and have it once too often otherwise).  And the
 * function's own address is given as if its first instruction had called: all that looks an address
 * of a trace up takes it for a return address, which belongs to the instruction before it.
 *
 * The current task only, preemption off.  Return: how many addresses.
 */
static inline unsigned int iob_unwind_regs(unsigned long *trace, unsigned int max,
					   struct pt_regs *regs)
{
	unsigned long ip = regs->pc & ~IOB_UNWIND_INTERRUPTED;
	bool insert = regs->pc & IOB_UNWIND_INTERRUPTED;
	unsigned int nr, skip = 0;

	nr = stack_trace_save(trace, max, 1);
	while (skip < nr && trace[skip] != ip)
		skip++;
	/* not there: what is there is better than nothing */
	if (skip == nr)
		return nr;
	if (nr < max) {
		nr -= skip;
		memmove(trace, trace + skip, nr * sizeof(*trace));
	} else {
		nr = stack_trace_save(trace, max, skip + 1);
	}
	if (insert)
		trace[0] += sizeof(u32);
	if (insert && max > 1 && (nr < 2 || trace[1] != regs->regs[30])) {
		nr = min(nr + 1, max);
		memmove(trace + 2, trace + 1, (nr - 2) * sizeof(*trace));
		trace[1] = regs->regs[30];
	}
	return nr;
}

/* Not on the stack, but in a register.  Code that signs it does so later. */
static inline unsigned long iob_return_word(struct pt_regs *regs)
{
	return regs->regs[30];
}

static inline unsigned long iob_stack_at(struct pt_regs *regs)
{
	return regs->sp;
}

/* See above.  A tracer of returns has ftrace, too: no kprobe sees its address. */
static inline unsigned long iob_unwind_caller(struct pt_regs *regs, unsigned long word)
{
	unsigned long trace[IOB_UNWIND_BEFORE + 2];
	unsigned int nr;

	if (regs->pc & IOB_UNWIND_INTERRUPTED)
		return word;
	nr = iob_unwind_regs(trace, ARRAY_SIZE(trace), regs);
	return nr >= 2 && trace[0] == regs->pc ? trace[1] : 0;
}

static inline void *iob_seventh_argument(struct pt_regs *regs)
{
	return (void *)regs->regs[6];
}

#else
static inline unsigned int iob_unwind_regs(unsigned long *trace,
					   unsigned int max,
					   struct pt_regs *regs)
{
	return stack_trace_save(trace, max, 1);
}

/* Not known: work on behalf of another task is charged to the task that does it. */
static inline unsigned long iob_return_word(struct pt_regs *regs)
{
	return 0;
}

static inline unsigned long iob_unwind_caller(struct pt_regs *regs, unsigned long word)
{
	return word;
}

static inline unsigned long iob_stack_at(struct pt_regs *regs)
{
	return 0;
}

static inline void *iob_seventh_argument(struct pt_regs *regs)
{
	return NULL;
}
#endif

#ifndef IOB_UNWIND_FRAMES
/* No stack is remembered, and none is compared with what is remembered. */
static __always_inline unsigned long iob_syscall_nr(void)
{
	return 0;
}

static __always_inline unsigned long iob_sp_here(void)
{
	return 0;
}
#endif

#endif
