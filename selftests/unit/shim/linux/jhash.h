/* SPDX-License-Identifier: GPL-2.0 */
/* Another hash, of the same words. */
#ifndef SHIM_LINUX_JHASH_H
#define SHIM_LINUX_JHASH_H

#include <linux/types.h>

static inline u32 jhash_3words(u32 a, u32 b, u32 c, u32 init)
{
	u32 hash = init;

	hash = (hash + a) * 0x9e3779b9U;
	hash = (hash + b) * 0x9e3779b9U;
	return (hash + c) * 0x9e3779b9U;
}

#endif
