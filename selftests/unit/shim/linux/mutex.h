/* SPDX-License-Identifier: GPL-2.0 */
/* A lock that knows whether it is held, for one thread. */
#ifndef SHIM_LINUX_MUTEX_H
#define SHIM_LINUX_MUTEX_H

#include <linux/spinlock.h>

#define DEFINE_MUTEX(name)	raw_spinlock_t name
#define mutex_lock(l)		shim_lock(l, true)
#define mutex_unlock(l)		shim_lock(l, false)

#endif
