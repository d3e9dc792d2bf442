// SPDX-License-Identifier: GPL-2.0
/*
 * An ftrace_ops of its own is registered when its function is armed for the first time, and
 * stays registered until the module goes: sessions only change its filter.  An empty filter
 * would mean all functions, so each filter begins with a function that is never called.
 *
 * Example: the filter of vfs_iter_read()'s ops is { own_ops_filler, vfs_iter_read } while a
 * session runs, and { own_ops_filler } after it.
 *
 * The function is in no other ops of ours: ftrace calls two ops by way of a list, which
 * costs more than the look-up that is saved.
 *
 * Once ftrace has found something that it does not understand, it gives up (ftrace_kill()):
 * it changes no filter and unregisters nothing any more, but calls what it called.  Then an ops
 * is off for good, and this module stays, as ftrace knows it.
 */
#define pr_fmt(fmt) "ioblame: " fmt

#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/sched.h>

#include <compat/rcu.h>

#include "own_ops.h"

#ifdef IOB_ENTRY_FTRACE
static LIST_HEAD(own_ops_registered);	/* H */
static bool ops_kept;			/* H: see iob_ops_keep() */

/* iob_own_ops.live of an ops that ftrace may call for ever */
static const iob_entry_fn own_ops_off;

/* What the filter of an ops keeps while its function is not armed. */
static noinline void own_ops_filler(void)
{
	barrier();
}

/**
 * iob_own_ops_call - call the handler of a function
 * @ops:  the ftrace_ops of a struct iob_own_ops
 * @regs: as handlers get them
 *
 * For IOB_OWN_OPS().  Context: the watched function's, preemption maybe on.
 */
void notrace iob_own_ops_call(struct ftrace_ops *ops, struct pt_regs *regs)
{
	const struct iob_own_ops *own = container_of(ops, struct iob_own_ops, ops);
	iob_entry_fn fn;

	iob_read_lock();
	fn = READ_ONCE(*READ_ONCE(own->live));
	if (fn)
		fn(regs);
	iob_read_unlock();
}

/**
 * iob_ops_keep - ftrace cannot unregister an ops of ours: this module must stay
 *
 * hooks_mutex, or the module goes.
 */
void iob_ops_keep(void)
{
	if (ops_kept)
		return;
	ops_kept = true;
	__module_get(THIS_MODULE);
	pr_err("ftrace has broken down and may call this module for ever: it stays until a reboot\n");
}

/**
 * iob_ops_clear_filter - take all functions out of the filter of an ops
 * @ops: not registered
 *
 * ftrace needs memory for that.  What stays in the filter is lost if the module goes, so this waits
 * half a second for memory.  May sleep; hooks_mutex, or the module goes.
 */
void iob_ops_clear_filter(struct ftrace_ops *ops)
{
	unsigned int tries = 50;

	while (ftrace_set_filter(ops, NULL, 0, 1) == -ENOMEM) {
		if (!--tries) {
			pr_warn("no memory: ftrace keeps the filter of a function that is not watched\n");
			return;
		}
		schedule_timeout_idle(msecs_to_jiffies(10));
	}
}

static int own_ops_begin(struct iob_own_ops *own, const iob_entry_fn *live)
{
	int err;

	err = ftrace_set_filter_ip(&own->ops, iob_entry_place((unsigned long)own_ops_filler), 0, 1);
	if (err)
		return err;
	/* only the filler can call ops: own->live may be NULL still */
	err = register_ftrace_function(&own->ops);
	if (err) {
		iob_ops_clear_filter(&own->ops);
		return err;
	}
	own->live = live;
	list_add(&own->node, &own_ops_registered);
	return 0;
}

/*
 * No call runs when this returns: ftrace waits for all tasks that may be in the trampoline
 * or the callback of a module's ops.  If ftrace cannot, calls go on, and come to no handler.
 */
static void own_ops_end(struct iob_own_ops *own)
{
	if (unregister_ftrace_function(&own->ops)) {
		WRITE_ONCE(own->live, &own_ops_off);
		iob_ops_keep();
		return;
	}
	list_del(&own->node);
	own->live = NULL;
	iob_ops_clear_filter(&own->ops);
}

/**
 * iob_own_ops_arm - let ftrace call the ops of a function
 * @own:  its ops; not armed
 * @place: iob_entry_place() of the function
 * @live: where the current handler is, or NULL in it; valid until iob_own_ops_exit()
 *
 * May sleep; hooks_mutex.  Return: 0 or ftrace's error.
 */
int iob_own_ops_arm(struct iob_own_ops *own, unsigned long place, const iob_entry_fn *live)
{
	int err;

	if (own->live == &own_ops_off)
		return -ENODEV;
	if (!own->live) {
		err = own_ops_begin(own, live);
		if (err)
			return err;
	}
	err = ftrace_set_filter_ip(&own->ops, place, 0, 0);
	own->place = place;
	own->armed = !err;
	return err;
}

/* Undo iob_own_ops_arm().  A call that has begun may still run.  May sleep; hooks_mutex. */
void iob_own_ops_disarm(struct iob_own_ops *own)
{
	own->armed = false;
	/* this needs memory; unregister, which needs none, if there is none */
	if (ftrace_set_filter_ip(&own->ops, own->place, 1, 0))
		own_ops_end(own);
}

/*
 * Unregister all.  The module goes, and all is disarmed.  May sleep.  Return: false if the module
 * must not go, as ftrace may call it.
 */
bool iob_own_ops_exit(void)
{
	struct iob_own_ops *own, *next;

	list_for_each_entry_safe(own, next, &own_ops_registered, node)
		own_ops_end(own);
	return !ops_kept;
}
#endif
