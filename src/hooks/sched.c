// SPDX-License-Identifier: GPL-2.0
/*
 * The probes of the scheduler follow a task's life.  A child inherits what ioblame knows of
 * its parent, exec changes the name of the role, exit lets the role be reclaimed, and the
 * task's context is freed with the task.
 *
 * Context: fork, exec and exit run in the task itself (fork: in the parent), free in an RCU
 * callback.
 */
#include <linux/sched.h>

#include <compat/rcu.h>
#include <compat/tracepoint.h>

#include <trace/events/sched.h>

#include "blame/provider.h"
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

static void task_execed_probe(void *data, struct task_struct *task, pid_t old_pid,
			      struct linux_binprm *bprm)
{
	iob_read_lock();
	iob_role_note_comm(task);
	iob_read_unlock();
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

static const struct iob_hook sched_table[] = {
	SCHED_HOOK(sched_process_free, IOB_HOOK_LOADED, task_freed_probe, task_freed_probe,
		   "everything"),
	SCHED_HOOK(sched_process_fork, IOB_HOOK_LOADED, task_forked_probe, task_forked_probe,
		   "user roles of children"),
	SCHED_HOOK(sched_process_exec, IOB_HOOK_ENABLED, task_execed_probe, task_execed_probe,
		   "names after exec"),
	SCHED_HOOK(sched_process_exit, IOB_HOOK_ENABLED, task_exited_probe,
		   task_exited_group_probe, "reclaiming of roles"),
};

static IOB_HOOK_LIST(sched_hooks, sched_table);

IOB_PROVIDER(sched) = {
	.hooks = &sched_hooks,
};
