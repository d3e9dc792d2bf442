// SPDX-License-Identifier: GPL-2.0
/*
 * In whose role a thread of io_uring acts, and how sure that is: a worker has one task's requests,
 * but a polling thread those of whoever has the ring.
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/jiffies.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "fake_rcu.h"
#include "test.h"

/* the real ones are not read */
#define IOB_COMPAT_SLAB_H
#define IOB_CORE_CAUSE_H
#define IOB_CORE_CODE_H
#define IOB_CORE_EPOCH_H
#define IOB_CORE_ROLE_H
#define IOB_CORE_STATS_H

/* --- the kernel */

#define container_of(p, type, member)	((type *)((char *)(p) - offsetof(type, member)))
#define __ro_after_init
#define ALIGN(x, a)			(((x) + (a) - 1) / (a) * (a))
#define GFP_NOWAIT			0
#define __GFP_NOWARN			0
#define WARN_ON(c)			(c)
#define THREAD_SIZE			16384UL
#define kmem_cache_alloc(cache, gfp)	((void)(cache), no_memory ? NULL : malloc(task_size))
#define kmem_cache_free(cache, p)	((void)(cache), free(p))
#define kmem_cache_destroy(cache)	((void)(cache))
#define iob_cache_create(n, size, f)	((struct kmem_cache *)&jiffies)
#define rounddown_pow_of_two(n)		((n) > 4096 ? 4096UL : 1024UL)
#define schedule_delayed_work(w, t)	((void)(w))
#define lockdep_assert_held(l)		((void)(l))
#define hlist_empty(h)			(!(h)->first)
#define hlist_for_each_entry(p, h, m)	hlist_for_each_entry_rcu(p, h, m, true)
#define call_rcu(head, func)		func(head)
#define rcu_barrier()			do { } while (0)
#define data_race(x)			(x)
#define smp_mb()			__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define xchg(p, v)			__atomic_exchange_n(p, v, __ATOMIC_SEQ_CST)
#define in_task()			true

unsigned long jiffies = 1000;
struct task_struct *current;

static int init_pid_ns;

#define PIDTYPE_PID			0
#define find_pid_ns(nr, ns)		((void)(ns), nr)
#define pid_task(nr, type)		task_of(nr)
#define thread_group_empty(t)		((void)(t), false)
#define thread_group_leader(t)		((t)->group_leader == (t))

/* --- core/cause, core/epoch, core/role, core/stats */

#define IOB_CAUSE_LOST			2ULL
#define IOB_CAUSE_INHERITED		BIT_ULL(20)
#define IOB_ROLE_NOMEM			1ULL

enum iob_role_kind { IOB_ROLE_THREAD, IOB_ROLE_PROCESS, IOB_ROLE_CGROUP, IOB_ROLE_USER };

struct iob_file {
	u64 ino;
};

struct iob_cause {
	u64 role;
	bool dead;
};

struct kmem_cache;

static u32 this_epoch = 1;
static enum iob_role_kind kind;
static bool is_threaded;	/* cgroups are */
static bool no_memory, no_role;
static unsigned int nr_task_nomem, nr_role_nomem;

#define iob_epoch_now()			this_epoch
#define iob_epoch_bump()		((void)this_epoch++)
#define iob_roles_kind()		kind
#define iob_role_note_comm(role, t, c)	((void)(role), (void)(c))
#define iob_role_note_cgroup(role, c)	((void)(role), (void)(c))
#define task_nomem			(&nr_task_nomem)
#define role_nomem			(&nr_role_nomem)
#define iob_stat_inc(name)		((void)++*(name))

/* a role that is made has a cause of the same number */
#define iob_cause_of(ref)		((struct iob_cause *)NULL)
#define iob_cause_touch(cause)		((void)(cause))
#define iob_cause_get(role, intent)	((void)(intent), role)

