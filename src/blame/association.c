// SPDX-License-Identifier: GPL-2.0
/*
 * A cache of fixed size, with sets of eight entries.  The oldest entry of a full set
 * gives way to a new one, which is counted if it was younger than a minute.
 *
 * No object's lifetime is ours, and no object is followed: its address is compared.  So
 * an entry may be left from an object that had the address before.  Each caller must be
 * able to tell: by the act's file, because objects of the kind are always noted anew
 * before they are asked for, or because a hook forgets objects that are freed.
 *
 * S: the lock of a set's group.
 */
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "association.h"
#include "core/cause.h"
#include "core/stats.h"

#define WAYS		8
#define GROUPS		64
#define MIN_SETS	512
#define MAX_SETS	8192
/* an entry that gives way earlier may still have been needed */
#define YOUNG		(60 * HZ)

struct iob_assoc_kind iob_assoc_inode = { .name = "inode" };

struct assoc {
	const void *object;	/* S; NULL: free */
	u64 sub;		/* S: tells objects of one address apart, else 0 */
	u64 act;		/* S: id; some kinds note another number here */
	u32 used;		/* S: jiffies when it was noted */
	u32 kind;		/* S; 0: this place and those behind it were never used */
};

struct assoc_set {
	struct assoc way[WAYS];
};

static struct assoc_set *assoc_sets;
static unsigned int assoc_set_bits;
static spinlock_t assoc_locks[GROUPS];	/* S: one for every GROUPSth set */
static u32 nr_assoc_kinds;		/* constant after module load */

/**
 * iob_assoc_kind_add - give a kind of objects its number
 * @kind: the kind
 *
 * At module load.  Return: 0; -EEXIST if it has one.
 */
int iob_assoc_kind_add(struct iob_assoc_kind *kind)
{
	if (WARN_ON(kind->nr))
		return -EEXIST;
	kind->nr = ++nr_assoc_kinds;
	return 0;
}

static struct assoc_set *assoc_set_of(const struct iob_assoc_kind *kind,
				      const void *object, u64 sub, spinlock_t **lock)
{
	u64 key = (unsigned long)object + sub * GOLDEN_RATIO_32 + kind->nr;
	u32 nr = hash_64(key, assoc_set_bits);

	*lock = &assoc_locks[nr % GROUPS];
	return &assoc_sets[nr];
}

static bool assoc_is(const struct assoc *a, const struct iob_assoc_kind *kind,
		     const void *object, u64 sub)
{
	return a->object == object && a->sub == sub && a->kind == kind->nr;
}

/* The entry of an object in its set, or NULL.  S. */
static struct assoc *assoc_find(struct assoc_set *s, const struct iob_assoc_kind *kind,
				const void *object, u64 sub)
{
	unsigned int i;

	for (i = 0; i < WAYS; i++) {
		if (assoc_is(&s->way[i], kind, object, sub))
			return &s->way[i];
		/* most sets are not full */
		if (!s->way[i].kind)
			break;
	}
	return NULL;
}

/* The place for a new entry: a free one, or the oldest.  S. */
static struct assoc *assoc_place(struct assoc_set *s)
{
	struct assoc *oldest = &s->way[0];
	unsigned int i;

	for (i = 0; i < WAYS; i++) {
		struct assoc *a = &s->way[i];

		if (!a->object)
			return a;
		if ((s32)(a->used - oldest->used) < 0)
			oldest = a;
	}
	if ((u32)jiffies - oldest->used < YOUNG)
		iob_stat_inc(owner_evicted);
	return oldest;
}

/**
 * iob_assoc_set - note which act changed an object
 * @kind:   what it is
 * @object: its address
 * @sub:    a number where the address is not enough, else 0
 * @act:    the act's id
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_assoc_set(const struct iob_assoc_kind *kind, const void *object, u64 sub,
		   u64 act)
{
	unsigned long flags;
	spinlock_t *lock;		/* the group's */
	struct assoc_set *s = assoc_set_of(kind, object, sub, &lock);
	struct assoc *a;

	spin_lock_irqsave(lock, flags);
	a = assoc_find(s, kind, object, sub);
	if (!a)
		a = assoc_place(s);
	a->object = object;
	a->sub = sub;
	a->kind = kind->nr;
	a->act = act;
	a->used = jiffies;
	spin_unlock_irqrestore(lock, flags);
}

/**
 * iob_assoc_forget - drop what is noted of an object
 * @kind:   what it is
 * @object: its address
 * @sub:    as it was set
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_assoc_forget(const struct iob_assoc_kind *kind, const void *object, u64 sub)
{
	iob_assoc_take(kind, object, sub);
}

/**
 * iob_assoc_get - which act changed an object
 * @kind:   what it is
 * @object: its address
 * @sub:    as it was set
 *
 * Any context but NMI, inside iob_read_lock().
 * Return: the act's id, IOB_CAUSE_NONE if it is not known.
 */
u64 iob_assoc_get(const struct iob_assoc_kind *kind, const void *object, u64 sub)
{
	unsigned long flags;
	spinlock_t *lock;		/* the group's */
	struct assoc_set *s = assoc_set_of(kind, object, sub, &lock);
	const struct assoc *a;
	u64 act;

	spin_lock_irqsave(lock, flags);
	a = assoc_find(s, kind, object, sub);
	act = a ? a->act : IOB_CAUSE_NONE;
	spin_unlock_irqrestore(lock, flags);
	return act;
}

/**
 * iob_assoc_take - which act changed an object, asked for the last time
 * @kind:   what it is
 * @object: its address
 * @sub:    as it was set
 *
 * As iob_assoc_get(), and as iob_assoc_forget(): that makes room.
 */
u64 iob_assoc_take(const struct iob_assoc_kind *kind, const void *object, u64 sub)
{
	unsigned long flags;
	spinlock_t *lock;		/* the group's */
	struct assoc_set *s = assoc_set_of(kind, object, sub, &lock);
	struct assoc *a;
	u64 act = IOB_CAUSE_NONE;

	spin_lock_irqsave(lock, flags);
	a = assoc_find(s, kind, object, sub);
	if (a) {
		act = a->act;
		a->object = NULL;
	}
	spin_unlock_irqrestore(lock, flags);
	return act;
}

/* The size of the cache in bytes, for `status`.  The caller holds the session. */
unsigned long iob_assoc_bytes(void)
{
	return assoc_sets ? sizeof(*assoc_sets) << assoc_set_bits : 0;
}

/**
 * iob_assoc_init - begin with an empty cache
 *
 * An entry for eight page frames, within limits: 512 sets (128 KiB) with 128 MiB of
 * memory, 8192 sets (2 MiB) from 2 GiB on.  May sleep.  Return: 0 or -ENOMEM.
 */
int iob_assoc_init(void)
{
	unsigned long nr = clamp_t(unsigned long, totalram_pages() / 8 / WAYS,
				   MIN_SETS, MAX_SETS);
	unsigned int i;

	for (i = 0; i < GROUPS; i++)
		spin_lock_init(&assoc_locks[i]);
	assoc_set_bits = ilog2(nr);
	assoc_sets = kvcalloc(1UL << assoc_set_bits, sizeof(*assoc_sets), GFP_KERNEL);
	return assoc_sets ? 0 : -ENOMEM;
}

/* Free the cache.  No probe is attached. */
void iob_assoc_exit(void)
{
	kvfree(assoc_sets);
	assoc_sets = NULL;
}
