// SPDX-License-Identifier: GPL-2.0
/*
 * A CPU's cache belongs to the tasks that run on it, with preemption off; interrupts never
 * use it.  So it needs no lock.  Tasks themselves forget what a CPU knows when they find
 * that code came or went: iob_stack_forget() only counts.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "core/epoch.h"
#include "cache.h"

#define WAYS		8	/* slots of a set */
/* sequences of code are even numbers, that of the dummy is odd */
#define CODE_STEP	2

struct cpu_cache {
	struct iob_stack_cache head;
	u8 next[IOB_STACK_SETS];	/* the slot that is replaced next */
	/* the walk at hand: not on the stack, which has little room */
	struct iob_frame walk[IOB_STACK_SLOT_FRAMES + 1];
	struct iob_stack_slot spare;	/* learned into: replaces a slot if that succeeds */
	struct iob_stack_slot slot[IOB_STACK_SETS][WAYS];
};

static struct iob_stack_cache no_cache = { .seq = 1 };

/* Set while no probe is attached, or while the CPU is not online. */
DEFINE_PER_CPU(struct iob_stack_cache *, iob_stack_caches) = &no_cache;
atomic_t iob_code_seq;

static bool caches_wanted;	/* cpu_hotplug_lock; a CPU that comes gets a cache */
static int cache_cpu_state;	/* of cpuhp; 0: not asked for */

/* From a probe, too, interrupts may be off: a slot is empty by one word of its many. */
static noinline void cpu_cache_empty(struct cpu_cache *cache, u32 seq)
{
	unsigned int set, way;

	cache->head.seq = seq;
	for (set = 0; set < IOB_STACK_SETS; set++) {
		cache->head.hint[set].span = 0;
		cache->head.hint[set].last = &cache->slot[set][0];
		cache->head.hint[set].other = &cache->slot[set][1];
		for (way = 0; way < WAYS; way++)
			cache->slot[set][way].start = 0;
	}
}

#ifdef IOB_UNWIND_FRAMES
/* This CPU's cache, without what is known of other code, or NULL. */
static struct cpu_cache *cpu_cache_get(void)
{
	struct iob_stack_cache *head = this_cpu_read(iob_stack_caches);
	u32 seq = atomic_read(&iob_code_seq);
	struct cpu_cache *cache;

	if (head == &no_cache)
		return NULL;
	cache = container_of(head, struct cpu_cache, head);
	if (unlikely(head->seq != seq))
		cpu_cache_empty(cache, seq);
	return cache;
}

/* True if a word tells the stack from that of @guess: the hint has it then. */
static bool is_told_by_word(const struct iob_stack_slot *guess, const struct iob_frame *at,
			    unsigned long end, struct iob_stack_hint *hint)
{
#ifdef IOB_UNWIND_RECORDS
	return false;
#else
	return iob_stack_slot_differs(guess, at, end, &hint->place, &hint->ip);
#endif
}

/* The stack is that of @slot, which was @learned now or before; the hint led to @guess. */
static void hint_update(struct iob_stack_hint *hint, struct iob_stack_slot *guess,
			struct iob_stack_slot *slot, const struct iob_frame *at,
			unsigned long end, bool learned)
{
	if (guess == slot) {
		/* one was learned in its own place: what told the two apart is not known now */
		if (learned)
			hint->span = 0;
		return;
	}
	if (is_told_by_word(guess, at, end, hint)) {
		hint->span = guess->span;
		hint->last = guess;
		hint->other = slot;
	} else {
		hint->span = 0;
		hint->last = slot;
		hint->other = guess;
	}
}

/**
 * iob_stack_cache_find - search all slots of a set
 * @set: as iob_stack_set() says
 * @at:  where the walk would begin, on the current task's own stack
 * @end: of the stack
 *
 * Of a task, preemption off.  The hint follows.  Return: the slot, or NULL.
 */
struct iob_stack_slot *iob_stack_cache_find(unsigned int set, const struct iob_frame *at,
					    unsigned long end)
{
	struct cpu_cache *cache = cpu_cache_get();
	struct iob_stack_hint *hint;
	unsigned int i;

	if (!cache)
		return NULL;
	hint = &cache->head.hint[set];
	for (i = 0; i < WAYS; i++) {
		struct iob_stack_slot *slot = &cache->slot[set][i];

		if (!iob_stack_is(slot, at->ip, at->sp, at->bp, end))
			continue;
		hint_update(hint, iob_stack_guess(hint, at->sp, end), slot, at, end, false);
		return slot;
	}
	return NULL;
}

