// SPDX-License-Identifier: GPL-2.0
#include <linux/module.h>
#include <linux/rwsem.h>

#include "core/act.h"
#include "fs/btrfs_compressed.h"
#include "blame/dirtier.h"
#include "blame/dirty_fast.h"
#include "core/disk.h"
#include "core/intent.h"
#include "blame/freed_extent.h"
#include "blame/transaction.h"
#include "blame/association.h"
#include "core/role.h"
#include "stack/stack.h"
#include "core/stats.h"
#include "core/task.h"
#include "clock.h"
#include "counters.h"
#include "bio.h"
#include "account.h"
#include "log.h"
#include "session.h"

struct iob_conf iob_conf = {
	.max_roles = 65536,
	.max_intents = 16384,
	.max_acts = 65536,
	.ttl_secs = 120,
	.role = IOB_ROLE_THREAD,
};

/* W to begin and end, R to look into what a session holds */
static DECLARE_RWSEM(session_sem);
static bool enabled;		/* session_sem, read without for a look */
static bool there;		/* session_sem */
static u32 seq;			/* session_sem */

static int (*attach_hooks)(void);
static void (*detach_hooks)(void);

/* Free all that a session had.  No probe is attached. */
static void discard(void)
{
	iob_bios_stop();
	iob_acts_exit();
	iob_counters_stop();
	iob_roles_exit();
	iob_intents_exit();
	iob_dirtier_exit();
	iob_freed_extent_stop();
	iob_compressed_stop();
	iob_assoc_exit();
	iob_transactions_exit();
	iob_stacks_exit();
	iob_iolog_stop();
	there = false;
}

static int begin(void)
{
	int err;

	discard();
	iob_stats_reset();
	iob_disks_reset();
	iob_tasks_new_session();
	iob_io_charge_first(iob_conf.charge_first);
	err = iob_dirtier_init(iob_conf.max_acts);
	if (!err)
		err = iob_assoc_init();
	if (!err)
		err = iob_transactions_init();
	if (!err)
		err = iob_stacks_init();
	if (!err)
		err = iob_intents_init(iob_conf.max_intents);
	if (!err)
		err = iob_roles_init(iob_conf.max_roles, iob_conf.role);
	if (!err)
		err = iob_counters_start();
	if (!err)
		err = iob_acts_init(iob_conf.max_acts, iob_counters_release);
	if (!err)
		err = iob_bios_start();
	if (!err)
		err = iob_iolog_start();
	if (err)
		discard();
	else
		there = true;
	seq++;
	return err;
}

static int switch_on(void)
{
	int err = begin();

	if (err)
		return err;
	iob_clock_start();
	err = attach_hooks();
	if (err) {
		iob_clock_stop();
		iob_iolog_end();
		discard();
		return err;
	}
	WRITE_ONCE(enabled, true);
	return 0;
}

/* detach_hooks() returns when no probe runs any more. */
static void switch_off(void)
{
	detach_hooks();
	iob_clock_stop();
	WRITE_ONCE(enabled, false);
	iob_bios_stop();
	iob_iolog_end();
	iob_stacks_exit();
}

/**
 * iob_session_switch - enable or disable
 * @on: which; what it is already is fine
 *
 * May sleep.  Return: 0, -ENOMEM, or what attaching the hooks returned.
 */
int iob_session_switch(bool on)
{
	int err = 0;

	down_write(&session_sem);
	if (on && !enabled)
		err = switch_on();
	else if (!on && enabled)
		switch_off();
	up_write(&session_sem);
	return err;
}

/* Whether ioblame is enabled at this moment.  Any context. */
bool iob_session_enabled(void)
{
	return READ_ONCE(enabled);
}

/**
 * iob_session_change - begin to change a setting
 *
 * May sleep.  Return: 0, and it stays disabled until
 * iob_session_change_done(); or -EBUSY while enabled.
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

/* What the session holds stays until the unlock.  May sleep. */
void iob_session_read_lock(void)
{
	down_read(&session_sem);
}

void iob_session_read_unlock(void)
{
	up_read(&session_sem);
}

/* Whether anything was gathered.  Under iob_session_read_lock(). */
bool iob_session_there(void)
{
	return there;
}

/* Changes with each session: what a reader remembers may be of another. */
u32 iob_session_seq(void)
{
	return READ_ONCE(seq);
}

/**
 * iob_session_init - module load
 * @attach: attaches the hooks
 * @detach: detaches them and waits until no probe runs
 *
 * May sleep.  Return: 0 or -ENOMEM.
 */
int iob_session_init(int (*attach)(void), void (*detach)(void))
{
	int err;

	attach_hooks = attach;
	detach_hooks = detach;
	err = iob_roles_cache_init();
	if (err)
		return err;
	err = iob_acts_cache_init();
	if (err)
		goto roles;
	err = iob_bios_init();
	if (err)
		goto acts;
	err = iob_dirty_fast_init();
	if (!err)
		err = iob_tasks_init();
	if (err)
		goto inflight;
	err = iob_freed_extent_init();
	if (err)
		goto tasks;
	return 0;
tasks:
	iob_tasks_exit();
inflight:
	iob_bios_exit();
acts:
	iob_acts_cache_exit();
roles:
	iob_roles_cache_exit();
	return err;
}

/* Module unload: no file is there, no hook but those of tasks is detached. */
void iob_session_exit(void)
{
	iob_session_switch(false);
	discard();
	iob_counters_set_nr(0);
	iob_disks_exit();
	iob_freed_extent_exit();
	iob_tasks_exit();
	iob_bios_exit();
	iob_acts_cache_exit();
	iob_roles_cache_exit();
}
