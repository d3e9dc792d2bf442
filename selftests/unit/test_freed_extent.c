// SPDX-License-Identifier: GPL-2.0
/*
 * What is noted of freed ranges, against an array of blocks; and that one call of a probe does a
 * bounded amount of work, some of it at a time with interrupts off.
 */
#include <linux/percpu_counter.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "fake_blame.h"

/* the real ones are not read */
#define IOB_BLAME_BEHALF_H
#define IOB_STACK_CALL_H

/* --- stack/call, blame/behalf: the task ends a transaction */

struct pt_regs;

struct iob_call {
	unsigned long ret, sp;
};

static struct task_struct me;
static struct iob_task my_task;
static const char space[1];
static const void *common = space;	/* the log whose transaction the task changed last */
static bool is_common = true;

struct task_struct *current = &me;
unsigned long jiffies = 1000;

#define iob_task_get()			(&my_task)
#define iob_behalf_common_key(t)	((void)(t), common)
#define iob_behalf_is_common(regs)	((void)(regs), is_common)

/* The lock's holds are counted, and what is dropped in each.  After some a walk is stopped. */
static unsigned int nr_holds, stop_after;
static bool stopped;
static s64 nr_at_hold, most_dropped;

#undef raw_spin_lock_irqsave
#undef raw_spin_unlock_irqrestore
#define raw_spin_lock_irqsave(l, flags) do {				\
	(flags) = 0;							\
	shim_lock(l, true);						\
	if (++nr_holds == stop_after)					\
		stopped = true;						\
	nr_at_hold = nr_freed_ranges.count;				\
} while (0)
#define raw_spin_unlock_irqrestore(l, flags) do {			\
	most_dropped = max(most_dropped, nr_at_hold - nr_freed_ranges.count); \
	shim_lock(l, false);						\
	(void)(flags);							\
} while (0)

#include "blame/freed_extent.c"

struct iob_task_part iob_transaction_part;

enum { CACHE = 10, TAR, DD };

/* The transaction has two participants, TAR with three parts of four. */
bool iob_transaction_split(struct iob_origin *o, const struct iob_transaction_write *what,
			   const struct iob_file *file, u32 bytes)
{
	iob_origin_add(o, TAR, file, bytes / 4 * 3, what->modifier);
	iob_origin_add(o, DD, file, bytes - bytes / 4 * 3, what->modifier);
	return true;
}

#define BLOCKS	8192
#define BLOCK	4096

static u64 freed_by[BLOCKS];

static void begin(void)
{
	if (iob_freed_extents_init() || iob_freed_extents_start())
		abort();
	memset(freed_by, 0, sizeof(freed_by));
	iob_transaction_writes(&my_task)->key = space;
	losses = (struct losses){ };
	nr_holds = 0;
	most_dropped = 0;
}

static void end(void)
{
	iob_freed_extents_stop();
	if (nr_freed_ranges.count)
		fail("%lld ranges are counted at the end", (long long)nr_freed_ranges.count);
	iob_freed_extents_exit();
}

static void set(unsigned int block, unsigned int nr, u64 cause)
{
	iob_freed_extent_set(space, (u64)block * BLOCK, (u64)(block + nr) * BLOCK, cause);
	while (nr--)
		freed_by[block++] = cause;
}

static u64 by(unsigned int block)
{
	u64 end = (u64)(block + 1) * BLOCK;

	return iob_freed_extent_by(space, (u64)block * BLOCK, &end, false);
}

/* Each block's cause, and one range for each run of a cause. */
static void compare(const char *what)
{
	unsigned int i, runs = 0;

	for (i = 0; i < BLOCKS; i++) {
		if (by(i) != freed_by[i])
			fail("%s: block %u: %llu, not %llu", what, i, by(i), freed_by[i]);
		runs += freed_by[i] && (!i || freed_by[i] != freed_by[i - 1]);
	}
	if (nr_freed_ranges.count != runs)
		fail("%s: %lld ranges for %u runs", what, (long long)nr_freed_ranges.count, runs);
	lost_are(what, (struct losses){ });
}

