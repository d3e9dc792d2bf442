// SPDX-License-Identifier: GPL-2.0
/*
 * One ftrace_ops watches all functions.  A kprobe at each function serves where ftrace
 * cannot attach.  Kprobes everywhere would cost twice as much at each call, would drop calls
 * that interrupt another probe's handler, and would patch the kernel's code once for each
 * function: that takes a second on a slow machine, in which some functions are watched and
 * others are not.  ftrace arms all functions in one pass; then each is switched on.
 *
 * The callback looks up the function in an open hash table by its address.  Slots are filled
 * and emptied while other CPUs look.  An emptied slot keeps the address EMPTIED, so that a
 * look-up goes on behind it, and gets a new function only after a grace period.
 *
 * Example: 0xffffffff81234560 and 0xffffffff812345f0 both hash to 25.  The first is armed in
 * slot 25, the second in slot 26, slot 27 is empty.  The first is disarmed: slot 25 has
 * EMPTIED.  A look-up of the second reads slots 25 and 26; one of an unknown function with
 * the same hash ends at slot 27.
 *
 * The few functions that are called all the time have an ftrace_ops each, see own_ops.c.
 *
 * Tests attach by kprobes what ftrace could have (the parameter attach).
 */
#define pr_fmt(fmt) "ioblame: " fmt

#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include <compat/compiler.h>
#include <compat/entry.h>
#include <compat/rcu.h>
#include <compat/read_file.h>

#include "entry.h"

/* How functions are attached to.  A breakpoint is a kprobe that makes no use of ftrace either. */
enum entry_way {
	ENTRY_BY_FTRACE,
	ENTRY_BY_KPROBE,
	ENTRY_BY_BREAKPOINT,
};

static const char *const entry_way_names[] = { "ftrace", "kprobe", "breakpoint" };
static enum entry_way entry_way;	/* constant after module load */

static int entry_way_set(const char *val, const struct kernel_param *kp)
{
	int i = sysfs_match_string(entry_way_names, val);

	if (i < 0)
		return i;
	entry_way = i;
	return 0;
}

static int entry_way_get(char *buf, const struct kernel_param *kp)
{
	return sprintf(buf, "%s\n", entry_way_names[entry_way]);
}

static const struct kernel_param_ops entry_way_ops = {
	.set = entry_way_set,
	.get = entry_way_get,
};

module_param_cb(attach, &entry_way_ops, NULL, 0400);
MODULE_PARM_DESC(attach, "how functions are attached to: ftrace; for tests kprobe, breakpoint");

#ifdef IOB_ENTRY_FTRACE
#define ENTRY_SLOT_BITS		8
#define NR_ENTRY_SLOTS		256U	/* 1 << ENTRY_SLOT_BITS */
/* no function has this address */
#define ENTRY_SLOT_EMPTIED	1UL

struct entry_slot {
	unsigned long addr;		/* a place; 0: never used since iob_entries_end() */
	struct iob_entry *entry;
};

static struct entry_slot entry_slots[NR_ENTRY_SLOTS];	/* H; read under iob_read_lock() */
static unsigned int nr_entry_slots;	/* H: with an addr, EMPTIED ones included */
static bool entry_ops_registered;	/* H */

static unsigned int entry_slot_hash(unsigned long addr)
{
	return hash_long(addr, ENTRY_SLOT_BITS);
}

/*
 * Context: the watched function's, preemption maybe on.  No function that a handler calls
 * is watched, but an interrupt may come in between and enter a watched one.  Handlers allow
 * for that, as probes of tracepoints do.
 */
static void notrace entry_ops_called(IOB_FTRACE_ARGS)
{
	struct iob_entry_room room IOB_UNINIT;
	unsigned int i;
	unsigned long addr;
	iob_entry_fn fn;

	iob_read_lock();
	for (i = entry_slot_hash(ip); ; i = (i + 1) % NR_ENTRY_SLOTS) {
		/* pairs with entry_arm_ftrace(): the entry is there if the address is */
		addr = smp_load_acquire(&entry_slots[i].addr);
		if (addr == ip) {
			fn = READ_ONCE(entry_slots[i].entry->live);
			if (fn)
				fn(iob_entry_regs(fregs, &room));
			break;
		}
		if (!addr)
			break;
	}
	iob_read_unlock();
}

static struct ftrace_ops entry_ops = {
	.func = entry_ops_called,
	.flags = IOB_ENTRY_OPS_FLAGS,
};

/* A slot for @addr.  NULL if there is none, or the address has one already. */
static struct entry_slot *entry_slot_unused(unsigned long addr)
{
	struct entry_slot *unused = NULL;
	unsigned int i = entry_slot_hash(addr), n;

