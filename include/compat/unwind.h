/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/unwind - a stack trace from given registers on
 *
 * Hides: stack_trace_save_regs() is not exported.  x86's unwinder is; where
 * there is none, the trace begins in the handler that asks.  Where an unwinder
 * is at is known of ORC's alone: without it no stack is remembered.
 */
#ifndef IOB_COMPAT_UNWIND_H
#define IOB_COMPAT_UNWIND_H

#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/stacktrace.h>

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

/* Where the caller is: one moment, so that the three fit together. */
static __always_inline void iob_here(unsigned long *ip, unsigned long *sp,
				     unsigned long *bp)
{
	asm volatile("lea 0(%%rip), %0\n\t"
		     "mov %%rsp, %1\n\t"
		     "mov %%rbp, %2\n\t"
		     : "=r" (*ip), "=r" (*sp), "=r" (*bp));
}

/* Where the unwinder is: the registers that the code there has. */
static inline void iob_unwind_at(const struct unwind_state *state,
				 unsigned long *sp, unsigned long *bp)
{
	*sp = state->sp;
	*bp = state->bp;
}

/*
 * Whether the unwinder is at registers that were saved by an interruption, not
 * at a call; @user: by that of the user's code, which ends a stack.
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
 * Where the probed function returns to, and where that is noted: it has only just been
 * entered, on the stack that we are on.
 */
static inline unsigned long iob_caller_of(struct pt_regs *regs)
{
	/* (regs_get_kernel_stack_nth() allows for registers of any kind) */
	return READ_ONCE_NOCHECK(*(unsigned long *)kernel_stack_pointer(regs));
}

static inline unsigned long iob_stack_at(struct pt_regs *regs)
{
	return kernel_stack_pointer(regs);
}

/* The @nr-th of the probed function's arguments that are on the stack, from 0. */
static inline void *iob_stack_argument(struct pt_regs *regs, unsigned int nr)
{
	return READ_ONCE_NOCHECK(((void **)kernel_stack_pointer(regs))[nr + 1]);
}

#else
static inline unsigned int iob_unwind_regs(unsigned long *trace,
					   unsigned int max,
					   struct pt_regs *regs)
{
	return stack_trace_save(trace, max, 1);
}

/* Not known: what is done on another's behalf is charged to who does it. */
static inline unsigned long iob_caller_of(struct pt_regs *regs)
{
	return 0;
}

static inline unsigned long iob_stack_at(struct pt_regs *regs)
{
	return 0;
}

static inline void *iob_stack_argument(struct pt_regs *regs, unsigned int nr)
{
	return NULL;
}
#endif

#endif
