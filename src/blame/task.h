/* SPDX-License-Identifier: GPL-2.0 */
/*
 * task - what a task is about, kept from one probe to the next
 *
 * A task's context is written by the task itself alone, with preemption off;
 * others only read its user role when they fork from it.
 */
#ifndef IOB_BLAME_TASK_H
#define IOB_BLAME_TASK_H

#include <linux/sched.h>

#include "act.h"

struct iob_task {
	struct hlist_node hash;
	struct rcu_head rcu;
	const struct task_struct *task;	/* key */
	u32 session;		/* what follows is of that session only */
	u32 modifier;		/* of the writeback work at hand, or 0 */
	u64 role;		/* id; valid while pid and cgroup are the same */
	s32 user;		/* user role, 0 for none: outlives sessions */
	pid_t pid;
	bool direct;		/* a file's direct IO has begun: */
	struct iob_file file;	/* this one's */
	/* its clean folio whose pages were just noted one by one */
	const void *ranged;
	/* the last act: most dirtying repeats */
	u64 act;
	u32 act_intent;
	struct iob_file act_file;
};

int iob_tasks_init(void);
void iob_tasks_exit(void);
void iob_tasks_new_session(void);

struct iob_task *iob_task_get(void);
struct iob_task *iob_task_peek(const struct task_struct *task);
void iob_task_free(const struct task_struct *task);
void iob_task_fork(const struct task_struct *parent,
		   const struct task_struct *child);
int iob_task_set_user(s32 user);
s32 iob_task_user(void);

u64 iob_task_role(struct iob_task *t);
u64 iob_task_act(struct iob_task *t, u32 intent, const struct iob_file *file);

#endif
