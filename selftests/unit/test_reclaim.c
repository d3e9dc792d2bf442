// SPDX-License-Identifier: GPL-2.0
/*
 * What a pass of the reclaim looks at, and what it buries: pages only of causes that may go, and
 * nothing any more when the session ends.
 */
#include <linux/compiler.h>
#include <linux/bitmap.h>
#include <linux/jiffies.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "fake_rcu.h"
#include "test.h"

/* the real ones are not read */
#define IOB_BLAME_ASSOCIATION_H
#define IOB_BLAME_DIRTIER_H
#define IOB_BLAME_FREED_EXTENT_H
#define IOB_BLAME_TRANSACTION_H
#define IOB_CORE_ACT_H
#define IOB_CORE_CAUSE_H
#define IOB_CORE_EPOCH_H
#define IOB_CORE_INDEX_H
#define IOB_CORE_INTENT_H
#define IOB_CORE_ROLE_H
#define IOB_CORE_STATS_H
#define IOB_CORE_WORKER_H
#define IOB_IO_CONF_H
#define IOB_IO_COUNTERS_H
#define IOB_IO_SUM_H
#define IOB_IO_SUM_READER_H

#define container_of(p, type, member)	((type *)((char *)(p) - offsetof(type, member)))
#define DIV_ROUND_UP(n, d)		(((n) + (d) - 1) / (d))
#define __GFP_NOWARN			0
#define HLIST_HEAD(name)		struct hlist_head name = { NULL }
#define hlist_add_head(n, h)		hlist_add_head_rcu(n, h)

static void bitmap_fill(unsigned long *map, unsigned int bits)
{
	memset(map, 0xff, BITS_TO_LONGS(bits) * sizeof(long));
}

static void bitmap_zero(unsigned long *map, unsigned int bits)
{
	memset(map, 0, BITS_TO_LONGS(bits) * sizeof(long));
}

static void bitmap_copy(unsigned long *to, const unsigned long *from, unsigned int bits)
{
	memcpy(to, from, BITS_TO_LONGS(bits) * sizeof(long));
}

__attribute__((unused))
static void bitmap_set(unsigned long *map, unsigned int from, unsigned int n)
{
	for (; n; n--)
		__set_bit(from++, map);
}

#define for_each_set_bit(bit, map, end)					\
	for ((bit) = find_next_bit(map, end, 0); (bit) < (end);		\
	     (bit) = find_next_bit(map, end, (bit) + 1))

/* --- the worker */

static struct {
	struct {
		u64 sum_exec_runtime;
	} se;
} worker;

#define current		(&worker)

static unsigned int nr_grace, nr_queued;

#define synchronize_rcu()		((void)nr_grace++)
#define iob_work_queue_delayed(w, t)	((void)(w), (void)(t), (void)nr_queued++)

static u64 clock_ns;

u64 ktime_get_ns(void)
{
	return clock_ns;
}

/* --- core/index, core/cause, core/epoch: an array by number */

enum { MAX_ROLES = 16, MAX_CAUSES = 70, MAX = MAX_ROLES + MAX_CAUSES };

#define IOB_ROLE_LOST	2
#define IOB_INTENT_LOST	2

struct iob_node {
	struct hlist_node hash;
	u64 id;
};

struct iob_cause {
	struct iob_node node;
	u64 role;
	u32 used;
	bool dead;
};

static struct {
	u32 first, max;
} iob_causes = { MAX_ROLES, MAX };

static struct {
	u32 tick;
} iob_use_now;

static struct iob_cause *causes[MAX];
static unsigned int nr_epochs;

#define iob_cause_now()		iob_use_now.tick
#define iob_id_nr(id)		((u32)(id))
#define iob_epoch_bump()	((void)nr_epochs++)

static struct iob_cause *iob_cause_next(u32 *nr)
{
	for (; *nr < MAX; ++*nr) {
		if (causes[*nr])
			return causes[*nr];
	}
	return NULL;
}

static struct iob_cause *iob_cause_nr(u32 nr)
{
	return causes[nr];
}

static void iob_cause_bury(struct iob_cause *c)
{
	c->dead = true;
}

static void iob_index_unnumber(const void *idx, struct iob_node *node)
{
	(void)idx;
	causes[iob_id_nr(node->id)] = NULL;
}

static void iob_cause_free(struct iob_cause *c)
{
	if (!c->dead || causes[iob_id_nr(c->node.id)])
		fail("cause %u can be found, and is freed", iob_id_nr(c->node.id));
	free(c);
}

