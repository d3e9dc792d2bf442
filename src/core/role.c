// SPDX-License-Identifier: GPL-2.0
/*
 * A role's key is what it stands for and when that began, so that a pid that is used again
 * is another role.  The role keeps the task's name and cgroup, because most IO is reported
 * when the task is gone.
 */
#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/jhash.h>
#include <linux/sched/signal.h>

#include <compat/rcu.h>
#include <compat/slab.h>

#include "role.h"
#include "stats.h"

static struct iob_index roles;
static struct kmem_cache *role_cache;
static enum iob_role_kind kind_set;

/* what a role is looked up by */
struct role_key {
	u64 start;
	u64 key;
	u8 kind;
};

static u32 role_seconds(void)
{
	return max_t(u32, ktime_get_seconds(), 1);
}

static u64 role_cgroup(struct task_struct *task)
{
	u64 id = 0;

#ifdef CONFIG_CGROUPS
	struct css_set *set = rcu_dereference_check(task->cgroups,
						    iob_read_held());

	if (set)
		id = cgroup_id(set->dfl_cgrp);
#endif
	return id;
}

static void role_key_of(struct task_struct *task, s32 user, struct role_key *key)
{
	key->start = 0;
	key->kind = user ? IOB_ROLE_USER : kind_set;
	switch (key->kind) {
	case IOB_ROLE_USER:
		key->key = user;
		break;
	case IOB_ROLE_CGROUP:
		key->key = role_cgroup(task);
		break;
	case IOB_ROLE_PROCESS:
		key->key = task->tgid;
		key->start = READ_ONCE(task->group_leader->start_time);
		break;
	default:
		key->key = task->pid;
		key->start = READ_ONCE(task->start_time);
		break;
	}
}

static u32 role_hash(const struct role_key *key)
{
	return jhash_3words((u32)key->key, (u32)key->start,
			    (u32)(key->start >> 32) ^ (u32)(key->key >> 32),
			    key->kind);
}

static bool role_has_key(const struct iob_role *role, const struct role_key *key)
{
	return role->key == key->key && role->start == key->start &&
	       role->kind == key->kind;
}

static bool role_same(const struct iob_node *a, const struct iob_node *b)
{
	const struct iob_role *x = container_of(a, struct iob_role, node);
	const struct iob_role *y = container_of(b, struct iob_role, node);

	return x->key == y->key && x->start == y->start && x->kind == y->kind;
}

static struct iob_role *role_lookup(const struct role_key *key)
{
	struct iob_role *r;

	hlist_for_each_entry_rcu(r, iob_index_bucket(&roles, role_hash(key)),
				 node.hash, iob_read_held()) {
		if (role_has_key(r, key))
			return r;
	}
	return NULL;
}

/* Without the task's lock: a name that is being changed may be copied half old, half new. */
static void role_copy_comm(struct iob_role *role, struct task_struct *task)
{
	char comm[TASK_COMM_LEN];

	if (role->kind == IOB_ROLE_PROCESS)
		task = task->group_leader;
	memcpy(comm, task->comm, sizeof(comm));
	comm[TASK_COMM_LEN - 1] = 0;
	memcpy(role->comm, comm, sizeof(comm));
}

static void role_fill(struct iob_role *role, const struct role_key *key,
		      struct task_struct *task, u64 cgroup)
{
	memset(role, 0, sizeof(*role));
	role->start = key->start;
	role->key = key->key;
	role->kind = key->kind;
	role->cgroup = cgroup;
	if (key->kind == IOB_ROLE_THREAD || key->kind == IOB_ROLE_PROCESS) {
		role->tgid = task->tgid;
		role->kthread = task->flags & PF_KTHREAD;
		role_copy_comm(role, task);
	}
}

