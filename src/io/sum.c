// SPDX-License-Identifier: GPL-2.0
/*
 * A sum is put behind the last one of its act by cmpxchg().  So the list needs no lock, has no
 * two sums of one kind, and a place in it stays the same.  Sums go with their act.
 *
 * The act of a file on an array has a sum for each disk of it.  So each CPU remembers its last
 * answers, but for the first sum of an act.  One is noted, and used, only for an act that the
 * caller has.  Reclaim gives up the number of a buried act when no probe has the act any more.
 * Then it clears all answers, and a grace period later frees the act with its sums.  So an answer
 * is never one for the last act at the same address.
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/hash.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/sched.h>

#include <compat/slab.h>

#include "core/stats.h"
#include "conf.h"
#include "sum.h"

#define RECENT_BITS	8
#define NR_RECENT	BIT(RECENT_BITS)

struct recent_sum {
	const struct iob_act *act;	/* NULL: none; others only clear it */
	struct iob_sum *sum;		/* of @act, and not the first one */
};

/* A CPU's, used with interrupts off: both members are of one answer. */
struct recent_sums {
	struct recent_sum at[NR_RECENT];
};

static struct recent_sums __percpu *recent_sums;	/* while there is a session */
static struct kmem_cache *sum_cache;
static atomic_t sums;			/* of acts, that exist */
static atomic64_t sums_made;		/* likewise, in this session */

/* Any context but NMI.  Return: NULL if there is no room or no memory, which is counted. */
static struct iob_sum *new_act_sum(const struct iob_disk *disk, u32 key)
{
	struct iob_sum *sum;

	/* (CPUs that find no room only read the line) */
	if (!atomic_add_unless(&sums, 1, iob_conf.max[IOB_LIMIT_sums])) {
		iob_stat_inc(sum_nospc);
		return NULL;
	}
	sum = kmem_cache_alloc(sum_cache, GFP_NOWAIT | __GFP_NOWARN);
	if (!sum) {
		atomic_dec(&sums);
		iob_stat_inc(sum_nomem);
		return NULL;
	}
	iob_sum_init(sum, disk, key);
	return sum;
}

/* Free a sum that nobody can find.  Any context. */
void iob_sum_free(struct iob_sum *sum)
{
	kmem_cache_free(sum_cache, sum);
	atomic_dec(&sums);
}

static bool act_sum_is(const struct iob_sum *sum, const struct iob_disk *disk, u32 key)
{
	return sum->disk == disk && sum->key == key;
}

/* Where the CPU remembers it; the disks of an array have places beside each other. */
static struct recent_sum *recent_sum_at(const struct iob_act *act, const struct iob_disk *disk,
					u32 key)
{
	u32 at = hash_long((unsigned long)act ^ key, RECENT_BITS) + disk->nr;

	return &this_cpu_ptr(recent_sums)->at[at % NR_RECENT];
}

/* What the CPU remembers, or NULL. */
static struct iob_sum *recent_sum(const struct iob_act *act, const struct iob_disk *disk, u32 key)
{
	const struct recent_sum *r;
	struct iob_sum *sum = NULL;
	unsigned long flags;

	local_irq_save(flags);
	r = recent_sum_at(act, disk, key);
	if (READ_ONCE(r->act) == act && act_sum_is(r->sum, disk, key))
		sum = r->sum;
	local_irq_restore(flags);
	return sum;
}

static void remember_sum(const struct iob_act *act, struct iob_sum *sum)
{
	struct recent_sum *r;
	unsigned long flags;

	local_irq_save(flags);
	r = recent_sum_at(act, sum->disk, sum->key);
	WRITE_ONCE(r->act, act);
	r->sum = sum;
	local_irq_restore(flags);
}

/**
 * iob_sums_forget_recent - no CPU remembers a sum of a buried act
 *
 * No probe has such an act any more.  The answers for others go, too.  In a session; may sleep.
 */
void iob_sums_forget_recent(void)
{
	unsigned int i;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct recent_sums *r = per_cpu_ptr(recent_sums, cpu);

		for (i = 0; i < NR_RECENT; i++) {
			if (READ_ONCE(r->at[i].act))
				WRITE_ONCE(r->at[i].act, NULL);
		}
		cond_resched();
	}
}

/* The sum in the list of the act, made if it is new.  NULL: there is no room or no memory. */
static struct iob_sum *act_sum_find(struct iob_act *act, const struct iob_disk *disk, u32 key)
{
	struct iob_sum **at = &act->sums, *sum, *new = NULL;

	for (;;) {
		sum = READ_ONCE(*at);
		if (!sum) {
			if (!new)
				new = new_act_sum(disk, key);
			if (!new)
				return NULL;
			sum = cmpxchg(at, NULL, new);
			if (!sum) {
				atomic64_inc(&sums_made);
				return new;
			}
		}
		if (act_sum_is(sum, disk, key))
			break;
		at = &sum->next;
	}
	/* another CPU was faster */
	if (new)
		iob_sum_free(new);
	return sum;
}

/**
 * iob_sum_of - the sum that an IO is added to
 * @act:  pays
 * @disk: the IO's
 * @op:   its operation
 * @how:  how sure it is that @act pays
 *
 * Makes the sum if it is new.  Any context but NMI, inside iob_read_lock(), until the end of
 * which it stays.  Never NULL: without room or memory it is one of the disk's rest.
 */
struct iob_sum *iob_sum_of(struct iob_act *act, const struct iob_disk *disk, u8 op, u8 how)
{
	struct iob_sum *first = READ_ONCE(act->sums), *sum;
	u32 key = iob_sum_key(op, how);

	/* nobody is known: these acts do IO to all disks, and their lists would be long */
	if (iob_id_nr(act->node.id) <= IOB_ACT_LOST)
		return &disk->rest[iob_disk_sum(op, how)];
	if (first && act_sum_is(first, disk, key))
		return first;
	sum = first ? recent_sum(act, disk, key) : NULL;
	if (sum)
		return sum;
	sum = act_sum_find(act, disk, key);
	if (!sum)
		return &disk->rest[iob_disk_sum(op, how)];
	if (first)
		remember_sum(act, sum);
	return sum;
}

/* How many sums acts have now.  Any context. */
u32 iob_sums_count(void)
{
	return atomic_read(&sums);
}

/* How many were made in this session.  Any context. */
u64 iob_sums_total(void)
{
	return atomic64_read(&sums_made);
}

/* A session begins: no act has sums.  May sleep.  Return: 0 or -ENOMEM. */
int iob_sums_begin(void)
{
	atomic64_set(&sums_made, 0);
	recent_sums = alloc_percpu(struct recent_sums);
	return recent_sums ? 0 : -ENOMEM;
}

/* The session ends, or did not begin.  No probe is attached.  May sleep. */
void iob_sums_end(void)
{
	free_percpu(recent_sums);
	recent_sums = NULL;
}

/* Module load.  Return: 0 or -ENOMEM. */
int iob_sums_cache_init(void)
{
	/* what each IO writes: a line, and one of the slots' */
	BUILD_BUG_ON(offsetof(struct iob_sum, lat) != 64);
	sum_cache = iob_cache_create("iob_sum", sizeof(struct iob_sum), SLAB_HWCACHE_ALIGN);
	return sum_cache ? 0 : -ENOMEM;
}

/* Module unload, after iob_acts_exit(). */
void iob_sums_cache_exit(void)
{
	kmem_cache_destroy(sum_cache);
}
