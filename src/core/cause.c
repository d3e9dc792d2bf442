// SPDX-License-Identifier: GPL-2.0
/*
 * Causes are in an index, see index.h: found by role and intent through its hash table, or
 * by number.  The numbers of roles come first: role 7's last resort is cause 7.  All other
 * causes have numbers from max_roles on.  blame/reclaim frees what is not used any more.
 */
#include <linux/err.h>
#include <linux/jhash.h>
#include <linux/percpu.h>

#include <compat/rcu.h>
#include <compat/slab.h>

#include "cause.h"
#include "epoch.h"
#include "intent.h"
#include "stats.h"

struct iob_index iob_causes;
static struct kmem_cache *cause_cache;

static u32 cause_hash(u64 role, u32 intent)
{
	return jhash_2words((u32)role, intent, 0);
}

static bool cause_same(const struct iob_node *a, const struct iob_node *b)
{
	const struct iob_cause *x = container_of(a, struct iob_cause, node);
	const struct iob_cause *y = container_of(b, struct iob_cause, node);

	return x->role == y->role && x->intent == y->intent;
}

static struct iob_cause *cause_lookup(u64 role, u32 intent, u32 hash)
{
	struct iob_cause *c;

	hlist_for_each_entry_rcu(c, iob_index_bucket(&iob_causes, hash), node.hash,
				 iob_read_held()) {
		if (c->role == role && c->intent == intent)
			return c;
	}
	return NULL;
}

/* The role's last resort, which has the same id as the role. */
static u64 cause_last(u64 role)
{
	struct iob_cause *last = iob_cause_of(role);

	if (!last)
		return IOB_CAUSE_LOST;
	iob_cause_touch(last);
	return role;
}

struct iob_use iob_use_now __read_mostly = { .pipe = 1 };

static void cause_fill(struct iob_cause *c, u64 role, u32 intent, bool kthread)
{
	c->role = role;
	c->intent = intent;
	c->used = iob_cause_now();
	c->kthread = kthread;
	c->dead = false;
	atomic64_set(&c->cancelled, 0);
}

/**
 * iob_cause_get - the cause of a role and an intent
 * @role:   id of the role
 * @intent: number of the intent
 *
 * Makes the cause if it is new.  Any context but NMI, inside iob_read_lock().
 * Return: a reference; the role's last resort if the intent is not known or the cause
 * cannot be made (counted); IOB_CAUSE_LOST if the role was reclaimed.
 */
u64 iob_cause_get(u64 role, u32 intent)
{
	struct iob_cause *new, *cause;
	struct iob_node *node;
	u32 hash;

	if (unlikely(intent <= IOB_INTENT_LOST || role == IOB_CAUSE_NOMEM))
		return cause_last(role);
	hash = cause_hash(role, intent);
	cause = cause_lookup(role, intent, hash);
	if (likely(cause)) {
		iob_cause_touch(cause);
		return cause->node.id;
	}
	cause = iob_cause_of(role);
	if (!cause)
		return IOB_CAUSE_LOST;
	if (iob_index_full(&iob_causes))
		return cause_last(role);
	new = kmem_cache_alloc(cause_cache, GFP_NOWAIT | __GFP_NOWARN);
	if (!new) {
		iob_stat_inc(node_nomem);
		return cause_last(role);
	}
	cause_fill(new, role, intent, cause->kthread);
	node = iob_index_add(&iob_causes, &new->node, hash, cause_same);
	if (node != &new->node)
		kmem_cache_free(cause_cache, new);
	return IS_ERR(node) ? cause_last(role) : node->id;
}

/*
 * A CPU's last answers of iob_cause_modified(): thousands of blocks of a journal belong to a
 * few causes.  An id is never used again in a session, so an answer stays right as long as
 * the cause @to lives.  Only tasks use it, with preemption off.
 */
struct cause_answer {
	u64 from;
	u64 to;
	u32 modifier;
};

#define NR_ANSWERS	16
static DEFINE_PER_CPU(struct cause_answer [NR_ANSWERS], cause_answers);

/* The place of @id's answer, or NULL in an interrupt. */
static struct cause_answer *cause_answer_of(u64 id)
{
	return in_task() ? this_cpu_ptr(&cause_answers[iob_id_nr(id) % NR_ANSWERS]) :
			   NULL;
}

