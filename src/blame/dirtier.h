/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dirtier - page frame number -> the cause of the page's being dirty
 *
 * An entry is the low half of a reference to a cause, see core/cause: the number of the
 * cause, and a tag of the file.
 */
#ifndef IOB_BLAME_DIRTIER_H
#define IOB_BLAME_DIRTIER_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/mm.h>
#include <linux/types.h>

#include <compat/folio.h>

#include "plane.h"

extern struct iob_plane iob_dirtiers;
/* that of the table if no time is noted, else one without leaves; R */
extern struct iob_plane_dir __rcu *iob_dirtier_fast_dir;

int iob_dirtier_init(void);
void iob_dirtier_exit(void);
void iob_dirtier_want_age(bool want);
void iob_dirtier_set(unsigned long pfn, unsigned long count, u32 entry);
void iob_dirtier_clear(unsigned long pfn, unsigned long count);
void iob_dirtier_move(unsigned long to, unsigned long from, unsigned long count);
bool iob_dirtier_mark(unsigned long *causes, const bool *stop);
unsigned long iob_dirtier_bytes(void);

/* log2 of the entries of a leaf */
#define IOB_LEAF_BITS	(PAGE_SHIFT - 2)
#define IOB_LEAF_PAGES	BIT(IOB_LEAF_BITS)

/*
 * The leaf of a page, NULL if there is none; the page's entry is pfn % IOB_LEAF_PAGES.  Any
 * context, inside iob_read_lock().
 */
static inline u32 *iob_dirtier_leaf(unsigned long pfn)
{
	return iob_plane_dir_leaf(rcu_dereference_sched(iob_dirtiers.dir), pfn >> IOB_LEAF_BITS);
}

/* The entry of a page, 0 if it has none.  Any context, inside iob_read_lock(). */
static inline u32 iob_dirtier_get(unsigned long pfn)
{
	const u32 *leaf = iob_dirtier_leaf(pfn);

	return leaf ? READ_ONCE(leaf[pfn % IOB_LEAF_PAGES]) : 0;
}

/*
 * True if a folio may still have to be written, or is being written or prepared for it: writeback
 * sets one flag before it clears another, so all are read at once.
 */
static inline bool iob_folio_is_pending(const struct iob_folio *f)
{
	return iob_folio_flags(f) & (BIT(PG_dirty) | BIT(PG_writeback) | BIT(PG_locked));
}

/* Two equal entries in one word. */
static inline u64 iob_dirtier_two(u32 entry)
{
	return (u64)entry << 32 | entry;
}

/**
 * iob_dirtier_run - count the pages in a row that have one entry
 * @pfn:   frame number of the first page
 * @max:   limit, at least 1
 * @entry: the entry, not 0
 *
 * Any context, inside iob_read_lock().  Return: 0 to @max.  A run stops at the end of its
 * leaf; the next leaf may continue it.
 */
static inline unsigned long iob_dirtier_run(unsigned long pfn, unsigned long max,
					    u32 entry)
{
	const u32 *leaf, *at, *end;
	unsigned long n;
	u64 two;

	leaf = iob_dirtier_leaf(pfn);
	if (unlikely(!leaf))
		return 0;
	at = leaf + pfn % IOB_LEAF_PAGES;
	n = min(max, IOB_LEAF_PAGES - pfn % IOB_LEAF_PAGES);
	end = at + n;
	two = iob_dirtier_two(entry);
	while (at < end && READ_ONCE(*at) == entry) {
		at++;
		/* compare two entries at a time where they are aligned */
		while (IS_ALIGNED((unsigned long)at, sizeof(two)) &&
		       end - at >= 2 && READ_ONCE(*(const u64 *)at) == two)
			at += 2;
	}
	return n - (end - at);
}

/* iob_dirtier_set() for one page, with the fast path inline. */
static inline void iob_dirtier_set_one(unsigned long pfn, u32 entry)
{
	u32 *leaf = iob_plane_dir_leaf(rcu_dereference_sched(iob_dirtier_fast_dir),
				       pfn >> IOB_LEAF_BITS);

	if (likely(leaf))
		WRITE_ONCE(leaf[pfn % IOB_LEAF_PAGES], entry);
	else
		iob_dirtier_set(pfn, 1, entry);
}

#endif
