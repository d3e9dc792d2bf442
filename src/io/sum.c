// SPDX-License-Identifier: GPL-2.0
/*
 * A sum is put behind the last one of its act by cmpxchg().  So the list needs no lock, has no
 * two sums of one kind, and a place in it stays the same.  Sums go with their act.
 */
#include <linux/atomic.h>

#include <compat/slab.h>

#include "core/stats.h"
#include "conf.h"
#include "sum.h"

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
	struct iob_sum **at = &act->sums, *sum, *new = NULL;
	u32 key = iob_sum_key(op, how);

	/* nobody is known: these acts do IO to all disks, and their lists would be long */
	if (iob_id_nr(act->node.id) <= IOB_ACT_LOST)
		return &disk->rest[iob_disk_sum(op, how)];
	for (;;) {
		sum = READ_ONCE(*at);
		if (!sum) {
			if (!new)
				new = new_act_sum(disk, key);
			if (!new)
				return &disk->rest[iob_disk_sum(op, how)];
			sum = cmpxchg(at, NULL, new);
			if (!sum) {
				atomic64_inc(&sums_made);
				return new;
			}
		}
		if (sum->disk == disk && sum->key == key)
			break;
		at = &sum->next;
	}
	/* another CPU was faster */
	if (new)
		iob_sum_free(new);
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

/* A session begins: no act has sums. */
void iob_sums_reset(void)
{
	atomic64_set(&sums_made, 0);
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
