// SPDX-License-Identifier: GPL-2.0
/*
 * A task's role is found by what the task is and when it began, so that a pid that is used
 * again is another role; among those, by its name and its cgroup.  All roles of one task are
 * in one bucket of the hash table.  Name and cgroup never change in a role, because most IO
 * is reported when the task is gone, or is another program.
 *
 * A cgroup has two roles if kernel threads are in it: what they do is never exact, and what its
 * processes do is.
 *
 * That bucket is walked with interrupts off, and a task can give itself any number of names.  So
 * a task with many roles gets no more of its own: what it does under further names is one
 * role's, and, if there are still more, what it does in further cgroups, too.
 *
 * A role whose task goes on under another name or in another cgroup is past: it ages as if
 * its task had exited.  It may come back, if the task gets the old name again.
 */
#include <linux/bitmap.h>
#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/jhash.h>
#include <linux/sched/signal.h>
#include <linux/uidgid.h>

#include <compat/rcu.h>
#include <compat/slab.h>

#include "epoch.h"
#include "role.h"
#include "stats.h"

static struct iob_index roles;
static struct kmem_cache *role_cache;
static enum iob_role_kind kind_set;

/* buried, but something still names them, see iob_roles_reclaim() */
static HLIST_HEAD(roles_buried);

/* what a role is looked up by */
struct role_key {
	u64 start;
	u64 key;
	u64 cgroup;		/* 0 if it is no part of the key */
	char comm[TASK_COMM_LEN];	/* likewise; padded with zeroes */
	u8 kind;
	bool kthread;		/* of a cgroup's role: that of its kernel threads */
};

/* a task with so many roles gets one for all its other names, in each cgroup; */
#define ROLE_NAMES	64
/* with so many, one for all its other cgroups */
#define ROLE_CGROUPS	128
#define ROLE_MANY	"many-roles"

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

/* True if threads of @task's process may be in other cgroups than it. */
static bool role_cgroup_is_threaded(struct task_struct *task)
{
	bool threaded = false;

#ifdef CONFIG_CGROUPS
	struct css_set *set = rcu_dereference_check(task->cgroups,
						    iob_read_held());

	if (set)
		threaded = set->dfl_cgrp->dom_cgrp != set->dfl_cgrp ||
			   READ_ONCE(set->dfl_cgrp->nr_threaded_children);
#endif
	return threaded;
}

/* The task whose number, start and name a role of @kind has. */
static struct task_struct *role_task(struct task_struct *task, u8 kind)
{
	return kind == IOB_ROLE_PROCESS ? task->group_leader : task;
}

static bool role_is_task(u8 kind)
{
	return kind == IOB_ROLE_THREAD || kind == IOB_ROLE_PROCESS;
}

/* What all roles of @task have in common. */
static void role_key_of(struct task_struct *task, s32 user, struct role_key *key)
{
	memset(key, 0, sizeof(*key));
	key->kind = user ? IOB_ROLE_USER : kind_set;
	switch (key->kind) {
	case IOB_ROLE_USER:
		key->key = user;
		break;
	case IOB_ROLE_CGROUP:
		key->key = role_cgroup(task);
		key->kthread = READ_ONCE(task->flags) & PF_KTHREAD;
		break;
	default:
		key->key = key->kind == IOB_ROLE_PROCESS ? task->tgid : task->pid;
		key->start = READ_ONCE(role_task(task, key->kind)->start_boottime);
		break;
	}
}

/*
 * Name and cgroup of @task now.  Without the task's lock: a name that is being changed may be
 * read half old, half new.  iob_task_renamed() sees to it that it is soon read again.
 */
static void role_key_add_now(struct task_struct *task, struct role_key *key)
{
	char comm[TASK_COMM_LEN];

	if (!role_is_task(key->kind))
		return;
	key->cgroup = role_cgroup(task);
	/* data_race: see above */
	data_race(memcpy(comm, role_task(task, key->kind)->comm, sizeof(comm)));
	comm[TASK_COMM_LEN - 1] = 0;
	/* old kernels leave the rest of a longer name behind the end */
	memcpy(key->comm, comm, strlen(comm));
}

