// SPDX-License-Identifier: GPL-2.0
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>

#include "index.h"
#include "stats.h"

static u32 nr_leaves(const struct iob_index *idx)
{
	return DIV_ROUND_UP(idx->max, IOB_INDEX_LEAF);
}

/**
 * iob_index_init - make an empty index
 * @idx:   the index
 * @max:   numbers stay below this: the document's max_*
 * @first: the first number given out; those below are never used
 *
 * May sleep.  Return: 0 or -ENOMEM.
 */
int iob_index_init(struct iob_index *idx, u32 max, u32 first)
{
	u32 i;

	memset(idx, 0, sizeof(*idx));
	idx->bits = max_t(unsigned int, order_base_2(max), 1);
	idx->table = kvmalloc_array(1UL << idx->bits, sizeof(*idx->table),
				    GFP_KERNEL);
	if (!idx->table)
		return -ENOMEM;
	for (i = 0; i < 1U << idx->bits; i++)
		INIT_HLIST_HEAD(&idx->table[i]);
	idx->max = max;
	idx->used = kvcalloc(BITS_TO_LONGS(max), sizeof(long), GFP_KERNEL);
	idx->leaf = kvcalloc(nr_leaves(idx), sizeof(*idx->leaf), GFP_KERNEL);
	if (!idx->used || !idx->leaf) {
		iob_index_exit(idx);
		return -ENOMEM;
	}
	spin_lock_init(&idx->lock);
	idx->gen = 1;
	idx->first = first;
	idx->cursor = first;
	return 0;
}

/**
 * iob_index_exit - free what iob_index_init() took
 * @idx: the index; one that failed to initialise is fine
 *
 * May sleep.  The objects are the caller's to free first, and nobody may look
 * anything up any more.
 */
void iob_index_exit(struct iob_index *idx)
{
	u32 i;

	if (!idx->table)
		return;
	for (i = 0; idx->leaf && i < nr_leaves(idx); i++)
		free_page((unsigned long)idx->leaf[i]);
	kvfree(idx->leaf);
	kvfree(idx->used);
	kvfree(idx->table);
	idx->leaf = NULL;
	idx->used = NULL;
	idx->table = NULL;
	idx->max = 0;
}

bool iob_index_full(const struct iob_index *idx)
{
	/* number 0 of the acts stands for none */
	if (READ_ONCE(idx->count) < idx->max - !test_bit(0, idx->used))
		return false;
	iob_stat_inc(idx_nospc);
	return true;
}

/* @node is found by number @nr from now on.  Leaves stay till the end. */
static int publish(struct iob_index *idx, struct iob_node *node, u32 nr,
		   gfp_t gfp)
{
	struct iob_node ***leaf = &idx->leaf[nr / IOB_INDEX_LEAF];

	if (!*leaf) {
		struct iob_node **new = (void *)get_zeroed_page(gfp);

		if (!new)
			return -ENOMEM;
		/* empty before it is there: see iob_index_nr() */
		smp_store_release(leaf, new);
	}
	__set_bit(nr, idx->used);
	/* complete before it is found: likewise */
	smp_store_release(&(*leaf)[nr % IOB_INDEX_LEAF], node);
	idx->count++;
	return 0;
}

static u32 free_from(const struct iob_index *idx, u32 nr)
{
	return find_next_zero_bit(idx->used, idx->max, nr);
}

/*
 * Give @node a number and an id.  Numbers go round instead of being taken from
 * the bottom: a slot that was freed rests as long as possible.
 */
static int number(struct iob_index *idx, struct iob_node *node)
{
	u32 nr;

	lockdep_assert_held(&idx->lock);
	nr = free_from(idx, idx->cursor);
	if (nr >= idx->max)
		nr = free_from(idx, idx->first);
	if (nr >= idx->max) {
		iob_stat_inc(idx_nospc);
		return -ENOSPC;
	}
	node->id = (u64)idx->gen << 32 | nr;
	if (publish(idx, node, nr, GFP_NOWAIT | __GFP_NOWARN)) {
		iob_stat_inc(idx_nomem);
		return -ENOMEM;
	}
	idx->cursor = nr + 1;
	if (!++idx->gen)
		idx->gen = 1;
	return 0;
}

