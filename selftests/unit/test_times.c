// SPDX-License-Identifier: GPL-2.0
/* Who changed times that wait, of which inode, and for how long that is known. */
#include <linux/compiler.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>

#include "test.h"

/* the real ones are not read */
#define IOB_BLAME_ASSOCIATION_H
#define IOB_BLAME_CACHED_PAGE_H
#define IOB_CORE_CAUSE_H
#define IOB_CORE_STATS_H
#define IOB_CORE_TASK_H

/* --- core/cause, core/stats: a reference has the number of its inode above that of its cause */

#define IOB_CAUSE_NONE	0ULL
#define IOB_CAUSE_LOST	2ULL
#define REF(ino, nr)	((u64)(ino) << 32 | (nr))

struct inode {
	u32 ino;
};

static u32 reclaimed;	/* this cause is gone */
static unsigned int nr_lost, nr_touched;

#define iob_cause_number(ref)		((u32)(ref))
#define iob_cause_of(ref)		((u32)(ref) != reclaimed)
#define iob_inode_hash(inode)		((inode)->ino)
#define iob_cause_is_about(ref, hash)	((ref) >> 32 == (hash))
#define iob_cause_touch_nr(nr)		((void)(nr), (void)nr_touched++)
#define iob_stat_inc(name)		((void)nr_lost++)

/* --- core/task */

struct iob_task {
	u64 part;
};

struct iob_task_part {
	const char *name;
	size_t size;
};

static struct iob_task my_task, *me;	/* NULL: an interrupt, or no memory */

#define iob_task_get()			me
#define iob_task_part_of(t, which)	((void)(which), (void *)&(t)->part)

/* --- blame/association: of one object */

struct iob_assoc_kind {
	const char *name;
	u32 life;
};

static const void *noted_of;
static u64 noted;

static void iob_assoc_set(const struct iob_assoc_kind *kind, const void *object, u64 sub, u64 act)
{
	(void)kind;
	(void)sub;
	noted_of = object;
	noted = act;
}

static u64 iob_assoc_take(const struct iob_assoc_kind *kind, const void *object, u64 sub)
{
	u64 act = object == noted_of ? noted : IOB_CAUSE_NONE;

	(void)kind;
	(void)sub;
	if (act != IOB_CAUSE_NONE)
		noted = IOB_CAUSE_NONE;
	return act;
}

#include "blame/times.c"

static void begin(void)
{
	noted = IOB_CAUSE_NONE;
	reclaimed = 0;
	nr_lost = 0;
	nr_touched = 0;
	my_task.part = 0;
	me = &my_task;
}

/* Once: the times are written then. */
static void known_once(void)
{
	struct inode a = { .ino = 5 }, b = { .ino = 6 };

	begin();
	iob_times_note(&a, REF(5, 7));
	if (iob_times_take(&b, true) != IOB_CAUSE_NONE)
		fail("another inode's are known");
	if (iob_times_take(&a, true) != REF(5, 7) || nr_touched != 1)
		fail("who changed them is not known");
	if (iob_times_take(&a, true) != IOB_CAUSE_NONE || nr_lost)
		fail("what was written is still known");
}

/* An inode that is gone has left its entry at the address. */
static void another_inode(void)
{
	struct inode a = { .ino = 5 };

	begin();
	iob_times_note(&a, REF(4, 7));
	if (iob_times_take(&a, true) != IOB_CAUSE_NONE || nr_lost)
		fail("an earlier inode's reader pays");
	iob_times_note(&a, 1);
	if (iob_times_take(&a, true) != IOB_CAUSE_NONE || nr_lost)
		fail("a task without a role pays");
}

static void without_cause(void)
{
	struct inode a = { .ino = 5 };

	begin();
	reclaimed = 7;
	iob_times_note(&a, REF(5, 7));
	if (iob_times_take(&a, true) != IOB_CAUSE_NONE || nr_lost != 1)
		fail("%u are counted", nr_lost);
	iob_times_note(&a, REF(4, 7));
	if (iob_times_take(&a, true) != IOB_CAUSE_NONE || nr_lost != 1)
		fail("another inode's is counted");
	/* a task that changes the inode itself pays */
	iob_times_note(&a, REF(5, 7));
	if (iob_times_take(&a, false) != IOB_CAUSE_NONE || nr_lost != 1)
		fail("what nobody needs is counted");
}

/* A task drops an inode, which becomes dirty: once, and no other. */
static void due_once(void)
{
	struct inode a = { .ino = 5 }, b = { .ino = 6 };

	begin();
	if (iob_times_are_due(&a))
		fail("nothing was said");
	iob_times_set_due(&a);
	if (!iob_times_are_due(&a))
		fail("the inode is changed by the task");
	if (iob_times_are_due(&a))
		fail("it is not changed later, either");
	iob_times_set_due(&a);
	if (iob_times_are_due(&b) || iob_times_are_due(&a))
		fail("another inode is not changed by the task");
	iob_times_set_due(&a);
	iob_times_set_due(&b);
	if (!iob_times_are_due(&b))
		fail("the last one is changed by the task");
	me = NULL;
	iob_times_set_due(&a);
	if (iob_times_are_due(&a))
		fail("a task that is not known");
}

/* The kernel writes times when they are 12 hours old, and looks as often. */
static void for_a_day(void)
{
	if (iob_assoc_times.life < 24U * 60 * 60 * HZ || iob_assoc_times.life > S32_MAX)
		fail("%u s", iob_assoc_times.life / HZ);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(known_once), TEST(another_inode), TEST(without_cause), TEST(due_once),
		TEST(for_a_day),
	};

	return run_tests("times", tests, ARRAY_SIZE(tests));
}
