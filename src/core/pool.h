/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pool - objects that probes take and give back without allocating
 *
 * A probe must not sleep, and some kernels allow no allocation at all where preemption is
 * off.  So each CPU has a few free objects.  A worker adds to them when they run low, and
 * keeps more for a CPU that runs low again.
 *
 * Example: a CPU has 8 free objects.  A probe takes the fifth: the CPU runs low, and the
 * worker fills it up to 16.
 */
#ifndef IOB_CORE_POOL_H
#define IOB_CORE_POOL_H

#include <linux/irq_work.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct iob_pool_cpu;

struct iob_pool {
	/* set by the owner */
	const char *name;	/* in slabinfo */
	size_t size;		/* of an object, at least a pointer's */
	slab_flags_t flags;
	u32 at_first;		/* objects that each CPU online gets at first */
	/* the pool's own */
	struct kmem_cache *cache;
	struct iob_pool_cpu __percpu *cpu;
	struct irq_work kick;
	struct work_struct fill;
};

int iob_pool_init(struct iob_pool *pool);
void iob_pool_exit(struct iob_pool *pool);
int iob_pool_start(struct iob_pool *pool);
void iob_pool_stop(struct iob_pool *pool);
void *iob_pool_get(struct iob_pool *pool);
void iob_pool_put(struct iob_pool *pool, void *object);

/* May sleep.  Return: an object, NULL without memory. */
static inline void *iob_pool_alloc(struct iob_pool *pool)
{
	return kmem_cache_alloc(pool->cache, GFP_KERNEL);
}

/* Give an object back to the kernel.  No probe's context. */
static inline void iob_pool_free(struct iob_pool *pool, void *object)
{
	kmem_cache_free(pool->cache, object);
}

#endif
