// SPDX-License-Identifier: GPL-2.0
/*
 * Tasks: they fork, get another name, exit, are freed.
 *
 * Context: fork, exec and exit in the task's own; free in an RCU callback.
 */
#include <linux/sched.h>

#include <compat/rcu.h>
#include <compat/tracepoint.h>

#include <trace/events/sched.h>

#include "core/role.h"
#include "core/task.h"
#include "table.h"

static void forked(void *data, struct task_struct *parent,
		   struct task_struct *child)
{
	iob_read_lock();
	iob_task_fork(parent, child);
	iob_read_unlock();
}

static void freed(void *data, struct task_struct *task)
{
	iob_read_lock();
	iob_task_free(task);
	iob_read_unlock();
}

static void execed(void *data, struct task_struct *task, pid_t old_pid,
		   struct linux_binprm *bprm)
{
	iob_read_lock();
	iob_role_note_comm(task);
	iob_read_unlock();
}

static void note_exit(struct task_struct *task)
{
	iob_read_lock();
	iob_role_note_exit(task);
	iob_read_unlock();
}

static void __maybe_unused exited(void *data, struct task_struct *task)
{
	note_exit(task);
}

/* 6.17: whether the whole group is gone */
static void __maybe_unused exited_group(void *data, struct task_struct *task,
					bool group_dead)
{
	note_exit(task);
}

#define SCHED(tp, when, a, b, what) {					\
	.name = #tp, .kind = IOB_HOOK_TRACEPOINT, .phase = when,	\
	.needed = true, .probe = IOB_PROBE(tp, a, b), .impact = what,	\
}

static const struct iob_hook hooks[] = {
	SCHED(sched_process_free, IOB_HOOK_LOADED, freed, freed, "everything"),
	SCHED(sched_process_fork, IOB_HOOK_LOADED, forked, forked,
	      "user roles of children"),
	SCHED(sched_process_exec, IOB_HOOK_ENABLED, execed, execed,
	      "names after exec"),
	SCHED(sched_process_exit, IOB_HOOK_ENABLED, exited, exited_group,
	      "reclaiming of roles"),
};

IOB_HOOK_LIST(iob_sched_hooks, hooks);
