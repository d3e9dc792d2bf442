/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's products that need more than 64 bits on the way. */
#ifndef SHIM_LINUX_MATH64_H
#define SHIM_LINUX_MATH64_H

#include <linux/types.h>

#define DIV_ROUND_UP_ULL(n, d)	(((n) + (d) - 1) / (d))

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

static inline u64 mul_u64_u64_shr(u64 a, u64 b, unsigned int shift)
{
	return (u64)((unsigned __int128)a * b >> shift);
}

static inline u64 mul_u64_u32_shr(u64 a, u32 b, unsigned int shift)
{
	return mul_u64_u64_shr(a, b, shift);
}

#endif
