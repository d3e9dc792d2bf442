/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_ERR_H
#define SHIM_LINUX_ERR_H

#include <errno.h>
#include <stdbool.h>

#define ERR_PTR(err)	((void *)(long)(err))

static inline bool IS_ERR(const void *p)
{
	return (unsigned long)p >= -4095UL;
}

#endif
