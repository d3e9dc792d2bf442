/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_KREF_H
#define SHIM_LINUX_KREF_H

#include <stddef.h>

struct kref {
	int refs;
};

#ifndef container_of
#define container_of(p, type, member)	((type *)((char *)(p) - offsetof(type, member)))
#endif

#define kref_init(k)		((void)((k)->refs = 1))
#define kref_get(k)		((void)(k)->refs++)
#define kref_put(k, release)	((void)(--(k)->refs ? 0 : ((release)(k), 1)))

#endif
