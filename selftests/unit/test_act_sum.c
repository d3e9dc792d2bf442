// SPDX-License-Identifier: GPL-2.0
/*
 * Which sum an IO is added to: one of its act for each disk, operation and certainty, or, without
 * room or memory, which is counted, one of the disk's rest.
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/ioblame.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "core/sum.h"
#include "test.h"

/* the real ones are not read */
#define IOB_COMPAT_SLAB_H
#define IOB_CORE_ACT_H
#define IOB_CORE_DISK_H
#define IOB_CORE_STATS_H
#define IOB_IO_CONF_H

/* --- core/act, core/disk, io/conf */

#define IOB_ACT_LOST		1
#define IOB_NR_OPS		9
#define iob_id_nr(id)		((u32)(id))
#define iob_disk_sum(op, how)	((op) * IOB_NR_HOWS + (how))

struct iob_act {
	struct {
		u64 id;
	} node;
	struct iob_sum *sums;
};

struct iob_disk {
	u32 nr;
	struct iob_sum *rest;
};

enum { IOB_LIMIT_sums, IOB_NR_LIMITS };

static struct {
	u32 max[IOB_NR_LIMITS];
} iob_conf;

/* --- core/stats */

static struct {
	unsigned int sum_nomem, sum_nospc;
} losses;

#define iob_stat_inc(name)	((void)losses.name++)

/* --- the kernel */

struct kmem_cache;

static bool no_memory;
static void (*on_other_cpu)(void);	/* runs while a sum is taken */

static void *sum_alloc(void)
{
	void (*other)(void) = on_other_cpu;

	on_other_cpu = NULL;
	if (other)
		other();
	return no_memory ? NULL : aligned_alloc(64, sizeof(struct iob_sum));
}

#define GFP_NOWAIT			0
#define __GFP_NOWARN			0
#define iob_cache_create(n, size, f)	((void)(size), (struct kmem_cache *)&losses)
#define kmem_cache_alloc(cache, gfp)	((void)(cache), sum_alloc())
#define kmem_cache_free(cache, p)	((void)(cache), free(p))
#define kmem_cache_destroy(cache)	((void)(cache))
#define atomic64_set(a, v)		WRITE_ONCE((a)->counter, v)
#define atomic_add_unless(a, v, not)	((u32)(a)->counter != (not) && ((a)->counter += (v), true))
#define cmpxchg(p, old, new)		__sync_val_compare_and_swap(p, old, new)

static unsigned int nr_steps;		/* from one pointer to the next */
static void (*on_interrupt)(void);	/* comes wherever one may */

static void interrupt(void)
{
	void (*handler)(void) = shim_irqs_off ? NULL : on_interrupt;

	on_interrupt = NULL;
	if (handler) {
		handler();
		on_interrupt = handler;
	}
}

#undef READ_ONCE
#define READ_ONCE(x)	({							\
	__typeof__(x) x_ = __atomic_load_n(&(x), __ATOMIC_RELAXED);		\
										\
	nr_steps++;								\
	interrupt();								\
	x_;									\
})

#undef WRITE_ONCE
#define WRITE_ONCE(x, v)	(__atomic_store_n(&(x), v, __ATOMIC_RELAXED), interrupt())

#include "io/sum.c"

enum { OP = 2, HOW = 1 };

enum { NR_DISKS = 64 };

static struct iob_disk disks[NR_DISKS];
static struct iob_act acts[4 * NR_RECENT];

static void begin(u32 max)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(disks); i++) {
		disks[i].rest = calloc(IOB_NR_OPS * IOB_NR_HOWS, sizeof(struct iob_sum));
		disks[i].nr = i;
	}
	for (i = 0; i < ARRAY_SIZE(acts); i++)
		acts[i] = (struct iob_act){ .node.id = IOB_ACT_LOST + 1 + i };
	memset(&losses, 0, sizeof(losses));
	no_memory = false;
	iob_conf.max[IOB_LIMIT_sums] = max;
	if (iob_sums_cache_init() || iob_sums_begin())
		abort();
}

/* An act is freed. */
static void goes(struct iob_act *act)
{
	while (act->sums) {
		struct iob_sum *sum = act->sums;

		act->sums = sum->next;
		iob_sum_free(sum);
	}
}

static void end(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(acts); i++)
		goes(&acts[i]);
	if (iob_sums_count())
		fail("%u sums are left", iob_sums_count());
	for (i = 0; i < ARRAY_SIZE(disks); i++)
		free(disks[i].rest);
	iob_sums_end();
	iob_sums_cache_exit();
}

static bool is_rest(const struct iob_sum *sum, unsigned int disk, u8 op, u8 how)
{
	return sum == &disks[disk].rest[iob_disk_sum(op, how)];
}

static void lost_are(const char *what, unsigned int nomem, unsigned int nospc)
{
	if (losses.sum_nomem != nomem || losses.sum_nospc != nospc)
		fail("%s: sum_nomem is %u, sum_nospc %u", what, losses.sum_nomem, losses.sum_nospc);
}

/* It is the one of that kind, and in the list of its act. */
static void sum_is_right(const struct iob_sum *is, unsigned int act, unsigned int disk, u8 op,
			 u8 how)
{
	const struct iob_sum *sum = acts[act].sums;

	while (sum && sum != is)
		sum = sum->next;
	if (!sum || is->disk != &disks[disk] || iob_sum_op(is) != op || iob_sum_how(is) != how)
		fail("the sum is another act's, or of another kind");
}

