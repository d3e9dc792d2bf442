// SPDX-License-Identifier: GPL-2.0
/*
 * These probes follow a task's life.  A child inherits what ioblame knows of its parent, a
 * new name and another cgroup make another role of the task, exit lets its roles be
 * reclaimed, and the task's context is freed with the task.
 *
 * Context: fork and exit run in the task itself (fork: in the parent), free in an RCU
 * callback.  A task is renamed mostly by itself.  The kernel tells it just before.  It tells
 * that a task moved to another cgroup just after, interrupts off.
 */
#include <linux/cgroup.h>
#include <linux/sched.h>

#include <compat/rcu.h>
#include <compat/tracepoint.h>

#include <trace/events/sched.h>
#include <trace/events/task.h>
#ifdef CONFIG_CGROUPS
#include <trace/events/cgroup.h>
#endif

#include "blame/provider.h"
#include "core/epoch.h"
#include "core/role.h"
#include "core/task.h"
#include "hook.h"

static void task_forked_probe(void *data, struct task_struct *parent, struct task_struct *child)
{
	iob_read_lock();
	iob_task_fork(parent, child);
	iob_read_unlock();
}

static void task_freed_probe(void *data, struct task_struct *task)
{
	iob_read_lock();
	iob_task_free(task);
	iob_read_unlock();
}

static void task_renamed_probe(void *data, struct task_struct *task, const char *comm)
{
	iob_read_lock();
	iob_task_renamed(task, comm);
	iob_read_unlock();
}

#ifdef CONFIG_CGROUPS
static void task_moved_probe(void *data, struct cgroup *to, const char *path,
			     struct task_struct *task, bool threadgroup)
{
	/* a role knows its cgroup of version 2 only */
	if (to->root != &cgrp_dfl_root)
		return;
	iob_read_lock();
	iob_task_moved(task, threadgroup, cgroup_id(to));
	iob_read_unlock();
}
#endif

/* A task may have looked up its role before its changes were seen. */
static void sched_attached(bool on)
{
	if (on)
		iob_epoch_bump();
}

static void task_note_exit(struct task_struct *task)
{
	iob_read_lock();
	iob_role_note_exit(task);
	iob_read_unlock();
}

static void __maybe_unused task_exited_probe(void *data, struct task_struct *task)
{
	task_note_exit(task);
}

/* from 6.17 on: with whether the whole thread group is gone */
static void __maybe_unused task_exited_group_probe(void *data, struct task_struct *task,
						   bool group_dead)
{
	task_note_exit(task);
}

#define SCHED_HOOK(tp, when, a, b, what) {					\
	.name = #tp, .kind = IOB_HOOK_TRACEPOINT, .phase = when,	\
	.needed = true, .probe = IOB_PROBE(tp, a, b), .impact = what,	\
}

#define SCHED_HOOK_ROLE(tp, fn, what) {						\
	.name = #tp, .kind = IOB_HOOK_TRACEPOINT, .phase = IOB_HOOK_ENABLED,	\
	.needed = true, .probe = IOB_PROBE(tp, fn, fn),				\
	.attached = sched_attached, .impact = what,				\
}

static const struct iob_hook sched_table[] = {
	SCHED_HOOK(sched_process_free, IOB_HOOK_LOADED, task_freed_probe, task_freed_probe,
		   "everything"),
	SCHED_HOOK(sched_process_fork, IOB_HOOK_LOADED, task_forked_probe, task_forked_probe,
		   "user roles of children"),
	SCHED_HOOK_ROLE(task_rename, task_renamed_probe, "names after exec"),
#ifdef CONFIG_CGROUPS
	SCHED_HOOK_ROLE(cgroup_attach_task, task_moved_probe, "cgroups of tasks that are moved"),
#endif
	SCHED_HOOK(sched_process_exit, IOB_HOOK_ENABLED, task_exited_probe,
		   task_exited_group_probe, "reclaiming of roles"),
};

static IOB_HOOK_LIST(sched_hooks, sched_table);

IOB_PROVIDER(sched) = {
	.hooks = &sched_hooks,
};