static u32 role_hash(u64 start, u64 key, u8 kind)
{
	return jhash_3words((u32)key, (u32)start,
			    (u32)(start >> 32) ^ (u32)(key >> 32), kind);
}

static struct hlist_head *role_bucket(u64 start, u64 key, u8 kind)
{
	return iob_index_bucket(&roles, role_hash(start, key, kind));
}

/* True if it is a role of the same task, cgroup or number. */
static bool role_is_of(const struct iob_role *role, const struct role_key *key)
{
	return role->key == key->key && role->start == key->start &&
	       role->kind == key->kind &&
	       (key->kind != IOB_ROLE_CGROUP || role->kthread == key->kthread);
}

static bool role_has_key(const struct iob_role *role, const struct role_key *key)
{
	return role_is_of(role, key) &&
	       (!role_is_task(key->kind) ||
		(role->cgroup == key->cgroup &&
		 !memcmp(role->comm, key->comm, sizeof(key->comm))));
}

static bool role_same(const struct iob_node *a, const struct iob_node *b)
{
	const struct iob_role *x = container_of(a, struct iob_role, node);
	const struct iob_role *y = container_of(b, struct iob_role, node);

	return x->key == y->key && x->start == y->start && x->kind == y->kind &&
	       (x->kind != IOB_ROLE_CGROUP || x->kthread == y->kthread) &&
	       (!role_is_task(x->kind) ||
		(x->cgroup == y->cgroup && !memcmp(x->comm, y->comm, sizeof(x->comm))));
}

/* @nr gets the number of roles of the same task, if none has the key. */
static struct iob_role *role_lookup(const struct role_key *key, unsigned int *nr)
{
	struct iob_role *r;

	*nr = 0;
	hlist_for_each_entry_rcu(r, role_bucket(key->start, key->key, key->kind),
				 node.hash, iob_read_held()) {
		if (role_has_key(r, key))
			return r;
		*nr += role_is_of(r, key);
	}
	return NULL;
}

/*
 * Likewise, or a role of the same task that stands for many; @key becomes the key of the role
 * that is to be made if there is none.  CPUs that do so at the same time may each make one more.
 */
static struct iob_role *role_find(struct role_key *key)
{
	unsigned int nr;
	struct iob_role *role = role_lookup(key, &nr);

	if (role || nr < ROLE_NAMES)
		return role;
	iob_stat_inc(role_many);
	memset(key->comm, 0, sizeof(key->comm));
	strscpy(key->comm, ROLE_MANY, sizeof(key->comm));
	role = role_lookup(key, &nr);
	if (role || nr < ROLE_CGROUPS)
		return role;
	key->cgroup = 0;
	return role_lookup(key, &nr);
}

/* True if @task is on its way out, and its role with it. */
static bool role_exits(u8 kind, const struct task_struct *task)
{
	if (!role_is_task(kind) || !(READ_ONCE(task->flags) & PF_EXITING))
		return false;
	return kind == IOB_ROLE_THREAD || !atomic_read(&task->signal->live);
}

/* A task does not act in this role any more: it is another one now, or it is @gone. */
static void role_leave(struct iob_role *role, bool gone)
{
	WRITE_ONCE(role->past, !gone);
	if (!READ_ONCE(role->exited))
		WRITE_ONCE(role->exited, role_seconds());
}

/* The task acts as @now from here on: its other roles are past. */
static void roles_leave_others(const struct iob_role *now)
{
	struct iob_role *r;

	/* those of a cgroup's processes and of its kernel threads go on side by side */
	if (!role_is_task(now->kind))
		return;
	hlist_for_each_entry_rcu(r, role_bucket(now->start, now->key, now->kind),
				 node.hash, iob_read_held()) {
		if (r != now && r->key == now->key && r->start == now->start &&
		    r->kind == now->kind && !READ_ONCE(r->exited))
			role_leave(r, false);
	}
}

