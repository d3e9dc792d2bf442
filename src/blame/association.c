// SPDX-License-Identifier: GPL-2.0
/*
 * Inodes, buffers that a journal knows, and the like have no page frame of
 * their own to be noted under.  What is noted here is a memory, not a truth:
 * its size is fixed, and the oldest entry of a set gives way to a new one.  So
 * no object's lifetime is ours, and who asks must be able to tell a stranger at
 * a reused address: by the act's file, since an object of that kind is always
 * noted anew before it is asked for, or because a hook forgets what is freed.
 *
 * S: the lock of a set's group.
 */
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "core/act.h"
#include "association.h"
#include "core/stats.h"

#define WAYS		8
#define GROUPS		64
#define MIN_SETS	512
#define MAX_SETS	8192
/* a younger entry that had to give way may have been wanted still */
#define YOUNG		(60 * HZ)

struct entry {
	const void *object;	/* S; NULL is none */
	u64 sub;		/* S */
	u64 act;		/* S: id */
	u32 used;		/* S: jiffies when it was noted */
	u32 kind;		/* S; 0: nothing was here ever, nor is behind it */
};

struct set {
	struct entry way[WAYS];
};

static struct set *sets;
static unsigned int bits;
static spinlock_t locks[GROUPS];	/* S: a lock for every GROUPSth set */

static struct set *set_of(u32 kind, const void *object, u64 sub,
			  spinlock_t **lock)
{
	u64 key = (unsigned long)object + sub * GOLDEN_RATIO_32 + kind;
	u32 nr = hash_64(key, bits);

	*lock = &locks[nr % GROUPS];
	return &sets[nr];
}

static bool is(const struct entry *e, u32 kind, const void *object, u64 sub)
{
	return e->object == object && e->sub == sub && e->kind == kind;
}

/* The object's entry in its set, or NULL. */
static struct entry *find(struct set *s, u32 kind, const void *object, u64 sub)
{
	unsigned int i;

	for (i = 0; i < WAYS; i++) {
		if (is(&s->way[i], kind, object, sub))
			return &s->way[i];
		/* most sets are not full */
		if (!s->way[i].kind)
			break;
	}
	return NULL;
}

/* Where a new entry goes: a free place, or that of the one that gives way. */
static struct entry *place(struct set *s)
{
	struct entry *oldest = &s->way[0];
	unsigned int i;

	for (i = 0; i < WAYS; i++) {
		struct entry *e = &s->way[i];

		if (!e->object)
			return e;
		if ((s32)(e->used - oldest->used) < 0)
			oldest = e;
	}
	if ((u32)jiffies - oldest->used < YOUNG)
		iob_stat_inc(owner_evicted);
	return oldest;
}

/**
 * iob_assoc_set - note who changed an object
 * @kind:   what it is
 * @object: its address
 * @sub:    a number where the address is not enough, else 0
 * @act:    the act's id
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_assoc_set(enum iob_assoc_kind kind, const void *object, u64 sub,
		   u64 act)
{
	unsigned long flags;
	spinlock_t *lock;		/* the group's */
	struct set *s = set_of(kind, object, sub, &lock);
	struct entry *e;

	spin_lock_irqsave(lock, flags);
	e = find(s, kind, object, sub);
	if (!e)
		e = place(s);
	e->object = object;
	e->sub = sub;
	e->kind = kind;
	e->act = act;
	e->used = jiffies;
	spin_unlock_irqrestore(lock, flags);
}

/**
 * iob_assoc_forget - nobody has changed an object, or it is gone
 * @kind:   what it is
 * @object: its address
 * @sub:    as it was set
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_assoc_forget(enum iob_assoc_kind kind, const void *object, u64 sub)
{
	unsigned long flags;
	spinlock_t *lock;		/* the group's */
	struct set *s = set_of(kind, object, sub, &lock);
	struct entry *e;

	spin_lock_irqsave(lock, flags);
	e = find(s, kind, object, sub);
	if (e)
		e->object = NULL;
	spin_unlock_irqrestore(lock, flags);
}

/**
 * iob_assoc_get - who changed an object
 * @kind:   what it is
 * @object: its address
 * @sub:    as it was set
 *
 * Any context but NMI, inside iob_read_lock().
 * Return: the act's id, IOB_ACT_NONE if it is not known.
 */
u64 iob_assoc_get(enum iob_assoc_kind kind, const void *object, u64 sub)
{
	unsigned long flags;
	spinlock_t *lock;		/* the group's */
	struct set *s = set_of(kind, object, sub, &lock);
	struct entry *e;
	u64 act;

	spin_lock_irqsave(lock, flags);
	e = find(s, kind, object, sub);
	act = e ? e->act : IOB_ACT_NONE;
	spin_unlock_irqrestore(lock, flags);
	return act;
}

/**
 * iob_assoc_take - who changed an object, which is asked for the last time
 * @kind:   what it is
 * @object: its address
 * @sub:    as it was set
 *
 * As iob_assoc_get(), but it is forgotten: that makes room.
 */
u64 iob_assoc_take(enum iob_assoc_kind kind, const void *object, u64 sub)
{
	unsigned long flags;
	spinlock_t *lock;		/* the group's */
	struct set *s = set_of(kind, object, sub, &lock);
	struct entry *e;
	u64 act = IOB_ACT_NONE;

	spin_lock_irqsave(lock, flags);
	e = find(s, kind, object, sub);
	if (e) {
		act = e->act;
		e->object = NULL;
	}
	spin_unlock_irqrestore(lock, flags);
	return act;
}

/* What the memory takes, in bytes. */
unsigned long iob_assoc_bytes(void)
{
	return sets ? sizeof(*sets) << bits : 0;
}

/**
 * iob_assoc_init - begin with an empty memory
 *
 * May sleep.  An entry for eight page frames, within limits.
 * Return: 0 or -ENOMEM.
 */
int iob_assoc_init(void)
{
	unsigned long nr = clamp_t(unsigned long, totalram_pages() / 8 / WAYS,
				   MIN_SETS, MAX_SETS);
	unsigned int i;

	for (i = 0; i < GROUPS; i++)
		spin_lock_init(&locks[i]);
	bits = ilog2(nr);
	sets = kvcalloc(1UL << bits, sizeof(*sets), GFP_KERNEL);
	return sets ? 0 : -ENOMEM;
}

/* Forget all.  No probe is attached. */
void iob_assoc_exit(void)
{
	kvfree(sets);
	sets = NULL;
}
