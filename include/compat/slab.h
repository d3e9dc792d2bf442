/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/slab - a slab cache that is never merged with others
 *
 * So slabinfo shows the objects under their own name, and destroying the cache reports
 * leaked objects.
 *
 * Hides: SLAB_NO_MERGE exists since 6.5 (d0bf7d5759c1).  Before that, caches with a region
 * for copies to user space are not merged, though nothing is copied from these objects.  A
 * constructor would have the same effect, but makes each object 8 bytes larger.
 */
#ifndef IOB_COMPAT_SLAB_H
#define IOB_COMPAT_SLAB_H

#include <linux/slab.h>

/* May sleep.  Objects are not initialised.  Return: NULL without memory. */
static inline struct kmem_cache *iob_cache_create(const char *name, size_t size,
						  slab_flags_t flags)
{
#ifdef SLAB_NO_MERGE
	return kmem_cache_create(name, size, 0, flags | SLAB_NO_MERGE, NULL);
#else
	return kmem_cache_create_usercopy(name, size, 0, flags, 0, 1, NULL);
#endif
}

#endif