/* Each act has one for each disk, operation and certainty; an act that is nobody's has none. */
static void kinds(void)
{
	struct iob_act nobody = { .node.id = IOB_ACT_LOST };
	struct iob_sum *sum[16];
	unsigned int i, j, times;

	begin(1000);
	for (times = 0; times < 2; times++) {
		for (i = 0; i < 16; i++) {
			struct iob_sum *is = iob_sum_of(&acts[i / 8], &disks[i / 4 % 2],
							OP + i / 2 % 2, HOW + i % 2);

			if (times && is != sum[i])
				fail("%u: another sum the second time", i);
			sum[i] = is;
			for (j = 0; j < i; j++) {
				if (sum[j] == is)
					fail("%u and %u have one sum", i, j);
			}
			if (is->disk != &disks[i / 4 % 2] || iob_sum_op(is) != OP + i / 2 % 2 ||
			    iob_sum_how(is) != HOW + i % 2)
				fail("%u: the sum is of another kind", i);
		}
	}
	if (!is_rest(iob_sum_of(&nobody, &disks[1], OP, HOW), 1, OP, HOW))
		fail("nobody has a sum");
	if (iob_sums_count() != 16 || iob_sums_total() != 16)
		fail("%u sums, %llu made", iob_sums_count(), iob_sums_total());
	lost_are("kinds", 0, 0);
	end();
}

/* Two have room; what the third does is the disk's rest, each IO counted, until one goes. */
static void no_room(void)
{
	unsigned int i;

	begin(2);
	for (i = 0; i < 2; i++)
		iob_sum_of(&acts[i], &disks[0], OP, HOW);
	lost_are("two of two", 0, 0);
	for (i = 1; i <= 3; i++) {
		if (!is_rest(iob_sum_of(&acts[2], &disks[0], OP, HOW), 0, OP, HOW))
			fail("there is room for a third");
		lost_are("the third", 0, i);
	}
	iob_sum_free(acts[0].sums);
	acts[0].sums = NULL;
	if (is_rest(iob_sum_of(&acts[2], &disks[0], OP, HOW), 0, OP, HOW))
		fail("there is no room after one has gone");
	lost_are("room again", 0, 3);
	end();
}

/* Without memory there is still room afterwards. */
static void without_memory(void)
{
	unsigned int i;

	begin(1);
	no_memory = true;
	for (i = 1; i <= 3; i++) {
		if (!is_rest(iob_sum_of(&acts[0], &disks[0], OP, HOW), 0, OP, HOW))
			fail("a sum without memory");
		lost_are("no memory", i, 0);
	}
	no_memory = false;
	if (is_rest(iob_sum_of(&acts[0], &disks[0], OP, HOW), 0, OP, HOW))
		fail("with memory there is no room");
	lost_are("memory again", 3, 0);
	end();
}

static struct iob_sum *others;

static void make_others(void)
{
	others = iob_sum_of(&acts[0], &disks[0], OP, HOW);
}

/* Two CPUs make a sum of one kind at the same time: it is one. */
static void at_once(void)
{
	begin(10);
	on_other_cpu = make_others;
	if (iob_sum_of(&acts[0], &disks[0], OP, HOW) != others || acts[0].sums != others ||
	    others->next)
		fail("there are two of one kind");
	if (iob_sums_count() != 1 || iob_sums_total() != 1)
		fail("%u sums, %llu made", iob_sums_count(), iob_sums_total());
	lost_are("at once", 0, 0);
	end();
}

/* An act's file is on an array: each IO goes to the next disk, and finds its sum in few steps. */
static void array(void)
{
	unsigned int i, round;

	begin(1000);
	for (round = 0; round < 4; round++) {
		nr_steps = 0;
		for (i = 0; i < NR_DISKS; i++)
			sum_is_right(iob_sum_of(&acts[0], &disks[i], OP, HOW), 0, i, OP, HOW);
	}
	if (nr_steps > NR_DISKS * 4)
		fail("%u steps for %u IOs", nr_steps, NR_DISKS);
	lost_are("an array", 0, 0);
	end();
}

/* An act goes, and the next one is at its address: what a CPU remembers of the last is cleared. */
static void next_act(void)
{
	unsigned int i, round;

	begin(1000);
	for (round = 0; round < 3; round++) {
		for (i = 0; i < 8; i++)
			sum_is_right(iob_sum_of(&acts[i % 2], &disks[i / 2], OP, HOW), i % 2,
				     i / 2, OP, HOW);
		iob_sums_forget_recent();
		goes(&acts[0]);
		if (iob_sums_count() != 4)
			fail("%u sums are left, not 4", iob_sums_count());
	}
	end();
}

static void some_io(void)
{
	unsigned int act = rnd(ARRAY_SIZE(acts)), disk = rnd(3);

	sum_is_right(iob_sum_of(&acts[act], &disks[disk], OP, HOW), act, disk, OP, HOW);
}

/* Interrupts come while a task looks for a sum, for acts that a CPU remembers in the same place. */
static void interrupts(void)
{
	unsigned int i;

	begin(100000);
	on_interrupt = some_io;
	for (i = 0; i < 30000; i++)
		some_io();
	on_interrupt = NULL;
	if (shim_irqs_off)
		fail("interrupts stay off");
	lost_are("interrupts", 0, 0);
	end();
}

int main(void)
{
	static const struct test tests[] = {
		TEST(kinds), TEST(no_room), TEST(without_memory), TEST(at_once), TEST(array),
		TEST(next_act), TEST(interrupts),
	};

	return run_tests("act_sum", tests, ARRAY_SIZE(tests));
}
