// SPDX-License-Identifier: GPL-2.0
/*
 * A session is started unit by unit, then the hooks are attached; it ends the other way
 * round.  Disabling detaches the hooks and frees what only probes need; the rest is kept
 * for readers until the next session begins.
 */
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>

#include "blame/association.h"
#include "blame/blame.h"
#include "blame/dirtier.h"
#include "blame/freed_extent.h"
#include "blame/provider.h"
#include "blame/transaction.h"
#include "core/act.h"
#include "core/cause.h"
#include "core/disk.h"
#include "core/intent.h"
#include "core/role.h"
#include "core/stats.h"
#include "core/task.h"
#include "core/worker.h"
#include "stack/stack.h"
#include "account.h"
#include "bio_ctx.h"
#include "clock.h"
#include "counters.h"
#include "fast.h"
#include "log.h"
#include "parent.h"
#include "reclaim.h"
#include "session.h"
#include "sum.h"
#include "sum_reader.h"

/* W to begin and end, R to look into what a session holds */
static DECLARE_RWSEM(session_sem);
/* outside session_sem: one task at a time enables, from the first look to the end */
static DEFINE_MUTEX(enable_mutex);
static bool enabled;		/* session_sem, read without for a look */
static bool there;		/* session_sem */
static u32 seq;			/* session_sem */

static const struct iob_session_ops *session_ops;

static int start_log(void)
{
	return iob_iolog_start(READ_ONCE(iob_conf.log_at_enable));
}

static int start_intents(void)
{
	return iob_intents_init(iob_conf.max[IOB_LIMIT_intents]);
}

static int start_roles(void)
{
	return iob_roles_init(iob_conf.max[IOB_LIMIT_roles], iob_conf.role);
}

static int start_causes(void)
{
	return iob_causes_init(iob_conf.max[IOB_LIMIT_roles],
			       iob_conf.max[IOB_LIMIT_causes]);
}

static void release_act(struct iob_act *act)
{
	iob_counters_release(act);
	iob_sums_release(act);
}

/* Each role may need an act without a file. */
static int start_acts(void)
{
	return iob_acts_init(iob_conf.max[IOB_LIMIT_acts], iob_conf.max[IOB_LIMIT_roles],
			     release_act);
}

/*
 * In the order of starting.  A stop may follow no start, or a start that failed.  (Members by their
 * names: CONFIG_RANDSTRUCT orders a struct of pointers to functions anew.)
 */
static const struct {
	int (*start)(void);	/* may sleep; 0 or a negative errno; NULL: nothing to do */
	void (*stop)(void);	/* no probe is attached; may sleep; or NULL */
} session_units[] = {
	{ .start = start_log, .stop = iob_iolog_stop },
	{ .start = iob_stacks_init, .stop = iob_stacks_exit },
	{ .start = iob_transactions_start, .stop = iob_transactions_stop },
	{ .start = iob_assoc_init, .stop = iob_assoc_exit },
	{ .start = iob_freed_extents_start, .stop = iob_freed_extents_stop },
	{ .start = iob_providers_start, .stop = iob_providers_stop },
	{ .start = iob_dirtier_init, .stop = iob_dirtier_exit },
	{ .start = start_intents, .stop = iob_intents_exit },
	/* a role has its last cause in itself: causes end before roles */
	{ .stop = iob_roles_exit },
	{ .start = start_causes, .stop = iob_causes_exit },
	{ .start = start_roles },
	{ .start = iob_counters_start, .stop = iob_counters_stop },
	/* its stop frees histograms: before that of the counters */
	{ .start = start_acts, .stop = iob_acts_exit },
	{ .start = iob_sums_start, .stop = iob_sums_stop },
	{ .start = iob_bio_ctxs_start, .stop = iob_bio_ctxs_stop },
};

/* Free all that a session had.  No probe is attached. */
static void discard_session(void)
{
	int i = ARRAY_SIZE(session_units);

	while (i--) {
		if (session_units[i].stop)
			session_units[i].stop();
	}
	there = false;
}

static int begin_session(void)
{
	unsigned int i;
	int err = 0;

	discard_session();
	iob_stats_reset();
	iob_disks_reset();
	iob_tasks_new_session();
	iob_io_charge_first(iob_conf.charge_first);
	iob_parents_start();
	for (i = 0; !err && i < ARRAY_SIZE(session_units); i++) {
		if (session_units[i].start)
			err = session_units[i].start();
	}
	if (err) {
		/* the log was started first: its readers get the end */
		iob_iolog_end();
		discard_session();
	} else {
		there = true;
	}
	seq++;
	return err;
}

static int switch_session_on(void)
{
	int err = begin_session();

	if (err)
		return err;
	iob_clock_start();
	err = session_ops->attach();
	if (err) {
		iob_clock_stop();
		iob_iolog_end();
		discard_session();
		return err;
	}
	iob_reclaim_start();
	WRITE_ONCE(enabled, true);
	return 0;
}