/* A cache deletes its files, of a block each, in any order; others do in between. */
static void joined(void)
{
	static unsigned int order[BLOCKS];
	unsigned int i, j, from, others;

	for (others = 0; others < 3; others++) {
		begin();
		for (i = 0; i < BLOCKS; i++) {
			j = rnd(i + 1);
			order[i] = order[j];
			order[j] = i;
		}
		for (i = 0; i < BLOCKS; i++) {
			/* from the second time on each 8th run of 16 blocks is another's */
			from = order[i] / 16;
			set(order[i], 1, others && from % 8 == 7 ? TAR + others : CACHE);
		}
		compare("deleted");
		end();
	}
}

/* Ranges of all sizes, that are freed, freed anew, and forgotten. */
static void any_order(void)
{
	unsigned int i, block, nr;

	begin();
	for (i = 0; i < 20000; i++) {
		block = rnd(BLOCKS);
		nr = 1 + rnd(rnd(10) ? 4 : 200);
		set(block, min(nr, BLOCKS - block), rnd(4) ? CACHE + rnd(3) : 0);
		if (i % 1000 == 999)
			compare("any order");
	}
	end();
}

/* Blocks that nobody else touches: each is a range. */
static void scatter(unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		set(i, 1, i & 1 ? CACHE : 0);
}

/* What the end of a transaction frees is shared, up to a number of pieces. */
static void capped(void)
{
	const unsigned int few = 400;
	unsigned int i, known = 0;

	begin();
	scatter(few);
	nr_holds = 0;
	iob_freed_extent_share(space, 0, (u64)few * BLOCK, NULL);
	lost_are("a few pieces", (struct losses){ });
	for (i = 0; i < few; i++) {
		if (by(i) != (i & 1 ? CACHE : TAR))
			fail("block %u: %llu", i, by(i));
	}
	end();
	begin();
	scatter(BLOCKS);
	nr_holds = 0;
	iob_freed_extent_share(space, 0, (u64)BLOCKS * BLOCK, NULL);
	if (nr_holds > 1100)
		fail("the lock was taken %u times in one call", nr_holds);
	lost_are("what was over", (struct losses){ .freed_evicted = 1 });
	for (i = 0; i < BLOCKS; i += 2) {
		known += by(i) == TAR;
		if (by(i) && by(i) != TAR)
			fail("block %u: %llu", i, by(i));
	}
	if (known < 200 || by(BLOCKS - 1) != CACHE)
		fail("%u pieces are shared", known);
	end();
}

/* A range that takes the place of many does so in pieces. */
static void cleared(void)
{
	static const unsigned int left[] = { 1, 3, 2 };
	unsigned int i, times;

	for (times = 0; times < 3; times++) {
		begin();
		scatter(BLOCKS);
		if (nr_freed_ranges.count != BLOCKS / 2)
			fail("%lld ranges", (long long)nr_freed_ranges.count);
		/* with a part of a block at both ends, or to the border of one */
		i = times * BLOCK / 2;
		iob_freed_extent_set(space, BLOCK + i, (u64)BLOCKS * BLOCK - i,
				     times == 2 ? IOB_CAUSE_NONE : DD);
		if (most_dropped > 32)
			fail("%lld ranges are dropped at once", (long long)most_dropped);
		if (by(BLOCKS / 2) != (times == 2 ? IOB_CAUSE_NONE : DD) ||
		    by(BLOCKS / 2 + 1) != by(BLOCKS / 2))
			fail("what was dropped is %llu's", by(BLOCKS / 2 + 1));
		if (nr_freed_ranges.count != left[times])
			fail("%u: %lld ranges are left", times, (long long)nr_freed_ranges.count);
		end();
	}
}

static void tidies(void)
{
	freed_spaces.tidy(iob_keyed_find(&freed_spaces, space));
}

/*
 * After an hour nothing is known of what was freed, but of what was freed or grew since.  That
 * something was freed is known for a day.
 */
