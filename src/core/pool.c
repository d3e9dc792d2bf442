// SPDX-License-Identifier: GPL-2.0
/*
 * L: the lock of a CPU's free objects.  Only that CPU takes it in a probe, so no other CPU
 * writes its line but the worker's.
 *
 * A probe may hold any lock of the kernel's.  So it asks for the worker through an irq_work,
 * which runs when no lock is held.
 */
#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/sched.h>

#include <compat/slab.h>

#include "pool.h"
#include "worker.h"

#define MAX_WANTED	64

struct iob_pool_cpu {
	raw_spinlock_t lock;	/* L, innermost */
	void *first;		/* L: free objects; each begins with the next one's address */
	u32 nr;			/* L */
	u32 wanted;		/* L: the worker fills up to so many */
	bool low;		/* L: the worker is asked for */
} ____cacheline_aligned;

static void *pool_pop(struct iob_pool_cpu *c)
{
	void *object = c->first;

	lockdep_assert_held(&c->lock);
	if (object) {
		c->first = *(void **)object;
		c->nr--;
	}
	return object;
}

static void pool_push(struct iob_pool_cpu *c, void *object)
{
	lockdep_assert_held(&c->lock);
	*(void **)object = c->first;
	c->first = object;
	c->nr++;
}

/**
 * iob_pool_get - take an object
 * @pool: started
 *
 * Any context but NMI, inside iob_read_lock().  Return: NULL if there is none, which the
 * caller counts.
 */
void *iob_pool_get(struct iob_pool *pool)
{
	struct iob_pool_cpu *c = this_cpu_ptr(pool->cpu);
	bool kick = false;
	unsigned long flags;
	void *object;

	raw_spin_lock_irqsave(&c->lock, flags);
	object = pool_pop(c);
	/* (of one object none is less than half) */
	if (c->nr < DIV_ROUND_UP(c->wanted, 2) && !c->low) {
		WRITE_ONCE(c->low, true);
		kick = true;
	}
	raw_spin_unlock_irqrestore(&c->lock, flags);
	if (unlikely(kick))
		irq_work_queue(&pool->kick);
	if (!object && !IS_ENABLED(CONFIG_PREEMPT_RT))
		object = kmem_cache_alloc(pool->cache, GFP_NOWAIT | __GFP_NOWARN);
	return object;
}

/**
 * iob_pool_put - give an object back
 * @pool:   the pool that it is from
 * @object: not to be found any more
 *
 * Context as iob_pool_get().
 */
void iob_pool_put(struct iob_pool *pool, void *object)
{
	struct iob_pool_cpu *c = this_cpu_ptr(pool->cpu);
	bool kick = false;
	unsigned long flags;

	raw_spin_lock_irqsave(&c->lock, flags);
	pool_push(c, object);
	/* far more than this CPU ever takes */
	if (c->nr > 4 * MAX_WANTED && !c->low) {
		WRITE_ONCE(c->low, true);
		kick = true;
	}
	raw_spin_unlock_irqrestore(&c->lock, flags);
	if (unlikely(kick))
		irq_work_queue(&pool->kick);
}

/* Give a CPU the objects that it is short of, or take those that are too many. */
static int pool_fill_cpu(struct iob_pool *pool, struct iob_pool_cpu *c)
{
	unsigned long flags;
	void *object;
	s32 missing;

	for (;;) {
		raw_spin_lock_irqsave(&c->lock, flags);
		missing = c->wanted - c->nr;
		if (missing < 0 && c->nr > MAX_WANTED) {
			object = pool_pop(c);
			raw_spin_unlock_irqrestore(&c->lock, flags);
			iob_pool_free(pool, object);
			continue;
		}
		WRITE_ONCE(c->low, missing > 0);
		raw_spin_unlock_irqrestore(&c->lock, flags);
		if (missing <= 0)
			return 0;
		object = iob_pool_alloc(pool);
		if (!object)
			break;
		raw_spin_lock_irqsave(&c->lock, flags);
		pool_push(c, object);
		raw_spin_unlock_irqrestore(&c->lock, flags);
	}
	/* the next object that is taken asks again */
	raw_spin_lock_irqsave(&c->lock, flags);
	WRITE_ONCE(c->low, false);
	raw_spin_unlock_irqrestore(&c->lock, flags);
	return -ENOMEM;
}

static void pool_fill(struct work_struct *work)
{
	struct iob_pool *pool = container_of(work, struct iob_pool, fill);
	unsigned long flags;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct iob_pool_cpu *c = per_cpu_ptr(pool->cpu, cpu);

		if (!READ_ONCE(c->low))
			continue;
		raw_spin_lock_irqsave(&c->lock, flags);
		c->wanted = clamp(c->wanted * 2, pool->at_first, (u32)MAX_WANTED);
		raw_spin_unlock_irqrestore(&c->lock, flags);
		pool_fill_cpu(pool, c);
		cond_resched();
	}
}

static void pool_kick(struct irq_work *work)
{
	iob_work_queue(&container_of(work, struct iob_pool, kick)->fill);
}

/**
 * iob_pool_start - a session begins: fill the pool
 * @pool: the pool
 *
 * May sleep.  Return: 0 or -ENOMEM; iob_pool_stop() undoes it.
 */
int iob_pool_start(struct iob_pool *pool)
{
	int cpu, err = 0;

	for_each_possible_cpu(cpu)
		per_cpu_ptr(pool->cpu, cpu)->wanted = 2;
	for_each_online_cpu(cpu) {
		struct iob_pool_cpu *c = per_cpu_ptr(pool->cpu, cpu);

		c->wanted = pool->at_first;
		err = err ?: pool_fill_cpu(pool, c);
	}
	return err;
}

/* The session ends: free what is in the pool.  May sleep; no probe is attached. */
void iob_pool_stop(struct iob_pool *pool)
{
	void *object;
	int cpu;

	if (!pool->cpu)
		return;
	irq_work_sync(&pool->kick);
	cancel_work_sync(&pool->fill);
	for_each_possible_cpu(cpu) {
		struct iob_pool_cpu *c = per_cpu_ptr(pool->cpu, cpu);

		while ((object = c->first)) {
			c->first = *(void **)object;
			iob_pool_free(pool, object);
		}
		c->nr = 0;
		c->low = false;
	}
}

/* Module load.  Return: 0 or -ENOMEM; iob_pool_exit() undoes it. */
int iob_pool_init(struct iob_pool *pool)
{
	int cpu;

	init_irq_work(&pool->kick, pool_kick);
	INIT_WORK(&pool->fill, pool_fill);
	pool->cache = iob_cache_create(pool->name, pool->size, pool->flags);
	pool->cpu = alloc_percpu(struct iob_pool_cpu);
	if (!pool->cache || !pool->cpu) {
		iob_pool_exit(pool);
		return -ENOMEM;
	}
	for_each_possible_cpu(cpu)
		raw_spin_lock_init(&per_cpu_ptr(pool->cpu, cpu)->lock);
	return 0;
}

/* Module unload, after iob_pool_stop(); all objects are given back. */
void iob_pool_exit(struct iob_pool *pool)
{
	free_percpu(pool->cpu);
	kmem_cache_destroy(pool->cache);
	pool->cpu = NULL;
	pool->cache = NULL;
}