static u32 iob_causes_count(void)
{
	u32 nr, n = 0;

	for (nr = MAX_ROLES; nr < MAX; nr++)
		n += !!causes[nr];
	return n;
}

/* @role: its number; the role's last resort has the same one */
static struct iob_cause *cause_new(u32 nr, u32 role, u32 ticks)
{
	struct iob_cause *c = calloc(1, sizeof(*c));

	c->node.id = 0x500000000ULL | nr;
	c->role = role;
	c->used = iob_use_now.tick - ticks;
	causes[nr] = c;
	return c;
}

/* --- core/act: there are none, but their table may be full */

static u32 nr_acts;

struct iob_act {
	struct iob_node node;
	u64 role;
	u32 intent;
	struct {
		u32 tick, pipe;
	} use;
	u32 *counters;
};

#define IOB_ACT_LOST			2U
#define iob_act_has_file(a)		((void)(a), false)
#define iob_act_next(nr)		((void)(nr), (struct iob_act *)NULL)
#define iob_act_nr(nr)			((void)(nr), (struct iob_act *)NULL)
#define iob_act_bury(a)			((void)(a))
#define iob_act_unnumber(a)		((void)(a))
#define iob_act_free(a)			((void)(a))
#define iob_act_coarser(a)		(a)
#define iob_acts_forget_recent()	((void)0)
#define iob_sums_forget_recent()	((void)0)
#define iob_acts_max()			10U
#define iob_acts_taken()		nr_acts
#define iob_acts_count()		0U
#define iob_acts_crowd_out()		false
#define iob_pipe_unread(pipe)		((void)(pipe), false)
#define iob_pipe_read_none()		((void)0)
#define iob_counters_are_unread(a)	((void)(a), false)
#define iob_counters_merge(to, from)	((void)(to), (void)(from))
#define iob_sums_keep(a)		((void)(a))
#define iob_sums_count()		0U
#define iob_sums_may_go()		true
#define iob_stat_inc(name)		((void)0)

/* --- io/conf */

enum { IOB_LIMIT_roles, IOB_LIMIT_causes, IOB_LIMIT_acts, IOB_LIMIT_sums, NR_LIMITS };

static struct {
	u32 max[NR_LIMITS];
	u32 ttl_secs;
} iob_conf = { { MAX_ROLES, MAX_CAUSES, 10, 10 }, 5 };

/* --- core/role: it asks twice what is named, if anything is buried */

static unsigned int nr_asked;
static unsigned long named[2][BITS_TO_LONGS(MAX_ROLES)];
static void (*between_marks)(void);

static unsigned int iob_roles_reclaim(void (*mark)(unsigned long *used, u32 bits),
				      unsigned long *used, u32 bits, u32 ttl, u32 want)
{
	(void)ttl;
	(void)want;
	for (nr_asked = 0; nr_asked < 2; nr_asked++) {
		bitmap_zero(used, bits);
		mark(used, bits);
		bitmap_copy(named[nr_asked], used, bits);
		if (!nr_asked && between_marks)
			between_marks();
	}
	return 0;
}

#define iob_roles_max()		((u32)MAX_ROLES)
#define iob_roles_count()	0U

/* --- blame/dirtier: a page has the number of its cause, and may be clean since; others: none */

enum { LEAF = 8, LEAVES = 4, PAGES = LEAF * LEAVES };

static struct {
	u32 nr;
	bool pending;
} pages[PAGES];

static unsigned int nr_walks, looks[2], leaves[2], stop_at[2], nr_other_marks;
static void (*while_walking)(void);

void iob_reclaim_stop(void);

static bool iob_dirtier_mark(unsigned long *marks, const bool *stop)
{
	unsigned int i, j, walk = nr_walks++;

	for (i = 0; i < LEAVES; i++) {
		if (READ_ONCE(*stop))
			return false;
		for (j = i * LEAF; j < (i + 1) * LEAF; j++) {
			if (!pages[j].nr || test_bit(pages[j].nr, marks))
				continue;
			looks[walk]++;
			if (pages[j].pending)
				__set_bit(pages[j].nr, marks);
		}
		if (!i && while_walking)
			while_walking();
		if (++leaves[walk] == stop_at[walk])
			iob_reclaim_stop();
	}
	return true;
}

/* --- blame/association, blame/transaction, blame/freed_extent: three walks of some steps */

enum { OTHER_WALKS = 3, STEPS = 4 };

static unsigned int nr_steps, stop_at_step;	/* of the other walks, all together */

static bool other_mark(const bool *stop)
{
	unsigned int i;

	nr_other_marks++;
	for (i = 0; i < STEPS; i++) {
		if (READ_ONCE(*stop))
			return false;
		if (++nr_steps == stop_at_step)
			iob_reclaim_stop();
	}
	return true;
}