/* The role with that key.  Makes the role if it is new. */
static u64 role_get(const struct role_key *key, struct task_struct *task, u64 cgroup)
{
	struct iob_role *role, *new;
	struct iob_node *node;

	role = role_lookup(key);
	if (role) {
		WRITE_ONCE(role->cgroup, cgroup);
		return role->node.id;
	}
	new = kmem_cache_alloc(role_cache, GFP_NOWAIT | __GFP_NOWARN);
	if (!new) {
		iob_stat_inc(node_nomem);
		return IOB_ROLE_NOMEM;
	}
	role_fill(new, key, task, cgroup);
	node = iob_index_add(&roles, &new->node, role_hash(key), role_same);
	if (node != &new->node)
		kmem_cache_free(role_cache, new);
	return IS_ERR(node) ? IOB_ROLE_NOMEM : node->id;
}

/**
 * iob_role_get - the role in which a task acts
 * @task: the task
 * @user: its user role, or 0
 *
 * Makes the role if it is new.  Any context but NMI, inside iob_read_lock().
 * Return: the role's id, IOB_ROLE_NOMEM if it could not be made (counted).
 */
u64 iob_role_get(struct task_struct *task, s32 user)
{
	struct role_key key;

	role_key_of(task, user, &key);
	return role_get(&key, task, role_cgroup(task));
}

/**
 * iob_role_of_cgroup - the role of a cgroup
 * @cgroup: its id
 *
 * In sessions whose roles are cgroups.  Context and errors as iob_role_get().
 */
u64 iob_role_of_cgroup(u64 cgroup)
{
	struct role_key key = { .key = cgroup, .kind = IOB_ROLE_CGROUP };

	return role_get(&key, NULL, cgroup);
}

/**
 * iob_role_note_exit - note that a task exits: its role may be reclaimed some time later
 * @task: current, in do_exit()
 *
 * Inside iob_read_lock().
 */
void iob_role_note_exit(struct task_struct *task)
{
	struct role_key key;
	struct iob_role *role;

	role_key_of(task, 0, &key);
	if (key.kind == IOB_ROLE_CGROUP)
		return;
	if (key.kind == IOB_ROLE_PROCESS && atomic_read(&task->signal->live))
		return;
	role = role_lookup(&key);
	if (role)
		WRITE_ONCE(role->exited, role_seconds());
}

/**
 * iob_role_note_comm - note the new name of a task
 * @task: current, after exec or prctl
 *
 * Inside iob_read_lock().
 */
void iob_role_note_comm(struct task_struct *task)
{
	struct role_key key;
	struct iob_role *role;

	role_key_of(task, 0, &key);
	if (key.kind == IOB_ROLE_CGROUP)
		return;
	role = role_lookup(&key);
	if (!role)
		return;
	role_copy_comm(role, task);
	/* a thread that execs takes over the pid of its leader, which has exited */
	WRITE_ONCE(role->exited, 0);
}

/* The role with this id, or NULL if it was reclaimed.  Inside iob_read_lock(). */
const struct iob_role *iob_role_id(u64 id)
{
	struct iob_node *node = iob_index_id(&roles, id);

	return node ? container_of(node, struct iob_role, node) : NULL;
}

/* The role with the smallest number >= *@nr, which gets it, or NULL.  As iob_index_next(). */
const struct iob_role *iob_role_next(u32 *nr)
{
	struct iob_node *node = iob_index_next(&roles, nr);

	return node ? container_of(node, struct iob_role, node) : NULL;
}

/* The number of roles, the two special ones included. */
u32 iob_roles_count(void)
{
	return READ_ONCE(roles.count);
}

/* Numbers of the session's roles are below this. */
u32 iob_roles_max(void)
{
	return roles.max;
}

/* What the session's roles stand for. */
enum iob_role_kind iob_roles_kind(void)
{
	return kind_set;
}

/* The id of binary records: a pid, a negated user id, or 0. */
s32 iob_role_number(const struct iob_role *role)
{
	switch (role->kind) {
	case IOB_ROLE_THREAD:
	case IOB_ROLE_PROCESS:
		return role->key;
	case IOB_ROLE_USER:
		return -(s32)role->key;
	default:
		return 0;
	}
}

