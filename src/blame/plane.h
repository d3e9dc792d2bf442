/* SPDX-License-Identifier: GPL-2.0 */
/*
 * plane - page frame number -> a small entry, for all of memory
 *
 * Two levels: a directory for all of memory, and leaves of one page each.  A leaf is
 * allocated when the first of its page frames gets an entry.
 *
 * Example with entries of four bytes and 4 KiB pages: a leaf has 1024 entries, and that of
 * page frame 0x12345 is at slot 0x345 of leaf 0x48.
 */
#ifndef IOB_BLAME_PLANE_H
#define IOB_BLAME_PLANE_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/types.h>

struct iob_plane {
	unsigned long **leaf;	/* set once by cmpxchg */
	unsigned long nr_leaves;
	unsigned int bits;	/* a leaf has 1 << bits entries */
	atomic_long_t pages;	/* leaves that exist */
};

int iob_plane_init(struct iob_plane *p, unsigned int entry_shift);
void iob_plane_exit(struct iob_plane *p);
void *iob_plane_leaf_make(struct iob_plane *p, unsigned long pfn);

/* The leaf of a page frame, NULL if there is none.  Any context. */
static inline void *iob_plane_leaf(const struct iob_plane *p, unsigned long pfn)
{
	unsigned long i = pfn >> p->bits;

	/* memory plugged in after init has no leaves */
	return likely(i < p->nr_leaves) ? READ_ONCE(p->leaf[i]) : NULL;
}

/* The index of a page frame's entry in its leaf. */
static inline unsigned long iob_plane_slot(const struct iob_plane *p, unsigned long pfn)
{
	return pfn & ((1UL << p->bits) - 1);
}

/* The memory of a plane in bytes, directory included.  Any context. */
static inline unsigned long iob_plane_bytes(const struct iob_plane *p)
{
	return p->nr_leaves * sizeof(void *) + atomic_long_read(&p->pages) * PAGE_SIZE;
}

#endif
