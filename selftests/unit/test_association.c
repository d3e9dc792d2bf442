// SPDX-License-Identifier: GPL-2.0
/*
 * What is noted of objects, against an array of them: nothing is lost but what is counted, or was
 * noted long ago; and for how long an entry keeps its cause.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "fake_rcu.h"
#include "test.h"

/* the real ones are not read */
#define IOB_CORE_CAUSE_H
#define IOB_CORE_POOL_H
#define IOB_CORE_STATS_H
#define IOB_CORE_WORKER_H

#define WARN_ON(c)	(c)

/* Sets that a walk has behind it, of how many it is stopped; 0: never. */
static unsigned int nr_walked, stop_after;
static bool stopped;

static void walks_on(void)
{
	if (nr_held)
		fail("it sleeps as a reader");
	if (++nr_walked == stop_after)
		stopped = true;
}

#undef cond_resched
#define cond_resched()	walks_on()

/* --- core/cause: the first ones are there */

#define IOB_CAUSE_NONE	0ULL
#define MAX_CAUSES	128

static inline void iob_cause_mark(u64 ref, unsigned long *causes)
{
	if (ref > IOB_CAUSE_NONE && ref < MAX_CAUSES)
		causes[ref / 64] |= 1UL << ref % 64;
}

/* --- core/stats, core/worker */

#define IOB_MAX_STAT_PARTS	5

static int nr_parts;
static unsigned int nr_evicted[IOB_MAX_STAT_PARTS];

static int iob_stat_part_add(const char *name)
{
	(void)name;
	return nr_parts == IOB_MAX_STAT_PARTS ? -E2BIG : nr_parts++;
}

#define iob_stat_inc_part(part)		((void)nr_evicted[part]++)
#define iob_work_queue_delayed(w, t)	((void)(w), (void)(t))
#define synchronize_rcu()		((void)0)

/* --- core/pool: objects come from malloc(), which the sanitizers watch */

struct iob_pool {
	const char *name;
	size_t size;
	unsigned int flags, at_first;
	unsigned int nr_out;
};

static unsigned int pool_max;	/* so many objects at once */

static void *iob_pool_get(struct iob_pool *pool)
{
	if (pool->nr_out >= pool_max)
		return NULL;
	pool->nr_out++;
	return aligned_alloc(32, pool->size);
}

static void iob_pool_put(struct iob_pool *pool, void *object)
{
	pool->nr_out--;
	free(object);
}

#define iob_pool_alloc		iob_pool_get
#define iob_pool_free		iob_pool_put
#define iob_pool_init(pool)	((void)(pool), 0)
#define iob_pool_start(pool)	((pool)->nr_out = 0)
#define iob_pool_stop(pool)	((void)(pool))
#define iob_pool_exit(pool)	((void)(pool))

/* a machine of the smallest cache: 512 sets at most, and as many at first */
#undef totalram_pages
#define totalram_pages()	ram_pages
#define SMALL			(512UL * 8)

static unsigned long ram_pages;

#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "blame/association.c"

unsigned long jiffies;

#define MINUTE	(60UL * HZ)
#define HOUR	(60 * MINUTE)

/* --- what must be noted */

#define OBJECTS	4096
#define KINDS	2
#define SUBS	2

static struct iob_assoc_kind other = { .name = "other" };
static struct iob_assoc_kind lasting = { .name = "lasting", .life = 25 * HOUR };
static struct iob_assoc_kind shorter = { .name = "shorter", .life = 6 * MINUTE };
static const struct iob_assoc_kind *const kinds[KINDS] = { &iob_assoc_inode, &other };
static u64 acts[OBJECTS][KINDS][SUBS];
static const void *objects[OBJECTS];

#define object(i)	objects[i]

/* An address of a kernel's object; those of different numbers differ. */
static const void *any_object(unsigned int nr)
{
	return (const void *)(0xffff888000000000UL + ((u64)rnd(1 << 16) << 20) + nr * 64UL);
}

static void begin(unsigned long pages, unsigned int sets)
{
	unsigned int i;

	for (i = 0; i < OBJECTS; i++)
		objects[i] = any_object(i);
	jiffies = -(3 * MINUTE);	/* (it wraps meanwhile, as a u32) */
	ram_pages = pages;
	pool_max = sets;
	memset(acts, 0, sizeof(acts));
	memset(nr_evicted, 0, sizeof(nr_evicted));
	if (iob_assoc_init())
		fail("no cache");
}

