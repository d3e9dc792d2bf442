// SPDX-License-Identifier: GPL-2.0
/*
 * An ftrace_ops of its own calls its handler while it is armed.  Once ftrace has broken down it
 * may call for ever: no handler then, nothing that is NULL is followed, and the module stays.
 */
#define IOB_COMPAT_ENTRY_H
#define IOB_COMPAT_RCU_H
#define IOB_ENTRY_FTRACE

#include <linux/compiler.h>
#include <linux/list.h>

#include "test.h"

#define container_of(p, type, member)	((type *)((char *)(p) - offsetof(type, member)))
#define notrace
#define barrier()			__asm__ __volatile__("" : : : "memory")
#define pr_err(...)			((void)nr_said++)
#define pr_warn(...)			((void)nr_said++)
#define msecs_to_jiffies(ms)		(ms)
#define schedule_timeout_idle(ms)	((void)(nr_waited += (ms)))
#define iob_entry_place(addr)		(addr)
#define iob_read_lock()			((void)0)
#define iob_read_unlock()		((void)0)

struct pt_regs {
	int nothing;
};

/* ftrace as it is used here: a list of one ops, whose filter is the filler and a function */
struct ftrace_ops {
	bool registered;
	unsigned long filter;	/* besides the filler; 0: none */
	bool kept;		/* ftrace has memory for a filter */
};

static int ftrace_error;	/* what all calls return once ftrace has broken down */
static int filter_error;	/* no memory for a filter */
static unsigned int no_memory;	/* how often there is none to clear a filter */
static unsigned int nr_said, nr_held, nr_calls, nr_waited;

static int ftrace_set_filter_ip(struct ftrace_ops *ops, unsigned long ip, int remove, int reset)
{
	if (ftrace_error || filter_error)
		return ftrace_error ?: filter_error;
	ops->kept = true;
	if (!reset)
		ops->filter = remove ? 0 : ip;
	return 0;
}

static int ftrace_set_filter(struct ftrace_ops *ops, void *buf, int len, int reset)
{
	(void)buf;
	(void)len;
	(void)reset;
	if (no_memory) {
		no_memory--;
		return -ENOMEM;
	}
	if (!ftrace_error) {
		ops->filter = 0;
		ops->kept = false;
	}
	return ftrace_error;
}

static int register_ftrace_function(struct ftrace_ops *ops)
{
	ops->registered = !ftrace_error;
	return ftrace_error;
}

static int unregister_ftrace_function(struct ftrace_ops *ops)
{
	if (!ftrace_error)
		ops->registered = false;
	return ftrace_error;
}

void __module_get(void *module)
{
	(void)module;
	nr_held++;
}

#include "hooks/own_ops.c"

#define PLACE	0x1000

static struct iob_own_ops ops;
static iob_entry_fn live;

static void handler(struct pt_regs *regs)
{
	(void)regs;
	nr_calls++;
}

/* The watched function is entered.  Return: whether the handler was called. */
static bool called(void)
{
	struct pt_regs regs = { };

	nr_calls = 0;
	if (ops.ops.registered && ops.ops.filter == PLACE)
		iob_own_ops_call(&ops.ops, &regs);
	return nr_calls;
}

static int arm(void)
{
	int err = iob_own_ops_arm(&ops, PLACE, &live);

	live = err ? NULL : handler;
	return err;
}

static void disarm(void)
{
	live = NULL;
	iob_own_ops_disarm(&ops);
}

static void sessions(void)
{
	int i;

	for (i = 0; i < 3; i++) {
		if (arm() || !called())
			fail("armed, and not called");
		/* the second time there is no memory to change the filter */
		filter_error = i == 1 ? -ENOMEM : 0;
		disarm();
		filter_error = 0;
		if (called())
			fail("called while it is not armed");
	}
	if (!iob_own_ops_exit() || ops.ops.registered || nr_held || nr_said)
		fail("the module cannot go");
}

/* Without memory ftrace cannot forget a filter, which would be lost with the module. */
static void filters(void)
{
	unsigned int times;

	for (times = 0; times < 50; times += 7) {
		if (arm() || !ops.ops.kept)
			fail("armed without a filter");
		disarm();
		no_memory = times;
		nr_waited = 0;
		if (!iob_own_ops_exit() || ops.ops.kept || nr_said)
			fail("a filter is lost");
		if (nr_waited != 10 * times)
			fail("it waited for %u ms", nr_waited);
	}
	/* it does not wait for ever, and says what is lost */
	if (arm())
		fail("not armed");
	disarm();
	no_memory = 1000;
	if (!iob_own_ops_exit() || !ops.ops.kept || nr_said != 1 || nr_waited > 1000)
		fail("it waited for %u ms, %u messages", nr_waited, nr_said);
	no_memory = 0;
	nr_said = 0;
}

static void broken(void)
{
	int i;

	if (arm() || !called())
		fail("armed, and not called");
	ftrace_error = -ENODEV;
	if (!called())
		fail("ftrace does not call what it called");
	for (i = 0; i < 2; i++) {
		disarm();
		if (called())
			fail("a handler is called after the end of the session");
		/* a kprobe serves instead, and its handler is not to be called twice */
		if (arm() != -ENODEV || ops.armed)
			fail("armed by what has broken down");
		live = handler;
		if (called())
			fail("a handler is called by ftrace besides the kprobe");
	}
	if (nr_held != 1 || nr_said != 1)
		fail("%u references to the module, %u messages", nr_held, nr_said);
	if (iob_own_ops_exit() || nr_held != 1)
		fail("the module may go");
}

int main(void)
{
	static const struct test tests[] = {
		TEST(sessions), TEST(filters), TEST(broken),
	};

	return run_tests("own_ops", tests, ARRAY_SIZE(tests));
}
