// SPDX-License-Identifier: GPL-2.0
/*
 * Spare places: a session that ends while the worker takes regions back, and addresses beyond the
 * limit.  A sanitizer sees who uses a map or a place that is freed, and what is left.
 */
#include <linux/kernel.h>
#include <linux/compiler.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "test.h"

/* the real ones are not read */
#define IOB_COMPAT_RCU_H
#define IOB_CORE_WORKER_H

#define __read_mostly
#define __GFP_NOWARN		0
#define __GFP_NORETRY		0
#define cond_resched()		((void)(nr_freed = 0))
#define num_possible_cpus()	2U
#define DECLARE_WORK(n, f)	struct work_struct n = { .func = (f) }
#define kvmalloc(size, gfp)	malloc(size)
#define kvmalloc_array(n, size, gfp)	malloc((n) * (size))
#define kfree(p)		(most_freed = max(most_freed, ++nr_freed), free(p))
#define rcu_read_lock()		((void)0)
#define rcu_read_unlock()	((void)0)
#define rounddown_pow_of_two(n)	(1UL << ilog2(n))
#define WARN_ON_ONCE(x)		((x) ? (fail("a warning: " #x), true) : false)
#define time_before(a, b)	((long)((a) - (b)) < 0)
#define time_after_eq(a, b)	(!time_before(a, b))

typedef unsigned int gfp_t;

static unsigned int nr_freed, most_freed;	/* since others have run */

unsigned long jiffies = 1000;

static inline const void *cmpxchg(const void **p, const void *old, const void *new)
{
	return __sync_val_compare_and_swap(p, old, new);
}

static bool work_queued;
static void (*in_grace_period)(void);	/* what happens while the worker waits, once */

static void iob_work_queue(struct work_struct *work)
{
	(void)work;
	work_queued = true;
}

static void synchronize_rcu(void)
{
	void (*happens)(void) = in_grace_period;

	in_grace_period = NULL;
	if (happens)
		happens();
}

static void cancel_work_sync(struct work_struct *work);

/* As aligned as kmalloc() has it. */
static void *kzalloc(size_t size, unsigned int gfp)
{
	void *p = aligned_alloc(size, size);

	(void)gfp;
	return p ? memset(p, 0, size) : NULL;
}

/* (a worker has no use for its argument) */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "io/place_map.c"
#include "io/place.c"
#pragma GCC diagnostic pop

static bool worker_is_at_work;

/* It waits until the worker has come to its end. */
static void cancel_work_sync(struct work_struct *work)
{
	if (worker_is_at_work)
		work->func(work);
	worker_is_at_work = false;
}

static bool all_idle = true;

static bool is_idle(const struct iob_place *place)
{
	(void)place;
	return all_idle;
}

static const struct iob_place_ops ops = { .idle = is_idle };
static unsigned int nr_put;

static void put(struct iob_place *place)
{
	nr_put++;
	place->owner = NULL;
}

static bool is_closed(const struct iob_place *place)
{
	return place->owner == IOB_PLACE_CLOSED;
}

static const void *address(unsigned long nr)
{
	return (const void *)(nr << IOB_REGION_BITS);
}

/* A session whose regions are at their limit; region 1 has a bio.  Return: the next address' number. */
static unsigned long begin_full(void)
{
	unsigned long i;

	nr_put = 0;
	all_idle = false;
	work_queued = false;
	jiffies += 100 * HZ;
	if (iob_places_start(&ops))
		fail("no session");
	for (i = 1; nr_spare || nr_regions < max_regions; i++) {
		struct iob_place *place = iob_place_add(address(i));

		if (is_closed(place))
			fail("region %lu of %u is closed", i, max_regions);
		if (i == 1)
			place->owner = address(i);
		if (work_queued)
			fill_spare(NULL);
		work_queued = false;
	}
	all_idle = true;
	return i;
}

/* A session without bios.  Return: its limit. */
static u32 max_regions_of_session(void)
{
	nr_put = 0;
	all_idle = true;
	work_queued = false;
	jiffies += 100 * HZ;
	if (iob_places_start(&ops))
		fail("no session");
	return max_regions;
}

/* The worker has closed regions, or copied the map, when the session ends. */
static void ends_at_work(void)
{
	begin_full();
	worker_is_at_work = true;
	iob_places_stop(put);
	if (nr_put != 1)
		fail("%u places of bios are put, not 1", nr_put);
}

static void ends(void)
{
	begin_full();
	iob_places_stop(put);
	if (nr_put != 1)
		fail("%u places of bios are put, not 1", nr_put);
	iob_places_stop(put);
	if (nr_put != 1)
		fail("a session without a map has bios");
}

/* With all regions in use others run now and then while they are freed. */
static void ends_full(void)
{
	begin_full();
	most_freed = 0;
	iob_places_stop(put);
	if (most_freed > 1024)
		fail("nobody else runs while %u regions are freed", most_freed);
	if (most_freed < 256)
		fail("%u regions are freed: too few for the test", most_freed);
}

static void take_place(void)
{
	struct iob_place *place = iob_place_add(address(2));

	if (!is_closed(place))
		place->owner = address(2);
}

/* Regions come back, but not those of which a place is in use. */
static void taken_back(void)
{
	unsigned long next = begin_full();

	jiffies += 20 * HZ;
	in_grace_period = take_place;
	fill_spare(NULL);
	if (iob_place_add(address(1))->owner != address(1))
		fail("a place that is in use was taken back");
	if (is_closed(iob_place_add(address(next))))
		fail("no region came back");
	iob_places_stop(put);
}

/* Beyond the limit nobody takes the lock of all CPUs, until it is time to look for idle regions. */
static void limit(void)
{
	unsigned long next = begin_full(), i;

	all_idle = false;
	jiffies += 20 * HZ;
	if (!is_closed(iob_place_add(address(next))) || !work_queued)
		fail("there is a place beyond the limit, or nobody looks for one");
	fill_spare(NULL);
	work_queued = false;
	/* (held, the lock would end the test) */
	places_lock.held = true;
	for (i = 0; i < 100; i++) {
		if (!is_closed(iob_place_add(address(next + i))))
			fail("a place beyond the limit");
	}
	if (iob_place_add(address(1))->owner != address(1))
		fail("the place of a bio is not found");
	places_lock.held = false;
	jiffies += 20 * HZ;
	iob_place_add(address(next));
	if (!work_queued)
		fail("nobody looks for idle regions again");
	iob_places_stop(put);
}

/*
 * Bios come at ever new addresses, as for weeks on a host: the regions that they have left are
 * taken back long before the limit, and a bio that stays has its place.
 */
static void ever_new(void)
{
	unsigned long i, nr = 8ul * max_regions_of_session();
	u32 most = 0;

	for (i = 1; i < nr; i++) {
		struct iob_place *place = iob_place_add(address(i));

		if (is_closed(place))
			fail("region %lu is closed", i);
		if (i == 1)
			place->owner = address(i);
		if (work_queued)
			fill_spare(NULL);
		work_queued = false;
		most = max(most, nr_regions);
	}
	if (most > 4 * max_spare)
		fail("%u regions for one bio, of %u", most, max_regions);
	if (iob_place_add(address(1))->owner != address(1))
		fail("a place that is in use was taken back");
	iob_places_stop(put);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(ends), TEST(ends_at_work), TEST(ends_full), TEST(taken_back), TEST(limit),
		TEST(ever_new),
	};

	return run_tests("place", tests, ARRAY_SIZE(tests));
}
