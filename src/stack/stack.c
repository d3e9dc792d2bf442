// SPDX-License-Identifier: GPL-2.0
/*
 * A trace taken in a tracepoint's probe begins with the probe, and with the
 * tracepoint's iterator where several probes are attached.  Neither says
 * anything about the IO, and the iterator comes and goes with other tracers,
 * which would make two intents of one: both are cut off.
 *
 * The kernel's unwinder is exact and slow, and most stacks are met again and
 * again: each CPU remembers some (memo.c says how they are known), and walks
 * only those that it does not know.
 */
#include <linux/hash.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/stacktrace.h>

#include <compat/unwind.h>

#include "slot.h"
#include "stack.h"
#include "core/stats.h"
#include "core/task.h"

#define MAX_HIDDEN	40
#define WAYS		8

/* Filled before the probes are attached, emptied after they are gone. */
static struct iob_code hidden[MAX_HIDDEN];
static unsigned int nr_hidden;

/**
 * iob_code_of - where a function begins and ends
 * @func: an address inside it
 * @code: gets the answer, as kallsyms has it
 *
 * May sleep.  Return: false if kallsyms does not know it.
 */
bool iob_code_of(unsigned long func, struct iob_code *code)
{
	char sym[KSYM_SYMBOL_LEN];
	unsigned long off, size;
	const char *plus;

	sprint_symbol(sym, func);
	plus = strrchr(sym, '+');
	if (!plus || sscanf(plus, "+0x%lx/0x%lx", &off, &size) != 2)
		return false;
	code->start = func - off;
	code->end = func - off + size;
	return true;
}

/**
 * iob_code_publish - where a function is now, for probes that look
 * @func: an address inside it, or 0: it is gone
 * @code: what they look at; none if kallsyms does not know the function
 *
 * May sleep.  One at a time.
 */
void iob_code_publish(unsigned long func, struct iob_code *code)
{
	struct iob_code found;

	/* whoever finds an end finds its start: see iob_code_has() */
	smp_store_release(&code->end, 0);
	if (!iob_code_of(func, &found))
		return;
	WRITE_ONCE(code->start, found.start);
	/* ... and not that of another function */
	smp_store_release(&code->end, found.end);
}

/**
 * iob_stack_hide - leave a function out of traces when it is innermost
 * @func: its address
 *
 * May sleep.  While no probe is attached.
 */
void iob_stack_hide(unsigned long func)
{
	if (WARN_ON_ONCE(nr_hidden == MAX_HIDDEN))
		return;
	if (iob_code_of(func, &hidden[nr_hidden]))
		nr_hidden++;
}

/* Forget what iob_stack_hide() was told.  While no probe is attached. */
void iob_stack_show_all(void)
{
	nr_hidden = 0;
}

/* An iterator is seldom on the stack, and then once: checked by the first. */
static bool is_hidden(unsigned long ip)
{
	unsigned int i;

	for (i = 0; i < nr_hidden; i++) {
		if (iob_code_has(&hidden[i], ip))
			return true;
	}
	return false;
}

/* Cut what is ours and what is the tracepoint's off the front. */
static unsigned int count_own(const unsigned long *raw, unsigned int nr)
{
	unsigned int own = 0;

	while (own < nr && within_module(raw[own], THIS_MODULE))
		own++;
	while (own < nr && is_hidden(raw[own]))
		own++;
	return own;
}

/*
 * What a CPU remembers.  Used by its tasks alone, with preemption off; never in
 * an interrupt.  The pointers are set while no probe is attached.
 */
struct cache {
	struct iob_stack_cache top;
	u8 next[IOB_STACK_SETS];	/* gives way */
	/* the walk at hand: here, as stacks have little room to spare */
	struct iob_frame walk[IOB_STACK_SLOT_FRAMES + 1];
	struct iob_stack_slot spare;	/* learned into, so that no other is lost */
	struct iob_stack_slot slot[IOB_STACK_SETS][WAYS];
};

/* codes that there are have even numbers */
#define CODE_STEP	2
static struct iob_stack_cache nothing = { .seq = 1 };

DEFINE_PER_CPU(struct iob_stack_cache *, iob_stack_caches) = &nothing;
atomic_t iob_code_seq;

bool iob_check_stacks;
module_param_named(check_stacks, iob_check_stacks, bool, 0600);
MODULE_PARM_DESC(check_stacks,
		 "walk each stack that is remembered, too, and compare (slow)");