	/* one slot stays empty always: look-ups end there */
	for (n = 0; n < NR_ENTRY_SLOTS - 1; n++, i = (i + 1) % NR_ENTRY_SLOTS) {
		if (entry_slots[i].addr == addr)
			return NULL;
		if (!unused && entry_slots[i].addr <= ENTRY_SLOT_EMPTIED)
			unused = &entry_slots[i];
		if (!entry_slots[i].addr)
			break;
	}
	return unused;
}

static struct entry_slot *entry_slot_find(unsigned long addr)
{
	unsigned int i;

	for (i = entry_slot_hash(addr); entry_slots[i].addr; i = (i + 1) % NR_ENTRY_SLOTS) {
		if (entry_slots[i].addr == addr)
			return &entry_slots[i];
	}
	return NULL;
}

/* True if a slot other than @but has a function. */
static bool entry_slots_armed(const struct entry_slot *but)
{
	unsigned int i;

	for (i = 0; i < NR_ENTRY_SLOTS; i++) {
		if (&entry_slots[i] != but && entry_slots[i].addr > ENTRY_SLOT_EMPTIED)
			return true;
	}
	return false;
}

/*
 * Return: 0, -EBUSY if the table is full or another entry has the same address (compilers
 * and linkers merge equal functions), or ftrace's error.
 */
static int entry_arm_ftrace(struct iob_entry *e)
{
	struct entry_slot *slot;
	unsigned long place;
	int err;

	place = iob_entry_place(e->addr);
	e->place = place;
	if (e->own_ops && !iob_own_ops_arm(e->own_ops, place, &e->live))
		return 0;
	slot = entry_slot_unused(place);
	if (!slot || (!slot->addr && nr_entry_slots == NR_ENTRY_SLOTS - 1))
		return -EBUSY;
	err = ftrace_set_filter_ip(&entry_ops, place, 0, 0);
	if (err)
		return err;
	if (!slot->addr)
		nr_entry_slots++;
	slot->entry = e;
	/* pairs with entry_ops_called() */
	smp_store_release(&slot->addr, place);
	return 0;
}

static void entry_disarm_ftrace(struct iob_entry *e)
{
	struct entry_slot *slot;

	if (e->own_ops && e->own_ops->armed) {
		iob_own_ops_disarm(e->own_ops);
		return;
	}
	slot = entry_slot_find(e->place);
	if (!slot)	/* iob_entries_end() has disarmed all */
		return;
	/* an empty filter would mean all functions */
	if (!entry_slots_armed(slot)) {
		iob_entries_end();
		return;
	}
	ftrace_set_filter_ip(&entry_ops, slot->addr, 1, 0);
	WRITE_ONCE(slot->addr, ENTRY_SLOT_EMPTIED);
	/* callbacks that found the slot before are done with its entry */
	synchronize_rcu();
}

static void entries_say_busy(void)
{
	pr_err("functions cannot be watched while kernel.ftrace_enabled is 0\n");
}

/**
 * iob_entries_check - see whether iob_entries_begin() would be refused
 *
 * ftrace has no function that says so; its sysctl does.  May sleep.  Return: 0, also if the
 * sysctl cannot be read; or -EBUSY while kernel.ftrace_enabled is 0.
 */
int iob_entries_check(void)
{
	struct file *file = iob_open_file("/proc/sys/kernel/ftrace_enabled");
	char text[16] = "";
	ssize_t got;

	if (IS_ERR(file))
		return 0;
	got = iob_read_from(file, text, sizeof(text) - 1);
	fput(file);
	if (got < 0 || strcmp(text, "0\n"))
		return 0;
	entries_say_busy();
	return -EBUSY;
}

/**
 * iob_entries_begin - let ftrace call for all functions that are armed
 *
 * May sleep.  Functions that are armed later are called, too.  Return: 0, -EBUSY while
 * kernel.ftrace_enabled is 0, -ENODEV if ftrace has broken down.
 */
int iob_entries_begin(void)
{
	int err;

	if (entry_ops_registered || !entry_slots_armed(NULL))
		return 0;
	err = register_ftrace_function(&entry_ops);
	if (err == -EBUSY)
		entries_say_busy();
	else if (err)
		pr_err("ftrace cannot watch functions: error %d\n", err);
	entry_ops_registered = !err;
	return err;
}

/* ftrace goes on to call the shared ops, maybe: it must find a table, and no function there. */
static void entry_slots_empty(void)
{
	unsigned int i;

	for (i = 0; i < NR_ENTRY_SLOTS; i++) {
		if (entry_slots[i].addr)
			WRITE_ONCE(entry_slots[i].addr, ENTRY_SLOT_EMPTIED);
	}
}