/* A role was looked up: it is in use. */
static void role_touch(struct iob_role *role, struct task_struct *task, u64 cgroup)
{
	u32 now = role_seconds();

	if (READ_ONCE(role->used) != now)
		WRITE_ONCE(role->used, now);
	if (role->kind == IOB_ROLE_USER && READ_ONCE(role->cgroup) != cgroup)
		WRITE_ONCE(role->cgroup, cgroup);
	/*
	 * The old name or cgroup again.  Or a thread execs: it takes over the pid of its
	 * leader, which has exited.
	 */
	if (unlikely(READ_ONCE(role->exited)) && !role_exits(role->kind, task)) {
		WRITE_ONCE(role->past, false);
		WRITE_ONCE(role->exited, 0);
		roles_leave_others(role);
	}
}

/*
 * @task is current, its leader, or the owner of its io_uring, found by pid inside this reader.  A
 * task is freed a grace period after it is gone, and its credentials with it.
 */
static void role_fill(struct iob_role *role, const struct role_key *key,
		      struct task_struct *task, u64 cgroup)
{
	memset(role, 0, sizeof(*role));
	role->start = key->start;
	role->key = key->key;
	role->kind = key->kind;
	role->cgroup = role_is_task(key->kind) ? key->cgroup : cgroup;
	role->kthread = key->kthread;
	role->used = role_seconds();
	if (role_is_task(key->kind)) {
		role->tgid = task->tgid;
		role->kthread = READ_ONCE(task->flags) & PF_KTHREAD;
		role->uid = __kuid_val(task_uid(task));
		memcpy(role->comm, key->comm, sizeof(role->comm));
		/* after sched_process_exit: IO of exit_files(), say */
		if (role_exits(key->kind, task))
			role->exited = role->used;
	}
}

/* The role with that key.  Makes the role if it is new. */
static u64 role_get(struct role_key *key, struct task_struct *task, u64 cgroup)
{
	struct iob_role *role, *new;
	struct iob_node *node;

	role = role_find(key);
	if (role) {
		role_touch(role, task, cgroup);
		return role->node.id;
	}
	if (iob_index_full(&roles))
		return IOB_ROLE_NOMEM;
	new = kmem_cache_alloc(role_cache, GFP_NOWAIT | __GFP_NOWARN);
	if (!new) {
		iob_stat_inc(node_nomem);
		return IOB_ROLE_NOMEM;
	}
	role_fill(new, key, task, cgroup);
	node = iob_index_add(&roles, &new->node, role_hash(key->start, key->key, key->kind),
			     role_same);
	if (node == &new->node)
		roles_leave_others(new);
	else
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
	role_key_add_now(task, &key);
	return role_get(&key, task, role_cgroup(task));
}

/**
 * iob_role_is_threads - whether threads of one process may have several roles
 * @task: one of them
 * @user: its user role, or 0: each thread has its own
 *
 * Inside iob_read_lock().
 */
bool iob_role_is_threads(struct task_struct *task, s32 user)
{
	/* (the cgroup is part of a process' role, too) */
	return user || kind_set == IOB_ROLE_THREAD || role_cgroup_is_threaded(task);
}

/**
 * iob_role_of_cgroup - the role of a cgroup
 * @cgroup: its id
 *
 * In sessions whose roles are cgroups: that of the processes in it.  Context and errors as
 * iob_role_get().
 */
u64 iob_role_of_cgroup(u64 cgroup)
{
	struct role_key key = { .key = cgroup, .kind = IOB_ROLE_CGROUP };

	return role_get(&key, NULL, cgroup);
}

/**
 * iob_role_note_exit - note that a task exits: its roles may be reclaimed some time later
 * @task: current, in do_exit()
 *
 * Inside iob_read_lock().
 */
void iob_role_note_exit(struct task_struct *task)
{
	struct role_key key;
	struct iob_role *r;

	role_key_of(task, 0, &key);
	if (!role_is_task(key.kind))
		return;
	if (key.kind == IOB_ROLE_PROCESS && atomic_read(&task->signal->live))
		return;
	hlist_for_each_entry_rcu(r, role_bucket(key.start, key.key, key.kind), node.hash,
				 iob_read_held()) {
		if (role_is_of(r, &key))
			role_leave(r, true);
	}
}