/* Its number: the thread's or the leader's, or that of a user role. */
static u64 iob_role_get(const struct task_struct *task, s32 user)
{
	if (no_role)
		return IOB_ROLE_NOMEM;
	if (user)
		return 1000 + user;
	return kind == IOB_ROLE_THREAD ? task->pid : task->tgid;
}

static bool iob_role_is_threads(const struct task_struct *task, s32 user)
{
	return user || kind == IOB_ROLE_THREAD || (kind == IOB_ROLE_CGROUP && is_threaded && task);
}

static struct task_struct *task_of(int pid);

/* as in the kernel */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "core/task.c"

/* --- a process with two threads, and what io_uring makes for them */

enum { LEADER = 100, MAKER, POLLER, WORKER, POLLERS_WORKER, STRANGER, NR_TASKS = 8 };

static struct task_struct task[NR_TASKS];

static struct task_struct *task_of(int pid)
{
	return pid >= LEADER && pid < LEADER + NR_TASKS && task[pid - LEADER].pid ?
	       &task[pid - LEADER] : NULL;
}

static void make(int pid, int tgid, const char *comm)
{
	struct task_struct *t = &task[pid - LEADER];

	*t = (struct task_struct){
		.pid = pid, .tgid = tgid, .group_leader = &task[tgid - LEADER],
		.start_boottime = pid, .flags = strncmp(comm, "iou-", 4) ? 0 : PF_IO_WORKER,
	};
	snprintf(t->comm, sizeof(t->comm), "%s", comm);
}

static void begin(enum iob_role_kind k)
{
	kind = k;
	if (iob_tasks_init())
		abort();
	make(LEADER, LEADER, "db");
	make(MAKER, LEADER, "reader");
	make(POLLER, LEADER, "iou-sqp-101");
	make(WORKER, LEADER, "iou-wrk-101");
	make(POLLERS_WORKER, LEADER, "iou-wrk-102");
	make(STRANGER, STRANGER, "other");
}

static void end(void)
{
	iob_tasks_exit();
	memset(task, 0, sizeof(task));
	/* (the next test adds no part, but makes the cache anew) */
	task_cache = NULL;
}

/* As after loading */
static void no_users(void)
{
	users_seen = false;
}

static void set_user(int pid, s32 user)
{
	current = task_of(pid);
	if (iob_task_set_user(user))
		abort();
}

/* What @pid does for itself is of role @want, and whether that is inherited. */
static void acts(const char *what, int pid, u64 want, bool inherited)
{
	struct iob_task *t;
	unsigned int again;
	u64 ref;

	current = task_of(pid);
	iob_read_lock();
	t = iob_task_get();
	for (again = 0; again < 2; again++) {
		ref = iob_task_own_cause(t, 7);
		if (ref != (want | (inherited ? IOB_CAUSE_INHERITED : 0)))
			fail("%s: %d acts as %llu, %s", what, pid, ref & ~IOB_CAUSE_INHERITED,
			     ref & IOB_CAUSE_INHERITED ? "inherited" : "exact");
	}
	iob_read_unlock();
}

/* A thread's own role is sure, and so is that of a worker. */
static void threads(void)
{
	begin(IOB_ROLE_THREAD);
	acts("itself", MAKER, MAKER, false);
	acts("a worker", WORKER, MAKER, false);
	acts("a polling thread", POLLER, MAKER, true);
	acts("its worker", POLLERS_WORKER, MAKER, true);
	end();
}

/* The maker is gone, or another process has its number: the leader is the next best. */
static void gone(void)
{
	begin(IOB_ROLE_THREAD);
	task[MAKER - LEADER].pid = 0;
	acts("the maker is gone", POLLER, LEADER, true);
	acts("the owner is gone", WORKER, LEADER, true);
	end();
	begin(IOB_ROLE_THREAD);
	task[MAKER - LEADER].tgid = STRANGER;
	acts("a stranger has its number", POLLER, LEADER, true);
	end();
	begin(IOB_ROLE_THREAD);
	task[MAKER - LEADER].start_boottime = POLLER + 1;
	acts("who began later has its number", POLLER, LEADER, true);
	end();
}

