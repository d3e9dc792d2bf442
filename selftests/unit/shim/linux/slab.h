/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_SLAB_H
#define SHIM_LINUX_SLAB_H

#include <stdlib.h>

#define SLAB_HWCACHE_ALIGN		0
#define kvcalloc(n, size, gfp)		calloc(n, size)
#define kvfree(p)			free((void *)(p))

#endif