/* @s is @nr addresses from @raw on, but for the @own first ones. */
static void show(struct iob_stack *s, const unsigned long *raw,
		 unsigned int nr, unsigned int own)
{
	s->ip = raw + own;
	s->depth = nr - own;
	if (s->depth > IOB_STACK_DEPTH) {
		s->depth = IOB_STACK_DEPTH;
		iob_stat_inc(stack_cut);
	}
}

/* By the kernel's own unwinder, whatever it costs. */
static void walk_simply(struct iob_stack *s, struct pt_regs *regs)
{
	unsigned int nr;

	if (regs)
		nr = iob_unwind_regs(s->room, ARRAY_SIZE(s->room), regs);
	else
		nr = stack_trace_save(s->room, ARRAY_SIZE(s->room), 1);
	show(s, s->room, nr, count_own(s->room, nr));
	s->slot = NULL;
}

#ifdef IOB_UNWIND_FRAMES
static noinline void forget_all(struct cache *cache, u32 seq)
{
	unsigned int set;

	memset(cache, 0, sizeof(*cache));
	cache->top.seq = seq;
	for (set = 0; set < IOB_STACK_SETS; set++) {
		cache->top.hint[set].last = &cache->slot[set][0];
		cache->top.hint[set].other = &cache->slot[set][1];
	}
}

/* The stack is @m; @wrong was guessed. */
static void learn_from(struct iob_stack_hint *hint, struct iob_stack_slot *wrong,
		       struct iob_stack_slot *m, const struct iob_frame *at,
		       unsigned long end)
{
	if (wrong == m)
		return;
	if (iob_stack_slot_differs(wrong, at, end, &hint->place, &hint->ip)) {
		hint->span = wrong->span;
		hint->last = wrong;
		hint->other = m;
	} else {
		hint->span = 0;
		hint->last = m;
		hint->other = wrong;
	}
}

static __always_inline struct cache *this_cache(void)
{
	struct iob_stack_cache *top = this_cpu_read(iob_stack_caches);
	u32 seq = atomic_read(&iob_code_seq);
	struct cache *cache;

	if (top == &nothing)
		return NULL;
	cache = container_of(top, struct cache, top);
	if (unlikely(top->seq != seq))
		forget_all(cache, seq);
	return cache;
}

static void show_slot(struct iob_stack *s, struct iob_stack_slot *m)
{
	show(s, m->ip, m->nr, m->own);
	s->slot = m;
}

/*
 * Walk on from @f[0], in code that still runs; @regs are the same if there are
 * registers.  @clean: the stack ends there, and only calls are on it.  Return:
 * how many frames came after that, at most IOB_STACK_SLOT_FRAMES.
 */
static unsigned int walk(struct iob_frame *f, struct pt_regs *regs, bool *clean)
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

/* Walk, and remember it in @set if that can be done. */
static noinline void walk_and_learn(struct iob_stack *s, struct cache *cache,
				    unsigned int set, struct pt_regs *regs,
				    unsigned long end)
{
	struct iob_frame *f = cache->walk;
	struct iob_stack_hint *hint = &cache->top.hint[set];
	struct iob_stack_slot *m = &cache->spare;
	unsigned int nr, i;
	bool clean;

	nr = walk(f, regs, &clean);
	if (clean && iob_stack_slot_learn(m, f, nr, end)) {
		m->own = count_own(m->ip, nr);
		m->intent = 0;
		i = cache->next[set]++ % WAYS;
		cache->slot[set][i] = *m;
		m = &cache->slot[set][i];
		learn_from(hint, iob_stack_guess(hint, f->sp, end), m, f, end);
		show_slot(s, m);
		return;
	}
	for (i = 0; i < nr; i++)
		s->room[i] = f[i + 1].ip;
	show(s, s->room, nr, count_own(s->room, nr));
	s->slot = NULL;
}

/* Hold a stack that is known against what the kernel's unwinder says. */
static noinline void check(const struct iob_stack *s, struct pt_regs *regs)
{
	unsigned long raw[IOB_STACK_DEPTH + 8];
	unsigned int nr, own;

	if (regs)
		nr = iob_unwind_regs(raw, ARRAY_SIZE(raw), regs);
	else
		nr = stack_trace_save(raw, ARRAY_SIZE(raw), 1);
	own = count_own(raw, nr);
	if (min_t(unsigned int, nr - own, IOB_STACK_DEPTH) == s->depth &&
	    !memcmp(raw + own, s->ip, s->depth * sizeof(*raw)))
		return;
	iob_stat_inc(stack_wrong);
	WARN_ONCE(1, "ioblame: a stack was taken for another one\n");
}

