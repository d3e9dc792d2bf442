/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_BITMAP_H
#define SHIM_LINUX_BITMAP_H

#include <linux/bitops.h>

#define BITS_TO_LONGS(n)	(((n) + 63) / 64)

static inline void __clear_bit(unsigned long nr, unsigned long *map)
{
	map[nr / 64] &= ~BIT(nr % 64);
}

static inline unsigned long find_next_bit(const unsigned long *map, unsigned long end,
					  unsigned long from)
{
	while (from < end && !test_bit(from, map))
		from++;
	return min(from, end);
}

static inline unsigned long find_next_zero_bit(const unsigned long *map, unsigned long end,
					       unsigned long from)
{
	while (from < end && test_bit(from, map))
		from++;
	return min(from, end);
}

#endif
