// SPDX-License-Identifier: GPL-2.0
/*
 * Mistakes on purpose, one for each way of finding them: the cases planted/ load this with
 * fault=NAME, and the run must find it.  It is part of no build but theirs.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>

static char *fault = "";
module_param(fault, charp, 0400);
MODULE_PARM_DESC(fault, "use-after-free, lock-inversion, sleep, leak, race, marked, barrier or call");

#define LEAKED		256

static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);
static unsigned long raced;
static unsigned long seen;
static int ready;

static int use_after_free(void)
{
	unsigned char *freed = kmalloc(96, GFP_KERNEL);

	if (!freed)
		return -ENOMEM;
	kfree(freed);
	return READ_ONCE(*(freed + 8)) == 0xff;
}

static int lock_inversion(void)
{
	mutex_lock(&first);
	mutex_lock(&second);
	mutex_unlock(&second);
	mutex_unlock(&first);

	mutex_lock(&second);
	mutex_lock(&first);
	mutex_unlock(&first);
	mutex_unlock(&second);
	return 0;
}

/* Takes a mutex, which is free: it might sleep, but does not */
static int probe_sleeps(struct kprobe *probe, struct pt_regs *regs)
{
	mutex_lock(&first);
	mutex_unlock(&first);
	return 0;
}

static noinline int probed(int n)
{
	barrier();
	return n + 1;
}

static int sleep_in_probe(void)
{
	struct kprobe probe = { .addr = (kprobe_opcode_t *)probed, .pre_handler = probe_sleeps };
	int error = register_kprobe(&probe);

	if (error)
		return error;
	probed(1);
	unregister_kprobe(&probe);
	return 0;
}

/*
 * Many: what is left in a register or on a stack still points to the last one, and from 7.0 on the
 * allocator's sheaf of each CPU to the last hundred
 */
static int leak(void)
{
	int n;

	for (n = 0; n < LEAKED; n++) {
		unsigned long *lost = kzalloc(200, GFP_KERNEL);

		if (!lost)
			return -ENOMEM;
		WRITE_ONCE(*lost, n);
	}
	return 0;
}

/* Runs turn() of a racer for ten seconds, then waits for kthread_stop() */
static int racer(void *turn)
{
	void (*racer_turn)(void) = turn;
	unsigned long end = jiffies + 10 * HZ;

	while (time_before(jiffies, end) && !kthread_should_stop()) {
		racer_turn();
		cond_resched();
	}
	while (!kthread_should_stop())
		msleep(20);
	return 0;
}

static int race_of(void (*one_turn)(void), void (*two_turn)(void))
{
	struct task_struct *one = kthread_run(racer, one_turn, "racer/1"), *two;

	if (IS_ERR(one))
		return PTR_ERR(one);
	two = kthread_run(racer, two_turn, "racer/2");
	if (!IS_ERR(two)) {
		msleep(11000);
		kthread_stop(two);
	}
	kthread_stop(one);
	return PTR_ERR_OR_ZERO(two);
}

static noinline void add_turn(void)
{
	int n;

	for (n = 0; n < 1000; n++) {
		raced++;
		barrier();
	}
}

static noinline void read_turn(void)
{
	int n;

	for (n = 0; n < 1000; n++)
		WRITE_ONCE(seen, READ_ONCE(raced));
}

/*
 * The writes to raced may come after that to ready: a release is missing.  KCSAN holds back one of
 * them up to the next barrier, and looks at it at some of the accesses until then.
 */
static noinline void give_turn(void)
{
	int n;

	for (n = 0; n < 100; n++) {
		raced++;
		barrier();
	}
	WRITE_ONCE(ready, 1);
	for (n = 0; n < 3000; n++)
		READ_ONCE(ready);
	smp_mb();
	while (READ_ONCE(ready) && !kthread_should_stop())
		cond_resched();
	smp_mb();
}

static noinline void take_turn(void)
{
	int n;

	if (!smp_load_acquire(&ready))	/* pairs with nothing, on purpose */
		return;
	for (n = 0; n < 1000; n++) {
		WRITE_ONCE(seen, raced);
		barrier();
	}
	smp_store_release(&ready, 0);	/* pairs with give_turn()'s barrier */
}

static int race(void)
{
	return race_of(add_turn, add_turn);
}

static int marked(void)
{
	return race_of(add_turn, read_turn);
}

static int missing_barrier(void)
{
	return race_of(give_turn, take_turn);
}

static noinline unsigned long called(const char *name, unsigned long n)
{
	return n + strlen(name);
}

/* Through a pointer of another type.  A kernel that checks this ends the task here. */
static int call(void)
{
	int (*wrong)(void *) = (void *)called;

	OPTIMIZER_HIDE_VAR(wrong);
	return wrong("name") < 0;
}

static int __init planted_init(void)
{
	static const struct {
		const char *name;
		int (*commit)(void);
	} faults[] = {
		{ "use-after-free", use_after_free },
		{ "lock-inversion", lock_inversion },
		{ "sleep", sleep_in_probe },
		{ "leak", leak },
		{ "race", race },
		{ "marked", marked },
		{ "barrier", missing_barrier },
		{ "call", call },
	};
	int n, error;

	for (n = 0; n < ARRAY_SIZE(faults); n++) {
		if (!strcmp(fault, faults[n].name)) {
			error = faults[n].commit();
			return error < 0 ? error : 0;
		}
	}
	return -EINVAL;
}
module_init(planted_init);

static void __exit planted_exit(void)
{
}
module_exit(planted_exit);

MODULE_DESCRIPTION("Mistakes that a test run must find");
MODULE_LICENSE("GPL");