/**
 * iob_role_note_comm - note that a task gets another name
 * @id:   the role in which the task acted last; may be gone
 * @task: the task
 * @comm: the new name; may be too long
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_role_note_comm(u64 id, const struct task_struct *task, const char *comm)
{
	const struct iob_role *old = iob_role_id(id);
	struct iob_role *r;
	bool gone;

	if (!old || !role_is_task(old->kind))
		return;
	/* a thread that execs has its leader's pid already: there is no such thread any more */
	gone = old->kind == IOB_ROLE_THREAD && old->key != task->pid;
	hlist_for_each_entry_rcu(r, role_bucket(old->start, old->key, old->kind), node.hash,
				 iob_read_held()) {
		if (r->key != old->key || r->start != old->start || r->kind != old->kind)
			continue;
		if (gone || (strncmp(r->comm, comm, TASK_COMM_LEN - 1) && !READ_ONCE(r->exited)))
			role_leave(r, gone);
	}
}

/**
 * iob_role_note_cgroup - note that a task is in another cgroup
 * @id:     the role in which the task acted last; may be gone
 * @cgroup: the new cgroup's id
 *
 * Its other roles, if it has more, follow when it acts next.  Any context, inside
 * iob_read_lock().
 */
void iob_role_note_cgroup(u64 id, u64 cgroup)
{
	struct iob_node *node = iob_index_id(&roles, id);
	struct iob_role *role;

	if (!node)
		return;
	role = container_of(node, struct iob_role, node);
	if (role_is_task(role->kind) && role->cgroup != cgroup && !READ_ONCE(role->exited))
		role_leave(role, false);
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

/* ns from boot to the start of the role's task, as in /proc/PID/stat; 0 if it has none. */
u64 iob_role_start(const struct iob_role *role)
{
	return role->start;
}

/* Seconds since the role was last looked up. */
static u32 role_age(const struct iob_role *role, u32 now)
{
	s32 age = now - READ_ONCE(role->used);

	return max(age, 0);
}

/* roles looked up in these last seconds are not freed while their task may act */
#define ROLE_REST	2

/*
 * True if the role's task is gone for @ttl seconds.  Nothing tells that a cgroup is gone, or the
 * last task with a number: its role is, if nobody has looked for it for so long.  It is made again
 * when a task of the cgroup, or with that number, acts.
 *
 * Example: a host starts 10,000 containers a day, or as many jobs, each with a number.  Those of a
 * week are more than max_roles.
 */
static bool role_is_gone(const struct iob_role *role, u32 now, u32 ttl)
{
	u32 exited = READ_ONCE(role->exited);

	if (!role_is_task(role->kind))
		return role_age(role, now) >= max_t(u32, ttl, ROLE_REST + 1);
	return exited && (s32)(now - exited) >= (s32)ttl;
}

/*
 * The age from which on roles that are not @used go, so that with those whose task is gone for @ttl
 * seconds at least @want do, if there are as many: a power of 2, so that a few more are freed than
 * asked for.  U32_MAX if those that are gone suffice: then who lives keeps his, however quiet.
 *
 * Example: a database writes with O_DIRECT once in ten seconds.  A storm of processes comes, which
 * act and exit: their roles are younger than its own, and go.
 */
static u32 age_of_oldest(const unsigned long *used, u32 bits, u32 ttl, u32 want)
{
	u32 nr, now = role_seconds(), nr_gone = 0, of_age[33] = { };
	struct iob_node *node;
	unsigned int i;

	if (!want)
		return U32_MAX;
	for (nr = IOB_ROLE_LOST + 1; (node = iob_index_next(&roles, &nr)); nr++) {
		const struct iob_role *r = container_of(node, struct iob_role, node);

		cond_resched();
		if (nr >= bits || test_bit(nr, used) || r->dead)
			continue;
		if (role_is_gone(r, now, ttl))
			nr_gone++;
		else
			of_age[fls(role_age(r, now))]++;
	}
	if (nr_gone >= want)
		return U32_MAX;
	for (i = 32, nr = nr_gone; i > (unsigned int)fls(ROLE_REST); i--) {
		nr += of_age[i];
		if (nr >= want)
			break;
	}
	return 1U << (i - 1);
}

/*
 * Let those roles be found no more that are not @used and whose task is gone for @ttl
 * seconds, and, if these are fewer than @want, the oldest of the others.  Return: how many.
 */
static unsigned int roles_bury(const unsigned long *used, u32 bits, u32 ttl, u32 want)
{
	u32 nr, now = role_seconds(), oldest = age_of_oldest(used, bits, ttl, want);
	unsigned int nr_buried = 0;
	struct iob_node *node;
	struct iob_role *r;

	for (nr = IOB_ROLE_LOST + 1; (node = iob_index_next(&roles, &nr)); nr++) {
		r = container_of(node, struct iob_role, node);
		cond_resched();
		if (r->dead || nr >= bits || test_bit(nr, used))
			continue;
		if (!role_is_gone(r, now, ttl) && role_age(r, now) < oldest)
			continue;
		WRITE_ONCE(r->dead, true);
		iob_index_unhash(&roles, &r->node);
		/* ->hash stays as it is: a lookup may be at it */
		hlist_add_head(&r->free, &roles_buried);
		nr_buried++;
	}
	return nr_buried;
}

/**
 * iob_roles_reclaim - free roles that nothing names
 * @mark: says which are named
 * @used: room for it
 * @bits: the number of its bits; roles with numbers beyond are not freed
 * @ttl:  free those whose task exited so many seconds ago, and those of cgroups and numbers that
 *        were not looked up for so long
 * @want: if these are fewer, others, too, to about so many: those first that were not looked up
 *        for long; they are made again when their task acts again.  0: none
 *
 * A role is buried first: it is found by its id only, and each task that has it looks for its
 * role again.  A probe that found the role before may still make something that names it;
 * then it stays until that is gone.  May sleep; takes two grace periods.  The caller allows
 * one call at a time.  Return: how many were freed.
 */
unsigned int iob_roles_reclaim(iob_roles_mark_fn mark, unsigned long *used, u32 bits,
			       u32 ttl, u32 want)
{
	HLIST_HEAD(dead);
	struct hlist_node *next;
	unsigned int nr_freed = 0;
	struct iob_role *r;

	bitmap_zero(used, bits);
	mark(used, bits);
	if (roles_bury(used, bits, ttl, want)) {
		iob_epoch_bump();
		/* wait for probes that found one of them */
		synchronize_rcu();
		bitmap_zero(used, bits);
		mark(used, bits);
	}
	hlist_for_each_entry_safe(r, next, &roles_buried, free) {
		cond_resched();
		if (iob_id_nr(r->node.id) >= bits || test_bit(iob_id_nr(r->node.id), used))
			continue;
		/* what names its cause was moved meanwhile, maybe to where @mark had looked */
		if (READ_ONCE(r->last.used) == iob_cause_now())
			continue;
		hlist_del(&r->free);
		iob_cause_remove_last(&r->last);
		iob_index_unnumber(&roles, &r->node);
		hlist_add_head(&r->free, &dead);
		nr_freed++;
	}
	if (!nr_freed)
		return 0;
	/* wait for readers that found one of them by its id */
	synchronize_rcu();
	hlist_for_each_entry_safe(r, next, &dead, free) {
		kmem_cache_free(role_cache, r);
		cond_resched();
	}
	return nr_freed;
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
	/* their numbers are still taken */
	INIT_HLIST_HEAD(&roles_buried);
	iob_index_exit(&roles, role_free);
}

/* Module load.  Return: 0 or -ENOMEM. */
int iob_roles_cache_init(void)
{
	BUILD_BUG_ON(sizeof(struct iob_role) > 160);
	role_cache = iob_cache_create("iob_role", sizeof(struct iob_role), 0);
	return role_cache ? 0 : -ENOMEM;
}

/* Module unload, after iob_roles_exit(). */
void iob_roles_cache_exit(void)
{
	kmem_cache_destroy(role_cache);
}
