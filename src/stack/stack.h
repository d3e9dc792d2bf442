/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stack - where the kernel is, without our own frames
 */
#ifndef IOB_STACK_STACK_H
#define IOB_STACK_STACK_H

#include <linux/bits.h>
#include <linux/hash.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/types.h>

#include <compat/compiler.h>
#include <compat/unwind.h>

#include "slot.h"
#include "core/stats.h"

#define IOB_STACK_DEPTH	40

/* the code of one function: return addresses lie in (start, end]; 0, 0: none */
struct iob_code {
	unsigned long start;
	unsigned long end;
};

static inline bool iob_code_has(const struct iob_code *code, unsigned long ip)
{
	/* pairs with iob_code_publish() */
	return ip <= smp_load_acquire(&code->end) &&
	       ip > READ_ONCE(code->start);
}

bool iob_code_of(unsigned long func, struct iob_code *code);
void iob_code_publish(unsigned long func, struct iob_code *code);

void iob_stack_hide(unsigned long func);
void iob_stack_show_all(void);

/* A trace of the current task, without our own frames. */
struct iob_stack {
	const unsigned long *ip;	/* return addresses, innermost first */
	unsigned int depth;
	struct iob_stack_slot *slot;		/* where it is remembered, or NULL */
	/* a probe's own frames are few; room for them to be cut off again */
	unsigned long room[IOB_STACK_DEPTH + 8];
};

/*
 * Where the caller is, for iob_stack_from(): to be asked for by a function that
 * is still at work then.
 */
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

struct pt_regs;
void iob_stack_from(struct iob_stack *s, const struct iob_frame *at,
		    struct pt_regs *regs);
void iob_stack_get(struct iob_stack *s, struct pt_regs *regs);

/**
 * iob_stack_has - whether a call has not returned yet
 * @s:   a trace of the task
 * @ret: the call's return address, 0 for none
 *
 * Any context.  Tells calls from one place apart from calls from another: so
 * the caller must be one that calls this function directly.
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

/* Whether the task is in a function, wherever that was called from. */
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

/* The same as iob_stack_has(), for a stack that is known. */
static inline bool iob_stack_slot_has(const struct iob_stack_slot *m,
				      unsigned long ret)
{
	unsigned int i;

	for (i = m->own; ret && i < m->nr; i++) {
		if (m->ip[i] == ret)
			return true;
	}
	return false;
}

#define IOB_STACK_SET_BITS	4
#define IOB_STACK_SETS		BIT(IOB_STACK_SET_BITS)

/*
 * Which of a set of remembered stacks are looked at first.  A function that aligns
 * its stack makes two of one by turns, and a word of the stack tells which it is
 * this time.
 */
struct iob_stack_hint {
	struct iob_stack_slot *last;	/* was met last, */
	struct iob_stack_slot *other;	/* and this before, or they come by turns: */
	unsigned long ip;	/* this address is there if it is the last one; */
	u32 span;		/* asked if there is so much stack; 0: never */
	u16 place;		/* in words above the stack pointer */
};

/* The beginning of what a CPU remembers, which is blame/stack's alone. */
struct iob_stack_cache {
	u32 seq;		/* of the code that there was */
	struct iob_stack_hint hint[IOB_STACK_SETS];
};

/* never NULL: a CPU that remembers nothing has one of no code that there ever is */
DECLARE_PER_CPU(struct iob_stack_cache *, iob_stack_caches);

/* Changes when code comes or goes: addresses may then mean something else. */
extern atomic_t iob_code_seq;
extern bool iob_check_stacks;

/*
 * The set in which the stack of the current task is found.  What a task of a user
 * is at begins with the system call.
 */
static __always_inline unsigned int iob_stack_set_user(unsigned long start)
{
	return hash_long(start + task_pt_regs(current)->orig_ax,
			 IOB_STACK_SET_BITS);
}

static __always_inline unsigned int iob_stack_set(unsigned long start)
{
	if (current->flags & PF_KTHREAD)
		return hash_long(start + (unsigned long)current,
				 IOB_STACK_SET_BITS);
	return iob_stack_set_user(start);
}

#ifdef IOB_UNWIND_FRAMES
void iob_stack_check(struct iob_stack_slot *m);
#endif

/* Which one of a set the stack most probably is. */
static __always_inline struct iob_stack_slot *
iob_stack_guess(const struct iob_stack_hint *hint, unsigned long sp, unsigned long end)
{
	const unsigned long *low = (const unsigned long *)sp;

	if (hint->span && end - sp >= hint->span &&
	    low[hint->place] != hint->ip)
		return hint->other;
	return hint->last;
}

/* Which ones of a set this CPU looks at first, as it has just known a stack of it. */
static inline const struct iob_stack_hint *iob_stack_hint_of(unsigned int set)
{
	return &this_cpu_read(iob_stack_caches)->hint[set];
}

/**
 * iob_stack_known_in - as iob_stack_known(), of a set that the caller knows
 * @set:  below IOB_STACK_SETS; of another one than the stack's it is not known
 * @ip:   as iob_stack_here() has it
 * @sp:   likewise; on the task's own stack, as it is if in_task()
 * @bp:   likewise
 * @memo: gets where it is remembered
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
	const struct iob_stack_cache *cache = this_cpu_read(iob_stack_caches);
	struct iob_stack_slot *m;

	if (unlikely(cache->seq != atomic_read(&iob_code_seq)))
		return false;
	m = iob_stack_guess(&cache->hint[set], sp, end);
	if (!iob_stack_slot_is(m, ip, sp, bp, end))
		return false;
	iob_stat_inc(stack_known);
	if (unlikely(READ_ONCE(iob_check_stacks)))
		iob_stack_check(m);
	*slot = m;
	return true;
#else
	return false;
#endif
}

/**
 * iob_stack_known - the stack above the caller, if it is most probably known
 * @ip:   as iob_stack_here() has it
 * @sp:   likewise
 * @bp:   likewise
 * @user: the task is known to be no kernel thread
 * @memo: gets where it is remembered
 *
 * Of a task, not in an interrupt, in a probe that is still at work and was not called
 * at a function's entry; else as iob_stack_from(), which finds others, too.  The stack
 * may be deeper than a trace can be, see iob_stack_cut().  Return: false if it is
 * not known.
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

/* Whether its outermost frames have to be left out, which is counted elsewhere. */
static inline bool iob_stack_cut(const struct iob_stack_slot *m)
{
	return m->nr - m->own > IOB_STACK_DEPTH;
}

void iob_stack_forget(void);
int iob_stacks_init(void);
void iob_stacks_exit(void);

#endif
