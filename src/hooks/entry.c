// SPDX-License-Identifier: GPL-2.0
/*
 * Functions are watched by one ftrace_ops for all of them.  A kprobe at each
 * would do, and is taken where ftrace cannot be, but it costs twice as much at
 * each call, drops calls that interrupt another one's handler, and changes the
 * kernel's code in as many passes as there are functions: a second on a slow
 * machine, in which some are already watched and others are not yet.  Here
 * functions are armed in one pass, and then switched on one by one.
 *
 * Which function it is, is looked up by address in an open hash table.  Slots
 * are filled and emptied in place while others look: an emptied one is used
 * again only when nobody can still be looking at what it was.  The few functions
 * that are called all the time have an ftrace_ops each, which says which one it
 * is, and are armed in a pass of their own.
 */
#define pr_fmt(fmt) "ioblame: " fmt

#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <compat/entry.h>
#include <compat/rcu.h>

#include "entry.h"

#ifdef IOB_ENTRY_FTRACE
#define SLOT_BITS	8
#define NR_SLOTS	256U	/* 1 << SLOT_BITS */
/* an address that no function has: looking goes on behind it */
#define EMPTIED		1UL

struct slot {
	unsigned long addr;
	struct iob_entry *entry;
};

static struct slot slots[NR_SLOTS];	/* H; read under iob_read_lock() */
static unsigned int nr_slots;		/* H: used */
static bool begun;			/* H: ops are registered */

static unsigned int slot_of(unsigned long addr)
{
	return hash_long(addr, SLOT_BITS);
}

/*
 * Context: the watched function's, preemption maybe on.  Nothing that a handler
 * calls is watched, but an interrupt may come in between and be watched: the
 * handlers allow for that, as they do for tracepoints.
 */
static void notrace entered(IOB_FTRACE_ARGS)
{
	unsigned int i;
	unsigned long addr;
	iob_entry_fn fn;

	iob_read_lock();
	for (i = slot_of(ip); ; i = (i + 1) % NR_SLOTS) {
		/* the entry was there before its address, see below */
		addr = smp_load_acquire(&slots[i].addr);
		if (addr == ip) {
			fn = READ_ONCE(slots[i].entry->live);
			if (fn)
				fn(iob_entry_regs(fregs));
			break;
		}
		if (!addr)
			break;
	}
	iob_read_unlock();
}

static struct ftrace_ops ops = {
	.func = entered,
	.flags = IOB_ENTRY_OPS_FLAGS,
};

/**
 * iob_entry_own_ops - a call of a function that has an ftrace_ops of its own
 * @ops:  says which
 * @regs: as handlers get them
 *
 * Of IOB_OWN_OPS(); context as entered() has it.
 */
void notrace iob_entry_own_ops(struct ftrace_ops *ops, struct pt_regs *regs)
{
	const struct iob_own_ops *own_ops = container_of(ops, struct iob_own_ops, ops);
	iob_entry_fn fn;

	iob_read_lock();
	fn = READ_ONCE(own_ops->entry->live);
	if (fn)
		fn(regs);
	iob_read_unlock();
}

/*
 * What ops of functions of their own are left with when these are not watched:
 * to filter by nothing is to be called by all.  Nobody calls it.
 */
static noinline void never_called(void)
{
	barrier();
}

static LIST_HEAD(alones);	/* H: registered */

/* No calls, and none that has begun: as iob_entries_end() says. */
static void end_alone(struct iob_own_ops *a)
{
	unregister_ftrace_function(&a->ops);
	list_del(&a->begun);
	a->entry = NULL;
	ftrace_set_filter(&a->ops, NULL, 0, 1);
}

/* Its function is in no other ops: two would be called by way of a list. */
static int arm_alone(struct iob_entry *e)
{
	struct iob_own_ops *a = e->own_ops;
	int err;

	if (!a->entry) {
		err = ftrace_set_filter_ip(&a->ops, (unsigned long)never_called,
					   0, 1);
		if (err)
			return err;
		err = register_ftrace_function(&a->ops);
		if (err) {
			ftrace_set_filter(&a->ops, NULL, 0, 1);
			return err;
		}
		a->entry = e;
		list_add(&a->begun, &alones);
	}
	err = ftrace_set_filter_ip(&a->ops, e->addr, 0, 0);
	a->armed = !err;
	return err;
}

static void disarm_alone(struct iob_own_ops *a)
{
	a->armed = false;
	/* it takes memory; without, as when the module goes */
	if (ftrace_set_filter_ip(&a->ops, a->entry->addr, 1, 0))
		end_alone(a);
}

/* A slot for @addr: free, or NULL if there is none or the address is taken. */
static struct slot *find_free(unsigned long addr)
{
	struct slot *free = NULL;
	unsigned int i = slot_of(addr), n;

	/* one stays free always: where looking ends */
	for (n = 0; n < NR_SLOTS - 1; n++, i = (i + 1) % NR_SLOTS) {
		if (slots[i].addr == addr)
			return NULL;
		if (!free && slots[i].addr <= EMPTIED)
			free = &slots[i];
		if (!slots[i].addr)
			break;
	}
	return free;
}

/*
 * Return: 0, or an error when ftrace cannot do it, as another function of ours
 * has the same code, or there is no memory.
 */
