// SPDX-License-Identifier: GPL-2.0
/*
 * Reclaiming, the one place where an object dies while probes run:
 *
 *  1. the dirtier table is read: acts that own a page to be written stay;
 *  2. acts unused for the time to live leave the index;
 *  3. synchronize_rcu(): whoever found one of them is done, and has put its
 *     number into the dirtier table if it was going to;
 *  4. the dirtier table is read again, and entries of the dead become LOST:
 *     after that the number may be given to another act;
 *  5. they are freed.  IOs in flight name them by id, with the generation, and
 *     find nothing.
 *
 * The number is therefore kept taken from 2 to 4.
 */
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/jhash.h>
#include <linux/mm.h>
#include <linux/ktime.h>
#include <linux/percpu.h>

#include <compat/rcu.h>
#include <compat/slab.h>

#include "act.h"
#include "blame/dirtier.h"
#include "intent.h"
#include "role.h"
#include "stats.h"
#include "task.h"

struct iob_index iob_acts;
static struct kmem_cache *cache;
static void (*release_counters)(struct iob_act *act);

static u32 hash_of(u64 role, u32 intent, const struct iob_file *f)
{
	return jhash_3words(iob_id_nr(role) ^ f->dev, intent ^ f->gen,
			    (u32)f->ino, (u32)(f->ino >> 32));
}

static bool same(const struct iob_node *a, const struct iob_node *b)
{
	const struct iob_act *x = container_of(a, struct iob_act, node);
	const struct iob_act *y = container_of(b, struct iob_act, node);

	return x->role == y->role && x->intent == y->intent &&
	       iob_file_same(&x->file, &y->file);
}

static struct iob_act *find(u64 role, u32 intent, const struct iob_file *file,
			    u32 hash)
{
	struct iob_act *a;

	hlist_for_each_entry_rcu(a, iob_index_bucket(&iob_acts, hash), node.hash,
				 iob_read_held()) {
		if (a->role == role && a->intent == intent &&
		    iob_file_same(&a->file, file))
			return a;
	}
	return NULL;
}

static u64 get(u64 role, u32 intent, const struct iob_file *file,
	       bool inherited)
{
	u32 hash = hash_of(role, intent, file);
	const struct iob_role *r;
	struct iob_act *new, *act = find(role, intent, file, hash);
	struct iob_node *node;

	if (act) {
		iob_act_touch(act);
		return act->node.id;
	}
	if (iob_index_full(&iob_acts))
		return IOB_ACT_NOMEM;
	new = kmem_cache_alloc(cache, GFP_NOWAIT | __GFP_NOWARN);
	if (!new) {
		iob_stat_inc(node_nomem);
		return IOB_ACT_NOMEM;
	}
	memset(new, 0, sizeof(*new));
	new->role = role;
	new->intent = intent;
	new->file = *file;
	new->used = iob_act_now();
	r = iob_role_id(role);
	new->kthread = r && r->kthread;
	new->inherited = inherited;
	node = iob_index_add(&iob_acts, &new->node, hash, same);
	if (node != &new->node)
		kmem_cache_free(cache, new);
	return IS_ERR(node) ? IOB_ACT_NOMEM : node->id;
}

/**
 * iob_act_get - the act of a role, an intent and a file
 * @role:   id of the role
 * @intent: number of the intent
 * @file:   the file
 *
 * Made if it is new.  Any context but NMI, inside iob_read_lock().
 * Return: its id, IOB_ACT_NOMEM if it could not be made (counted).
 */
u64 iob_act_get(u64 role, u32 intent, const struct iob_file *file)
{
	return get(role, intent, file, false);
}

/**
 * iob_act_on - an act's role and intent, on another file
 * @id:        the act
 * @file:      the file
 * @inherited: others did it, on the role's behalf
 *
 * Context and errors as iob_act_get(); an act that is gone gives
 * IOB_ACT_LOST.
 */
u64 iob_act_on(u64 id, const struct iob_file *file, bool inherited)
{
	const struct iob_act *act = iob_act_id(id);

	if (!act || id <= IOB_ACT_LOST)
		return IOB_ACT_LOST;
	return get(act->role, act->intent, file, inherited);
}