static void hour(void)
{
	const unsigned int many = 1000;
	unsigned int i;

	begin();
	jiffies = -(30UL * 60 * HZ);	/* (it wraps meanwhile, as a u32) */
	for (i = 0; i < many; i++)
		set(2 * i, 1, CACHE);
	set(4000, 2, TAR);
	set(4002, 2, DD);
	set(5000, 1, TAR);
	jiffies += 60UL * 60 * HZ - 1;
	tidies();
	compare("a moment before");
	set(4001, 1, DD);
	set(4004, 4, DD);
	jiffies++;
	most_dropped = 0;
	tidies();
	memset(freed_by, 0, sizeof(freed_by));
	for (i = 4001; i < 4008; i++)
		freed_by[i] = DD;
	compare("an hour later");
	if (most_dropped > 32)
		fail("%lld ranges are dropped at once", (long long)most_dropped);
	if (freed_spaces.tidy(iob_keyed_find(&freed_spaces, space)))
		fail("the space goes, and has a range");
	jiffies += 23UL * 60 * 60 * HZ - 1;
	if (freed_spaces.tidy(iob_keyed_find(&freed_spaces, space)) || !iob_freed_extent_discards(space))
		fail("the space goes in less than a day");
	if (nr_freed_ranges.count)
		fail("%lld ranges are left", (long long)nr_freed_ranges.count);
	jiffies += 60UL * 60 * HZ;
	if (!freed_spaces.tidy(iob_keyed_find(&freed_spaces, space)))
		fail("the space stays, and has none");
	jiffies = 1000;
	end();
}

static void marks(unsigned long *causes)
{
	if (!iob_freed_extents_mark(causes, &stopped))
		fail("the walk ends early");
}

/* A range keeps its cause for as long as it is noted; the lock is held for some at a time. */
static void marked(void)
{
	const unsigned int ranges = 1000, acts = 700;
	unsigned long causes[MAX_ACTS / 64];
	unsigned int i;

	begin();
	memset(causes, 0, sizeof(causes));
	marks(causes);
	for (i = 0; i < ranges; i++)
		set(2 * i, 1, CACHE + i % acts);
	/* not before the space is seen to discard */
	marks(causes);
	if (causes[0] || nr_holds != ranges)
		fail("a space that never discards keeps causes");
	if (!iob_freed_extent_discards(space) || iob_freed_extent_discards(causes))
		fail("the wrong space is known");
	nr_holds = 0;
	marks(causes);
	for (i = 0; i < MAX_ACTS; i++) {
		if ((causes[i / 64] >> i % 64 & 1) != (i >= CACHE && i < CACHE + acts))
			fail("act %u is %s", i, i < CACHE ? "marked" : "wrong");
	}
	if (nr_holds < ranges / 32 || nr_holds > ranges / 32 + 3)
		fail("the lock is held %u times for %u ranges", nr_holds, ranges);
	/* one that is discarded, and one that another frees, need theirs no more */
	memset(causes, 0, sizeof(causes));
	set(0, 2 * ranges, IOB_CAUSE_NONE);
	set(8, 3, TAR);
	set(9, 1, DD);
	marks(causes);
	if (causes[0] != (1UL << TAR | 1UL << DD))
		fail("marked are %lx", causes[0]);
	end();
}

/* A walk that is stopped reads no more than it has begun, and is no whole one. */
static void stops(void)
{
	unsigned long causes[MAX_ACTS / 64];
	const unsigned int ranges = 1000;
	unsigned int i, most;

	begin();
	for (i = 0; i < ranges; i++)
		set(2 * i, 1, CACHE + i % 2);
	iob_freed_extent_discards(space);
	nr_holds = 0;
	marks(causes);
	most = nr_holds;
	for (stop_after = 1; stop_after < most; stop_after++) {
		stopped = false;
		nr_holds = 0;
		if (iob_freed_extents_mark(causes, &stopped) || nr_holds != stop_after)
			fail("the lock is held %u times, not %u", nr_holds, stop_after);
	}
	stop_after = 0;
	nr_holds = 0;
	if (iob_freed_extents_mark(causes, &stopped) || nr_holds)
		fail("it begins, and is stopped already");
	stopped = false;
	end();
}

