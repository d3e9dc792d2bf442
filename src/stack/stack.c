// SPDX-License-Identifier: GPL-2.0
/*
 * The slow half of a trace: search the cache, else walk and keep the walk.
 */
#include <linux/bug.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include "stack.h"
#include "walk.h"

bool iob_check_stacks;
module_param_named(check_stacks, iob_check_stacks, bool, 0600);
MODULE_PARM_DESC(check_stacks,
		 "walk each stack that is remembered, too, and compare (slow)");

/* @s gets @nr addresses from @raw on, without the @own first ones. */
static void stack_set_trace(struct iob_stack *s, const unsigned long *raw,
			    unsigned int nr, unsigned int own)
{
	s->ip = raw + own;
	s->depth = nr - own;
	if (s->depth > IOB_STACK_DEPTH) {
		s->depth = IOB_STACK_DEPTH;
		iob_stat_inc(stack_cut);
	}
}

/* The addresses are in @s->room. */
static void stack_set_room(struct iob_stack *s, unsigned int nr)
{
	stack_set_trace(s, s->room, nr, iob_walk_own(s->room, nr));
	s->slot = NULL;
	/* own addresses took the room of outermost ones */
	if (nr == ARRAY_SIZE(s->room) && s->depth < IOB_STACK_DEPTH)
		iob_stat_inc(stack_cut);
}

#ifdef IOB_UNWIND_FRAMES
static void stack_set_slot(struct iob_stack *s, struct iob_stack_slot *slot)
{
	stack_set_trace(s, slot->ip, slot->nr, slot->own);
	s->slot = slot;
}

/* Walk, and keep the walk in @set if that can be done.  Return: false without a cache. */
static noinline bool stack_learn(struct iob_stack *s, const struct iob_frame *at,
				 unsigned int set, struct pt_regs *regs,
				 unsigned long end)
{
	struct iob_frame *f = iob_stack_cache_frames();
	struct iob_stack_slot *slot = NULL;
	unsigned int nr, i;
	bool clean;

	if (!f)
		return false;
	iob_stat_inc(stack_walked);
	f[0] = *at;
	nr = iob_walk_frames(f, regs, &clean);
	if (clean)
		slot = iob_stack_cache_learn(set, nr, end);
	if (slot) {
		slot->own = iob_walk_own(slot->ip, nr);
		stack_set_slot(s, slot);
		return true;
	}
	for (i = 0; i < nr; i++)
		s->room[i] = f[i + 1].ip;
	stack_set_room(s, nr);
	return true;
}

/*
 * As iob_stack_from().  @at is in a function that has not returned, or in one that a kprobe
 * is at.  Return: false if the cache cannot be used.
 */
static bool stack_from_cache(struct iob_stack *s, const struct iob_frame *at,
			     struct pt_regs *regs)
{
	unsigned long base = (unsigned long)task_stack_page(current);
	unsigned long end = base + THREAD_SIZE;
	struct iob_stack_slot *slot;
	unsigned int set;

	if (!in_task() || at->sp < base || at->sp >= end)
		return false;
#ifdef IOB_UNWIND_RECORDS
	/* the function has no record yet */
	if (regs)
		return false;
#endif
	set = iob_stack_set(at->ip);
	if (!iob_stack_cache_first(set, at->ip, at->sp, at->bp, end, &slot))
		slot = iob_stack_cache_find(set, at, end);
	if (!slot)
		return stack_learn(s, at, set, regs, end);
	stack_set_slot(s, slot);
	iob_stat_inc(stack_known);
	return true;
}

/* Compare a stack that was known with what the kernel's unwinder says. */
static noinline void stack_compare(const struct iob_stack *s, struct pt_regs *regs)
{
	/* this walk begins deeper in this module than the one that was remembered */
	unsigned long raw[IOB_STACK_DEPTH + 24];
	unsigned int nr = iob_walk(raw, ARRAY_SIZE(raw), regs);
	unsigned int own = iob_walk_own(raw, nr);

	if (min_t(unsigned int, nr - own, IOB_STACK_DEPTH) == s->depth &&
	    !memcmp(raw + own, s->ip, s->depth * sizeof(*raw)))
		return;
	iob_stat_inc(stack_wrong);
	WARN_ONCE(1, "ioblame: a stack was taken for another one\n");
}
#endif

/**
 * iob_stack_from - the return addresses above the probe that calls
 * @s:    gets them, valid until the next call on this CPU
 * @at:   from iob_stack_here()
 * @regs: if @at is from a kprobe's handler, the registers that the handler was given
 *
 * Any context but NMI, preemption off; called from a probe.  A deeper stack than
 * IOB_STACK_DEPTH loses its outermost frames, which is counted.
 */
void iob_stack_from(struct iob_stack *s, const struct iob_frame *at,
		    struct pt_regs *regs)
{
	s->sp = regs ? iob_stack_at(regs) : at->sp;
#ifdef IOB_UNWIND_FRAMES
	if (likely(stack_from_cache(s, at, regs))) {
		if (unlikely(READ_ONCE(iob_check_stacks)) && s->slot)
			stack_compare(s, regs);
		return;
	}
#else
	iob_stat_inc(stack_walked);
#endif
	stack_set_room(s, iob_walk(s->room, ARRAY_SIZE(s->room), regs));
}

#ifdef IOB_UNWIND_FRAMES
/* The slow path of iob_stack_known() with check_stacks. */
noinline void iob_stack_check(struct iob_stack_slot *slot)
{
	struct iob_stack s IOB_UNINIT;

	stack_set_slot(&s, slot);
	stack_compare(&s, NULL);
}
#endif

/**
 * iob_stack_get - as iob_stack_from(), from here or from a kprobe's registers
 * @s:    gets the return addresses
 * @regs: in a kprobe's handler, the registers that the handler was given, as the
 *	  machinery of kprobes lies between the probed function and the handler; else NULL
 */
noinline void iob_stack_get(struct iob_stack *s, struct pt_regs *regs)
{
	struct iob_frame at IOB_UNINIT;

#ifdef IOB_UNWIND_FRAMES
	if (regs)
		at = iob_frame_of(regs);
	else
		iob_here(&at.ip, &at.sp, &at.bp);
#else
	iob_stack_here(&at.ip, &at.sp, &at.bp);
#endif
	iob_stack_from(s, &at, regs);
	/* no tail call: this function is part of the stack */
	barrier();
}

/* The slow path of iob_stack_intent(): the slot does not remember this intent. */
u32 iob_stack_intent_find(const struct iob_stack *s, u32 modifier)
{
	struct iob_stack_slot *slot = s->slot;
	u32 nr = iob_intent_find(s->ip, s->depth, modifier);

	if (slot && nr > IOB_INTENT_LOST) {
		slot->intent = nr;
		slot->modifier = modifier;
	}
	return nr;
}

/**
 * iob_stack_intent_check - with check_stacks: warn if a fast path took a wrong intent
 * @nr: the intent that was taken, which has no modifier
 * @ip: from iob_stack_here()
 * @sp: likewise
 * @bp: likewise
 *
 * Inside iob_read_lock(), preemption off.
 */
noinline void iob_stack_intent_check(u32 nr, unsigned long ip, unsigned long sp,
				     unsigned long bp)
{
	const struct iob_frame at = { ip, sp, bp };
	struct iob_stack stack IOB_UNINIT;

	iob_stack_from(&stack, &at, NULL);
	if (iob_stack_intent(&stack, 0) == nr)
		return;
	iob_stat_inc(stack_wrong);
	WARN_ONCE(1, "ioblame: a fast path took a stack for another one\n");
}