/*
 * A CPU's last answers of iob_act_modified(): blocks of a journal come by
 * thousands, of a few acts.  Ids have no second life in a session, so what was
 * right once is right as long as @to lives.  Of tasks, with preemption off.
 */
struct modified {
	u64 from;
	u64 to;
	u32 modifier;
};

#define NR_MODIFIED	16
static DEFINE_PER_CPU(struct modified [NR_MODIFIED], modified);

/* Where the answer is remembered, NULL: an interrupt remembers nothing. */
static struct modified *modified_of(u64 id)
{
	return in_task() ? this_cpu_ptr(&modified[iob_id_nr(id) % NR_MODIFIED]) :
			   NULL;
}

/**
 * iob_act_modified - the same act under another modifier
 * @id:       the act
 * @modifier: see IOB_MODIFIER_*
 *
 * Context and errors as iob_act_get(); an act that is gone stays @id.
 */
u64 iob_act_modified(u64 id, u32 modifier)
{
	const struct iob_act *act = iob_act_id(id);
	struct modified *m;
	u32 intent;
	u64 to;

	if (!act || id <= IOB_ACT_LOST)
		return id;
	m = modified_of(id);
	if (m && m->from == id && m->modifier == modifier) {
		struct iob_act *known = iob_act_id(m->to);

		if (known && !READ_ONCE(known->dead)) {
			iob_act_touch(known);
			return m->to;
		}
	}
	intent = iob_intent_modified(act->intent, modifier);
	if (intent == act->intent)
		return id;
	to = get(act->role, intent, &act->file, act->inherited);
	/* what there was no memory for is asked again */
	if (m && intent > IOB_INTENT_LOST && to > IOB_ACT_LOST)
		*m = (struct modified){ id, to, modifier };
	return to;
}

/* The act with the smallest number >= *nr, or NULL.  In iob_read_lock(). */
struct iob_act *iob_act_next(u32 *nr)
{
	struct iob_node *node = iob_index_next(&iob_acts, nr);

	return node ? container_of(node, struct iob_act, node) : NULL;
}

/* How many there are, the two special ones included. */
u32 iob_acts_count(void)
{
	return READ_ONCE(iob_acts.count);
}

static void free_act(struct iob_act *act)
{
	if (act->counters)
		release_counters(act);
	kmem_cache_free(cache, act);
}

/* No new entry is to name it. */
static void bury(struct iob_act *act)
{
	WRITE_ONCE(act->dead, true);
	/* who finds the new epoch finds it dead */
	iob_epoch_bump();
	iob_index_unhash(&iob_acts, &act->node);
}

/* Step 2: @dead gets the numbers of the acts that were taken out. */
static u32 unhash_unused(u32 ttl, const unsigned long *owners,
			 unsigned long *dead)
{
	/* in whole ticks, and never sooner */
	u32 ticks = DIV_ROUND_UP_ULL((u64)ttl * HZ, IOB_ACT_TICK);
	u32 nr, nr_dead = 0, now = iob_act_now();
	struct iob_act *act;

	for (nr = IOB_ACT_LOST + 1; (act = iob_act_next(&nr)); nr++) {
		cond_resched();
		/* it may be used in a tick that began after we looked */
		if ((s32)(now - READ_ONCE(act->used)) < (s32)ticks ||
		    test_bit(nr, owners))
			continue;
		bury(act);
		__set_bit(nr, dead);
		nr_dead++;
	}
	return nr_dead;
}

/* Step 5.  Their ->hash is ours since step 3: it lists them here. */
static void free_dead(const unsigned long *dead)
{
	HLIST_HEAD(list);
	struct hlist_node *next;
	struct iob_act *act;
	u32 nr;

	for_each_set_bit(nr, dead, iob_acts.max) {
		act = iob_act_nr(nr);
		iob_index_unnumber(&iob_acts, &act->node);
		hlist_add_head(&act->node.hash, &list);
		cond_resched();
	}
	/* nobody finds them by id any more: wait for those who just have */
	synchronize_rcu();
	hlist_for_each_entry_safe(act, next, &list, node.hash) {
		free_act(act);
		cond_resched();
	}
}

