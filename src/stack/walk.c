// SPDX-License-Identifier: GPL-2.0
/*
 * Two ways to walk: iob_walk() takes the return addresses only, on every kernel.
 * iob_walk_frames() also takes the registers that the unwinder has in each frame, from which
 * slot.c learns how to know the stack again.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/sched/task_stack.h>
#include <linux/stacktrace.h>
#include <linux/string.h>

#include "core/code.h"
#include "records.h"
#include "walk.h"

#define MAX_HIDDEN	40

/* Filled before the probes are attached, emptied after they are detached. */
static struct iob_code hidden[MAX_HIDDEN];
static unsigned int nr_hidden;

/**
 * iob_stack_hide - leave a function out of traces where it is innermost
 * @func: its address
 *
 * May sleep.  No probe is attached.
 */
void iob_stack_hide(unsigned long func)
{
	if (WARN_ON_ONCE(nr_hidden == MAX_HIDDEN))
		return;
	if (iob_code_of(func, &hidden[nr_hidden]))
		nr_hidden++;
}

/* Undo all calls of iob_stack_hide().  No probe is attached. */
void iob_stack_unhide_all(void)
{
	nr_hidden = 0;
}

static bool walk_hides(unsigned long ip)
{
	unsigned int i;

	for (i = 0; i < nr_hidden; i++) {
		if (iob_code_has(&hidden[i], ip))
			return true;
	}
	return false;
}

/**
 * iob_walk_own - count the innermost addresses that do not belong to the trace
 * @ip: return addresses, innermost first
 * @nr: how many
 *
 * Any context.  Return: the number of addresses in this module and in hidden functions.
 */
unsigned int iob_walk_own(const unsigned long *ip, unsigned int nr)
{
	unsigned int own = 0;

	while (own < nr && within_module(ip[own], THIS_MODULE))
		own++;
	while (own < nr && walk_hides(ip[own]))
		own++;
	return own;
}

/**
 * iob_walk - the current task's return addresses
 * @ip:   gets them, innermost first, own ones included
 * @max:  room in @ip
 * @regs: in a kprobe's handler, the registers that the handler was given: the walk begins
 *	  there.  NULL: it begins in the caller.
 *
 * Any context but NMI, preemption off.  Return: how many.
 */
unsigned int iob_walk(unsigned long *ip, unsigned int max, struct pt_regs *regs)
{
	if (regs)
		return iob_unwind_regs(ip, max, regs);
	return stack_trace_save(ip, max, 1);
}

#ifdef IOB_UNWIND_RECORDS
/**
 * iob_walk_frames - walk, and find out whether frame records tell the same
 * @f:     where to begin, in a function that has not returned; @f[1] and so on get the addresses,
 *	   IOB_STACK_SLOT_FRAMES at most
 * @regs:  NULL
 * @clean: true if the records come to the stack's end by the addresses that the unwinder has.  What
 *	   it has before them is of this module.
 *
 * The current task only, preemption off.  Return: how many addresses follow @f[0].
 */
unsigned int iob_walk_frames(struct iob_frame *f, struct pt_regs *regs, bool *clean)
{
	unsigned long last = (unsigned long)task_stack_page(current) + THREAD_SIZE -
			     IOB_RECORD_LAST;
	unsigned long ip[IOB_STACK_SLOT_FRAMES], walked[IOB_STACK_SLOT_FRAMES + 8];
	unsigned int nr, nr_walked, before = 0, i;

	nr_walked = stack_trace_save(walked, ARRAY_SIZE(walked), 1);
	nr = iob_records_read(ip, ARRAY_SIZE(ip), f->bp, last);
	*clean = nr && nr <= nr_walked && nr_walked < ARRAY_SIZE(walked);
	if (*clean) {
		before = nr_walked - nr;
		*clean = !memcmp(walked + before, ip, nr * sizeof(*ip)) &&
			 iob_walk_own(walked, nr_walked) >= before;
	}
	nr = min_t(unsigned int, nr_walked - before, IOB_STACK_SLOT_FRAMES);
	for (i = 0; i < nr; i++)
		f[i + 1].ip = walked[before + i];
	return nr;
}
#elif defined(IOB_UNWIND_FRAMES)
/**
 * iob_walk_frames - walk, and take down the registers of each frame
 * @f:     where to begin, in a function that has not returned; @f[1] and so on get the
 *	   frames, IOB_STACK_SLOT_FRAMES at most
 * @regs:  if there are registers, those of @f[0]; or NULL
 * @clean: true if the walk went to the stack's end through calls only, no interrupt
 *
 * The current task only, preemption off.  Return: how many frames follow @f[0].
 */
unsigned int iob_walk_frames(struct iob_frame *f, struct pt_regs *regs, bool *clean)
{
	struct pt_regs here = { .ip = f->ip, .sp = f->sp, .bp = f->bp,
				.cs = __KERNEL_CS };
	bool calls = true, user = false;
	struct unwind_state state;
	unsigned int nr = 0;

	unwind_start(&state, current, regs ? regs : &here, NULL);
	while (nr < IOB_STACK_SLOT_FRAMES && !unwind_done(&state)) {
		unsigned long ip = unwind_get_return_address(&state);

		if (iob_unwind_interrupted(&state, &user) && !user)
			calls = false;
		if (!ip || user)
			break;
		nr++;
		f[nr].ip = ip;
		iob_unwind_at(&state, &f[nr].sp, &f[nr].bp);
		unwind_next_frame(&state);
	}
	*clean = !unwind_error(&state) && calls &&
		 (user || unwind_done(&state));
	return nr;
}
#endif