#define iob_assoc_mark(marks, room, stop)	((void)(marks), (void)(room), other_mark(stop))
#define iob_transactions_mark(marks, stop)	((void)(marks), other_mark(stop))
#define iob_freed_extents_mark(marks, stop)	((void)(marks), other_mark(stop))

/* as in the kernel */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "io/reclaim.c"

enum { OLD = 20, DIRTY = 21, YOUNG = 22, MIDDLE = 23, FREE = 40, ROLE = 5, FREE_ROLE = 6 };

static void begin(void)
{
	unsigned int i;

	memset(pages, 0, sizeof(pages));
	memset(looks, 0, sizeof(looks));
	memset(leaves, 0, sizeof(leaves));
	memset(stop_at, 0, sizeof(stop_at));
	nr_acts = 0;
	nr_walks = 0;
	nr_other_marks = 0;
	nr_steps = 0;
	stop_at_step = 0;
	between_marks = NULL;
	while_walking = NULL;
	iob_use_now.tick = 1000;
	clock_ns += 1000 * (u64)NSEC_PER_SEC;
	for (i = 1; i <= ROLE; i++)
		cause_new(i, i, 100);
	cause_new(OLD, ROLE, 100);
	cause_new(DIRTY, ROLE, 100);
	cause_new(YOUNG, ROLE, 1);
	cause_new(MIDDLE, ROLE, 3);	/* it may go only if room is short */
	/* most have been written; the first one is not found before the last but one */
	for (i = 0; i < PAGES; i++)
		pages[i].nr = i % 2 ? FREE + i : YOUNG;
	pages[2].nr = OLD;
	pages[4].nr = OLD;
	pages[6].nr = DIRTY;
	pages[7].nr = FREE_ROLE;
	pages[10].nr = MIDDLE;
	pages[12].nr = MIDDLE;
	pages[PAGES - 2].nr = DIRTY;
	pages[PAGES - 2].pending = true;
	pages[PAGES - 1].nr = MAX - 1;
	iob_reclaim_start();
}

static void pass(void)
{
	/* (one more with the pass) */
	iob_use_now.tick--;
	reclaim_work_fn(&reclaim_work.work);
	if (nr_held)
		fail("a reader is left");
}

static void end(void)
{
	u32 nr;

	for (nr = 0; nr < MAX; nr++) {
		free(causes[nr]);
		causes[nr] = NULL;
	}
}

/* Pages are looked at if their cause may go, and in the second walk if a last resort has them. */
static void looks_at_few(void)
{
	begin();
	pages[8].nr = ROLE;
	pass();
	if (nr_walks != 2)
		fail("%u walks", nr_walks);
	if (looks[0] != 5 || looks[1] != 1)
		fail("%u and %u pages are looked at, not 5 and 1", looks[0], looks[1]);
	if (causes[OLD] || reclaimed.causes != 1)
		fail("%llu causes went", reclaimed.causes);
	if (!causes[DIRTY] || !causes[YOUNG] || !causes[MIDDLE])
		fail("a cause went that is needed");
	if (test_bit(3, named[0]) || test_bit(3, named[1]))
		fail("a role is named by nothing");
	if (!test_bit(ROLE, named[0]) || !test_bit(ROLE, named[1]))
		fail("the causes' role is not named");
	end();
}

static void takes_number(void)
{
	while_walking = NULL;
	cause_new(FREE + 1, 4, 0);
	pages[1].pending = true;
	/* it has passed the first leaf */
	pages[0].nr = OLD;
	pages[0].pending = true;
	causes[OLD]->used = iob_use_now.tick;
}

/* What is made or used while the pass walks stays. */
static void used_meanwhile(void)
{
	begin();
	while_walking = takes_number;
	pass();
	if (!causes[FREE + 1] || !causes[OLD] || reclaimed.causes)
		fail("%llu causes went", reclaimed.causes);
	end();
}

static void dirties_as_last_resort(void)
{
	pages[3].nr = 4;
	pages[3].pending = true;
}

/* A page becomes dirty for want of a cause while its role is buried. */
static void last_resort(void)
{
	begin();
	between_marks = dirties_as_last_resort;
	pass();
	if (test_bit(4, named[0]) || !test_bit(4, named[1]))
		fail("a role goes that has a dirty page");
	if (test_bit(3, named[1]))
		fail("a role stays that has none");
	end();
}

static bool all_named(const unsigned long *map)
{
	return find_next_zero_bit(map, MAX_ROLES, 0) == MAX_ROLES;
}

