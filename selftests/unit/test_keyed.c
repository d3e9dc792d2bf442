// SPDX-License-Identifier: GPL-2.0
/*
 * An object that is idle goes, and nothing that a probe adds to it at that moment goes unseen.  The
 * grace period is a function here, in which the probe runs.
 */
#include <linux/kernel.h>
#include <linux/compiler.h>
#include <linux/sched.h>

#include "test.h"

/* the real ones are not read */
#define IOB_COMPAT_RCU_H
#define IOB_CORE_POOL_H
#define IOB_CORE_WORKER_H

#define iob_read_held()			true
#define container_of(p, type, member)	((type *)((char *)(p) - offsetof(type, member)))
#define iob_work_queue_delayed(w, t)	((void)(w), next_tidy = (t))

static unsigned long next_tidy;

struct iob_pool {
	size_t size;
	unsigned int nr_out;
};

static inline void *iob_pool_get(struct iob_pool *pool)
{
	pool->nr_out++;
	return malloc(pool->size);
}

static inline void iob_pool_put(struct iob_pool *pool, void *object)
{
	pool->nr_out--;
	free(object);
}

#define iob_pool_free(pool, object)	iob_pool_put(pool, object)
#define iob_pool_init(pool)		((pool)->nr_out = 0)
#define iob_pool_start(pool)		((pool)->nr_out = 0)
#define iob_pool_stop(pool)		((void)(pool))
#define iob_pool_exit(pool)		((void)(pool))

static void synchronize_rcu(void);

static void lets_others_run(void);

#undef cond_resched
#define cond_resched()			lets_others_run()

#include "core/keyed.c"

unsigned long jiffies = 1000;

struct thing {
	struct iob_keyed keyed;
	unsigned int holds;
};

static struct thing *thing_of(struct iob_keyed *k)
{
	return container_of(k, struct thing, keyed);
}

static unsigned int evicted, ended;
static unsigned int nr_ended, most_ended;	/* since others have run */

static void thing_begin(struct iob_keyed *k)
{
	thing_of(k)->holds = 0;
}

static bool thing_tidy(struct iob_keyed *k)
{
	return !k->key || !thing_of(k)->holds;
}

static void thing_evicted(void)
{
	evicted++;
}

static void thing_end(struct iob_keyed *k)
{
	ended += thing_of(k)->holds;
	most_ended = max(most_ended, ++nr_ended);
}

static struct iob_keyed_table things = {
	.pool.size = sizeof(struct thing), .begin = thing_begin, .tidy = thing_tidy,
	.evicted = thing_evicted, .end = thing_end,
};

static const char place[2];

static void lets_others_run(void)
{
	if (things.lock.held)
		fail("it sleeps with the table's lock");
	nr_ended = 0;
}

/* What a probe does that has found the object before it was taken out. */
static void (*in_grace)(void);
static struct thing *found;

static void synchronize_rcu(void)
{
	if (in_grace)
		in_grace();
}

static void adds(void)
{
	found->holds++;
}

static void adds_and_another_comes(void)
{
	found->holds++;
	if (!iob_keyed_get(&things, place))
		fail("no other object");
}

static struct thing *thing_get(void)
{
	return thing_of(iob_keyed_get(&things, place));
}

static void begin(void)
{
	evicted = 0;
	ended = 0;
	in_grace = NULL;
	if (iob_keyed_init(&things) || iob_keyed_start(&things))
		abort();
	found = thing_get();
}

static void tidies(void)
{
	things.tidy_work.work.func(&things.tidy_work.work);
}

static void end(void)
{
	iob_keyed_stop(&things);
	if (things.pool.nr_out || things.nr)
		fail("%u objects are left, %u in the table", things.pool.nr_out, things.nr);
	iob_keyed_exit(&things);
}

static void idle(void)
{
	begin();
	found->holds = 1;
	tidies();
	if (iob_keyed_find(&things, place) != &found->keyed)
		fail("what is in use is gone");
	found->holds = 0;
	tidies();
	if (iob_keyed_find(&things, place) || things.pool.nr_out)
		fail("what is idle stays");
	end();
}

