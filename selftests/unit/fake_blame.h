/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What src/blame/transaction.c and freed_extent.c use of their neighbours, for test_transaction.c,
 * test_participants.c and test_freed_extent.c, which include them
 *
 * An act is a role: its id is both, but for one that is of the role of another.  Objects come from
 * malloc(), which the sanitizers watch; each pool counts those that are out.  An origin keeps the
 * sum of each act, and its first shares.
 */
#ifndef UNIT_FAKE_BLAME_H
#define UNIT_FAKE_BLAME_H

/* the real ones are not read */
#define IOB_CORE_CAUSE_H
#define IOB_CORE_KEYED_H
#define IOB_CORE_POOL_H
#define IOB_CORE_STATS_H
#define IOB_CORE_TASK_H
#define IOB_BLAME_ASSOCIATION_H
#define IOB_BLAME_SHARE_H

#include <linux/compiler.h>

#include "test.h"

#define container_of(p, type, member)	((type *)((char *)(p) - offsetof(type, member)))

/* --- core/cause, core/stats, core/task, blame/association */

#define IOB_CAUSE_NONE		0ULL
#define IOB_CAUSE_LOST		2ULL
#define IOB_CAUSE_INHERITED	(1ULL << 20)
#define IOB_MODIFIER_JOURNAL	1
#define IOB_MODIFIER_DISCARD	2

#define KTHREAD_ACT		1000000ULL	/* a kernel thread's own */

struct iob_cause {
	u64 role;
	bool kthread;
};

static u64 act_gone;		/* no cause has this id any more */
static u64 act_of_kthread;
static u64 act_later, act_first;	/* both are of the role @act_first */
static u64 act_touched;		/* the last one */

#define iob_cause_id(act)	((act) & ~IOB_CAUSE_INHERITED)

static inline struct iob_cause *iob_cause_of(u64 ref)
{
	static struct iob_cause cause;
	u64 act = iob_cause_id(ref);

	if (act && act == act_gone)
		return NULL;
	cause.role = act && act == act_later ? act_first : act;
	cause.kthread = act == KTHREAD_ACT || (act && act == act_of_kthread);
	return &cause;
}

static inline void iob_cause_mark(u64 act, unsigned long *causes)
{
	if (act)
		causes[act / 64] |= 1UL << act % 64;
}

#define iob_cause_number(act)	((u32)(act))
#define iob_cause_touch_nr(nr)	((void)(act_touched = (nr)))
#define iob_cause_touch(cause)	((void)(act_touched = (cause)->role))
#define iob_read_lock()
#define iob_read_unlock()

struct losses {
	unsigned int act_lost, behalf_evicted, freed_evicted, journal_evicted, participant_merged;
};

static struct losses losses;

#define iob_stat_inc(name)	((void)losses.name++)

/* What was lost since the last time: so many of each name, and no other. */
static inline void lost_are(const char *what, struct losses want)
{
	if (losses.act_lost != want.act_lost)
		fail("%s: act_lost is %u, not %u", what, losses.act_lost, want.act_lost);
	if (losses.behalf_evicted != want.behalf_evicted)
		fail("%s: behalf_evicted is %u, not %u", what, losses.behalf_evicted,
		     want.behalf_evicted);
	if (losses.freed_evicted != want.freed_evicted)
		fail("%s: freed_evicted is %u, not %u", what, losses.freed_evicted,
		     want.freed_evicted);
	if (losses.journal_evicted != want.journal_evicted)
		fail("%s: journal_evicted is %u, not %u", what, losses.journal_evicted,
		     want.journal_evicted);
	if (losses.participant_merged != want.participant_merged)
		fail("%s: participant_merged is %u, not %u", what, losses.participant_merged,
		     want.participant_merged);
	losses = (struct losses){ };
}

struct iob_task {
	bool acted_on_behalf;
	char part[4][1 << 14] __attribute__((aligned(8)));
};

struct iob_task_part {
	const char *name;
	size_t size;
	void (*free)(void *part);
};

enum { SERVES_NOTHING, IOB_SERVES_TRANSACTION };

static int served = SERVES_NOTHING;	/* what the task was said to serve last, and which */
static bool served_on;

static inline void *iob_task_part_of(const struct iob_task *t, const struct iob_task_part *part)
{
	static const struct iob_task_part *parts[4];
	unsigned int i = 0;

	while (parts[i] && parts[i] != part)
		i++;
	parts[i] = part;
	return (void *)t->part[i];
}

static inline void iob_task_serve(struct iob_task *t, int what, bool on)
{
	(void)t;
	served = what;
	served_on = on;
}