/**
 * iob_roles_reclaim - free the roles of tasks that have exited
 * @used: bitmap of the numbers of roles that an act still names
 * @bits: its size; numbers beyond count as used
 * @ttl:  seconds since the exit
 *
 * May sleep.  The caller allows one call at a time.  Return: how many were freed.
 */
unsigned int iob_roles_reclaim(const unsigned long *used, u32 bits, u32 ttl)
{
	HLIST_HEAD(dead);
	struct iob_node *node;
	struct hlist_node *next;
	struct iob_role *r;
	unsigned int nr_dead = 0;
	u32 nr, now = role_seconds();

	for (nr = IOB_ROLE_LOST + 1; (node = iob_index_next(&roles, &nr)); nr++) {
		u32 exited;

		r = container_of(node, struct iob_role, node);
		exited = READ_ONCE(r->exited);
		cond_resched();
		if (!exited || (s32)(now - exited) < (s32)ttl || nr >= bits ||
		    test_bit(nr, used))
			continue;
		iob_index_unhash(&roles, &r->node);
		iob_cause_remove_last(&r->last);
		iob_index_unnumber(&roles, &r->node);
		/* ->hash stays as it is: a lookup may be at it */
		hlist_add_head(&r->free, &dead);
		nr_dead++;
	}
	if (!nr_dead)
		return 0;
	/* wait for lookups that found one of them */
	synchronize_rcu();
	hlist_for_each_entry_safe(r, next, &dead, free) {
		kmem_cache_free(role_cache, r);
		cond_resched();
	}
	return nr_dead;
}

static int role_add_special(u64 id, const char *name)
{
	struct iob_role *r = kmem_cache_alloc(role_cache, GFP_KERNEL);
	int err;

	if (!r)
		return -ENOMEM;
	memset(r, 0, sizeof(*r));
	r->kind = IOB_ROLE_SPECIAL;
	strscpy(r->comm, name, sizeof(r->comm));
	err = iob_index_reserve(&roles, &r->node, iob_id_nr(id));
	if (err)
		kmem_cache_free(role_cache, r);
	else
		iob_cause_add_last(&r->last, id, false);
	return err;
}

/* A new role has its id. */
static void role_numbered(struct iob_node *node)
{
	struct iob_role *role = container_of(node, struct iob_role, node);

	iob_cause_add_last(&role->last, node->id, role->kthread);
}

/**
 * iob_roles_init - begin a session with the two special roles
 * @max:  numbers stay below
 * @kind: what a role stands for
 *
 * After iob_causes_init().  May sleep.  Return: 0 or -ENOMEM: call iob_causes_exit() and
 * iob_roles_exit().
 */
int iob_roles_init(u32 max, enum iob_role_kind kind)
{
	int err = iob_index_init(&roles, max, 1);

	kind_set = kind;
	roles.numbered = role_numbered;
	if (!err)
		err = role_add_special(IOB_ROLE_NOMEM, "nomem");
	if (!err)
		err = role_add_special(IOB_ROLE_LOST, "lost");
	return err;
}

static void role_free(struct iob_node *node)
{
	kmem_cache_free(role_cache, container_of(node, struct iob_role, node));
}

/* Free all roles, after all causes.  No probe is attached and no reader holds the session. */
void iob_roles_exit(void)
{
	iob_index_exit(&roles, role_free);
}

/* Module load.  Return: 0 or -ENOMEM. */
int iob_roles_cache_init(void)
{
	BUILD_BUG_ON(sizeof(struct iob_role) > 152);
	role_cache = iob_cache_create("iob_role", sizeof(struct iob_role), 0);
	return role_cache ? 0 : -ENOMEM;
}

/* Module unload, after iob_roles_exit(). */
void iob_roles_cache_exit(void)
{
	kmem_cache_destroy(role_cache);
}
