/* SPDX-License-Identifier: GPL-2.0 */
/*
 * role - the cause of an IO: a thread, a process, a cgroup, or what userspace says
 *
 * Example: with the setting role = process, all threads of process 812 (dd) have one role,
 * say 3, and its key is { 812, start of the process }.  A thread that calls itself user
 * role 5 has the role { 5 } from then on, whatever the setting is.
 *
 * A role is what a task was when it acted: the name and the cgroup of a thread or a process
 * are part of its identity.  Example: thread 900 (sh) writes a file, execs (sleep), and is
 * moved to cgroup 77.  The file is charged to the role 900, sh.  If sleep did IO, too, there
 * would be a second role of thread 900.
 */
#ifndef IOB_CORE_ROLE_H
#define IOB_CORE_ROLE_H

#include <linux/sched.h>
#include <linux/seq_file.h>

#include "cause.h"

/* what a role stands for: the setting `role` is one of the first three */
enum iob_role_kind {
	IOB_ROLE_THREAD,
	IOB_ROLE_PROCESS,
	IOB_ROLE_CGROUP,
	IOB_ROLE_USER,
	IOB_ROLE_SPECIAL,
};

/* the special roles' ids, and those of their last resorts */
#define IOB_ROLE_NOMEM	IOB_CAUSE_NOMEM
#define IOB_ROLE_LOST	IOB_CAUSE_LOST

struct iob_role {
	struct iob_node node;
	struct hlist_node free;	/* of iob_roles_reclaim() */
	u64 start;		/* key: ns from boot to the task's start: pids are used again */
	u64 key;		/* key: pid, tgid, cgroup id or user id */
	u64 cgroup;		/* key of a task's role; a user role's: where it was last seen */
	u32 tgid;
	u32 exited;		/* since when it acts no more, in seconds; 0: it may act */
	u32 used;		/* when it was last looked up, in seconds */
	u32 uid;		/* of a task's role: the user, when the role was made */
	u8 kind;		/* key: enum iob_role_kind */
	bool kthread;		/* a kernel thread's; key of a cgroup's role */
	bool past;		/* .exited, but the task goes on as another role */
	bool dead;		/* buried: found by its id only */
	char comm[TASK_COMM_LEN];	/* key of a task's role, padded with zeroes */
	struct iob_cause last;	/* its last resort, see core/cause */
};

/* Set the bit of each role that something names; numbers beyond @bits do not count. */
typedef void (*iob_roles_mark_fn)(unsigned long *used, u32 bits);

int iob_roles_init(u32 max, enum iob_role_kind kind);
void iob_roles_exit(void);
enum iob_role_kind iob_roles_kind(void);
u64 iob_role_get(struct task_struct *task, s32 user);
bool iob_role_is_threads(struct task_struct *task, s32 user);
u64 iob_role_of_cgroup(u64 cgroup);
void iob_role_note_exit(struct task_struct *task);
void iob_role_note_comm(u64 id, const struct task_struct *task, const char *comm);
void iob_role_note_cgroup(u64 id, u64 cgroup);
const struct iob_role *iob_role_id(u64 id);
const struct iob_role *iob_role_next(u32 *nr);
u32 iob_roles_count(void);
u32 iob_roles_max(void);
s32 iob_role_number(const struct iob_role *role);
u64 iob_role_start(const struct iob_role *role);

/* The id of the cgroup that a role is, or that its task was in.  Any context. */
static inline u64 iob_role_in_cgroup(const struct iob_role *role)
{
	return role->kind == IOB_ROLE_CGROUP ? role->key : READ_ONCE(role->cgroup);
}

unsigned int iob_roles_reclaim(iob_roles_mark_fn mark, unsigned long *used, u32 bits,
			       u32 ttl, u32 want);

int iob_roles_cache_init(void);
void iob_roles_cache_exit(void);

#endif