static void end(void)
{
	iob_assoc_exit();
	if (assoc_pool.nr_out)
		fail("%u sets are left", assoc_pool.nr_out);
	if (nr_held)
		fail("a reader is left");
}

static void set(unsigned int i, unsigned int kind, unsigned int sub, u64 act)
{
	iob_assoc_set(kinds[kind], object(i), sub, act);
	acts[i][kind][sub] = act;
}

static u64 get(unsigned int i)
{
	return iob_assoc_get(kinds[0], object(i), 0);
}

static unsigned int lost_of[KINDS];	/* by the last compare() */

/* How many are not known.  What is known is right. */
static unsigned int compare(const char *what)
{
	unsigned int i, kind, sub;

	memset(lost_of, 0, sizeof(lost_of));
	for (i = 0; i < OBJECTS; i++) {
		for (kind = 0; kind < KINDS; kind++) {
			for (sub = 0; sub < SUBS; sub++) {
				u64 act = iob_assoc_get(kinds[kind], object(i), sub);
				u64 want = acts[i][kind][sub];

				if (act == want)
					continue;
				if (act == IOB_CAUSE_NONE)
					lost_of[kind]++;
				else
					fail("%s: object %u is %llu's, not %llu's", what, i,
					     act, want);
			}
		}
	}
	return lost_of[0] + lost_of[1];
}

static void merges(void)
{
	assoc_merge_work.work.func(&assoc_merge_work.work);
}

/* --- tests */

/* Objects are noted, asked for and forgotten in any order, while sets are split and merged. */
static void any_order(void)
{
	unsigned int i, n, kind, sub, most = 0;
	u64 act;

	begin(64 * SMALL, U32_MAX);
	for (n = 0; n < 400000; n++) {
		/* by turns more and more, and fewer and fewer */
		bool more = rnd(10) < (n / 50000 % 2 ? 2 : 8);

		i = rnd(OBJECTS);
		kind = rnd(KINDS);
		sub = rnd(SUBS);
		if (more) {
			set(i, kind, sub, 1 + rnd(1000));
		} else if (rnd(2)) {
			act = iob_assoc_take(kinds[kind], object(i), sub);
			if (act != acts[i][kind][sub])
				fail("object %u was %llu's, not %llu's", i, act,
				     acts[i][kind][sub]);
			acts[i][kind][sub] = 0;
		} else {
			iob_assoc_forget(kinds[kind], object(i), sub);
			acts[i][kind][sub] = 0;
		}
		if (n % 10000 == 0)
			merges();
		if (n % 20000 == 0 && compare("any order"))
			fail("something is lost");
		most = max(most, assoc_pool.nr_out);
	}
	if (nr_evicted[0] || nr_evicted[1])
		fail("%u and %u are counted", nr_evicted[0], nr_evicted[1]);
	note("%u sets at most, %u at last", most, assoc_pool.nr_out);
	end();
}

/* It grows up to its bound; beyond that each loss is counted by its kind. */
static void full(void)
{
	static const struct {
		const char *what;
		unsigned long pages;
		unsigned int sets, least, most;
	} cases[] = {
		{ "as large as it may be", SMALL, U32_MAX, OBJECTS - 512 * WAYS, OBJECTS / 4 },
		{ "no memory", 64 * SMALL, 1024, 1, OBJECTS / 10 },
		{ "room and memory", 64 * SMALL, U32_MAX, 0, 0 },
	};
	unsigned int i, n, lost;

	for (n = 0; n < ARRAY_SIZE(cases); n++) {
		begin(cases[n].pages, cases[n].sets);
		for (i = 0; i < OBJECTS; i++)
			set(i, 0, 0, 1 + i);
		lost = compare(cases[n].what);
		if (lost != nr_evicted[0] || nr_evicted[1])
			fail("%s: %u are lost, %u and %u are counted", cases[n].what, lost,
			     nr_evicted[0], nr_evicted[1]);
		if (lost < cases[n].least || lost > cases[n].most)
			fail("%s: %u of %u are lost", cases[n].what, lost, OBJECTS);
		if (!n && iob_assoc_bytes() != 136 * 1024)
			fail("%s: %lu bytes", cases[n].what, iob_assoc_bytes());
		end();
	}
	begin(SMALL, U32_MAX);
	for (i = 0; i < OBJECTS / 2; i++)
		set(i, 1, 1, 1 + i);
	for (i = 0; i < OBJECTS; i++)
		set(i, 0, 0, 1 + i);
	compare("two kinds");
	if (!lost_of[0] || lost_of[0] != nr_evicted[0] || !lost_of[1] ||
	    lost_of[1] != nr_evicted[1])
		fail("%u and %u are lost, %u and %u are counted", lost_of[0], lost_of[1],
		     nr_evicted[0], nr_evicted[1]);
	end();
}