/*
 * Room for a walk: IOB_STACK_SLOT_FRAMES + 1 frames, or NULL if this CPU has no cache.
 * Context as iob_stack_cache_find(); valid as long as preemption is off.
 */
struct iob_frame *iob_stack_cache_frames(void)
{
	struct cpu_cache *cache = cpu_cache_get();

	return cache ? cache->walk : NULL;
}

/**
 * iob_stack_cache_learn - keep the walk that is in iob_stack_cache_frames()
 * @set: as iob_stack_set() says
 * @nr:  how many frames follow the first
 * @end: of the stack
 *
 * Context as iob_stack_cache_find(); the CPU has a cache.  The slot has no intent yet, and
 * the caller sets ->own.  Return: the slot, or NULL if the stack is one that cannot be known
 * again for certain.
 */
struct iob_stack_slot *iob_stack_cache_learn(unsigned int set, unsigned int nr,
					     unsigned long end)
{
	/* as it was at the walk: if code came since, the next lookup forgets the slot */
	struct cpu_cache *cache = container_of(this_cpu_read(iob_stack_caches),
					       struct cpu_cache, head);
	const struct iob_frame *at = &cache->walk[0];
	struct iob_stack_hint *hint = &cache->head.hint[set];
	struct iob_stack_slot *slot = &cache->spare;

#ifdef IOB_UNWIND_RECORDS
	iob_stack_slot_keep(slot, cache->walk, nr);
#else
	if (!iob_stack_slot_learn(slot, cache->walk, nr, end))
		return NULL;
#endif
	slot->intent = 0;
	slot = &cache->slot[set][cache->next[set]++ % WAYS];
	*slot = cache->spare;
	hint_update(hint, iob_stack_guess(hint, at->sp, end), slot, at, end, true);
	return slot;
}
#endif

/* Code comes or goes: forget all stacks, as an address may mean something else. */
void iob_stack_forget(void)
{
	atomic_add(CODE_STEP, &iob_code_seq);
	iob_epoch_bump();
}

/* A CPU that was online before still has its cache.  May sleep. */
static int cpu_cache_make(unsigned int cpu)
{
	struct cpu_cache *cache;

	if (per_cpu(iob_stack_caches, cpu) != &no_cache)
		return 0;
	cache = kvzalloc_node(sizeof(*cache), GFP_KERNEL, cpu_to_node(cpu));
	if (!cache)
		return -ENOMEM;
	cpu_cache_empty(cache, atomic_read(&iob_code_seq));
	per_cpu(iob_stack_caches, cpu) = &cache->head;
	return 0;
}

/* A CPU is about to come online.  Without memory it walks each stack. */
static int cpu_cache_comes(unsigned int cpu)
{
	if (caches_wanted)
		cpu_cache_make(cpu);
	return 0;
}

/**
 * iob_stacks_init - give each CPU an empty cache, now or when it comes online
 *
 * May sleep; no probe is attached.  Return: 0 or -ENOMEM; iob_stacks_exit() undoes it.
 */
int iob_stacks_init(void)
{
	int cpu, err = 0;

	cpus_read_lock();
	caches_wanted = true;
	for_each_online_cpu(cpu) {
		err = cpu_cache_make(cpu);
		if (err)
			break;
	}
	cpus_read_unlock();
	return err;
}

/* Free all caches.  No probe is attached.  May sleep. */
void iob_stacks_exit(void)
{
	int cpu;

	cpus_read_lock();
	caches_wanted = false;
	cpus_read_unlock();
	for_each_possible_cpu(cpu) {
		struct iob_stack_cache *head = per_cpu(iob_stack_caches, cpu);

		if (head != &no_cache)
			kvfree(container_of(head, struct cpu_cache, head));
		per_cpu(iob_stack_caches, cpu) = &no_cache;
	}
}

/* Module load: hear of CPUs that come.  May sleep.  Return: 0 or a negative errno. */
int iob_stack_cpus_init(void)
{
	int state = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "ioblame:stacks",
					      cpu_cache_comes, NULL);

	if (state < 0)
		return state;
	cache_cpu_state = state;
	return 0;
}

/* Module unload, after iob_stacks_exit().  May sleep. */
void iob_stack_cpus_exit(void)
{
	if (cache_cpu_state)
		cpuhp_remove_state_nocalls(cache_cpu_state);
	cache_cpu_state = 0;
}