static void reclaim_roles(u32 ttl, unsigned long *used, u32 bits,
			  struct iob_reclaimed *done)
{
	struct iob_act *act;
	u32 nr;

	bitmap_zero(used, bits);
	for (nr = 0; (act = iob_act_next(&nr)); nr++) {
		if (iob_id_nr(act->role) < bits)
			__set_bit(iob_id_nr(act->role), used);
		cond_resched();
	}
	done->roles += iob_roles_reclaim(used, bits, ttl);
}

/**
 * iob_acts_reclaim - free acts that are not used any more, then roles
 * @ttl:  seconds that an act must have been unused, a role's task be gone
 * @done: what was freed is added
 *
 * May sleep, takes two grace periods and two passes over the dirtier table.
 * The caller sees to it that it does not run twice at once and that the
 * session stays.  Without memory nothing is reclaimed this time.
 */
void iob_acts_reclaim(u32 ttl, struct iob_reclaimed *done)
{
	u32 bits = max(iob_acts.max, iob_roles_max());
	unsigned long *owners = kvcalloc(BITS_TO_LONGS(bits), sizeof(long),
					 GFP_KERNEL);
	unsigned long *dead = kvcalloc(BITS_TO_LONGS(bits), sizeof(long),
				       GFP_KERNEL);
	u32 nr_dead;

	if (!owners || !dead)
		goto out;
	iob_dirtier_owners(owners);
	nr_dead = unhash_unused(ttl, owners, dead);
	if (nr_dead) {
		synchronize_rcu();
		iob_dirtier_drop(dead);
		free_dead(dead);
		done->acts += nr_dead;
	}
	reclaim_roles(ttl, owners, bits, done);
out:
	kvfree(owners);
	kvfree(dead);
}

static int add_special(u64 id, u64 role, u32 intent)
{
	struct iob_act *act = kmem_cache_alloc(cache, GFP_KERNEL);
	int err;

	if (!act)
		return -ENOMEM;
	memset(act, 0, sizeof(*act));
	act->role = role;
	act->intent = intent;
	err = iob_index_reserve(&iob_acts, &act->node, iob_id_nr(id));
	if (err)
		kmem_cache_free(cache, act);
	return err;
}

/**
 * iob_acts_init - begin with the two special acts alone
 * @max:     numbers stay below
 * @release: frees an act's counters
 *
 * May sleep.  Return: 0 or -ENOMEM.
 */
int iob_acts_init(u32 max, void (*release)(struct iob_act *act))
{
	int err = iob_index_init(&iob_acts, max, 1);
	int cpu;

	/* ids begin anew */
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(&modified, cpu), 0, sizeof(modified));
	release_counters = release;
	if (!err)
		err = add_special(IOB_ACT_NOMEM, IOB_ROLE_NOMEM,
				  IOB_INTENT_NOMEM);
	if (!err)
		err = add_special(IOB_ACT_LOST, IOB_ROLE_LOST, IOB_INTENT_LOST);
	if (err)
		iob_acts_exit();
	return err;
}

/* Free all.  No probe is attached and no reader holds the session. */
void iob_acts_exit(void)
{
	struct iob_act *act;
	u32 nr = 0;

	if (!iob_acts.table)
		return;
	while ((act = iob_act_next(&nr))) {
		free_act(act);
		nr++;
		cond_resched();
	}
	iob_index_exit(&iob_acts);
}

/* Module load.  Return: 0 or -ENOMEM. */
int iob_acts_cache_init(void)
{
	BUILD_BUG_ON(sizeof(struct iob_act) > 72);
	cache = iob_cache_create("iob_act", sizeof(struct iob_act), 0);
	return cache ? 0 : -ENOMEM;
}

/* Module unload, after iob_acts_exit(). */
void iob_acts_cache_exit(void)
{
	kmem_cache_destroy(cache);
}