/* The oldest of a set gives way. */
static void oldest(void)
{
	unsigned int i, lost[2] = { 0, 0 };

	begin(SMALL, U32_MAX);
	for (i = 0; i < OBJECTS; i++) {
		if (i == OBJECTS / 2)
			jiffies += 4 * MINUTE;
		set(i, 0, 0, 1 + i);
	}
	for (i = 0; i < OBJECTS; i++)
		lost[i >= OBJECTS / 2] += get(i) != 1 + i;
	if (lost[0] + lost[1] != nr_evicted[0] || lost[0] < 4 * lost[1])
		fail("%u old and %u new ones are lost, %u are counted", lost[0], lost[1],
		     nr_evicted[0]);
	end();
}

/* As many as there are ways are known whose hashes begin alike, in a cache with much room. */
static void alike(void)
{
	const void *same[2 * WAYS];
	unsigned int i, nr = 0, tries;
	u64 first;

	begin(64 * SMALL, U32_MAX);
	first = assoc_hash(kinds[0]->nr, object(0), 0) >> (64 - assoc_bits);
	for (tries = 0; nr < ARRAY_SIZE(same) && tries < 1 << 23; tries++) {
		const void *o = any_object(tries % OBJECTS);

		if (assoc_hash(kinds[0]->nr, o, 0) >> (64 - assoc_bits) == first)
			same[nr++] = o;
	}
	if (nr < ARRAY_SIZE(same))
		fail("only %u objects are alike", nr);
	for (i = 0; i < nr; i++) {
		jiffies++;
		iob_assoc_set(kinds[0], same[i], 0, 1 + i);
	}
	if (nr_evicted[0] != nr - WAYS)
		fail("%u are counted", nr_evicted[0]);
	for (i = nr - WAYS; i < nr; i++) {
		if (iob_assoc_get(kinds[0], same[i], 0) != 1 + i)
			fail("%u of %u is not known", i, nr);
	}
	end();

	/* these have one hash, and one has the same set and tag */
	begin(SMALL, U32_MAX);
	for (tries = 2; tries < 1 << 24; tries++) {
		u64 differs = assoc_hash(kinds[0]->nr, object(0), 1) ^
			      assoc_hash(kinds[0]->nr, object(0), tries);

		if (!(differs >> (64 - assoc_bits)) && !((u32)differs >> 24 & 0x7f))
			break;
	}
	if (tries == 1 << 24)
		fail("no number is alike");
	iob_assoc_set(kinds[0], object(0), 1, 5);
	iob_assoc_set(kinds[0], object(0) + GOLDEN_RATIO_32, 0, 6);
	iob_assoc_set(kinds[1], object(0) + GOLDEN_RATIO_32 - 1, 0, 7);
	if (iob_assoc_get(kinds[0], object(0), 1) != 5 ||
	    iob_assoc_get(kinds[0], object(0) + GOLDEN_RATIO_32, 0) != 6 ||
	    iob_assoc_get(kinds[1], object(0) + GOLDEN_RATIO_32 - 1, 0) != 7)
		fail("objects of one hash are one");
	if (iob_assoc_get(kinds[0], object(0), tries) != IOB_CAUSE_NONE)
		fail("objects of one address are one");
	end();
}

/* What was noted five minutes ago gives way, which is no loss; a set need not be split for it. */
static void idle(void)
{
	unsigned int i, sets, lost;

	begin(64 * SMALL, U32_MAX);
	for (i = 0; i < OBJECTS; i++)
		set(i, 0, 0, 1 + i);
	sets = assoc_pool.nr_out;
	jiffies += 5 * MINUTE;
	if (compare("five minutes old"))
		fail("what is old is not known");
	for (i = 0; i < OBJECTS; i++)
		set(i, 1, 0, 1 + i);
	lost = compare("replaced");
	if (nr_evicted[0] || nr_evicted[1] || !lost)
		fail("%u and %u are counted, %u gave way", nr_evicted[0], nr_evicted[1], lost);
	if (assoc_pool.nr_out > sets + sets / 4)
		fail("%u sets became %u", sets, assoc_pool.nr_out);
	for (i = 0; i < OBJECTS; i++) {
		if (iob_assoc_get(kinds[1], object(i), 0) != acts[i][1][0])
			fail("object %u is not known", i);
	}
	end();
}

