/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stack - the current task's stack trace and its intent, cheaply
 *
 * There are three ways, each cheaper and less general than the one before:
 *
 *   iob_stack_get(), iob_stack_from()	any context: a slot of the cache, else a walk
 *   iob_stack_known()			a task in a tracepoint's probe: the set's first slot
 *   iob_stack_known_in()		the same, of a set that the caller remembers
 *
 * A walk begins in a function that must not have returned: iob_stack_here() is called by a
 * function that stays on the stack until the walk is done.  A tail call would remove it, so
 * such functions end with barrier().
 *
 * Example: a probe at address P of a stack 600 bytes deep takes { P, sp, bp }.  The cache's
 * slot says that the words 4, 11, 26, ... above sp are return addresses; they are the same
 * as in the slot, so the trace is the slot's and nothing is copied.
 */
#ifndef IOB_STACK_STACK_H
#define IOB_STACK_STACK_H

#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/types.h>

#include <compat/compiler.h>
#include <compat/unwind.h>

#include "core/code.h"
#include "core/intent.h"
#include "core/stats.h"
#include "cache.h"
#include "call.h"
#include "slot.h"

/* A trace of the current task, without the probe's own frames. */
struct iob_stack {
	const unsigned long *ip;	/* return addresses, innermost first */
	unsigned int depth;		/* how many */
	unsigned long sp;		/* what lies below has returned; 0: not known */
	struct iob_stack_slot *slot;	/* the slot that holds them, or NULL: */
	unsigned long room[IOB_STACK_DEPTH + 8];	/* they are here, behind own ones */
};

/* Where the caller is, for iob_stack_from(): the caller must not return before that. */
static __always_inline void iob_stack_here(unsigned long *ip, unsigned long *sp,
					   unsigned long *bp)
{
#ifdef IOB_UNWIND_FRAMES
	iob_here(ip, sp, bp);
#else
	*ip = 0;
	*sp = 0;
	*bp = 0;
#endif
}

#ifdef IOB_UNWIND_FRAMES
/* Where a function is that @regs are of, at its entry.  Records do not know its stack. */
static inline struct iob_frame iob_frame_of(const struct pt_regs *regs)
{
#ifdef IOB_UNWIND_RECORDS
	return (struct iob_frame){ 0, 0, 0 };
#else
	return (struct iob_frame){ regs->ip, regs->sp, regs->bp };
#endif
}
#endif

struct pt_regs;
void iob_stack_from(struct iob_stack *s, const struct iob_frame *at,
		    struct pt_regs *regs);
void iob_stack_get(struct iob_stack *s, struct pt_regs *regs);
u32 iob_stack_intent_find(const struct iob_stack *s, u32 modifier);
void iob_stack_intent_check(u32 nr, unsigned long ip, unsigned long sp,
			    unsigned long bp);

/**
 * iob_stack_intent - the number of the intent with this stack and modifier
 * @s:	      the stack
 * @modifier: see IOB_MODIFIER_*
 *
 * Makes the intent if it is new.  Any context but NMI, inside iob_read_lock().
 * Return: its number, IOB_INTENT_NOMEM if it could not be made (counted).
 */
static inline u32 iob_stack_intent(const struct iob_stack *s, u32 modifier)
{
	const struct iob_stack_slot *slot = s->slot;

	/* slots do not outlive the session's intents */
	if (likely(slot && slot->intent && slot->modifier == modifier))
		return slot->intent;
	return iob_stack_intent_find(s, modifier);
}

/**
 * iob_stack_has - true if a call has not returned yet
 * @s:   a trace of the task
 * @ret: the call's return address, 0 for none
 *
 * Any context.  The caller of the function must call it directly: the return address is
 * all that tells this call from others.  iob_stack_has_call() can tell more.
 */
static inline bool iob_stack_has(const struct iob_stack *s, unsigned long ret)
{
	unsigned int i;

	for (i = 0; ret && i < s->depth; i++) {
		if (s->ip[i] == ret)
			return true;
	}
	return false;
}

/* How many calls have not returned yet that return to @ret; as iob_stack_has(). */
static inline unsigned int iob_stack_count(const struct iob_stack *s, unsigned long ret)
{
	unsigned int i, n = 0;

	for (i = 0; i < s->depth; i++)
		n += s->ip[i] == ret;
	return n;
}

/* True if it is known where on the stack each return address of the trace is. */
static inline bool iob_stack_has_places(const struct iob_stack *s)
{
#if defined(IOB_UNWIND_FRAMES) && !defined(IOB_UNWIND_RECORDS)
	return s->slot;
#else
	return false;
#endif
}

