/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_LOG2_H
#define SHIM_LINUX_LOG2_H

static inline int ilog2(unsigned long x)
{
	return 63 - __builtin_clzl(x);
}

#endif
