/* SPDX-License-Identifier: GPL-2.0 */
/* A lock that knows whether it is held, for one thread. */
#ifndef SHIM_LINUX_SPINLOCK_H
#define SHIM_LINUX_SPINLOCK_H

#include <stdlib.h>
#include <linux/types.h>

typedef struct {
	bool held;
} raw_spinlock_t;

static inline void shim_lock(raw_spinlock_t *lock, bool take)
{
	if (lock->held == take)
		abort();
	lock->held = take;
}

typedef raw_spinlock_t spinlock_t;

#define DEFINE_SPINLOCK(name)			spinlock_t name
#define DEFINE_RAW_SPINLOCK(name)		raw_spinlock_t name
#define spin_lock(l)				shim_lock(l, true)
#define spin_unlock(l)				shim_lock(l, false)
#define lockdep_is_held(l)			((l)->held)

#define raw_spin_lock_init(l)			((l)->held = false)
#define raw_spin_lock_irqsave(l, flags)		((flags) = 0, shim_lock(l, true))
#define raw_spin_unlock_irqrestore(l, flags)	((void)(flags), shim_lock(l, false))

#define SINGLE_DEPTH_NESTING			1
#define raw_spin_lock_nested(l, subclass)	shim_lock(l, true)
#define raw_spin_unlock(l)			shim_lock(l, false)

#endif
