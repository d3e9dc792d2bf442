/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/slab - a cache that is never merged with others
 *
 * slabinfo then shows our objects under their name, and destroying a cache
 * finds what was leaked.
 *
 * Hides: SLAB_NO_MERGE came with 6.5 (d0bf7d5759c1).  Before, a cache that
 * copies to user space is not merged; a constructor would do as well, but
 * makes each object eight bytes larger.  Nothing is ever copied from these
 * objects to user space.
 */
#ifndef IOB_COMPAT_SLAB_H
#define IOB_COMPAT_SLAB_H

#include <linux/slab.h>

/* May sleep.  Objects come with any content.  Return: NULL without memory. */
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
