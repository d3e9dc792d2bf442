/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cache - the stacks that a CPU has walked, to be known again
 *
 * Walking a stack costs about a microsecond, and most stacks occur again and again.  So
 * each CPU keeps the last ones in slots (slot.h says how a slot knows its stack).  The cache
 * is set associative: the set follows from where the walk begins and from the system call,
 * or from the thread for kernel threads.  A hint per set tells which slot to compare first.
 *
 * Example: dd writes pages by write().  The probe's address and the number of the system
 * call hash to set 5.  hint[5].last points to the slot of dd's stack: 14 words of the stack
 * are compared with it, all are the same, and the slot names intent 12.  No walk, no search.
 */
#ifndef IOB_STACK_CACHE_H
#define IOB_STACK_CACHE_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/hash.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/types.h>

#include <compat/raw.h>
#include <compat/unwind.h>

#include "records.h"
#include "slot.h"

#define IOB_STACK_SET_BITS	4
#define IOB_STACK_SETS		BIT(IOB_STACK_SET_BITS)

/*
 * The slots of a set that are compared first.  A function that aligns its stack makes two
 * stacks of one, which come by turns; one word of the stack tells them apart.
 *
 * Example: the word 12 above the stack pointer is 0xffffffff81234567 in .last's stack.
 * .place = 12 and .ip is that address: if the word is another one, .other is compared.
 */
struct iob_stack_hint {
	struct iob_stack_slot *last;	/* met last */
	struct iob_stack_slot *other;	/* met before that */
	unsigned long ip;	/* this address is at .place if it is .last's stack */
	u32 span;		/* ask if the stack has that many bytes; 0: never ask */
	u16 place;		/* in words above the stack pointer */
};

/* The public part of a CPU's cache; cache.c has the rest behind it. */
struct iob_stack_cache {
	u32 seq;		/* iob_code_seq at the time */
	struct iob_stack_hint hint[IOB_STACK_SETS];
};

/* Never NULL: CPUs without a cache point at a dummy whose sequence never matches. */
DECLARE_PER_CPU(struct iob_stack_cache *, iob_stack_caches);

/* Changes when code comes or goes, as an address may mean another function then. */
extern atomic_t iob_code_seq;

/* The set of the current task's stack.  The task is known to be no kernel thread. */
static __always_inline unsigned int iob_stack_set_user(unsigned long start)
{
	return hash_long(start + iob_syscall_nr(), IOB_STACK_SET_BITS);
}

/* The set of the current task's stack, from the probe at @start up. */
static __always_inline unsigned int iob_stack_set(unsigned long start)
{
	if (current->flags & PF_KTHREAD)
		return hash_long(start + (unsigned long)current,
				 IOB_STACK_SET_BITS);
	return iob_stack_set_user(start);
}

/* True if the stack is that of @m.  It begins at @ip, @sp and @bp, and reaches up to @end. */
static __always_inline bool iob_stack_is(const struct iob_stack_slot *m, unsigned long ip,
					 unsigned long sp, unsigned long bp, unsigned long end)
{
#ifdef IOB_UNWIND_RECORDS
	return m->start == ip && iob_records_are(m->ip, m->nr, bp, end - IOB_RECORD_LAST);
#else
	return iob_stack_slot_is(m, ip, sp, bp, end);
#endif
}

/* The slot of a set that the stack most probably is. */
static __always_inline struct iob_stack_slot *
iob_stack_guess(const struct iob_stack_hint *hint, unsigned long sp, unsigned long end)
{
	const unsigned long *low = (const unsigned long *)sp;

	if (hint->span && end - sp >= hint->span &&
	    IOB_RAW(low[hint->place]) != hint->ip)
		return hint->other;
	return hint->last;
}

/* The hint of a set on this CPU, for a caller that has just known a stack of the set. */
static inline const struct iob_stack_hint *iob_stack_hint_of(unsigned int set)
{
	return &this_cpu_read(iob_stack_caches)->hint[set];
}

/**
 * iob_stack_cache_first - compare the stack with one slot, the most probable
 * @set: below IOB_STACK_SETS
 * @ip:  where the walk would begin: instruction pointer,
 * @sp:  stack pointer, on the task's own stack,
 * @bp:  and frame pointer
 * @end: of the stack
 * @slot: gets the slot
 *
 * Of a task, preemption off.  Return: false if it is another stack.
 */
static __always_inline bool
iob_stack_cache_first(unsigned int set, unsigned long ip, unsigned long sp, unsigned long bp,
		      unsigned long end, struct iob_stack_slot **slot)
{
	const struct iob_stack_cache *cache = this_cpu_read(iob_stack_caches);

	if (unlikely(cache->seq != atomic_read(&iob_code_seq)))
		return false;
	*slot = iob_stack_guess(&cache->hint[set], sp, end);
	return iob_stack_is(*slot, ip, sp, bp, end);
}

#ifdef IOB_UNWIND_FRAMES
struct iob_stack_slot *iob_stack_cache_find(unsigned int set, const struct iob_frame *at,
					    unsigned long end);
struct iob_frame *iob_stack_cache_frames(void);
struct iob_stack_slot *iob_stack_cache_learn(unsigned int set, unsigned int nr,
					     unsigned long end);
#endif

void iob_stack_forget(void);
int iob_stacks_init(void);
void iob_stacks_exit(void);
int iob_stack_cpus_init(void);
void iob_stack_cpus_exit(void);

#endif
