// SPDX-License-Identifier: GPL-2.0
/*
 * A pool of any size from which probes take objects, where none may be allocated (PREEMPT_RT): the
 * worker is asked in time, and a probe finds an object after each of its runs.
 */
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "test.h"

/* the real ones are not read */
#define IOB_COMPAT_SLAB_H
#define IOB_CORE_WORKER_H

#define container_of(p, type, member)	((type *)((char *)(p) - offsetof(type, member)))
#define DIV_ROUND_UP(n, d)		(((n) + (d) - 1) / (d))
#define lockdep_assert_held(l)		((void)(l))
#define IS_ENABLED(config)		preempt_rt
#define GFP_KERNEL			0
#define GFP_NOWAIT			0
#define __GFP_NOWARN			0
#define INIT_WORK(w, f)			((w)->func = (f))
#define cancel_work_sync(w)		((void)(w))
#define iob_work_queue(w)		((w)->func(w))
#define slab_flags_t			unsigned int
#define ____cacheline_aligned

struct kmem_cache {
	size_t size;
};

static struct kmem_cache cache;
static bool preempt_rt;

static struct kmem_cache *iob_cache_create(const char *name, size_t size, unsigned int flags)
{
	(void)name;
	(void)flags;
	cache.size = size;
	return &cache;
}

#define kmem_cache_alloc(c, gfp)	malloc((c)->size)
#define kmem_cache_free(c, p)		((void)(c), free(p))
#define kmem_cache_destroy(c)		((void)(c))

#include "core/pool.c"

static void begin(struct iob_pool *pool, u32 at_first)
{
	*pool = (struct iob_pool){ .name = "test", .size = 40, .at_first = at_first };
	if (iob_pool_init(pool) || iob_pool_start(pool))
		abort();
}

static void end(struct iob_pool *pool)
{
	iob_pool_stop(pool);
	iob_pool_exit(pool);
}

/* Whatever a CPU has at first, it has more each time that the worker was asked. */
static void filled(void)
{
	u32 at_first, i;

	preempt_rt = true;
	for (at_first = 1; at_first <= 64; at_first++) {
		struct iob_pool pool;
		void *object;

		begin(&pool, at_first);
		for (i = 0; i < 300; i++) {
			object = iob_pool_get(&pool);
			if (!object)
				fail("of %u at first, the object %u is missing", at_first, i + 1);
			free(object);
			if (!pool.kick.queued)
				continue;
			pool.kick.queued = false;
			pool.kick.func(&pool.kick);
		}
		end(&pool);
	}
}

/* Less than half is low, not half; what is given back is taken first. */
static void halves(void)
{
	struct iob_pool pool;
	void *object[8];
	u32 i;

	begin(&pool, 8);
	for (i = 0; i < 5; i++) {
		if (pool.kick.queued)
			fail("the worker is asked after %u objects", i);
		object[i] = iob_pool_get(&pool);
	}
	if (!pool.kick.queued)
		fail("the worker is not asked");
	while (i--)
		iob_pool_put(&pool, object[i]);
	end(&pool);
}

/* Elsewhere a probe allocates what the pool has not. */
static void allocated(void)
{
	struct iob_pool pool;
	u32 i;

	preempt_rt = false;
	begin(&pool, 1);
	for (i = 0; i < 10; i++) {
		void *object = iob_pool_get(&pool);

		if (!object)
			fail("the object %u is missing", i + 1);
		free(object);
	}
	end(&pool);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(filled), TEST(halves), TEST(allocated),
	};

	return run_tests("pool", tests, ARRAY_SIZE(tests));
}