/* True if a call has returned for certain: where it was on the task's stack is free again. */
static inline bool iob_stack_is_below(const struct iob_stack *s, const struct iob_call *call)
{
	unsigned long base = (unsigned long)task_stack_page(current);

	return s->sp - base < THREAD_SIZE && call->sp - base < s->sp - base;
}

/**
 * iob_stack_has_call - as iob_stack_has(), of one call of several that return to one address
 * @s:    a trace of the task
 * @call: a call of the task
 *
 * Any context.  Where a trace has no places, another call may be taken for @call if it
 * returns to the same address.
 */
static inline bool iob_stack_has_call(const struct iob_stack *s, const struct iob_call *call)
{
	unsigned long end = (unsigned long)task_stack_page(current) + THREAD_SIZE;
	unsigned int i;

	if (iob_stack_is_below(s, call))
		return false;
	if (!iob_stack_has_places(s))
		return iob_stack_has(s, call->ret);
	for (i = 0; i < s->depth; i++) {
		if (s->ip[i] == call->ret &&
		    iob_stack_slot_at(s->slot, s->slot->own + i, s->sp, end) == call->sp)
			return true;
	}
	return false;
}

/*
 * True if the trace goes to the stack's end: a call that is not in it has returned.  Of x86's walks
 * only those that the cache takes are known to; arm64's records always do, but the trace may lack
 * as many outermost frames as @s->room has places for own ones.
 */
static inline bool iob_stack_is_whole(const struct iob_stack *s)
{
#ifdef IOB_UNWIND_RECORDS
	return s->depth && s->depth < IOB_STACK_DEPTH - 8;
#else
	return s->slot && s->depth < IOB_STACK_DEPTH;
#endif
}

/* As iob_stack_has(), for a stack that is known. */
static inline bool iob_stack_slot_has(const struct iob_stack_slot *slot,
				      unsigned long ret)
{
	unsigned int i;

	for (i = slot->own; ret && i < slot->nr; i++) {
		if (slot->ip[i] == ret)
			return true;
	}
	return false;
}

/* True if the task is inside a function, whichever place called it. */
static inline bool iob_stack_in(const struct iob_stack *s,
				const struct iob_code *code)
{
	unsigned int i;

	for (i = 0; i < s->depth; i++) {
		if (iob_code_has(code, s->ip[i]))
			return true;
	}
	return false;
}

/* True if the trace loses its outermost frames; iob_stack_from() counts that. */
static inline bool iob_stack_cut(const struct iob_stack_slot *slot)
{
	return slot->nr - slot->own > IOB_STACK_DEPTH;
}

/* The module parameter check_stacks: walk each known stack, too, and compare. */
extern bool iob_check_stacks;

#ifdef IOB_UNWIND_FRAMES
void iob_stack_check(struct iob_stack_slot *slot);
#endif

/**
 * iob_stack_known_in - as iob_stack_known(), of a set that the caller remembers
 * @set:  below IOB_STACK_SETS; in another set than the stack's it is not known
 * @ip:   from iob_stack_here()
 * @sp:   likewise; on the task's own stack, which in_task() implies
 * @bp:   likewise
 * @slot: gets the slot
 */
static __always_inline bool iob_stack_known_in(unsigned int set,
					       unsigned long ip,
					       unsigned long sp,
					       unsigned long bp,
					       const struct iob_stack_slot **slot)
{
#ifdef IOB_UNWIND_FRAMES
	unsigned long end = (unsigned long)task_stack_page(current) +
			    THREAD_SIZE;
	struct iob_stack_slot *first;

	if (!iob_stack_cache_first(set, ip, sp, bp, end, &first))
		return false;
	iob_stat_inc(stack_known);
	if (unlikely(READ_ONCE(iob_check_stacks)))
		iob_stack_check(first);
	*slot = first;
	return true;
#else
	return false;
#endif
}

/**
 * iob_stack_known - true if the caller's stack is the one that its set expects
 * @ip:   from iob_stack_here()
 * @sp:   likewise
 * @bp:   likewise
 * @user: the task is known to be no kernel thread
 * @slot: gets the slot
 *
 * Of a task; false in an interrupt, which has a stack of its own.  From a tracepoint's probe that
 * has not returned, not at a function's entry.  Where it returns false, iob_stack_from() may
 * still know the stack.
 * The stack may be deeper than a trace can be, see iob_stack_cut().
 */
static __always_inline bool iob_stack_known(unsigned long ip, unsigned long sp,
					    unsigned long bp, bool user,
					    const struct iob_stack_slot **slot)
{
	unsigned long end = (unsigned long)task_stack_page(current) +
			    THREAD_SIZE;

	if (unlikely(end - sp > THREAD_SIZE))
		return false;
	return iob_stack_known_in(user ? iob_stack_set_user(ip) :
				  iob_stack_set(ip), ip, sp, bp, slot);
}

#endif
