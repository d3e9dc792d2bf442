// SPDX-License-Identifier: GPL-2.0
/*
 * Contexts are in a hash table by the address of the task_struct.  Lookups run under RCU.  A
 * context is made by its task, or by the task's parent before the task runs: so there is one
 * maker at a time, and tasks_lock only guards the lists.
 */
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include <compat/slab.h>

#include "role.h"
#include "stats.h"
#include "task.h"

/* L: changed under tasks_lock, read under RCU */
struct iob_task_table iob_tasks __ro_after_init;
static DEFINE_RAW_SPINLOCK(tasks_lock);
static struct kmem_cache *task_cache;
u32 iob_tasks_session = 1;
/* L, read without: tasks with a user role.  0: forks need no look. */
static unsigned int nr_users;
/* tasks_lock, read without: a task has had a user role since the module was loaded */
static bool users_seen;

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

static void task_forget_causes(struct iob_task *t)
{
	memset(t->cause, 0, sizeof(t->cause));
	memset(t->cause_intent, 0, sizeof(t->cause_intent));
}

/* What is kept of the current task's role holds no longer. */
static void task_forget_role(struct iob_task *t)
{
	t->pid = 0;
	t->role_failed = 0;
	task_forget_causes(t);
	task_parts_new_role(t);
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
	raw_spin_lock_irqsave(&tasks_lock, flags);
	hlist_add_head_rcu(&t->hash, iob_task_bucket(task));
	WRITE_ONCE(nr_users, nr_users + !!user);
	raw_spin_unlock_irqrestore(&tasks_lock, flags);
	return t;
}

/* Forget all of an earlier session, whose ids mean nothing now; ->user stays. */
static void task_renew(struct iob_task *t)
{
	WRITE_ONCE(t->session, READ_ONCE(iob_tasks_session));
	t->modifier = 0;
	t->serves = 0;
	t->acted_on_behalf = false;
	t->role_guessed = false;
	WRITE_ONCE(t->role, 0);
	t->pid = 0;
	t->role_failed = 0;
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
	if (t && !iob_task_is_of_session(t))
		task_renew(t);
	return t;
}