static struct iob_stack_slot *find(struct cache *cache, unsigned int set,
			     struct iob_stack_slot *wrong,
			     const struct iob_frame *at, unsigned long end)
{
	unsigned int i;

	for (i = 0; i < WAYS; i++) {
		struct iob_stack_slot *m = &cache->slot[set][i];

		if (!iob_stack_slot_fits(m, at, end))
			continue;
		learn_from(&cache->top.hint[set], wrong, m, at, end);
		return m;
	}
	return NULL;
}

/*
 * As iob_stack_from().  @at is in a function that is still at work, or in one that
 * a kprobe is at.
 */
static bool find_or_learn(struct iob_stack *s, const struct iob_frame *at,
			  struct pt_regs *regs)
{
	unsigned long base = (unsigned long)task_stack_page(current);
	unsigned long end = base + THREAD_SIZE;
	struct cache *cache;
	struct iob_stack_slot *m;
	unsigned int set;

	if (!in_task() || at->sp < base || at->sp >= end)
		return false;
	cache = this_cache();
	if (!cache)
		return false;
	set = iob_stack_set(at->ip);
	m = iob_stack_guess(&cache->top.hint[set], at->sp, end);
	if (!iob_stack_slot_is(m, at->ip, at->sp, at->bp, end))
		m = find(cache, set, m, at, end);
	if (m) {
		show_slot(s, m);
		iob_stat_inc(stack_known);
		return true;
	}
	iob_stat_inc(stack_walked);
	cache->walk[0] = *at;
	walk_and_learn(s, cache, set, regs, end);
	return true;
}
#endif

/**
 * iob_stack_from - the return addresses above the probe that calls
 * @s:    gets them, valid until the next call on this CPU
 * @at:   see iob_stack_here()
 * @regs: if @at is from a kprobe's handler, those that it was given
 *
 * Any context but NMI, preemption off; called from a probe.  A deeper stack
 * loses its outermost frames, which is counted.
 */
void iob_stack_from(struct iob_stack *s, const struct iob_frame *at,
		    struct pt_regs *regs)
{
#ifdef IOB_UNWIND_FRAMES
	if (likely(find_or_learn(s, at, regs))) {
		if (unlikely(READ_ONCE(iob_check_stacks)) && s->slot)
			check(s, regs);
		return;
	}
#endif
	walk_simply(s, regs);
}

#ifdef IOB_UNWIND_FRAMES
/* Of iob_stack_known(), with check_stacks. */
noinline void iob_stack_check(struct iob_stack_slot *m)
{
	struct iob_stack s IOB_UNINIT;

	show_slot(&s, m);
	check(&s, NULL);
}
#endif

/**
 * iob_stack_get - as iob_stack_from() from here, or from a kprobe's registers
 * @s:    gets the return addresses
 * @regs: in a kprobe's handler, those that it was given: between the probed
 *	  function and us there is the machinery of kprobes; else NULL
 */
noinline void iob_stack_get(struct iob_stack *s, struct pt_regs *regs)
{
	struct iob_frame at IOB_UNINIT;

#ifdef IOB_UNWIND_FRAMES
	if (regs)
		at = (struct iob_frame){ regs->ip, regs->sp, regs->bp };
	else
		iob_here(&at.ip, &at.sp, &at.bp);
#endif
	iob_stack_from(s, &at, regs);
	/* no jump: where we are is part of the stack */
	barrier();
}

/* Code comes or goes: what is remembered may mean something else.  Any context. */
void iob_stack_forget(void)
{
	atomic_add(CODE_STEP, &iob_code_seq);
	iob_epoch_bump();
}

/**
 * iob_stacks_init - remember nothing yet
 *
 * May sleep; no probe is attached.  A CPU that comes later remembers nothing
 * and walks.  Return: 0 or -ENOMEM.
 */
int iob_stacks_init(void)
{
	int cpu;

	for_each_online_cpu(cpu) {
		struct cache *cache = kvzalloc_node(sizeof(*cache), GFP_KERNEL,
						    cpu_to_node(cpu));

		if (!cache) {
			iob_stacks_exit();
			return -ENOMEM;
		}
		forget_all(cache, atomic_read(&iob_code_seq));
		per_cpu(iob_stack_caches, cpu) = &cache->top;
	}
	return 0;
}

/* Free all.  No probe is attached. */
void iob_stacks_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct iob_stack_cache *top = per_cpu(iob_stack_caches, cpu);

		if (top != &nothing)
			kvfree(container_of(top, struct cache, top));
		per_cpu(iob_stack_caches, cpu) = &nothing;
	}
}