/* Sets that are nearly empty become one, and the entries in use stay. */
static void merged(void)
{
	unsigned long first;
	unsigned int i;

	begin(64 * SMALL, U32_MAX);
	first = iob_assoc_bytes();
	for (i = 0; i < OBJECTS; i++) {
		set(i, 0, 0, 1 + i);
		set(i, 1, 0, 1 + i);
	}
	if (iob_assoc_bytes() <= first)
		fail("it does not grow");
	for (i = 0; i < OBJECTS; i++) {
		iob_assoc_forget(kinds[1], object(i), 0);
		acts[i][1][0] = 0;
		if (i % 16 == 0)
			continue;
		iob_assoc_forget(kinds[0], object(i), 0);
		acts[i][0][0] = 0;
	}
	/* one step for a run */
	for (i = 0; i < 20; i++)
		merges();
	if (iob_assoc_bytes() != first)
		fail("%lu bytes are still %lu", first, iob_assoc_bytes());
	if (compare("merged"))
		fail("something is lost");
	/* what is old takes no room */
	for (i = 0; i < OBJECTS; i++)
		set(i, 0, 1, 1 + i);
	for (i = 0; i < OBJECTS; i++)
		set(i, 1, 0, 1 + i);
	jiffies += 5 * MINUTE;
	memset(acts, 0, sizeof(acts));
	for (i = 0; i < OBJECTS; i += 16)
		set(i, 1, 1, 1 + i);
	for (i = 0; i < 20; i++)
		merges();
	if (iob_assoc_bytes() != first)
		fail("%lu bytes are still %lu beside old entries", first, iob_assoc_bytes());
	for (i = 0; i < OBJECTS; i += 16) {
		if (iob_assoc_get(kinds[1], object(i), 1) != acts[i][1][1])
			fail("object %u is lost beside old entries", i);
	}
	end();
}

static bool is_room;

static void marked(const char *what, u64 act, bool want)
{
	unsigned long marks[MAX_CAUSES / 64] = { 1UL << 63 };

	stopped = false;
	stop_after = 0;
	if (!iob_assoc_mark(marks, is_room, &stopped))
		fail("%s: the walk ends early", what);
	if (test_bit(act, marks) != want)
		fail("%s: the cause %s", what, want ? "may go" : "must stay");
	if (!test_bit(63, marks))
		fail("%s: a mark was cleared", what);
	if (test_bit(0, marks))
		fail("%s: no cause is marked", what);
}

/*
 * A cause stays as long as it may be asked for: four minutes.  What is written later has an entry
 * without a cause.
 */
static void causes(void)
{
	const u64 gone = MAX_CAUSES + 5;

	begin(SMALL, U32_MAX);
	marked("nothing is noted", 7, false);
	set(1, 0, 0, 7);
	set(2, 0, 0, gone);
	set(3, 0, 0, IOB_CAUSE_NONE);
	marked("just noted", 7, true);
	jiffies += 4 * MINUTE - 1;
	marked("four minutes ago", 7, true);
	set(4, 1, 1, 8);
	jiffies += 1;
	marked("later", 7, false);
	marked("noted since", 8, true);
	if (get(1) != 7 || get(2) != gone)
		fail("what is later is not known any more");
	set(1, 0, 0, 7);
	marked("noted anew", 7, true);
	if (iob_assoc_get_last(kinds[0], object(1), 0) != 7)
		fail("asked for the last time");
	marked("asked for the last time", 7, false);
	if (get(1) != 7)
		fail("it is not known after the last time");
	set(1, 0, 0, 7);
	if (iob_assoc_take(kinds[0], object(1), 0) != 7 || get(1) != IOB_CAUSE_NONE)
		fail("it is not taken");
	marked("taken", 7, false);
	end();
}