static void task_unlink(struct iob_task *t)
{
	lockdep_assert_held(&tasks_lock);
	hlist_del_rcu(&t->hash);
	WRITE_ONCE(nr_users, nr_users - !!t->user);
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
	raw_spin_lock_irqsave(&tasks_lock, flags);
	hlist_for_each_entry(t, iob_task_bucket(task), hash) {
		if (t->task == task) {
			task_unlink(t);
			call_rcu(&t->rcu, task_free_rcu);
			break;
		}
	}
	raw_spin_unlock_irqrestore(&tasks_lock, flags);
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

/* True if the task may have worker threads of io_uring, which act in its role. */
static bool task_has_workers(const struct task_struct *task)
{
#ifdef CONFIG_IO_URING
	return task->io_uring;
#else
	return false;
#endif
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
	bool first;
	int err = 0;

	iob_read_lock();
	t = iob_task_get();
	if (t) {
		raw_spin_lock_irqsave(&tasks_lock, flags);
		WRITE_ONCE(nr_users, nr_users + !!user - !!t->user);
		WRITE_ONCE(t->user, user);
		first = user && !users_seen;
		if (first)
			WRITE_ONCE(users_seen, true);
		raw_spin_unlock_irqrestore(&tasks_lock, flags);
		task_forget_role(t);
		/* what its workers do is charged to this role, too; and pollers may work for it */
		if (first || task_has_workers(current))
			iob_epoch_bump();
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
 * namespace.  Only their own process can rename them, and the task that is found must be of
 * the same process.  A worker has one task's requests.  A polling thread is its maker's, but
 * takes those of any thread that has the ring, and of other rings: *@polls is set then.
 * Return: NULL if the name does not tell.
 */
static struct task_struct *uring_owner(struct task_struct *worker, bool *polls)
{
	struct task_struct *owner;
	bool its;
	int tid;

	if (sscanf(worker->comm, "iou-wrk-%d", &tid) != 1) {
		if (sscanf(worker->comm, "iou-sqp-%d", &tid) != 1)
			return NULL;
		*polls = true;
	}
	/* pid_task() asks for it; what keeps the task is iob_read_lock() */
	rcu_read_lock();
	owner = pid_task(find_pid_ns(tid, &init_pid_ns), PIDTYPE_PID);
	rcu_read_unlock();
	/* (a polling thread outlives its maker: who began later has the id of one that is gone) */
	its = owner && owner->tgid == worker->tgid &&
	      READ_ONCE(owner->start_boottime) <= READ_ONCE(worker->start_boottime);
	return its ? owner : NULL;
}

/* The slow path of iob_task_role(): look the role up, or make it. */
static noinline u64 task_find_role(struct iob_task *t)
{
	struct task_struct *who = current;
	u32 tick = (u32)jiffies | 1;
	s32 user = t->user;
	bool sure = true, polls = false;
	u32 epoch;

	/* try again at the next tick, not for each page */
	if (t->role_failed == tick)
		goto failed;
	/* pairs with iob_task_moved(): it sees this context, or the new cgroup is seen here */
	smp_mb();
	/* before anything that the role follows from: see core/epoch */
	epoch = iob_epoch_now();
	if (current->flags & PF_IO_WORKER) {
		const struct iob_task *o;

		who = uring_owner(current, &polls);
		/* a polling thread has workers of its own */
		if (who && READ_ONCE(who->flags) & PF_IO_WORKER)
			who = uring_owner(who, &polls);
		sure = who;
		if (!who)
			who = current->group_leader;
		o = iob_task_peek(who);
		if (o)
			user = READ_ONCE(o->user);
	}
	WRITE_ONCE(t->role, iob_role_get(who, user));
	t->role_epoch = epoch;
	t->pid = sure ? current->pid : 0;
	/*
	 * Who it acts for is one of some threads: for a process each of them is as good, unless
	 * another has a user role.
	 */
	t->role_guessed = (!sure || polls) &&
			  (READ_ONCE(users_seen) || iob_role_is_threads(who, user));
	t->role_failed = 0;
	if (likely(t->role != IOB_ROLE_NOMEM))
		return t->role;
	t->role_failed = tick;
failed:
	t->pid = 0;
	iob_stat_inc(role_nomem);
	return IOB_ROLE_NOMEM;
}

/**
 * iob_task_role - the role in which the current task acts
 * @t: its context
 *
 * Inside iob_read_lock().  Return: an id, see iob_role_get().
 */
u64 iob_task_role(struct iob_task *t)
{
	return likely(iob_task_has_role(t)) ? t->role : task_find_role(t);
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

/*
 * A task is renamed a moment after iob_task_renamed() was told.  Others that act in the task's
 * role may look its name up in between.  So they look again a second later.
 */
#define RENAME_SETTLES	HZ

static void rename_settled(struct work_struct *work);
static DECLARE_DELAYED_WORK(rename_work, rename_settled);
static bool rename_again;	/* there were more since the work was queued */

static void rename_settled(struct work_struct *work)
{
	iob_epoch_bump();
	if (xchg(&rename_again, false))
		schedule_delayed_work(&rename_work, RENAME_SETTLES);
}

/* True if no other thread was in @task's process at some moment of the call. */
static bool is_alone(struct task_struct *task)
{
	/* data_race: a thread may come or go at this moment, and counts then or does not */
	return data_race(thread_group_empty(task));
}

/* True if tasks other than @task have a role with @task's name. */
static bool is_name_shared(struct task_struct *task)
{
	return task_has_workers(task) ||
	       (iob_roles_kind() == IOB_ROLE_PROCESS && !is_alone(task));
}

/**
 * iob_task_renamed - a task is about to get another name
 * @task: by exec or prctl the current one, else one of the same process, or a new thread of
 *	  the kernel
 * @comm: the new name
 *
 * What the task did so far stays with the old name.  Task context, inside iob_read_lock().
 */
void iob_task_renamed(struct task_struct *task, const char *comm)
{
	struct iob_task *t = iob_task_peek(task);
	enum iob_role_kind kind = iob_roles_kind();

	if (t && !iob_task_is_of_session(t))
		t = NULL;
	/* a cgroup has no name; but a kernel thread that execs is a process now (up to 5.18) */
	if (kind == IOB_ROLE_CGROUP && t && task == current)
		task_forget_role(t);
	/* a process has the name of its leader */
	if (kind == IOB_ROLE_CGROUP || (kind == IOB_ROLE_PROCESS && !thread_group_leader(task)))
		return;
	if (t)
		iob_role_note_comm(READ_ONCE(t->role), task, comm);
	if (t && task == current)
		task_forget_role(t);
	/* a new thread of the kernel has done nothing yet */
	if (task == current ? !is_name_shared(task) : !t && READ_ONCE(task->flags) & PF_KTHREAD)
		return;
	iob_epoch_bump();
	WRITE_ONCE(rename_again, true);
	schedule_delayed_work(&rename_work, RENAME_SETTLES);
}

/**
 * iob_task_moved - a task is in another cgroup now
 * @task:   the task
 * @all:    all threads of its process are
 * @cgroup: the new cgroup's id
 *
 * What the task did so far stays with the old cgroup.  Any context, inside
 * iob_read_lock().
 */
void iob_task_moved(struct task_struct *task, bool all, u64 cgroup)
{
	const struct iob_task *t;

	/* pairs with task_find_role() */
	smp_mb();
	t = iob_task_peek(task);
	if (t && iob_task_is_of_session(t))
		iob_role_note_cgroup(READ_ONCE(t->role), cgroup);
	if (t || (all && !is_alone(task)))
		iob_epoch_bump();
}

/* Begin a session: old contexts are renewed when they are used.  No probe is attached. */
void iob_tasks_new_session(void)
{
	WRITE_ONCE(iob_tasks_session, iob_tasks_session + 1);
	iob_epoch_bump();
}

/* As many buckets as the kernel allows tasks by default, within bounds. */
static unsigned long nr_task_buckets(void)
{
	unsigned long tasks = totalram_pages() * (PAGE_SIZE / 8) / THREAD_SIZE;

	return rounddown_pow_of_two(clamp(tasks, 1024UL, 1UL << IOB_TASK_BITS));
}

/* Module load.  Return: 0 or -ENOMEM. */
int iob_tasks_init(void)
{
	unsigned long nr = nr_task_buckets();

	iob_tasks.bucket = kvcalloc(nr, sizeof(*iob_tasks.bucket), GFP_KERNEL);
	if (!iob_tasks.bucket)
		return -ENOMEM;
	iob_tasks.mask = nr - 1;
	task_cache = iob_cache_create("iob_task", task_size, 0);
	if (task_cache)
		return 0;
	kvfree(iob_tasks.bucket);
	return -ENOMEM;
}

/* Module unload: no probe is attached any more. */
void iob_tasks_exit(void)
{
	struct hlist_node *next;
	struct iob_task *t;
	unsigned long i;

	WRITE_ONCE(rename_again, false);
	cancel_delayed_work_sync(&rename_work);
	for (i = 0; i <= iob_tasks.mask; i++) {
		hlist_for_each_entry_safe(t, next, &iob_tasks.bucket[i], hash)
			task_destroy(t);
		cond_resched();
	}
	/* wait for call_rcu() of iob_task_free(), and of iob_log_ring_free() */
	rcu_barrier();
	kmem_cache_destroy(task_cache);
	kvfree(iob_tasks.bucket);
}
