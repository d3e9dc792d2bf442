// SPDX-License-Identifier: GPL-2.0
/*
 * Contexts are in a hash table by the address of the task_struct.  Lookups run under RCU.  A
 * context is made by its task, or by the task's parent before the task runs: so there is one
 * maker at a time, and tasks_lock only guards the lists.
 */
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include <compat/slab.h>

#include "role.h"
#include "stats.h"
#include "task.h"

/* L: changed under tasks_lock, read under RCU */
struct hlist_head iob_tasks[1 << IOB_TASK_BITS];
static DEFINE_SPINLOCK(tasks_lock);
static struct kmem_cache *task_cache;
u32 iob_tasks_session = 1;
/* L, read without: tasks with a user role.  0: forks need no look. */
static unsigned int nr_users;

#define MAX_PARTS	16

/* constant once iob_tasks_init() has made the slab cache */
static struct iob_task_part *task_parts[MAX_PARTS];
static unsigned int nr_task_parts;
static size_t task_size = sizeof(struct iob_task);

/**
 * iob_task_part_add - give a unit a part of each task's context
 * @part: the part; gets an offset if it has no fixed one
 *
 * At module load, before iob_tasks_init().  Return: 0 or -E2BIG.
 */
int iob_task_part_add(struct iob_task_part *part)
{
	if (WARN_ON(nr_task_parts == MAX_PARTS || task_cache))
		return -E2BIG;
	if (!part->offset) {
		part->offset = ALIGN(task_size, sizeof(u64));
		task_size = part->offset + part->size;
	}
	task_parts[nr_task_parts++] = part;
	return 0;
}

static void task_parts_free(struct iob_task *t)
{
	unsigned int i;

	for (i = 0; i < nr_task_parts; i++) {
		if (task_parts[i]->free)
			task_parts[i]->free(iob_task_part_of(t, task_parts[i]));
	}
}

static void task_parts_renew(struct iob_task *t)
{
	unsigned int i;

	for (i = 0; i < nr_task_parts; i++) {
		void *part = iob_task_part_of(t, task_parts[i]);

		if (task_parts[i]->free)
			task_parts[i]->free(part);
		memset(part, 0, task_parts[i]->size);
		if (task_parts[i]->renew)
			task_parts[i]->renew(part);
	}
}

/* The task acts in another role from now on. */
static void task_parts_new_role(struct iob_task *t)
{
	unsigned int i;

	for (i = 0; i < nr_task_parts; i++) {
		if (task_parts[i]->new_role)
			task_parts[i]->new_role(iob_task_part_of(t, task_parts[i]));
	}
}

static struct iob_task *task_create(const struct task_struct *task, s32 user)
{
	struct iob_task *t = kmem_cache_alloc(task_cache, GFP_NOWAIT | __GFP_NOWARN);
	unsigned long flags;

	if (!t) {
		iob_stat_inc(task_nomem);
		return NULL;
	}
	memset(t, 0, task_size);
	task_parts_renew(t);
	t->task = task;
	t->user = user;
	spin_lock_irqsave(&tasks_lock, flags);
	hlist_add_head_rcu(&t->hash, iob_task_bucket(task));
	nr_users += !!user;
	spin_unlock_irqrestore(&tasks_lock, flags);
	return t;
}

static void task_forget_causes(struct iob_task *t)
{
	memset(t->cause, 0, sizeof(t->cause));
	memset(t->cause_intent, 0, sizeof(t->cause_intent));
}

/* Forget all of an earlier session, whose ids mean nothing now; ->user stays. */
static void task_renew(struct iob_task *t)
{
	t->session = iob_tasks_session;
	t->modifier = 0;
	t->serves = 0;
	t->acted_on_behalf = false;
	t->role = 0;
	t->pid = 0;
	t->direct = 0;
	task_forget_causes(t);
	task_parts_renew(t);
}

/* The slow path of iob_task_get(): the current task has no context, or an old one. */
struct iob_task *iob_task_make(void)
{
	struct iob_task *t = iob_task_peek(current);

	if (!t)
		t = task_create(current, 0);
	if (t && t->session != iob_tasks_session)
		task_renew(t);
	return t;
}

static void task_unlink(struct iob_task *t)
{
	lockdep_assert_held(&tasks_lock);
	hlist_del_rcu(&t->hash);
	nr_users -= !!t->user;
}

/* No reader can find @t any more. */
static void task_destroy(struct iob_task *t)
{
	task_parts_free(t);
	kmem_cache_free(task_cache, t);
}

static void task_free_rcu(struct rcu_head *rcu)
{
	task_destroy(container_of(rcu, struct iob_task, rcu));
}

/**
 * iob_task_free - a task_struct is about to be freed
 * @task: the task
 *
 * Any context but NMI.  The task runs no more.
 */
