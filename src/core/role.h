/* SPDX-License-Identifier: GPL-2.0 */
/*
 * role - who: a thread, a process, a cgroup or what userland says
 */
#ifndef IOB_CORE_ROLE_H
#define IOB_CORE_ROLE_H

#include <linux/sched.h>
#include <linux/seq_file.h>

#include "index.h"

/* what a role stands for: the setting `role` is one of the first three */
enum iob_role_kind {
	IOB_ROLE_THREAD,
	IOB_ROLE_PROCESS,
	IOB_ROLE_CGROUP,
	IOB_ROLE_USER,
	IOB_ROLE_SPECIAL,
};

/* the special roles' ids */
#define IOB_ROLE_NOMEM	0ULL
#define IOB_ROLE_LOST	1ULL

struct iob_role {
	struct iob_node node;
	struct hlist_node free;	/* the reclaimer's list */
	u64 start;		/* key: the task's start, tells reused pids */
	u64 key;		/* key: pid, tgid, cgroup id or user id */
	u64 cgroup;		/* where it was last seen */
	u32 tgid;
	u32 exited;		/* seconds at exit, 0 while alive */
	u8 kind;		/* key: enum iob_role_kind */
	bool kthread;
	char comm[TASK_COMM_LEN];
};

int iob_roles_init(u32 max, enum iob_role_kind kind);
void iob_roles_exit(void);
enum iob_role_kind iob_roles_kind(void);
u64 iob_role_get(struct task_struct *task, s32 user);
u64 iob_role_of_cgroup(u64 cgroup);
void iob_role_note_exit(struct task_struct *task);
void iob_role_note_comm(struct task_struct *task);
const struct iob_role *iob_role_id(u64 id);
const struct iob_role *iob_role_next(u32 *nr);
u32 iob_roles_count(void);
u32 iob_roles_max(void);
s32 iob_role_number(const struct iob_role *role);
int iob_role_name(const struct iob_role *role, char *buf, size_t size);
unsigned int iob_roles_reclaim(const unsigned long *used, u32 bits, u32 ttl);

int iob_roles_cache_init(void);
void iob_roles_cache_exit(void);

#endif
