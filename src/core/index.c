// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers are found through leaves of a page each, made when their first number is given
 * out and kept until the index goes.  The hash table has its full size from the start.
 *
 * A free number is found in two steps: the first block of 4096 numbers that is not crowded,
 * then the first free number in it.  So a nearly full index of a million numbers looks at 4
 * words and at 64, not at 16384, under its lock.
 */
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "index.h"
#include "stats.h"

/* numbers with one bit in ->crowded */
#define BLOCK_BITS	12
#define BLOCK		BIT(BLOCK_BITS)

static u32 index_blocks(const struct iob_index *idx)
{
	return DIV_ROUND_UP(idx->max, BLOCK);
}

static u32 index_leaves(const struct iob_index *idx)
{
	return DIV_ROUND_UP(idx->max, IOB_INDEX_LEAF);
}

/* Free the index alone; no object is in it any more. */
static void index_free(struct iob_index *idx)
{
	u32 i;

	for (i = 0; idx->leaf && i < index_leaves(idx); i++)
		free_page((unsigned long)idx->leaf[i]);
	kvfree(idx->leaf);
	kvfree(idx->used);
	kfree(idx->crowded);
	kvfree(idx->table);
	idx->leaf = NULL;
	idx->crowded = NULL;
	idx->used = NULL;
	idx->table = NULL;
	idx->max = 0;
}

/**
 * iob_index_init - make an empty index
 * @idx:   the index
 * @max:   numbers stay below this: one of the settings max_*
 * @first: the first number given out; lower ones are for iob_index_reserve()
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
	idx->leaf = kvcalloc(index_leaves(idx), sizeof(*idx->leaf), GFP_KERNEL);
	idx->crowded = kcalloc(BITS_TO_LONGS(index_blocks(idx)), sizeof(long), GFP_KERNEL);
	if (!idx->used || !idx->leaf || !idx->crowded) {
		index_free(idx);
		return -ENOMEM;
	}
	spin_lock_init(&idx->lock);
	idx->gen = 1;
	idx->first = first;
	idx->cursor = first;
	return 0;
}

/* True if no number is left, which is counted.  Any context. */
bool iob_index_full(const struct iob_index *idx)
{
	if (iob_index_taken(idx) + idx->spare < idx->max - idx->first)
		return false;
	iob_stat_inc(idx_nospc);
	return true;
}

/* How many of the spare numbers are taken.  X. */
static u32 index_spares(const struct iob_index *idx)
{
	return min(idx->spares, idx->spare);
}

/* One number more, or one less (@by is -1), from ->first on.  X. */
static void index_count(struct iob_index *idx, bool spare, int by)
{
	u32 all = idx->taken + index_spares(idx) + by;

	if (spare)
		WRITE_ONCE(idx->spares, idx->spares + by);
	WRITE_ONCE(idx->taken, all - index_spares(idx));
}

/* True if there is a number left.  X. */
static bool index_has_room(const struct iob_index *idx, bool spare)
{
	return idx->taken + (spare ? index_spares(idx) : idx->spare) < idx->max - idx->first;
}

/* Let @node be found by number @nr. */
static int index_publish(struct iob_index *idx, struct iob_node *node, u32 nr,
			 gfp_t gfp)
{
	struct iob_node ***leaf = &idx->leaf[nr / IOB_INDEX_LEAF];

	if (!*leaf) {
		struct iob_node **new = (void *)get_zeroed_page(gfp);

		if (!new)
			return -ENOMEM;
		/* zeroes first, then the leaf: pairs with iob_index_nr() */
		smp_store_release(leaf, new);
	}
	__set_bit(nr, idx->used);
	/* content first, then the object: likewise */
	smp_store_release(&(*leaf)[nr % IOB_INDEX_LEAF], node);
	WRITE_ONCE(idx->count, idx->count + 1);
	return 0;
}

/* The end of the block of number @nr. */
static u32 index_block_end(const struct iob_index *idx, u32 nr)
{
	return min_t(u32, idx->max, round_down(nr, BLOCK) + BLOCK);
}