static void switch_session_off(void)
{
	iob_reclaim_stop();
	/* returns when no probe runs any more */
	session_ops->detach();
	iob_clock_stop();
	/* before who enables next finds it disabled, and learns */
	iob_disks_learn_end();
	WRITE_ONCE(enabled, false);
	iob_bio_ctxs_stop();
	iob_iolog_end();
	iob_stacks_exit();
	iob_freed_extents_stop();
	iob_assoc_exit();
	iob_transactions_stop();
}

/* Under enable_mutex.  May sleep. */
static int enable_session(void)
{
	int err;

	if (iob_session_enabled())
		return 0;
	/*
	 * Both open files, so the session's lock is not held.  What the last session gathered is
	 * kept if this is refused.
	 */
	err = session_ops->check() ?: iob_disks_learn();
	if (err)
		return err;
	down_write(&session_sem);
	err = switch_session_on();
	if (err)
		iob_disks_learn_end();
	up_write(&session_sem);
	return err;
}

/**
 * iob_session_switch - enable or disable
 * @on: which; nothing happens if it is so already
 *
 * May sleep.  Return: 0, -ENOMEM, -EBUSY while ftrace is off, or what attaching the hooks
 * returned.  What the last session gathered stays after -EBUSY, and may be gone after the others.
 */
int iob_session_switch(bool on)
{
	int err = 0;

	if (on) {
		mutex_lock(&enable_mutex);
		err = enable_session();
		mutex_unlock(&enable_mutex);
		return err;
	}
	down_write(&session_sem);
	if (enabled)
		switch_session_off();
	up_write(&session_sem);
	return 0;
}

/* True if ioblame is enabled at this moment.  Any context. */
bool iob_session_enabled(void)
{
	return READ_ONCE(enabled);
}

/**
 * iob_session_change - begin to change a setting
 *
 * May sleep.  Return: 0, and ioblame stays disabled until iob_session_change_done(); or
 * -EBUSY while it is enabled.
 */
int iob_session_change(void)
{
	down_write(&session_sem);
	if (!enabled)
		return 0;
	up_write(&session_sem);
	return -EBUSY;
}

/* The setting is changed. */
void iob_session_change_done(void)
{
	up_write(&session_sem);
}

/* Counters or readers came or went: attach the hooks that they need.  May sleep. */
void iob_session_renew(void)
{
	session_ops->renew();
}

/* What the session holds stays until the unlock.  May sleep. */
void iob_session_read_lock(void)
{
	down_read(&session_sem);
}

/* The other end of iob_session_read_lock(). */
void iob_session_read_unlock(void)
{
	up_read(&session_sem);
}

/* True if there is a session to be read.  Under iob_session_read_lock(). */
bool iob_session_there(void)
{
	return there;
}

/* Counts the sessions: what a reader remembers may be of an earlier one.  Any context. */
u32 iob_session_seq(void)
{
	return READ_ONCE(seq);
}

/**
 * iob_session_init - module load
 * @ops: constant
 *
 * May sleep.  Return: 0 or a negative errno.
 */
int iob_session_init(const struct iob_session_ops *ops)
{
	int err;

	session_ops = ops;
	err = iob_workers_init();
	if (err)
		return err;
	err = iob_stack_cpus_init();
	if (err)
		goto workers;
	err = iob_blame_init();
	if (err)
		goto stack_cpus;
	err = iob_fast_init();
	if (err)
		goto blame;
	err = iob_roles_cache_init();
	if (err)
		goto blame;
	err = iob_causes_cache_init();
	if (err)
		goto roles;
	err = iob_acts_cache_init();
	if (err)
		goto causes;
	err = iob_sums_cache_init();
	if (err)
		goto acts;
	err = iob_sum_readers_init();
	if (err)
		goto sums;
	err = iob_bio_ctxs_init();
	if (err)
		goto sum_readers;
	err = iob_tasks_init();
	if (err)
		goto bio_ctxs;
	return 0;
bio_ctxs:
	iob_bio_ctxs_exit();
sum_readers:
	iob_sum_readers_exit();
sums:
	iob_sums_cache_exit();
acts:
	iob_acts_cache_exit();
causes:
	iob_causes_cache_exit();
roles:
	iob_roles_cache_exit();
blame:
	iob_blame_exit();
stack_cpus:
	iob_stack_cpus_exit();
workers:
	iob_workers_exit();
	return err;
}

/* Module unload: the files are gone, and only the hooks that follow tasks are attached. */
void iob_session_exit(void)
{
	iob_session_switch(false);
	discard_session();
	iob_counters_set_nr(0);
	iob_disks_exit();
	iob_tasks_exit();
	iob_bio_ctxs_exit();
	iob_sum_readers_exit();
	iob_sums_cache_exit();
	iob_acts_cache_exit();
	iob_causes_cache_exit();
	iob_roles_cache_exit();
	iob_blame_exit();
	iob_stack_cpus_exit();
	iob_workers_exit();
}
