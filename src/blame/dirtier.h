/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dirtier - page frame number -> the act that dirtied the page
 */
#ifndef IOB_BLAME_DIRTIER_H
#define IOB_BLAME_DIRTIER_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/mm.h>
#include <linux/types.h>

#include "plane.h"

extern struct iob_plane iob_dirtiers;
extern bool iob_dirtiers_wide;	/* entries take four bytes, not two */
/* nr_leaves if entries take two bytes and no time is noted, else 0 */
extern unsigned long iob_dirtier_fast_leaves;

int iob_dirtier_init(u32 max_acts);
void iob_dirtier_exit(void);
void iob_dirtier_want_age(bool want);
void iob_dirtier_set(unsigned long pfn, unsigned long count, u32 act_nr);
void iob_dirtier_clear(unsigned long pfn, unsigned long count);
void iob_dirtier_move(unsigned long to, unsigned long from, unsigned long count);
u32 iob_dirtier_get_wide(unsigned long pfn);
void iob_dirtier_owners(unsigned long *acts);
void iob_dirtier_drop(const unsigned long *acts);
unsigned long iob_dirtier_bytes(void);

/* log2 of the entries of a leaf if entries take two bytes */
#define IOB_LEAF_BITS	(PAGE_SHIFT - 1)
#define IOB_LEAF_PAGES	BIT(IOB_LEAF_BITS)

/*
 * The leaf of a page if entries take two bytes; the page's entry is pfn % IOB_LEAF_PAGES.
 * Return: NULL if the leaf does not exist or is none of the first @nr.  Any context.
 */
static inline u16 *iob_dirtier_leaf(unsigned long pfn, unsigned long nr)
{
	unsigned long i = pfn >> IOB_LEAF_BITS;

	/* memory plugged in after init has no leaves */
	if (unlikely(i >= nr))
		return NULL;
	return (u16 *)READ_ONCE(iob_dirtiers.leaf[i]);
}

/* The number of the act that dirtied a page, 0 if none is known.  Any context. */
static inline u32 iob_dirtier_get(unsigned long pfn)
{
	const u16 *leaf;

	if (unlikely(iob_dirtiers_wide))
		return iob_dirtier_get_wide(pfn);
	leaf = iob_dirtier_leaf(pfn, iob_dirtiers.nr_leaves);
	return leaf ? READ_ONCE(leaf[pfn % IOB_LEAF_PAGES]) : 0;
}

/* Four equal entries of two bytes in one word: 0x12 -> 0x0012001200120012. */
static inline u64 iob_dirtier_four(u32 nr)
{
	return nr * 0x0001000100010001ULL;
}

/**
 * iob_dirtier_run - count the pages in a row that have one entry
 * @pfn: frame number of the first page
 * @max: limit, at least 1
 * @nr:  the entry, not 0
 *
 * Any context.  Return: 0 to @max.  A run stops at the end of its leaf; the next leaf may
 * continue it.
 */
static inline unsigned long iob_dirtier_run(unsigned long pfn, unsigned long max,
					    u32 nr)
{
	const u16 *leaf, *at, *end;
	unsigned long n;
	u64 four;

	if (unlikely(iob_dirtiers_wide))
		return iob_dirtier_get_wide(pfn) == nr;
	leaf = iob_dirtier_leaf(pfn, iob_dirtiers.nr_leaves);
	if (unlikely(!leaf))
		return 0;
	at = leaf + pfn % IOB_LEAF_PAGES;
	n = min(max, IOB_LEAF_PAGES - pfn % IOB_LEAF_PAGES);
	end = at + n;
	four = iob_dirtier_four(nr);
	while (at < end && READ_ONCE(*at) == nr) {
		at++;
		/* compare four entries at a time where they are aligned */
		while (IS_ALIGNED((unsigned long)at, sizeof(four)) &&
		       end - at >= 4 && READ_ONCE(*(const u64 *)at) == four)
			at += 4;
	}
	return n - (end - at);
}

/* iob_dirtier_set() for one page, with the fast path inline. */
static inline void iob_dirtier_set_one(unsigned long pfn, u32 act_nr)
{
	u16 *leaf = iob_dirtier_leaf(pfn, READ_ONCE(iob_dirtier_fast_leaves));

	if (likely(leaf))
		WRITE_ONCE(leaf[pfn % IOB_LEAF_PAGES], act_nr);
	else
		iob_dirtier_set(pfn, 1, act_nr);
}

#endif
