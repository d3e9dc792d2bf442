/* SPDX-License-Identifier: GPL-2.0 */
/* A lock that knows whether it is held, for one thread. */
#ifndef SHIM_LINUX_MUTEX_H
#define SHIM_LINUX_MUTEX_H

#include <linux/spinlock.h>

struct mutex {
	raw_spinlock_t lock;
};

#define DEFINE_MUTEX(name)	struct mutex name
#define mutex_init(m)		raw_spin_lock_init(&(m)->lock)
#define mutex_lock(m)		shim_lock(&(m)->lock, true)
#define mutex_unlock(m)		shim_lock(&(m)->lock, false)

#endif