struct iob_assoc_kind {
	const char *name;
};

/* --- core/pool */

struct iob_pool {
	const char *name;
	size_t size;
	u32 at_first;
	unsigned int nr_out;
};

static void (*on_other_cpu)(void);	/* runs while an object is taken, without a lock */
static bool no_memory;

static inline void *iob_pool_get(struct iob_pool *pool)
{
	void (*other)(void) = on_other_cpu;

	on_other_cpu = NULL;
	if (other)
		other();
	if (no_memory)
		return NULL;
	pool->nr_out++;
	return malloc(pool->size);
}

static inline void iob_pool_put(struct iob_pool *pool, void *object)
{
	pool->nr_out--;
	free(object);
}

#define iob_pool_free	iob_pool_put

static inline int iob_pool_init(struct iob_pool *pool)
{
	pool->nr_out = 0;
	return 0;
}

#define iob_pool_start	iob_pool_init

static inline void iob_pool_stop(struct iob_pool *pool)
{
	if (pool->nr_out)
		fail("%u objects of %s are left", pool->nr_out, pool->name);
}

#define iob_pool_exit	iob_pool_stop

/* --- core/keyed */

struct iob_keyed {
	struct iob_keyed *next;
	const void *key;
};

struct iob_keyed_table {
	struct iob_pool pool;
	void (*begin)(struct iob_keyed *k);
	bool (*tidy)(struct iob_keyed *k);
	void (*evicted)(void);
	void (*end)(struct iob_keyed *k);
	struct iob_keyed *first;
};

static inline struct iob_keyed *iob_keyed_find(struct iob_keyed_table *t, const void *key)
{
	struct iob_keyed *k = t->first;

	while (k && k->key != key)
		k = k->next;
	return k;
}

static inline struct iob_keyed *iob_keyed_get(struct iob_keyed_table *t, const void *key)
{
	struct iob_keyed *k = iob_keyed_find(t, key);

	if (k)
		return k;
	k = iob_pool_get(&t->pool);
	if (!k)
		return NULL;
	k->key = key;
	t->begin(k);
	k->next = t->first;
	t->first = k;
	return k;
}

static inline void iob_keyed_forget(struct iob_keyed_table *t, const void *key)
{
	struct iob_keyed *k = iob_keyed_find(t, key);

	if (k)
		k->key = NULL;
}

static inline bool iob_keyed_each(struct iob_keyed_table *t,
				  bool (*look)(struct iob_keyed *k, void *arg), void *arg)
{
	struct iob_keyed *k;

	for (k = t->first; k; k = k->next) {
		if (!look(k, arg))
			return false;
	}
	return true;
}

static inline int iob_keyed_init(struct iob_keyed_table *t)
{
	t->first = NULL;
	return iob_pool_init(&t->pool);
}

#define iob_keyed_start	iob_keyed_init
#define iob_keyed_exit(t)	iob_pool_exit(&(t)->pool)

static inline void iob_keyed_stop(struct iob_keyed_table *t)
{
	while (t->first) {
		struct iob_keyed *k = t->first;

		t->first = k->next;
		t->end(k);
		iob_pool_free(&t->pool, k);
	}
	iob_pool_stop(&t->pool);
}

/* --- blame/share */

#define MAX_ACTS	1024
#define MAX_SHARES	16

struct iob_share {
	u64 cause;
	u32 bytes;
};

struct iob_origin {
	u64 bytes[MAX_ACTS];	/* by act */
	u64 sum;
	u64 lost;		/* of .sum */
	unsigned int nr;
	struct iob_share share[MAX_SHARES];	/* of .nr, in their order */
};

#define iob_shares(o)		((o)->share)
#define iob_origin_begin(o)	memset(o, 0, sizeof(*(o)))
#define iob_origin_free(o)	((void)(o))

struct iob_file {
	u64 ino;
};

static inline void iob_origin_add_lost(struct iob_origin *o, u32 bytes)
{
	o->sum += bytes;
	o->lost += bytes;
}

static inline void iob_origin_add(struct iob_origin *o, u64 act, const struct iob_file *file,
				  u32 bytes, u32 modifier)
{
	(void)file;
	(void)modifier;
	act = iob_cause_id(act);
	if (act >= MAX_ACTS)
		abort();
	o->bytes[act] += bytes;
	o->sum += bytes;
	if (o->nr < MAX_SHARES)
		o->share[o->nr] = (struct iob_share){ act, bytes };
	o->nr++;
}

#endif