/* The session ends during a walk: it ends at the next leaf, and nothing is buried after it. */
static void stops(void)
{
	unsigned int walk, leaf;

	for (walk = 0; walk < 2; walk++) {
		for (leaf = 1; leaf <= LEAVES; leaf++) {
			begin();
			stop_at[walk] = leaf;
			pass();
			if (leaves[walk] != leaf)
				fail("walk %u ends at leaf %u, not %u", walk, leaves[walk], leaf);
			if (!walk && (!causes[OLD] || reclaimed.causes))
				fail("a cause goes, leaf %u of %u is read", leaf, LEAVES);
			if ((!walk && !all_named(named[0])) || !all_named(named[1]))
				fail("walk %u, leaf %u: a role goes", walk, leaf);
			if (leaves[1] && !walk)
				fail("it walks again");
			end();
		}
	}
	/* the next session is another one */
	begin();
	pass();
	if (causes[OLD] || all_named(named[1]))
		fail("nothing goes in the next session");
	end();
}

/* It ends during a walk over what else has causes: likewise, and none of these begins any more. */
static void stops_others(void)
{
	const unsigned int steps = OTHER_WALKS * STEPS;
	unsigned int at;

	for (at = 1; at <= 2 * steps; at++) {
		begin();
		stop_at_step = at;
		pass();
		if (nr_steps != at)
			fail("step %u: it goes on for %u", at, nr_steps - at);
		if (nr_other_marks > at / STEPS + 1)
			fail("step %u: %u walks are begun", at, nr_other_marks);
		if (at <= steps && (!causes[OLD] || reclaimed.causes || leaves[1]))
			fail("step %u: a cause goes, or pages are looked at again", at);
		if ((at <= steps && !all_named(named[0])) || !all_named(named[1]))
			fail("step %u: a role goes", at);
		end();
	}
}

/* Of @secs looks, a second each, how many read the dirtier table: the second look and later ones. */
static unsigned int walks_in(unsigned int secs)
{
	unsigned int walks = 0;

	while (secs--) {
		clock_ns += NSEC_PER_SEC;
		nr_walks = 0;
		pass();
		walks += nr_walks;
	}
	return walks;
}

/* Acts are what is short, and some go each time: the dirtier table is not read for that. */
static void acts_are_short(void)
{
	unsigned int nr, walks;

	begin();
	iob_conf.ttl_secs = 120;
	pass();
	nr_acts = 10;
	walks = walks_in(29);
	if (walks)
		fail("the dirtier table is read %u times", walks);
	if (walks_in(1) != 2)
		fail("it is not read when its time has come");
	end();
	/* causes are short: it is, for as long as some go */
	begin();
	pass();
	for (nr = MAX_ROLES; nr < MAX_ROLES + MAX_CAUSES / 4 * 3; nr++) {
		if (!causes[nr])
			cause_new(nr, ROLE, 0);
	}
	if (walks_in(1) != 2)
		fail("it is not read though causes are short");
	iob_conf.ttl_secs = 5;
	end();
}

static void takes_long(void)
{
	worker.se.sum_exec_runtime += NSEC_PER_SEC;
}

static void stands_still(void)
{
	worker.se.sum_exec_runtime += 60 * (u64)NSEC_PER_SEC;
}

/*
 * Passes take a hundredth of a CPU's time.  One in which the machine stood still does not count, as
 * the one before was shorter.
 */
static void rests(void)
{
	unsigned int i;

	begin();
	iob_conf.ttl_secs = 120;
	while_walking = takes_long;
	for (i = 0; i < 2; i++) {
		clock_ns += 1000 * (u64)NSEC_PER_SEC;
		walks_in(1);
	}
	/* (it reads the table twice) */
	if (walks_in(199) || !walks_in(1))
		fail("passes of two seconds are not 200 s apart");
	while_walking = stands_still;
	clock_ns += 200 * (u64)NSEC_PER_SEC;
	walks_in(1);
	while_walking = NULL;
	if (walks_in(199) || !walks_in(1))
		fail("a machine that stood still changes that");
	if (walks_in(29) || !walks_in(1))
		fail("a pass that took no time is not followed by one after 30 s");
	iob_conf.ttl_secs = 5;
	end();
}

int main(void)
{
	static const struct test tests[] = {
		TEST(looks_at_few), TEST(used_meanwhile), TEST(last_resort), TEST(stops),
		TEST(stops_others), TEST(acts_are_short), TEST(rests),
	};

	return run_tests("reclaim", tests, ARRAY_SIZE(tests));
}
