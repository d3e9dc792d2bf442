/* SPDX-License-Identifier: GPL-2.0 */
/*
 * index - the index of roles, of intents, of causes and of acts
 *
 * Objects are found by content, through a hash table, or by id.  They never point at each
 * other: they keep ids, and each access goes through the index.  That keeps lifetimes
 * simple.  An id has a generation, so the id of an object that is gone finds nothing, and
 * not the object that has its number now.
 *
 * Example: act 17 gets the id 0x500000011, generation 5 and number 0x11.  It is reclaimed,
 * and the next object with number 17 gets the id 0x900000011.  A lookup of the old id finds
 * the new object by its number, compares the ids, and returns NULL.
 *
 * Lookups run under RCU (probes: preemption off).  X: changes take idx->lock.
 */
#ifndef IOB_CORE_INDEX_H
#define IOB_CORE_INDEX_H

#include <linux/bitmap.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/rculist.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/* The head of each object. */
struct iob_node {
	struct hlist_node hash;	/* X, RCU for reads */
	u64 id;			/* generation << 32 | nr, constant */
};

struct iob_index {
	spinlock_t lock;	/* X */
	struct hlist_head *table; /* X, RCU for reads */
	unsigned int bits;
	unsigned long *used;	/* X: bitmap of numbers */
	unsigned long *crowded;	/* X: bitmap of blocks of 4096 numbers, all of them used */
	struct iob_node ***leaf; /* X, RCU for reads: nr -> node, by pages */
	u32 cursor;		/* X: the next nr to try */
	u32 gen;		/* X: of the next object */
	u32 count;		/* X: objects in the index */
	u32 spares;		/* X, read without: of them, those of iob_index_add_spare() */
	u32 taken;		/* X, read without: iob_index_taken() */
	u32 max;		/* nr stays below */
	u32 first;		/* the lowest nr that is given out */
	/* called for a new object that has its id, before it can be found; or NULL.  X */
	void (*numbered)(struct iob_node *node);
	u32 spare;		/* so many are for iob_index_add_spare() only, and taken first */
};

#define IOB_INDEX_LEAF	(PAGE_SIZE / sizeof(struct iob_node *))

static inline u32 iob_id_nr(u64 id)
{
	return (u32)id;
}

/* The object that has number @nr now, or NULL.  Under RCU. */
static inline struct iob_node *iob_index_nr(const struct iob_index *idx, u32 nr)
{
	struct iob_node **leaf;

	if (unlikely(nr >= idx->max))
		return NULL;
	/* a dependency orders the reads: pairs with index_publish() */
	leaf = READ_ONCE(idx->leaf[nr / IOB_INDEX_LEAF]);
	return leaf ? READ_ONCE(leaf[nr % IOB_INDEX_LEAF]) : NULL;
}

/* The object with @id, or NULL if it is gone.  Under RCU. */
static inline struct iob_node *iob_index_id(const struct iob_index *idx, u64 id)
{
	struct iob_node *node = iob_index_nr(idx, iob_id_nr(id));

	return node && node->id == id ? node : NULL;
}

static inline struct hlist_head *iob_index_bucket(const struct iob_index *idx,
						  u32 hash)
{
	return &idx->table[hash >> (32 - idx->bits)];
}

/*
 * How many numbers from ->first on are taken, but for those that are spare.  So what is added by
 * iob_index_add_spare() takes room from others only when all that is spare is taken.  Any context.
 */
static inline u32 iob_index_taken(const struct iob_index *idx)
{
	return READ_ONCE(idx->taken);
}

/*
 * True if the index has no room for another object; that is counted.  Callers ask before
 * they allocate an object, without the lock.
 */
bool iob_index_full(const struct iob_index *idx);
int iob_index_init(struct iob_index *idx, u32 max, u32 first);
void iob_index_exit(struct iob_index *idx, void (*free_node)(struct iob_node *node));
struct iob_node *iob_index_add(struct iob_index *idx, struct iob_node *node,
			       u32 hash, bool (*same)(const struct iob_node *,
						      const struct iob_node *));
struct iob_node *iob_index_add_spare(struct iob_index *idx, struct iob_node *node,
				     u32 hash, bool (*same)(const struct iob_node *,
							    const struct iob_node *));
int iob_index_reserve(struct iob_index *idx, struct iob_node *node, u32 nr);
int iob_index_prepare(struct iob_index *idx, u32 end);
void iob_index_place(struct iob_index *idx, struct iob_node *node, u64 id);
void iob_index_unhash(struct iob_index *idx, struct iob_node *node);
void iob_index_unnumber(struct iob_index *idx, struct iob_node *node);
void iob_index_unnumber_spare(struct iob_index *idx, struct iob_node *node);
struct iob_node *iob_index_next(struct iob_index *idx, u32 *nr);

#endif