/**
 * iob_cause_modified - the same cause with another modifier of its intent
 * @ref:      a reference
 * @modifier: see IOB_MODIFIER_*; 0: return @ref
 *
 * Context and errors as iob_cause_get().  Return: a reference that is inherited if @ref is,
 * and has no tag; @ref itself if its cause was reclaimed.
 */
u64 iob_cause_modified(u64 ref, u32 modifier)
{
	u64 id = iob_cause_id(ref), inherited = ref & IOB_CAUSE_INHERITED, to;
	const struct iob_cause *cause;
	struct cause_answer *m;
	struct iob_cause *known;
	u32 intent;

	if (!modifier || ref <= IOB_CAUSE_LOST)
		return ref;
	cause = iob_cause_of(ref);
	if (!cause)
		return ref;
	m = cause_answer_of(id);
	if (m && m->from == id && m->modifier == modifier) {
		known = iob_cause_of(m->to);
		if (known && !READ_ONCE(known->dead)) {
			iob_cause_touch(known);
			return m->to | inherited;
		}
	}
	intent = iob_intent_modified(cause->intent, modifier);
	if (intent == cause->intent)
		return ref;
	to = iob_cause_get(cause->role, intent);
	/* not the last resort: the next call tries again */
	if (m && to != cause->role)
		*m = (struct cause_answer){ id, to, modifier };
	return to > IOB_CAUSE_LOST ? to | inherited : to;
}

/*
 * Let a new role's last resort be found.  @cause is in the role's own memory, @role is the
 * role's id.  Any context but NMI.
 */
void iob_cause_add_last(struct iob_cause *cause, u64 role, bool kthread)
{
	cause_fill(cause, role, role == IOB_CAUSE_LOST ? IOB_INTENT_LOST : IOB_INTENT_NOMEM,
		   kthread);
	iob_index_place(&iob_causes, &cause->node, role);
}

/*
 * The role goes: its last resort is found no more.  Free the memory after
 * synchronize_rcu().
 */
void iob_cause_remove_last(struct iob_cause *cause)
{
	WRITE_ONCE(cause->dead, true);
	iob_index_unnumber(&iob_causes, &cause->node);
}

/* The cause with the smallest number >= *@nr, which gets it, or NULL.  As iob_index_next(). */
struct iob_cause *iob_cause_next(u32 *nr)
{
	struct iob_node *node = iob_index_next(&iob_causes, nr);

	return node ? container_of(node, struct iob_cause, node) : NULL;
}

/* The number of causes without the roles' last resorts. */
u32 iob_causes_count(void)
{
	return iob_index_taken(&iob_causes);
}

/* Mark a cause dead and take it out of the hash table; its number stays taken. */
void iob_cause_bury(struct iob_cause *cause)
{
	WRITE_ONCE(cause->dead, true);
	iob_index_unhash(&iob_causes, &cause->node);
}

/* Free a cause that no reader can find any more.  May sleep. */
void iob_cause_free(struct iob_cause *cause)
{
	kmem_cache_free(cause_cache, cause);
}

static void cause_free_node(struct iob_node *node)
{
	/* a last resort is part of its role */
	if (iob_id_nr(node->id) >= iob_causes.first)
		iob_cause_free(container_of(node, struct iob_cause, node));
}

/**
 * iob_causes_init - begin a session; before its roles
 * @max_roles: roles' numbers stay below
 * @max:       how many causes there may be besides the roles' last resorts
 *
 * May sleep.  Return: 0 or -ENOMEM.
 */
int iob_causes_init(u32 max_roles, u32 max)
{
	int cpu, err;

	/* the last session had the same ids */
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(&cause_answers, cpu), 0, sizeof(cause_answers));
	err = iob_index_init(&iob_causes, max_roles + max, max_roles);
	if (!err)
		err = iob_index_prepare(&iob_causes, max_roles);
	if (err)
		iob_causes_exit();
	return err;
}

/*
 * Free all causes; the roles' last resorts are still there.  No probe is attached and no
 * reader holds the session.
 */
void iob_causes_exit(void)
{
	iob_index_exit(&iob_causes, cause_free_node);
}

/* Module load.  Return: 0 or -ENOMEM. */
int iob_causes_cache_init(void)
{
	cause_cache = iob_cache_create("iob_cause", sizeof(struct iob_cause), 0);
	return cause_cache ? 0 : -ENOMEM;
}

/* Module unload, after iob_causes_exit(). */
void iob_causes_cache_exit(void)
{
	kmem_cache_destroy(cause_cache);
}