/**
 * iob_entries_end - stop ftrace's calls and disarm all that the shared ops has
 *
 * May sleep.  No call runs when this returns: ftrace waits for all tasks that may be in the
 * trampoline or the callback of a module's ops.  If ftrace has broken down, calls go on and come
 * to no handler, and the module stays.  synchronize_rcu() waits for handlers that run then.
 */
void iob_entries_end(void)
{
	if (entry_ops_registered && unregister_ftrace_function(&entry_ops)) {
		entry_slots_empty();
		iob_ops_keep();
		return;
	}
	entry_ops_registered = false;
	iob_ops_clear_filter(&entry_ops);
	memset(entry_slots, 0, sizeof(entry_slots));
	nr_entry_slots = 0;
}

/**
 * iob_entries_exit - drop all references that ftrace has to this module
 *
 * The module goes, and all is disarmed.  May sleep.  Does not return if ftrace cannot drop them:
 * it would call what is freed.  That is so if ftrace has broken down since the last session began;
 * a session that ended in between has kept the module from coming here.
 */
void iob_entries_exit(void)
{
	while (!iob_own_ops_exit())
		schedule_timeout_idle(MAX_SCHEDULE_TIMEOUT);
}
#else
static int entry_arm_ftrace(struct iob_entry *e)
{
	return -EOPNOTSUPP;
}

static void entry_disarm_ftrace(struct iob_entry *e)
{
}

int iob_entries_check(void)
{
	return 0;
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

static int entry_kprobe_hit(struct kprobe *kp, struct pt_regs *regs)
{
	const struct iob_entry *e = container_of(kp, struct iob_entry, kp);
	unsigned long ip = instruction_pointer(regs);
	struct iob_entry_room room IOB_UNINIT;
	iob_entry_fn fn;
	bool left;

	iob_read_lock();
	/* no NMI calls a function that is hooked */
	left = iob_kprobe_nmi_leave();
	fn = READ_ONCE(e->live);
	if (fn)
		fn(iob_kprobe_regs(regs, (unsigned long)kp->addr, &room));
	iob_kprobe_nmi_again(left);
	iob_read_unlock();
	instruction_pointer_set(regs, ip);
	return 0;
}

static int entry_arm_kprobe(struct iob_entry *e)
{
	unsigned long addr = e->addr;

	if (e->unprobed)
		return -EINVAL;
	if (entry_way == ENTRY_BY_BREAKPOINT && e->ftraced)
		addr = iob_entry_behind(addr);
	memset(&e->kp, 0, sizeof(e->kp));
	e->kp.addr = (kprobe_opcode_t *)addr;
	e->kp.pre_handler = entry_kprobe_hit;
	return register_kprobe(&e->kp);
}

/* True if iob_entry_arm() would try ftrace.  @e: as for iob_entry_arm() */
bool iob_entry_wants_ftrace(const struct iob_entry *e)
{
	return e->addr && e->ftraced && entry_way == ENTRY_BY_FTRACE;
}

/**
 * iob_entry_arm - make a function call its handler once iob_entry_on() says so
 * @e: the caller has set addr, ftraced, unprobed, own_ops and fn; not armed
 *
 * May sleep.  A kprobe serves if ftrace fails, until the entry is disarmed.  Return: 0, or
 * the kprobe's error.
 */
int iob_entry_arm(struct iob_entry *e)
{
	int err = 0;

	e->live = NULL;
	e->by_kprobe = entry_way != ENTRY_BY_FTRACE || !e->ftraced || entry_arm_ftrace(e);
	if (e->by_kprobe)
		err = entry_arm_kprobe(e);
	e->armed = !err;
	return err;
}

/* Begin to call @e->fn.  Any context. */
void iob_entry_on(struct iob_entry *e)
{
	WRITE_ONCE(e->live, e->fn);
}

/* Let no further call of @e->fn begin.  One that has begun may still run.  Any context. */
void iob_entry_off(struct iob_entry *e)
{
	WRITE_ONCE(e->live, NULL);
}

/**
 * iob_entry_disarm - undo iob_entry_arm()
 * @e: armed or not
 *
 * May sleep.  No call of @e->fn begins after this returns.  synchronize_rcu() waits for
 * those that have begun: they run inside iob_read_lock().
 */
void iob_entry_disarm(struct iob_entry *e)
{
	iob_entry_off(e);
	if (!e->armed)
		return;
	if (e->by_kprobe)
		unregister_kprobe(&e->kp);
	else
		entry_disarm_ftrace(e);
	e->armed = false;
}