/* A file system that never discards fills the table; another one still finds room. */
static void crowded(void)
{
	u64 until = 2 * BLOCK;
	unsigned int i;

	begin();
	max_freed_ranges = BLOCKS / 4;
	for (i = 0; i < BLOCKS / 2; i++)
		set(2 * i, 1, CACHE + i % 2);
	if (nr_freed_ranges.count != BLOCKS / 4)
		fail("%lld ranges", (long long)nr_freed_ranges.count);
	lost_are("a table that is full", (struct losses){ .freed_evicted = BLOCKS / 4 });
	iob_freed_extent_set(&until, BLOCK, 2 * BLOCK, DD);
	if (iob_freed_extent_by(&until, BLOCK, &until, false) != DD)
		fail("a range of another space finds no room");
	iob_freed_extent_end(&until);
	until = 2 * BLOCK;
	if (iob_freed_extent_by(&until, BLOCK, &until, false) != IOB_CAUSE_NONE)
		fail("a space that has ended has a range");
	end();
}

/* A task discards for itself: nothing is known any more, of many ranges in parts. */
static void forgotten(void)
{
	unsigned int i, left = 0;

	begin();
	scatter(1000);
	iob_freed_extent_forget(space, 0, 500 * BLOCK + BLOCK / 2);
	for (i = 0; i < 1000; i++) {
		if (by(i) != (i > 500 && i & 1 ? CACHE : IOB_CAUSE_NONE))
			fail("block %u: %llu", i, by(i));
	}
	end();
	begin();
	scatter(BLOCKS);
	nr_holds = 0;
	iob_freed_extent_forget(space, 0, (u64)BLOCKS * BLOCK);
	for (i = 0; i < BLOCKS; i++)
		left += by(i) != IOB_CAUSE_NONE;
	if (left != BLOCKS / 2 - 32 * 32 || most_dropped > 32)
		fail("%u blocks are left, %lld dropped at once", left, (long long)most_dropped);
	end();
}

/* There is no memory for a space, or for a range; or no room for a space that is used again. */
static void no_room(void)
{
	begin();
	no_memory = true;
	iob_freed_extent_set(space, 0, BLOCK, CACHE);
	if (iob_keyed_find(&freed_spaces, space) || by(0))
		fail("a space without memory has a range");
	lost_are("a space", (struct losses){ .freed_evicted = 1 });
	/* (of what nobody freed nothing is lost) */
	iob_freed_extent_set(space, 0, BLOCK, IOB_CAUSE_NONE);
	lost_are("nothing", (struct losses){ });
	no_memory = false;
	set(0, 1, CACHE);
	set(2, 1, TAR);
	if (act_touched != TAR)
		fail("the cause may be reclaimed before it is noted");
	no_memory = true;
	set(4, 1, DD);
	freed_by[0] = 0;
	lost_are("a range", (struct losses){ .freed_evicted = 1 });
	compare("the oldest gives way");
	iob_freed_extent_set(space, 0, 8 * BLOCK, IOB_CAUSE_NONE);
	lost_are("all", (struct losses){ });
	iob_freed_extent_set(space, 0, BLOCK, CACHE);
	if (by(0))
		fail("a range is noted without memory");
	lost_are("the first range", (struct losses){ .freed_evicted = 1 });
	no_memory = false;
	freed_spaces.evicted();
	lost_are("an evicted space", (struct losses){ .freed_evicted = 1 });
	end();
}

/* Who ends no transaction, or one of another log, frees nothing for its participants. */
static void no_sharing(void)
{
	static const char other[1];
	unsigned int i;

	for (i = 0; i < 4; i++) {
		begin();
		common = i == 1 ? other : space;
		is_common = i != 2;
		if (i == 3)
			iob_transaction_writes(&my_task)->key = NULL;
		iob_freed_extent_share(space, 0, BLOCK, NULL);
		if (by(0) != (i ? IOB_CAUSE_NONE : TAR))
			fail("%u: %llu has freed", i, by(0));
		lost_are("no sharing", (struct losses){ });
		end();
	}
	common = space;
	is_common = true;
}

int main(void)
{
	static const struct test tests[] = {
		TEST(joined), TEST(any_order), TEST(capped), TEST(cleared), TEST(hour),
		TEST(marked), TEST(stops), TEST(crowded), TEST(forgotten), TEST(no_room),
		TEST(no_sharing),
	};

	return run_tests("freed_extent", tests, ARRAY_SIZE(tests));
}