/* A walk that is stopped looks at no further set, and is no whole one. */
static void stops(void)
{
	unsigned long marks[MAX_CAUSES / 64] = { 0 };
	unsigned int i;

	begin(SMALL, U32_MAX);
	for (i = 0; i < 1000; i++)
		set(i, 0, 0, 7);
	stopped = true;
	stop_after = 0;
	nr_walked = 0;
	if (iob_assoc_mark(marks, true, &stopped) || nr_walked || test_bit(7, marks))
		fail("%u sets are read when it is stopped before", nr_walked);
	for (stop_after = 1; stop_after < 1U << assoc_bits; stop_after = stop_after * 2 + 1) {
		stopped = false;
		nr_walked = 0;
		if (iob_assoc_mark(marks, true, &stopped) || nr_walked != stop_after)
			fail("%u sets are read, not %u", nr_walked, stop_after);
	}
	marked("not stopped", 7, true);
	end();
}

static unsigned int nr_lasting(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < OBJECTS; i++) {
		u64 act = iob_assoc_get(&lasting, object(i), 0);

		if (act != IOB_CAUSE_NONE && act != 1 + i)
			fail("object %u is %llu's, not %u's", i, act, 1 + i);
		n += act == 1 + i;
	}
	return n;
}

static void set_lasting(unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		iob_assoc_set(&lasting, object(i), 0, 1 + i);
}

/* A day later it is known, whatever else came and went; its cause stays while there is room. */
static void lasts(void)
{
	unsigned long first;
	unsigned int i, hour;

	begin(64 * SMALL, U32_MAX);
	first = iob_assoc_bytes();
	set_lasting(OBJECTS / 4);
	for (hour = 0; hour < 24; hour++) {
		for (i = 0; i < OBJECTS; i++)
			iob_assoc_set(kinds[0], object(rnd(OBJECTS)), hour, 200);
		for (i = 0; i < 20; i++)
			merges();
		jiffies += HOUR;
	}
	if (nr_lasting() != OBJECTS / 4)
		fail("%u of %u are known", nr_lasting(), OBJECTS / 4);
	if (nr_evicted[0] || nr_evicted[lasting.stat])
		fail("%u and %u are counted", nr_evicted[0], nr_evicted[lasting.stat]);
	is_room = true;
	marked("a day ago, there is room", 7, true);
	is_room = false;
	marked("a day ago, there is none", 7, false);
	is_room = true;
	if (iob_assoc_get_last(&lasting, object(6), 0) != 7)
		fail("it is not known when asked for");
	marked("asked for", 7, false);
	if (iob_assoc_bytes() == first)
		fail("%u take no room", nr_lasting());
	jiffies += HOUR;
	marked("longer ago than it lasts", 8, false);
	for (i = 0; i < 20; i++)
		merges();
	if (iob_assoc_bytes() != first)
		fail("%lu bytes are still %lu", first, iob_assoc_bytes());
	is_room = false;
	end();
}

/* It takes no other kind's place and gives way to all, and lets the cache grow to half. */
static void lasts_if_there_is_room(void)
{
	unsigned int i, sets, known;

	begin(SMALL, U32_MAX);
	for (i = 0; i < OBJECTS; i++)
		set(i, 0, 0, 1 + i);
	compare("before");
	known = OBJECTS - lost_of[0];
	memset(nr_evicted, 0, sizeof(nr_evicted));
	jiffies += 1;
	set_lasting(OBJECTS);
	compare("beside those that last");
	if (OBJECTS - lost_of[0] != known || nr_evicted[0])
		fail("%u of %u are known", OBJECTS - lost_of[0], known);
	if (nr_lasting() + nr_evicted[lasting.stat] != OBJECTS)
		fail("%u are known, %u are counted", nr_lasting(), nr_evicted[lasting.stat]);
	end();

	begin(SMALL, U32_MAX);
	set_lasting(OBJECTS);
	memset(nr_evicted, 0, sizeof(nr_evicted));
	known = nr_lasting();
	for (i = 0; i < OBJECTS / 4; i++)
		set(i, 0, 0, 1 + i);
	compare("after those that last");
	if (lost_of[0] || nr_evicted[0] || known != nr_lasting() + nr_evicted[lasting.stat])
		fail("%u are lost, of %u %u gave way and %u are known", lost_of[0], known,
		     nr_evicted[lasting.stat], nr_lasting());
	end();

	begin(2 * SMALL, U32_MAX);
	sets = 2 * 512;
	set_lasting(OBJECTS);
	if (assoc_pool.nr_out > sets / 2 || !nr_evicted[lasting.stat] ||
	    nr_lasting() + nr_evicted[lasting.stat] != OBJECTS)
		fail("%u sets of %u, %u are known, %u are counted", assoc_pool.nr_out, sets,
		     nr_lasting(), nr_evicted[lasting.stat]);
	for (i = 0; i < OBJECTS; i++)
		set(i, 0, 0, 1 + i);
	if (assoc_pool.nr_out <= sets / 2)
		fail("others do not let it grow");
	end();
}

