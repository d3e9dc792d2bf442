/* SPDX-License-Identifier: GPL-2.0 */
/* How many bytes are allocated, now and at most, without what the allocator adds to each block. */
#ifndef UNIT_ALLOCATED_H
#define UNIT_ALLOCATED_H

#include <stdbool.h>
#include <stddef.h>

/* Of sanitizer/allocator_interface.h, which gcc does not install */
size_t __sanitizer_get_current_allocated_bytes(void);
size_t __sanitizer_get_allocated_size(const volatile void *p);
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *, size_t),
					      void (*on_free)(const volatile void *));

static size_t allocated_counted, allocated_peak;

static inline size_t allocated(void)
{
	return __sanitizer_get_current_allocated_bytes();
}

static inline void allocated_on_malloc(const volatile void *p, size_t size)
{
	(void)p;
	allocated_counted += size;
	if (allocated_counted > allocated_peak)
		allocated_peak = allocated_counted;
}

static inline void allocated_on_free(const volatile void *p)
{
	if (p)
		allocated_counted -= __sanitizer_get_allocated_size(p);
}

/* From now on, allocated_peak is the most; it begins anew.  Return: false if it cannot be. */
static inline bool allocated_watch(void)
{
	static bool watched;

	allocated_counted = allocated();
	allocated_peak = allocated_counted;
	if (!watched)
		watched = __sanitizer_install_malloc_and_free_hooks(allocated_on_malloc,
								    allocated_on_free);
	return watched;
}

#endif
