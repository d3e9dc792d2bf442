// SPDX-License-Identifier: GPL-2.0
/*
 * Which roles go when room is short: those whose tasks are gone before those of tasks that live.  Of
 * cgroups those that are quiet.  And how many one task may have.
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "fake_rcu.h"
#include "test.h"

/* the real ones are not read */
#define IOB_COMPAT_SLAB_H
#define IOB_CORE_CAUSE_H
#define IOB_CORE_EPOCH_H
#define IOB_CORE_STATS_H

/* --- the kernel */

#define container_of(p, type, member)	((type *)((char *)(p) - offsetof(type, member)))
#define iob_stat_inc(count)		((void)(count)++)
#define gfp_t				unsigned int
#define GFP_KERNEL			0
#define GFP_NOWAIT			0
#define __GFP_NOWARN			0
#define get_zeroed_page(gfp)		((void)(gfp), (unsigned long)calloc(1, PAGE_SIZE))
#define free_page(page)			free((void *)(page))
#define kvmalloc_array(n, size, gfp)	malloc((n) * (size))
#define kcalloc(n, size, gfp)		calloc(n, size)
#define kfree(p)			free(p)
#define kmem_cache_alloc(cache, gfp)	((void)(cache), malloc(sizeof(struct iob_role)))
#define kmem_cache_free(cache, p)	((void)(cache), free(p))
#define kmem_cache_destroy(cache)	((void)(cache))
#define iob_cache_create(n, size, f)	NULL
#define data_race(x)			(x)
#define lockdep_assert_held(l)		((void)(l))
#define synchronize_rcu()		cond_resched()
#define DIV_ROUND_UP(n, d)		(((n) + (d) - 1) / (d))
#define round_down(n, d)		((n) / (d) * (d))
#define order_base_2(n)			((n) > 1 ? ilog2((n) - 1) + 1 : 0)
#define bitmap_zero(map, n)		memset(map, 0, BITS_TO_LONGS(n) * sizeof(long))
#define HLIST_HEAD(name)		struct hlist_head name = { NULL }
#define INIT_HLIST_HEAD(h)		((h)->first = NULL)
#define INIT_HLIST_NODE(n)		((n)->next = NULL, (n)->pprev = NULL)
#define hlist_add_head(n, h)		hlist_add_head_rcu(n, h)
#define hlist_del(n)			hlist_del_rcu(n)
#define hlist_for_each_entry(p, h, m)	hlist_for_each_entry_rcu(p, h, m, true)
#define spin_lock_init(l)		raw_spin_lock_init(l)
#define spin_lock_irqsave(l, flags)	raw_spin_lock_irqsave(l, flags)
#define spin_unlock_irqrestore(l, flags) raw_spin_unlock_irqrestore(l, flags)
#define spin_lock_irqsave_nested(l, flags, subclass) raw_spin_lock_irqsave(l, flags)
#define iob_read_held()			true
#define strscpy(to, from, size)		((void)snprintf(to, size, "%s", from))
#define task_uid(task)			((void)(task), 1000)
#define __kuid_val(uid)			(uid)
#define ktime_get_seconds()		seconds

#define PF_EXITING			4

#define CONFIG_CGROUPS			1
#define cgroup_id(cgrp)			((cgrp)->id)

struct kmem_cache;

