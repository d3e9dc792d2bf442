// SPDX-License-Identifier: GPL-2.0
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>

#include "plane.h"

static unsigned long memory_end_pfn(void)
{
	unsigned long end = 0;
	int nid;

	for_each_online_node(nid)
		end = max(end, node_end_pfn(nid));
	return end;
}

/**
 * iob_plane_init - make an empty plane
 * @p:           the plane
 * @entry_shift: log2 of the bytes of an entry
 *
 * May sleep.  Return: 0 or -ENOMEM.
 */
int iob_plane_init(struct iob_plane *p, unsigned int entry_shift)
{
	p->bits = PAGE_SHIFT - entry_shift;
	p->nr_leaves = (memory_end_pfn() >> p->bits) + 1;
	p->leaf = kvcalloc(p->nr_leaves, sizeof(*p->leaf), GFP_KERNEL);
	atomic_long_set(&p->pages, 0);
	return p->leaf ? 0 : -ENOMEM;
}

/* Free a plane.  No probe may be attached. */
void iob_plane_exit(struct iob_plane *p)
{
	unsigned long i;

	for (i = 0; p->leaf && i < p->nr_leaves; i++)
		free_page((unsigned long)p->leaf[i]);
	kvfree(p->leaf);
	p->leaf = NULL;
}

/* The leaf of a page frame, made if there was none; NULL without memory.  Any context. */
void *iob_plane_leaf_make(struct iob_plane *p, unsigned long pfn)
{
	unsigned long i = pfn >> p->bits;
	unsigned long *old, *new;

	if (i >= p->nr_leaves)
		return NULL;
	new = (void *)get_zeroed_page(GFP_NOWAIT | __GFP_NOWARN);
	if (!new)
		return NULL;
	old = cmpxchg(&p->leaf[i], NULL, new);
	if (old) {
		free_page((unsigned long)new);
		return old;
	}
	atomic_long_inc(&p->pages);
	return new;
}