static int arm_by_ftrace(struct iob_entry *e)
{
	struct slot *slot;
	int err;

	if (e->own_ops && !arm_alone(e))
		return 0;
	slot = find_free(e->addr);
	if (!slot || (!slot->addr && nr_slots == NR_SLOTS - 1))
		return -EBUSY;
	err = ftrace_set_filter_ip(&ops, e->addr, 0, 0);
	if (err)
		return err;
	if (!slot->addr)
		nr_slots++;
	slot->entry = e;
	/* whoever finds the address finds the entry */
	smp_store_release(&slot->addr, e->addr);
	return 0;
}

static struct slot *find(unsigned long addr)
{
	unsigned int i;

	for (i = slot_of(addr); slots[i].addr; i = (i + 1) % NR_SLOTS) {
		if (slots[i].addr == addr)
			return &slots[i];
	}
	return NULL;
}

static bool others_armed(const struct slot *but)
{
	unsigned int i;

	for (i = 0; i < NR_SLOTS; i++) {
		if (&slots[i] != but && slots[i].addr > EMPTIED)
			return true;
	}
	return false;
}

static void disarm_by_ftrace(struct iob_entry *e)
{
	struct slot *slot;

	if (e->own_ops && e->own_ops->armed) {
		disarm_alone(e->own_ops);
		return;
	}
	slot = find(e->addr);
	if (!slot)	/* all have ended */
		return;
	/* to filter by nothing is to be called by all */
	if (!others_armed(slot)) {
		iob_entries_end();
		return;
	}
	ftrace_set_filter_ip(&ops, e->addr, 1, 0);
	WRITE_ONCE(slot->addr, EMPTIED);
	/* whoever found the slot before is done with its entry */
	synchronize_rcu();
}

/**
 * iob_entries_begin - let ftrace call for all that is armed
 *
 * May sleep.  What is armed later begins by itself.  Return: 0, -EBUSY while
 * kernel.ftrace_enabled is 0, -ENODEV if ftrace has broken down.
 */
int iob_entries_begin(void)
{
	int err;

	if (begun || !others_armed(NULL))
		return 0;
	err = register_ftrace_function(&ops);
	if (err == -EBUSY)
		pr_err("functions cannot be watched while kernel.ftrace_enabled is 0\n");
	else if (err)
		pr_err("ftrace cannot watch functions: error %d\n", err);
	begun = !err;
	return err;
}

/**
 * iob_entries_end - no calls from ftrace any more, and nothing armed by it
 *
 * May sleep.  Why it suffices: as this is a module, ftrace waits for all tasks
 * that might be in its trampoline or in our function (it calls that dynamic).
 */
void iob_entries_end(void)
{
	if (begun)
		unregister_ftrace_function(&ops);
	begun = false;
	/* nothing is left allocated then */
	ftrace_set_filter(&ops, NULL, 0, 1);
	memset(slots, 0, sizeof(slots));
	nr_slots = 0;
}

/**
 * iob_entries_exit - nothing of ftrace's refers to this module any more
 *
 * The module goes, and all is disarmed.  May sleep.
 */
void iob_entries_exit(void)
{
	struct iob_own_ops *a, *next;

	list_for_each_entry_safe(a, next, &alones, begun)
		end_alone(a);
}
#else
static int arm_by_ftrace(struct iob_entry *e)
{
	return -EOPNOTSUPP;
}

static void disarm_by_ftrace(struct iob_entry *e)
{
}

int iob_entries_begin(void)
{
	return 0;
}

void iob_entries_end(void)
{
}

void iob_entries_exit(void)
{
}
#endif

static int enter_kprobe(struct kprobe *kp, struct pt_regs *regs)
{
	const struct iob_entry *e = container_of(kp, struct iob_entry, kp);
	iob_entry_fn fn;

	iob_read_lock();
	fn = READ_ONCE(e->live);
	if (fn)
		fn(regs);
	iob_read_unlock();
	return 0;
}

static int arm_by_kprobe(struct iob_entry *e)
{
	memset(&e->kp, 0, sizeof(e->kp));
	e->kp.addr = (kprobe_opcode_t *)e->addr;
	e->kp.pre_handler = enter_kprobe;
	return register_kprobe(&e->kp);
}

/**
 * iob_entry_arm - prepare to be called
 * @e: its addr, ftraced, alone and fn are set, the rest is not in use
 *
 * May sleep.  Nothing is called before iob_entry_on().  Return: 0 or an error.
 */
int iob_entry_arm(struct iob_entry *e)
{
	int err = 0;

	e->live = NULL;
	if (e->ftraced && arm_by_ftrace(e))
		e->ftraced = false;
	if (!e->ftraced)
		err = arm_by_kprobe(e);
	e->armed = !err;
	return err;
}

/* From now on @e->fn is called. */
void iob_entry_on(struct iob_entry *e)
{
	WRITE_ONCE(e->live, e->fn);
}

/* No call begins any more; one that has begun may still run. */
void iob_entry_off(struct iob_entry *e)
{
	WRITE_ONCE(e->live, NULL);
}

/**
 * iob_entry_disarm - undo iob_entry_arm()
 * @e: armed or not
 *
 * May sleep.  No call of @e->fn begins when this returns, and synchronize_rcu()
 * waits for those that have begun: they run inside iob_read_lock().
 */
void iob_entry_disarm(struct iob_entry *e)
{
	iob_entry_off(e);
	if (!e->armed)
		return;
	if (e->ftraced)
		disarm_by_ftrace(e);
	else
		unregister_kprobe(&e->kp);
	e->armed = false;
}