void iob_task_free(const struct task_struct *task)
{
	struct iob_task *t;
	unsigned long flags;

	if (hlist_empty(iob_task_bucket(task)))
		return;
	spin_lock_irqsave(&tasks_lock, flags);
	hlist_for_each_entry(t, iob_task_bucket(task), hash) {
		if (t->task == task) {
			task_unlink(t);
			call_rcu(&t->rcu, task_free_rcu);
			break;
		}
	}
	spin_unlock_irqrestore(&tasks_lock, flags);
}

/**
 * iob_task_fork - a child inherits its parent's user role
 * @parent: the current task
 * @child:  has not run yet
 *
 * Inside iob_read_lock().
 */
void iob_task_fork(const struct task_struct *parent,
		   const struct task_struct *child)
{
	const struct iob_task *t;

	if (!READ_ONCE(nr_users))
		return;
	t = iob_task_peek(parent);
	if (t && t->user)
		task_create(child, t->user);
}

/**
 * iob_task_set_user - set the user role of the current task
 * @user: the role's id, 0 for none
 *
 * Task context.  Return: 0 or -ENOMEM.
 */
int iob_task_set_user(s32 user)
{
	struct iob_task *t;
	unsigned long flags;
	int err = 0;

	iob_read_lock();
	t = iob_task_get();
	if (t) {
		spin_lock_irqsave(&tasks_lock, flags);
		nr_users += !!user - !!t->user;
		t->user = user;
		spin_unlock_irqrestore(&tasks_lock, flags);
		t->pid = 0;
		task_forget_causes(t);
		task_parts_new_role(t);
	} else {
		err = -ENOMEM;
	}
	iob_read_unlock();
	return err;
}

/* The current task's user role, or 0. */
s32 iob_task_user(void)
{
	const struct iob_task *t;
	s32 user;

	iob_read_lock();
	t = iob_task_peek(current);
	user = t ? t->user : 0;
	iob_read_unlock();
	return user;
}

/*
 * io_uring's threads work for the task that owns them.  Their link to it is private, but
 * their name is "iou-wrk-OWNER" or "iou-sqp-OWNER" with the owner's thread id of the initial
 * namespace.  They run no user code that could rename them, and the task that is found must
 * be of the same process.
 */
static struct task_struct *uring_owner(struct task_struct *worker)
{
	struct task_struct *owner;
	int tid;

	if (sscanf(worker->comm, "iou-wrk-%d", &tid) != 1 &&
	    sscanf(worker->comm, "iou-sqp-%d", &tid) != 1)
		return worker->group_leader;
	owner = pid_task(find_pid_ns(tid, &init_pid_ns), PIDTYPE_PID);
	if (!owner || owner->tgid != worker->tgid)
		return worker->group_leader;
	return owner;
}

/**
 * iob_task_role - the role in which the current task acts
 * @t: its context
 *
 * Inside iob_read_lock().  Return: an id, see iob_role_get().
 */
u64 iob_task_role(struct iob_task *t)
{
	struct task_struct *who = current;
	s32 user = t->user;

	/* a thread that execs takes over the pid of its leader */
	if (likely(t->pid == current->pid))
		return t->role;
	if (current->flags & PF_IO_WORKER) {
		const struct iob_task *o;

		who = uring_owner(current);
		/* a polling thread has workers of its own */
		if (who->flags & PF_IO_WORKER)
			who = uring_owner(who);
		o = iob_task_peek(who);
		if (o)
			user = o->user;
	}
	t->role = iob_role_get(who, user);
	/* look again next time: without memory, or if others may change the role */
	t->pid = t->role == IOB_ROLE_NOMEM || current->flags & PF_IO_WORKER ||
		 iob_roles_kind() == IOB_ROLE_CGROUP ? 0 : current->pid;
	return t->role;
}

/* The slow path of iob_task_cause(): not a cause that is remembered, or not certainly. */
u64 iob_task_find_cause(struct iob_task *t, u32 intent)
{
	u64 role = iob_task_role(t), ref = iob_cause_get(role, intent);
	u32 at = intent % IOB_TASK_CAUSES;

	/* not a last resort: the next call tries again */
	t->cause[at] = ref;
	t->cause_intent[at] = ref == role || ref <= IOB_CAUSE_LOST ? 0 : intent;
	return ref;
}

/* Begin a session: old contexts are renewed when they are used.  No probe is attached. */
void iob_tasks_new_session(void)
{
	iob_tasks_session++;
	iob_epoch_bump();
}

/* Module load.  Return: 0 or -ENOMEM. */
int iob_tasks_init(void)
{
	task_cache = iob_cache_create("iob_task", task_size, 0);
	return task_cache ? 0 : -ENOMEM;
}

/* Module unload: no probe is attached any more. */
void iob_tasks_exit(void)
{
	struct hlist_node *next;
	struct iob_task *t;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(iob_tasks); i++) {
		hlist_for_each_entry_safe(t, next, &iob_tasks[i], hash)
			task_destroy(t);
		cond_resched();
	}
	/* wait for call_rcu() of iob_task_free() */
	rcu_barrier();
	kmem_cache_destroy(task_cache);
}
