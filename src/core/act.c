// SPDX-License-Identifier: GPL-2.0
/*
 * Acts are in an index, see index.h: found by role, intent and file through its hash table,
 * or by id.  blame/reclaim frees the acts that are not used any more.
 */
#include <linux/err.h>
#include <linux/jhash.h>
#include <linux/percpu.h>

#include <compat/rcu.h>
#include <compat/slab.h>

#include "act.h"
#include "epoch.h"
#include "intent.h"
#include "role.h"
#include "stats.h"

struct iob_index iob_acts;
static struct kmem_cache *act_cache;
/* frees ->counters */
static void (*release_counters)(struct iob_act *act);

static u32 act_hash(u64 role, u32 intent, const struct iob_file *f)
{
	return jhash_3words(iob_id_nr(role) ^ f->dev, intent ^ f->gen,
			    (u32)f->ino, (u32)(f->ino >> 32));
}

static bool act_same(const struct iob_node *a, const struct iob_node *b)
{
	const struct iob_act *x = container_of(a, struct iob_act, node);
	const struct iob_act *y = container_of(b, struct iob_act, node);

	return x->role == y->role && x->intent == y->intent &&
	       iob_file_same(&x->file, &y->file);
}

static struct iob_act *act_lookup(u64 role, u32 intent, const struct iob_file *file,
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

static u64 act_get(u64 role, u32 intent, const struct iob_file *file, bool inherited)
{
	u32 hash = act_hash(role, intent, file);
	const struct iob_role *r;
	struct iob_act *new, *act = act_lookup(role, intent, file, hash);
	struct iob_node *node;

	if (act) {
		iob_act_touch(act);
		return act->node.id;
	}
	if (iob_index_full(&iob_acts))
		return IOB_ACT_NOMEM;
	new = kmem_cache_alloc(act_cache, GFP_NOWAIT | __GFP_NOWARN);
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
	node = iob_index_add(&iob_acts, &new->node, hash, act_same);
	if (node != &new->node)
		kmem_cache_free(act_cache, new);
	return IS_ERR(node) ? IOB_ACT_NOMEM : node->id;
}

/**
 * iob_act_get - the act of a role, an intent and a file
 * @role:   id of the role
 * @intent: number of the intent
 * @file:   the file
 *
 * Makes the act if it is new.  Any context but NMI, inside iob_read_lock().
 * Return: its id, IOB_ACT_NOMEM if it could not be made (counted).
 */
u64 iob_act_get(u64 role, u32 intent, const struct iob_file *file)
{
	return act_get(role, intent, file, false);
}

/**
 * iob_act_on - the act with the same role and intent on another file
 * @id:        an act
 * @file:      the file
 * @inherited: another task does it, on the role's behalf
 *
 * Context and errors as iob_act_get().  Return: IOB_ACT_LOST if @id was reclaimed.
 */
u64 iob_act_on(u64 id, const struct iob_file *file, bool inherited)
{
	const struct iob_act *act = iob_act_id(id);

	if (!act || id <= IOB_ACT_LOST)
		return IOB_ACT_LOST;
	return act_get(act->role, act->intent, file, inherited);
}

/*
 * A CPU's last answers of iob_act_modified(): thousands of blocks of a journal belong to a
 * few acts.  An id is never used again in a session, so an answer stays right as long as the
 * act @to lives.  Only tasks use it, with preemption off.
 */
struct act_answer {
	u64 from;
	u64 to;
	u32 modifier;
};

#define NR_ANSWERS	16
static DEFINE_PER_CPU(struct act_answer [NR_ANSWERS], act_answers);

/* The place of @id's answer, or NULL in an interrupt. */
static struct act_answer *act_answer_of(u64 id)
{
	return in_task() ? this_cpu_ptr(&act_answers[iob_id_nr(id) % NR_ANSWERS]) :
			   NULL;
}

/**
 * iob_act_modified - the same act with another modifier of its intent
 * @id:       an act
 * @modifier: see IOB_MODIFIER_*
 *
 * Context and errors as iob_act_get().  Return: @id itself if it was reclaimed.
 */
u64 iob_act_modified(u64 id, u32 modifier)
{
	const struct iob_act *act = iob_act_id(id);
	struct act_answer *m;
	u32 intent;
	u64 to;

	if (!act || id <= IOB_ACT_LOST)
		return id;
	m = act_answer_of(id);
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
	to = act_get(act->role, intent, &act->file, act->inherited);
	/* not without memory: the next call tries again */
	if (m && intent > IOB_INTENT_LOST && to > IOB_ACT_LOST)
		*m = (struct act_answer){ id, to, modifier };
	return to;
}

/* The act with the smallest number >= *@nr, which gets it, or NULL.  As iob_index_next(). */
struct iob_act *iob_act_next(u32 *nr)
{
	struct iob_node *node = iob_index_next(&iob_acts, nr);

	return node ? container_of(node, struct iob_act, node) : NULL;
}

/* The number of acts, the two special ones included. */
u32 iob_acts_count(void)
{
	return READ_ONCE(iob_acts.count);
}

/* Mark an act dead and take it out of the hash table; its number stays taken. */
void iob_act_bury(struct iob_act *act)
{
	WRITE_ONCE(act->dead, true);
	/* a shortcut that is noted in the new epoch sees ->dead */
	iob_epoch_bump();
	iob_index_unhash(&iob_acts, &act->node);
}

/* Free an act that no reader can find any more.  May sleep. */
void iob_act_free(struct iob_act *act)
{
	if (act->counters)
		release_counters(act);
	kmem_cache_free(act_cache, act);
}

static int act_add_special(u64 id, u64 role, u32 intent)
{
	struct iob_act *act = kmem_cache_alloc(act_cache, GFP_KERNEL);
	int err;

	if (!act)
		return -ENOMEM;
	memset(act, 0, sizeof(*act));
	act->role = role;
	act->intent = intent;
	err = iob_index_reserve(&iob_acts, &act->node, iob_id_nr(id));
	if (err)
		kmem_cache_free(act_cache, act);
	return err;
}

/**
 * iob_acts_init - begin a session with the two special acts
 * @max:     numbers stay below
 * @release: frees ->counters of an act
 *
 * May sleep.  Return: 0 or -ENOMEM.
 */
int iob_acts_init(u32 max, void (*release)(struct iob_act *act))
{
	int err = iob_index_init(&iob_acts, max, 1);
	int cpu;

	/* the last session had the same ids */
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(&act_answers, cpu), 0, sizeof(act_answers));
	release_counters = release;
	if (!err)
		err = act_add_special(IOB_ACT_NOMEM, IOB_ROLE_NOMEM, IOB_INTENT_NOMEM);
	if (!err)
		err = act_add_special(IOB_ACT_LOST, IOB_ROLE_LOST, IOB_INTENT_LOST);
	if (err)
		iob_acts_exit();
	return err;
}

static void act_free_node(struct iob_node *node)
{
	iob_act_free(container_of(node, struct iob_act, node));
}

/* Free all acts.  No probe is attached and no reader holds the session. */
void iob_acts_exit(void)
{
	iob_index_exit(&iob_acts, act_free_node);
}

/* Module load.  Return: 0 or -ENOMEM. */
int iob_acts_cache_init(void)
{
	BUILD_BUG_ON(sizeof(struct iob_act) > 72);
	act_cache = iob_cache_create("iob_act", sizeof(struct iob_act), 0);
	return act_cache ? 0 : -ENOMEM;
}

/* Module unload, after iob_acts_exit(). */
void iob_acts_cache_exit(void)
{
	kmem_cache_destroy(act_cache);
}