/* Any thread of a process has its role. */
static void processes(void)
{
	begin(IOB_ROLE_PROCESS);
	acts("a worker", WORKER, LEADER, false);
	acts("a polling thread", POLLER, LEADER, false);
	acts("its worker", POLLERS_WORKER, LEADER, false);
	task[MAKER - LEADER].pid = 0;
	this_epoch++;
	acts("the maker is gone", POLLER, LEADER, false);
	end();
}

/* A cgroup has all threads of a process, unless it is threaded. */
static void cgroups(void)
{
	for (is_threaded = false;; is_threaded = true) {
		begin(IOB_ROLE_CGROUP);
		acts("a worker", WORKER, LEADER, false);
		acts("a polling thread", POLLER, LEADER, is_threaded);
		task[MAKER - LEADER].pid = 0;
		this_epoch++;
		acts("the maker is gone", POLLER, LEADER, is_threaded);
		end();
		if (is_threaded)
			break;
	}
	is_threaded = false;
}

/* A user role is a thread's own, whatever roles are. */
static void users(void)
{
	static const enum iob_role_kind kinds[] = { IOB_ROLE_THREAD, IOB_ROLE_PROCESS };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		begin(kinds[i]);
		set_user(MAKER, 5);
		set_user(LEADER, 6);
		acts("itself", MAKER, 1005, false);
		acts("a worker", WORKER, 1005, false);
		acts("a polling thread", POLLER, 1005, true);
		acts("its worker", POLLERS_WORKER, 1005, true);
		task[MAKER - LEADER].pid = 0;
		this_epoch++;
		acts("the maker is gone", POLLER, 1006, true);
		end();
	}
}

/* The maker has no role of the user's, but another thread gets one after the first requests. */
static void other_users(void)
{
	no_users();
	begin(IOB_ROLE_PROCESS);
	acts("a polling thread", POLLER, LEADER, false);
	set_user(LEADER, 0);
	acts("another has none", POLLER, LEADER, false);
	set_user(LEADER, 6);
	acts("another has one", POLLER, LEADER, true);
	acts("a worker", WORKER, LEADER, false);
	acts("a poller's worker", POLLERS_WORKER, LEADER, true);
	end();
}

static u64 role_now(void)
{
	u64 role;

	iob_read_lock();
	role = iob_task_role(iob_task_get());
	iob_read_unlock();
	return role;
}

/* A task without a context, and acts of one without a role, which is asked for once a tick. */
static void without_memory(void)
{
	unsigned int i;

	nr_task_nomem = 0;
	nr_role_nomem = 0;
	begin(IOB_ROLE_THREAD);
	current = task_of(MAKER);
	no_memory = true;
	iob_read_lock();
	if (iob_task_get() || nr_task_nomem != 1 || nr_role_nomem)
		fail("a task: task_nomem is %u, role_nomem %u", nr_task_nomem, nr_role_nomem);
	iob_read_unlock();
	no_memory = false;
	no_role = true;
	for (i = 1; i <= 3; i++) {
		if (role_now() != IOB_ROLE_NOMEM || nr_role_nomem != i)
			fail("act %u: role_nomem is %u", i, nr_role_nomem);
	}
	no_role = false;
	if (role_now() != IOB_ROLE_NOMEM || nr_role_nomem != 4)
		fail("in the same tick: role_nomem is %u", nr_role_nomem);
	jiffies += 2;
	if (role_now() != MAKER || nr_role_nomem != 4 || nr_task_nomem != 1)
		fail("with memory: task_nomem is %u, role_nomem %u", nr_task_nomem, nr_role_nomem);
	end();
}

int main(void)
{
	static const struct test tests[] = {
		TEST(threads), TEST(gone), TEST(processes), TEST(cgroups), TEST(users),
		TEST(other_users), TEST(without_memory),
	};

	return run_tests("task", tests, ARRAY_SIZE(tests));
}