/* The lowest free number from @nr on; ->max if there is none. */
static u32 index_free_from(struct iob_index *idx, u32 nr)
{
	u32 end, block;

	while (nr < idx->max) {
		end = index_block_end(idx, nr);
		nr = find_next_zero_bit(idx->used, end, nr);
		if (nr < end)
			return nr;
		block = (end - 1) >> BLOCK_BITS;
		/* seen from its start on, or known to be so */
		if (find_next_zero_bit(idx->used, end, block << BLOCK_BITS) >= end)
			__set_bit(block, idx->crowded);
		block = find_next_zero_bit(idx->crowded, index_blocks(idx), block + 1);
		nr = min_t(u64, (u64)block << BLOCK_BITS, idx->max);
	}
	return idx->max;
}

/*
 * Give @node a number and an id.  The next number is the lowest free one above the last: a
 * number that was freed is used again as late as possible.
 */
static int index_number(struct iob_index *idx, struct iob_node *node, bool spare)
{
	u32 nr = idx->max;

	lockdep_assert_held(&idx->lock);
	if (index_has_room(idx, spare)) {
		nr = index_free_from(idx, idx->cursor);
		if (nr >= idx->max)
			nr = index_free_from(idx, idx->first);
	}
	if (nr >= idx->max) {
		iob_stat_inc(idx_nospc);
		return -ENOSPC;
	}
	node->id = (u64)idx->gen << 32 | nr;
	if (index_publish(idx, node, nr, GFP_NOWAIT | __GFP_NOWARN)) {
		iob_stat_inc(idx_nomem);
		return -ENOMEM;
	}
	index_count(idx, spare, 1);
	idx->cursor = nr + 1;
	if (!++idx->gen)
		idx->gen = 1;
	return 0;
}

static struct iob_node *index_add(struct iob_index *idx, struct iob_node *node, u32 hash,
				  bool (*same)(const struct iob_node *,
					       const struct iob_node *), bool spare)
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
	err = index_number(idx, node, spare);
	if (err) {
		old = ERR_PTR(err);
		goto out;
	}
	if (idx->numbered)
		idx->numbered(node);
	hlist_add_head_rcu(&node->hash, head);
	old = node;
out:
	spin_unlock_irqrestore(&idx->lock, flags);
	return old;
}

/**
 * iob_index_add - add an object unless an equal one is there
 * @idx:  the index
 * @node: the new object, complete but for its id
 * @hash: 32 well mixed bits of its content
 * @same: true if two objects have the same content
 *
 * Any context but NMI.  Return: @node, or the equal object (the caller then frees @node), or
 * ERR_PTR(-ENOSPC) at the limit, or ERR_PTR(-ENOMEM); both errors are counted.
 */
struct iob_node *iob_index_add(struct iob_index *idx, struct iob_node *node,
			       u32 hash, bool (*same)(const struct iob_node *,
						      const struct iob_node *))
{
	return index_add(idx, node, hash, same, false);
}

/* As iob_index_add(), with one of the spare numbers, or, when these are taken, another one. */
struct iob_node *iob_index_add_spare(struct iob_index *idx, struct iob_node *node,
				     u32 hash, bool (*same)(const struct iob_node *,
							    const struct iob_node *))
{
	return index_add(idx, node, hash, same, true);
}

/**
 * iob_index_reserve - add a special object with a given number
 * @idx:  the index
 * @node: the object; its id has generation 0, and it is not in the hash table
 * @nr:   the number
 *
 * May sleep; no probe is attached.  Return: 0, -ENOMEM or -ENOSPC.
 */
int iob_index_reserve(struct iob_index *idx, struct iob_node *node, u32 nr)
{
	int err;

	if (nr >= idx->max)
		return -ENOSPC;
	node->id = nr;
	INIT_HLIST_NODE(&node->hash);
	err = index_publish(idx, node, nr, GFP_KERNEL);
	if (err)
		return err;
	idx->first = max(idx->first, nr + 1);
	idx->cursor = idx->first;
	return 0;
}

/**
 * iob_index_prepare - make the leaves of the first numbers
 * @idx: the index, still empty
 * @end: of all numbers below
 *
 * May sleep.  Return: 0 or -ENOMEM; iob_index_exit() frees them in both cases.
 */