/**
 * iob_index_add - add an object unless its equal is there
 * @idx:  the index
 * @node: the new object, complete but for its id
 * @hash: 32 well mixed bits of its content
 * @same: whether two objects have the same content
 *
 * Any context but NMI.  Return: @node, or the object that is there already
 * (the caller then frees @node), or ERR_PTR(-ENOSPC) at the limit, or
 * ERR_PTR(-ENOMEM); both are counted.
 */
struct iob_node *iob_index_add(struct iob_index *idx, struct iob_node *node,
			       u32 hash, bool (*same)(const struct iob_node *,
						      const struct iob_node *))
{
	struct hlist_head *head = iob_index_bucket(idx, hash);
	struct iob_node *old;
	unsigned long flags;
	int err;

	spin_lock_irqsave(&idx->lock, flags);
	hlist_for_each_entry(old, head, hash) {
		if (same(old, node))
			goto out;
	}
	err = number(idx, node);
	if (err) {
		old = ERR_PTR(err);
		goto out;
	}
	hlist_add_head_rcu(&node->hash, head);
	old = node;
out:
	spin_unlock_irqrestore(&idx->lock, flags);
	return old;
}

/**
 * iob_index_reserve - put a special object at a number of its own
 * @idx:  the index
 * @node: the object; its id gets generation 0, and no content finds it
 * @nr:   the number
 *
 * May sleep.  While no probe is attached.  Return: 0, -ENOMEM or -ENOSPC.
 */
int iob_index_reserve(struct iob_index *idx, struct iob_node *node, u32 nr)
{
	int err;

	if (nr >= idx->max)
		return -ENOSPC;
	node->id = nr;
	INIT_HLIST_NODE(&node->hash);
	err = publish(idx, node, nr, GFP_KERNEL);
	if (err)
		return err;
	idx->first = max(idx->first, nr + 1);
	idx->cursor = idx->first;
	return 0;
}

/**
 * iob_index_unhash - no longer find an object by content
 * @idx:  the index
 * @node: the object
 *
 * Any context but NMI.  Its number stays taken and its id goes on to find it.
 * Lookups that began earlier may still stand on @node until
 * synchronize_rcu(); after that @node->hash is the caller's.
 */
void iob_index_unhash(struct iob_index *idx, struct iob_node *node)
{
	unsigned long flags;

	spin_lock_irqsave(&idx->lock, flags);
	hlist_del_rcu(&node->hash);
	spin_unlock_irqrestore(&idx->lock, flags);
}

/**
 * iob_index_unnumber - give up an object's number, after iob_index_unhash()
 * @idx:  the index
 * @node: the object
 *
 * Any context but NMI.  Free @node after synchronize_rcu().
 */
void iob_index_unnumber(struct iob_index *idx, struct iob_node *node)
{
	unsigned long flags;
	u32 nr;

	spin_lock_irqsave(&idx->lock, flags);
	nr = iob_id_nr(node->id);
	WRITE_ONCE(idx->leaf[nr / IOB_INDEX_LEAF][nr % IOB_INDEX_LEAF], NULL);
	__clear_bit(nr, idx->used);
	idx->count--;
	spin_unlock_irqrestore(&idx->lock, flags);
}

/**
 * iob_index_next - walk the objects
 * @idx: the index
 * @nr:  from this number on; gets the number found
 *
 * Any context but NMI.  Return: the object with the smallest number >= *@nr or
 * NULL.  It stays while the caller is in iob_read_lock(), or is the one who
 * deletes.
 */
struct iob_node *iob_index_next(struct iob_index *idx, u32 *nr)
{
	struct iob_node *node = NULL;
	u32 next = *nr;

	for (; next < idx->max && !node; next++) {
		next = find_next_bit(idx->used, idx->max, next);
		if (next >= idx->max)
			break;
		rcu_read_lock();
		node = iob_index_nr(idx, next);
		rcu_read_unlock();
		*nr = next;
	}
	return node;
}