/* Of very many a run takes some, and comes again soon. */
static void many(void)
{
	static const char places[1000];
	unsigned int i, runs;

	begin();
	for (i = 0; i < 1000; i++)
		iob_keyed_get(&things, &places[i]);
	for (runs = 0; things.nr && runs < 1000; runs++) {
		unsigned int before = things.nr;

		tidies();
		if (before - things.nr > TIDY_AT_ONCE)
			fail("a run takes %u", before - things.nr);
		if (things.nr && next_tidy > HZ)
			fail("%u are left, and the next run is %lu ticks away", things.nr, next_tidy);
	}
	tidies();
	if (things.nr || runs < 1000 / TIDY_AT_ONCE || next_tidy != TIDY_EVERY)
		fail("%u are left after %u runs, the next in %lu", things.nr, runs, next_tidy);
	end();
}

/* A session ends whose objects hold much. */
static void many_end(void)
{
	static const char places[1000];
	unsigned int i;

	begin();
	for (i = 0; i < 1000; i++)
		iob_keyed_get(&things, &places[i]);
	most_ended = 0;
	end();
	if (most_ended != 1)
		fail("nobody else runs while %u objects end", most_ended);
}

static unsigned int nr_seen, last_seen;

static bool sees(struct iob_keyed *k, void *place_too)
{
	thing_of(k)->holds++;
	nr_seen++;
	/* (at the head of a bucket that it is in, or of another) */
	iob_keyed_get(&things, place_too);
	return nr_seen != last_seen;
}

/* Each object is looked at once; one may come meanwhile, and none goes. */
static void each(void)
{
	static const char places[1000];
	unsigned int i;

	begin();
	for (i = 0; i < 1000; i++)
		iob_keyed_get(&things, &places[i]);
	nr_seen = 0;
	last_seen = 0;
	if (!iob_keyed_each(&things, sees, (void *)(place + 1)))
		fail("it ends early");
	if (nr_seen != 1001 && nr_seen != 1002)
		fail("%u objects are seen", nr_seen);
	for (i = 0; i < 1000; i++) {
		if (thing_of(iob_keyed_find(&things, &places[i]))->holds != 1)
			fail("object %u is not seen once", i);
	}
	if (!iob_keyed_find(&things, place + 1))
		fail("what came meanwhile is not there");
	for (i = 0; i < 1000; i++)
		thing_of(iob_keyed_find(&things, &places[i]))->holds = 0;
	end();
}

/* Who looks may have enough: of the first object, or of any other of a bucket. */
static void each_until(void)
{
	static const char places[1000];
	unsigned int i;

	begin();
	for (i = 0; i < 1000; i++)
		iob_keyed_get(&things, &places[i]);
	for (last_seen = 1; last_seen <= 1000; last_seen++) {
		nr_seen = 0;
		if (iob_keyed_each(&things, sees, (void *)place))
			fail("it does not end early");
		if (nr_seen != last_seen)
			fail("%u objects are seen, not %u", nr_seen, last_seen);
	}
	end();
}

static void used_meanwhile(void)
{
	begin();
	in_grace = adds;
	tidies();
	if (iob_keyed_find(&things, place) != &found->keyed || found->holds != 1)
		fail("what was added is gone");
	if (evicted || ended)
		fail("%u are counted, %u went", evicted, ended);
	end();
}

static void another_meanwhile(void)
{
	begin();
	in_grace = adds_and_another_comes;
	tidies();
	if (evicted != 1 || ended != 1 || things.nr != 1)
		fail("%u counted, %u went, %u there", evicted, ended, things.nr);
	end();
}

/* The key's next owner has an object of its own at once; the old one goes with all it holds. */
static void forgotten(void)
{
	struct thing *next;

	begin();
	found->holds = 3;
	iob_keyed_forget(&things, place);
	iob_keyed_forget(&things, place + 1);
	if (iob_keyed_find(&things, place))
		fail("it is found");
	next = thing_get();
	if (next == found || next->holds)
		fail("the next one has what the last one had");
	next->holds = 1;
	tidies();
	if (ended != 3 || evicted || things.nr != 1)
		fail("%u went, %u counted, %u there", ended, evicted, things.nr);
	end();
}

int main(void)
{
	static const struct test tests[] = {
		TEST(idle), TEST(many), TEST(many_end), TEST(each), TEST(each_until),
		TEST(used_meanwhile), TEST(another_meanwhile), TEST(forgotten),
	};

	return run_tests("keyed", tests, ARRAY_SIZE(tests));
}
