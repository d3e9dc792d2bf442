/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_BITOPS_H
#define SHIM_LINUX_BITOPS_H

#include <linux/bits.h>
#include <linux/types.h>

static inline bool test_bit(unsigned long nr, const unsigned long *map)
{
	return map[nr / 64] >> (nr % 64) & 1;
}

static inline void __set_bit(unsigned long nr, unsigned long *map)
{
	map[nr / 64] |= BIT(nr % 64);
}

/* The number of the lowest bit that is set, from 0. */
static inline unsigned int __ffs64(u64 x)
{
	return __builtin_ctzll(x);
}

/* The number of the highest bit that is set, from 1; 0 if none is. */
static inline unsigned long __fls(unsigned long x)
{
	return 63 - __builtin_clzl(x);
}

static inline int fls(unsigned int x)
{
	return x ? 32 - __builtin_clz(x) : 0;
}

#endif
