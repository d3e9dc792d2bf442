// SPDX-License-Identifier: GPL-2.0
/*
 * Intents are in an index, see index.h: found by trace and modifier through its hash table,
 * or by number.  iob_intent_modified() is asked for each block of a journal: so each intent
 * keeps the numbers of its first two modified versions.
 */
#include <linux/bug.h>
#include <linux/err.h>
#include <linux/jhash.h>
#include <linux/slab.h>

#include <compat/rcu.h>

#include "intent.h"
#include "mark.h"
#include "stats.h"

static struct iob_index intents;

static u32 intent_hash(const unsigned long *trace, unsigned int depth, u32 modifier)
{
	return jhash2((const u32 *)trace, depth * sizeof(*trace) / sizeof(u32),
		      modifier);
}

static bool intent_same(const struct iob_node *a, const struct iob_node *b)
{
	const struct iob_intent *x = container_of(a, struct iob_intent, node);
	const struct iob_intent *y = container_of(b, struct iob_intent, node);

	return x->depth == y->depth && x->modifier == y->modifier &&
	       !memcmp(x->trace, y->trace, x->depth * sizeof(*x->trace));
}

static struct iob_intent *intent_lookup(const unsigned long *trace, unsigned int depth,
					u32 modifier, u32 hash)
{
	struct iob_intent *i;

	hlist_for_each_entry_rcu(i, iob_index_bucket(&intents, hash), node.hash,
				 iob_read_held()) {
		if (i->depth == depth && i->modifier == modifier &&
		    !memcmp(i->trace, trace, depth * sizeof(*trace)))
			return i;
	}
	return NULL;
}

static struct iob_intent *intent_nr(u32 nr)
{
	struct iob_node *node = iob_index_nr(&intents, nr);

	return node ? container_of(node, struct iob_intent, node) : NULL;
}

/**
 * iob_intent_find - the number of the intent with this trace and modifier
 * @trace:    return addresses, innermost first
 * @depth:    how many, at most IOB_STACK_DEPTH
 * @modifier: see IOB_MODIFIER_*
 *
 * Makes the intent if it is new.  Any context but NMI, inside iob_read_lock().
 * Return: its number, IOB_INTENT_NOMEM if it could not be made (counted).
 */
u32 iob_intent_find(const unsigned long *trace, unsigned int depth, u32 modifier)
{
	u32 hash = intent_hash(trace, depth, modifier);
	struct iob_intent *new, *i = intent_lookup(trace, depth, modifier, hash);
	struct iob_node *node;

	if (i)
		return iob_id_nr(i->node.id);
	if (iob_index_full(&intents))
		return IOB_INTENT_NOMEM;
	new = kzalloc(sizeof(*new) + depth * sizeof(*trace),
		      GFP_NOWAIT | __GFP_NOWARN);
	if (!new) {
		iob_stat_inc(node_nomem);
		return IOB_INTENT_NOMEM;
	}
	new->modifier = modifier;
	new->depth = depth;
	memcpy(new->trace, trace, depth * sizeof(*trace));
	new->flags = iob_marks_of(trace, depth);
	node = iob_index_add(&intents, &new->node, hash, intent_same);
	if (node != &new->node)
		kfree(new);
	return IS_ERR(node) ? IOB_INTENT_NOMEM : iob_id_nr(node->id);
}

/**
 * iob_intent_modified - the intent with the same trace and another modifier
 * @nr:       number of an intent
 * @modifier: the modifier wanted
 *
 * Context and errors as iob_intent_find().
 */
u32 iob_intent_modified(u32 nr, u32 modifier)
{
	struct iob_intent *i = intent_nr(nr);
	unsigned int n;
	u64 other;
	u32 found;

	if (!i || nr <= IOB_INTENT_LOST || i->modifier == modifier)
		return nr;
	for (n = 0; n < IOB_INTENT_OTHERS; n++) {
		other = READ_ONCE(i->other[n]);
		if (!other)
			break;
		if (other >> 32 == modifier)
			return (u32)other;
	}
	found = iob_intent_find(i->trace, i->depth, modifier);
	/* not without memory: the next call tries again.  Two CPUs find the same number. */
	if (n < IOB_INTENT_OTHERS && found > IOB_INTENT_LOST)
		cmpxchg64(&i->other[n], 0, (u64)modifier << 32 | found);
	return found;
}

/* The intent with that number or NULL.  Valid until iob_intents_exit(). */
const struct iob_intent *iob_intent_nr(u32 nr)
{
	return intent_nr(nr);
}

/* The number of intents, the two special ones included. */
u32 iob_intents_count(void)
{
	return READ_ONCE(intents.count);
}

static void intent_free(struct iob_node *node)
{
	kfree(container_of(node, struct iob_intent, node));
}

/**
 * iob_intents_init - begin a session with the two special intents
 * @max: numbers stay below
 *
 * May sleep.  Return: 0 or -ENOMEM.
 */
int iob_intents_init(u32 max)
{
	int err = iob_index_init(&intents, max, 0);
	u32 nr;

	for (nr = 0; !err && nr <= IOB_INTENT_LOST; nr++) {
		struct iob_intent *i = kzalloc(sizeof(*i), GFP_KERNEL);

		err = i ? iob_index_reserve(&intents, &i->node, nr) : -ENOMEM;
		if (err)
			kfree(i);
	}
	if (err)
		iob_intents_exit();
	return err;
}

/* Free all intents.  No probe is attached and no reader holds the session. */
void iob_intents_exit(void)
{
	iob_index_exit(&intents, intent_free);
}