static unsigned int nr_shorter(unsigned int nr)
{
	unsigned int i, n = 0;

	for (i = 0; i < nr; i++)
		n += iob_assoc_get(&shorter, object(i % OBJECTS), 1 + i / OBJECTS) == 1 + i;
	return n;
}

static void set_shorter(unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		iob_assoc_set(&shorter, object(i % OBJECTS), 1 + i / OBJECTS, 1 + i);
}

/* Of those that last, one that lasts for minutes takes no place of one that lasts for a day. */
static void lasts_longer(void)
{
	const unsigned int nr = 10 * OBJECTS;
	unsigned int known, known_shorter;

	begin(SMALL, U32_MAX);
	set_lasting(OBJECTS / 2);
	known = nr_lasting();
	memset(nr_evicted, 0, sizeof(nr_evicted));
	jiffies += 1;
	set_shorter(nr);
	if (nr_lasting() != known || nr_evicted[lasting.stat])
		fail("of %u %u are known, %u are counted", known, nr_lasting(),
		     nr_evicted[lasting.stat]);
	known_shorter = nr_shorter(nr);
	if (!known_shorter || known_shorter + nr_evicted[shorter.stat] != nr)
		fail("%u of the shorter are known, %u are counted", known_shorter,
		     nr_evicted[shorter.stat]);
	end();

	/* the other way round, the oldest gives way, whatever it is */
	begin(SMALL, U32_MAX);
	set_shorter(nr);
	known_shorter = nr_shorter(nr);
	memset(nr_evicted, 0, sizeof(nr_evicted));
	jiffies += 1;
	set_lasting(OBJECTS / 2);
	known = nr_lasting();
	if (known + nr_evicted[lasting.stat] != OBJECTS / 2 || known < OBJECTS / 2 - OBJECTS / 16)
		fail("%u that last longer are known, %u are counted", known,
		     nr_evicted[lasting.stat]);
	if (nr_shorter(nr) + nr_evicted[shorter.stat] != known_shorter)
		fail("of %u shorter ones %u are known, %u are counted", known_shorter,
		     nr_shorter(nr), nr_evicted[shorter.stat]);
	end();

	/* what does not last takes the place of both */
	begin(SMALL, U32_MAX);
	set_lasting(OBJECTS / 2);
	set_shorter(nr);
	memset(nr_evicted, 0, sizeof(nr_evicted));
	set(7, 0, 0, 8);
	if (get(7) != 8 || nr_evicted[0] ||
	    nr_evicted[lasting.stat] + nr_evicted[shorter.stat] != 1)
		fail("%llu is known, %u, %u and %u are counted", get(7), nr_evicted[0],
		     nr_evicted[lasting.stat], nr_evicted[shorter.stat]);
	end();
}

/* Without memory for the first sets there is no cache, and no set is left. */
static void no_memory(void)
{
	unsigned int sets;

	for (sets = 0; sets < 512; sets += 73) {
		ram_pages = SMALL;
		pool_max = sets;
		if (iob_assoc_init() != -ENOMEM)
			fail("%u sets are enough", sets);
		end();
		if (iob_assoc_bytes())
			fail("%lu bytes are left", iob_assoc_bytes());
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(any_order), TEST(full), TEST(oldest), TEST(alike), TEST(idle), TEST(merged),
		TEST(causes), TEST(stops), TEST(lasts), TEST(lasts_if_there_is_room), TEST(lasts_longer),
		TEST(no_memory),
	};

	if (iob_assoc_kind_add(&iob_assoc_inode) || iob_assoc_kind_add(&other) ||
	    iob_assoc_kind_add(&lasting) || iob_assoc_kind_add(&shorter))
		abort();
	return run_tests("association", tests, ARRAY_SIZE(tests));
}