struct cgroup {
	u64 id;
	struct cgroup *dom_cgrp;
	int nr_threaded_children;
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

struct signal_struct {
	atomic_t live;
};

static u32 seconds, tick = 1;
static unsigned int idx_nospc, idx_nomem, node_nomem, role_many;

/* --- core/cause, core/epoch */

#define IOB_CAUSE_NOMEM			1ULL
#define IOB_CAUSE_LOST			2ULL
#define iob_epoch_bump()		((void)0)
#define iob_cause_add_last(c, id, kthread) ((void)(c), (void)(id), (void)(kthread))
#define iob_cause_remove_last(c)	((void)(c))
#define iob_cause_now()			tick

#include "core/index.h"

struct iob_cause {
	u64 role;
	u32 used;
};

#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include "core/index.c"
#include "core/role.c"

/* --- tasks, and which of their roles something names */

#define TASKS	1000

static struct task_struct tasks[TASKS];
static struct signal_struct signals[TASKS];
static struct cgroup cgroups[TASKS];	/* each has its own */
static struct css_set css_sets[TASKS];
static u64 role_of[TASKS];
static bool is_named[TASKS];

static void act(unsigned int nr)
{
	iob_read_lock();
	role_of[nr] = iob_role_get(&tasks[nr], 0);
	iob_read_unlock();
}

static void leave(unsigned int nr)
{
	iob_read_lock();
	iob_role_note_exit(&tasks[nr]);
	iob_read_unlock();
}

static bool has_role(unsigned int nr)
{
	return iob_role_id(role_of[nr]);
}

static void begin_with(u8 kind)
{
	unsigned int i;

	if (iob_roles_init(1024, kind))
		fail("no roles");
	seconds = 1000;
	for (i = 0; i < TASKS; i++) {
		tasks[i] = (struct task_struct){
			.pid = 100 + i, .tgid = 100 + i, .start_boottime = 1 + i,
			.group_leader = &tasks[i], .signal = &signals[i], .comm = "any",
			.cgroups = &css_sets[i],
		};
		cgroups[i] = (struct cgroup){ .id = 7000 + i, .dom_cgrp = &cgroups[i] };
		css_sets[i].dfl_cgrp = &cgroups[i];
		is_named[i] = false;
	}
}

static void begin(void)
{
	begin_with(IOB_ROLE_THREAD);
}

static void acts(unsigned int first, unsigned int nr)
{
	unsigned int i;

	for (i = first; i < first + nr; i++)
		act(i);
}

static void leaves(unsigned int first, unsigned int nr)
{
	unsigned int i;

	for (i = first; i < first + nr; i++)
		leave(i);
}

static void mark(unsigned long *used, u32 bits)
{
	unsigned int i;

	for (i = 0; i < TASKS; i++) {
		if (is_named[i] && iob_id_nr(role_of[i]) < bits)
			__set_bit(iob_id_nr(role_of[i]), used);
	}
}

static void reclaim(u32 ttl, u32 want)
{
	unsigned long used[BITS_TO_LONGS(1024)];

	iob_roles_reclaim(mark, used, 1024, ttl, want);
}

static unsigned int nr_left(unsigned int first, unsigned int nr)
{
	unsigned int i, n = 0;

	for (i = first; i < first + nr; i++)
		n += has_role(i);
	return n;
}

static void are(const char *what, unsigned int first, unsigned int nr, unsigned int least,
		unsigned int most)
{
	unsigned int n = nr_left(first, nr);

	if (n < least || n > most)
		fail("%s: %u of %u have their role, not %u to %u", what, n, nr, least, most);
}

/* Tasks that act once in a while, and a storm of others that come and go. */
static void storm(void)
{
	begin();
	acts(0, 100);
	seconds += 60;
	acts(100, 700);
	leaves(100, 400);
	seconds += 2;
	reclaim(2, 256);
	are("live and quiet", 0, 100, 100, 100);
	are("gone", 100, 400, 0, 0);
	are("of the storm, still there", 500, 300, 300, 300);
	iob_roles_exit();
}

/* Those that are gone do not suffice: of those that live, the oldest go. */
static void too_few_gone(void)
{
	begin();
	acts(0, 100);
	seconds += 60;
	acts(100, 300);
	seconds += 60;
	acts(400, 300);
	leaves(400, 50);
	seconds += 3;
	acts(700, 100);
	reclaim(2, 100);
	are("gone", 400, 50, 0, 0);
	are("the oldest", 0, 100, 0, 50);
	are("the others", 450, 350, 350, 350);
	if (nr_left(0, TASKS) > 700)
		fail("%u are left of 800, 100 are wanted", nr_left(0, TASKS));
	iob_roles_exit();
}

/* Something names what is gone: it stays, and is none of those that are wanted. */
static void named(void)
{
	unsigned int i;

	begin();
	acts(0, 100);
	seconds += 60;
	acts(100, 400);
	leaves(100, 200);
	for (i = 100; i < 300; i++)
		is_named[i] = true;
	seconds += 3;
	reclaim(2, 100);
	are("named", 100, 200, 200, 200);
	are("the oldest", 0, 100, 0, 0);
	iob_roles_exit();
}

/* Who acted a moment ago keeps his role, however many are wanted; those gone may be younger. */
static void busy(void)
{
	begin();
	acts(0, 500);
	leaves(400, 100);
	seconds += 1;
	reclaim(2, 500);
	are("a second ago", 0, 500, 500, 500);
	reclaim(0, 500);
	are("live", 0, 400, 400, 400);
	are("gone", 400, 100, 0, 0);
	seconds += 8;
	reclaim(120, 0);
	are("none is wanted", 0, 400, 400, 400);
	reclaim(120, 400);
	are("all are wanted", 0, 400, 0, 0);
	iob_roles_exit();
}

/* Of a cgroup nobody tells that it is gone: its role goes when it was not looked up for long. */
static void of_cgroups(void)
{
	unsigned int i;

	begin_with(IOB_ROLE_CGROUP);
	acts(0, 300);
	leaves(0, 300);
	for (i = 100; i < 200; i++)
		is_named[i] = true;
	seconds += 100;
	acts(200, 100);
	seconds += 30;
	reclaim(120, 0);
	are("of a cgroup that is quiet", 0, 100, 0, 0);
	are("named", 100, 100, 100, 100);
	are("of a cgroup that has acted", 200, 100, 100, 100);
	acts(0, 100);
	are("of a cgroup that acts again", 0, 100, 100, 100);
	reclaim(0, 0);
	are("a moment ago", 0, 100, 100, 100);
	iob_roles_exit();
}

static void acts_as(unsigned int first, unsigned int nr, s32 number)
{
	unsigned int i;

	for (i = first; i < first + nr; i++) {
		iob_read_lock();
		role_of[i] = iob_role_get(&tasks[i], number + i);
		iob_read_unlock();
	}
}

/* Nor of a number that a job was given, whose last task has exited. */
static void of_numbers(void)
{
	begin();
	acts_as(0, 200, 1000);
	leaves(0, 200);
	seconds += 100;
	acts_as(200, 100, 1000);
	seconds += 30;
	reclaim(120, 0);
	are("of a job that is over", 0, 200, 0, 0);
	are("of a job that has acted", 200, 100, 100, 100);
	acts_as(0, 100, 1000);
	are("of a number that is used again", 0, 100, 100, 100);
	iob_roles_exit();
}

/* The last of two looks at what is named: then what names a role moves to where was looked. */
static unsigned int looks;

static void mark_and_move(unsigned long *used, u32 bits)
{
	mark(used, bits);
	if (++looks == 2)
		((struct iob_role *)iob_role_id(role_of[5]))->last.used = tick;
}

static void moved(void)
{
	unsigned long used[BITS_TO_LONGS(1024)];

	begin();
	acts(0, 100);
	leaves(0, 100);
	seconds += 3;
	looks = 0;
	iob_roles_reclaim(mark_and_move, used, 1024, 2, 100);
	are("named by what was moved", 5, 1, 1, 1);
	are("all others", 6, 94, 0, 0);
	/* and no longer than that */
	tick++;
	iob_roles_reclaim(mark, used, 1024, 2, 0);
	are("named by nothing", 5, 1, 0, 0);
	iob_roles_exit();
}

static void act_named(unsigned int nr, unsigned int name)
{
	snprintf(tasks[nr].comm, sizeof(tasks[nr].comm), "name%u", name);
	act(nr);
}

/* The role in which a task acted last. */
static void acted_as(const char *what, unsigned int nr, const char *comm, u64 cgroup)
{
	const struct iob_role *role = iob_role_id(role_of[nr]);

	if (!role)
		fail("%s: no role", what);
	else if (strcmp(role->comm, comm) || role->cgroup != cgroup)
		fail("%s: %s of cgroup %llu", what, role->comm, role->cgroup);
}

static void nr_roles(const char *what, unsigned int want)
{
	if (iob_roles_count() != want)
		fail("%s: %u roles, not %u", what, iob_roles_count(), want);
}

/*
 * A task that gives itself any number of names, and goes to any number of cgroups: what it does is
 * still its own, in no more roles than are walked with interrupts off.
 */
static void many_of_one_task(void)
{
	unsigned int before, i;

	begin();
	before = iob_roles_count();
	role_many = 0;
	for (i = 0; i < 64; i++)
		act_named(0, i);
	acted_as("the 64th name", 0, "name63", 7000);
	nr_roles("64 names", before + 64);
	for (i = 64; i < 200; i++)
		act_named(0, i);
	acted_as("the 200th name", 0, "many-roles", 7000);
	nr_roles("200 names", before + 65);
	for (i = 1; i < 64; i++) {
		tasks[0].cgroups = &css_sets[i];
		act_named(0, 1);
	}
	acted_as("the 64th cgroup", 0, "many-roles", 7063);
	nr_roles("64 cgroups", before + 128);
	for (; i < 200; i++) {
		tasks[0].cgroups = &css_sets[i];
		act_named(0, i);
		acted_as("a further cgroup", 0, "many-roles", 0);
	}
	nr_roles("200 cgroups", before + 129);
	if (role_many != 136 + 63 + 136)
		fail("%u are counted", role_many);
	/* those that it has stay its own, and another task has names of its own */
	tasks[0].cgroups = &css_sets[0];
	act_named(0, 5);
	acted_as("an old name", 0, "name5", 7000);
	act_named(1, 5);
	acted_as("another task", 1, "name5", 7001);
	nr_roles("another task", before + 130);
	iob_roles_exit();
}

int main(void)
{
	static const struct test tests[] = {
		TEST(storm), TEST(too_few_gone), TEST(named), TEST(busy),
		TEST(of_cgroups), TEST(of_numbers), TEST(moved), TEST(many_of_one_task),
	};

	return run_tests("role", tests, ARRAY_SIZE(tests));
}