int iob_index_prepare(struct iob_index *idx, u32 end)
{
	u32 i;

	for (i = 0; i < DIV_ROUND_UP(end, IOB_INDEX_LEAF); i++) {
		idx->leaf[i] = (void *)get_zeroed_page(GFP_KERNEL);
		if (!idx->leaf[i])
			return -ENOMEM;
	}
	return 0;
}

/**
 * iob_index_place - add an object under an id that another index has given out
 * @idx:  the index
 * @node: the object, which is not in the hash table
 * @id:   the id; iob_index_prepare() was called for its number, which is free
 *
 * Any context but NMI.
 */
void iob_index_place(struct iob_index *idx, struct iob_node *node, u64 id)
{
	unsigned long flags;

	node->id = id;
	INIT_HLIST_NODE(&node->hash);
	/* inside the lock of the index that gave out the id */
	spin_lock_irqsave_nested(&idx->lock, flags, SINGLE_DEPTH_NESTING);
	/* (cannot fail: the leaf is there) */
	index_publish(idx, node, iob_id_nr(id), GFP_NOWAIT | __GFP_NOWARN);
	spin_unlock_irqrestore(&idx->lock, flags);
}

/**
 * iob_index_unhash - take an object out of the hash table
 * @idx:  the index
 * @node: the object
 *
 * Any context but NMI.  Its number stays taken, and its id still finds it.  A lookup that
 * began before may be at @node until synchronize_rcu(); after that the caller may use
 * @node->hash.
 */
void iob_index_unhash(struct iob_index *idx, struct iob_node *node)
{
	unsigned long flags;

	spin_lock_irqsave(&idx->lock, flags);
	hlist_del_rcu(&node->hash);
	spin_unlock_irqrestore(&idx->lock, flags);
}

static void index_unnumber(struct iob_index *idx, struct iob_node *node, bool spare)
{
	unsigned long flags;
	u32 nr;

	spin_lock_irqsave(&idx->lock, flags);
	nr = iob_id_nr(node->id);
	WRITE_ONCE(idx->leaf[nr / IOB_INDEX_LEAF][nr % IOB_INDEX_LEAF], NULL);
	__clear_bit(nr, idx->used);
	__clear_bit(nr >> BLOCK_BITS, idx->crowded);
	WRITE_ONCE(idx->count, idx->count - 1);
	if (nr >= idx->first)
		index_count(idx, spare, -1);
	spin_unlock_irqrestore(&idx->lock, flags);
}

/**
 * iob_index_unnumber - free an object's number, after iob_index_unhash()
 * @idx:  the index
 * @node: the object, added by iob_index_add()
 *
 * Any context but NMI.  Free @node after synchronize_rcu().
 */
void iob_index_unnumber(struct iob_index *idx, struct iob_node *node)
{
	index_unnumber(idx, node, false);
}

/* The same for an object that was added by iob_index_add_spare(). */
void iob_index_unnumber_spare(struct iob_index *idx, struct iob_node *node)
{
	index_unnumber(idx, node, true);
}

/**
 * iob_index_next - find the next object by number
 * @idx: the index
 * @nr:  where to begin; gets the number found
 *
 * Any context but NMI.  Return: the object with the smallest number >= *@nr, or NULL.  It
 * stays as long as the caller is inside iob_read_lock(), or if the caller is the only one
 * that frees objects.
 */
struct iob_node *iob_index_next(struct iob_index *idx, u32 *nr)
{
	struct iob_node *node = NULL;
	u32 next = *nr;

	for (; next < idx->max && !node; next++) {
		/* a bit that is set or cleared meanwhile may be seen or not */
		next = data_race(find_next_bit(idx->used, idx->max, next));
		if (next >= idx->max)
			break;
		rcu_read_lock();
		node = iob_index_nr(idx, next);
		rcu_read_unlock();
		*nr = next;
	}
	return node;
}

/**
 * iob_index_exit - free all objects and what iob_index_init() took
 * @idx:       the index; may have failed to initialise
 * @free_node: frees one object
 *
 * May sleep.  No lookup runs.
 */
void iob_index_exit(struct iob_index *idx, void (*free_node)(struct iob_node *node))
{
	struct iob_node *node;
	u32 nr = 0;

	if (!idx->table)
		return;
	while ((node = iob_index_next(idx, &nr))) {
		free_node(node);
		nr++;
		cond_resched();
	}
	index_free(idx);
}
