/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_COMPILER_H
#define SHIM_LINUX_COMPILER_H

#include <linux/kernel.h>

#ifndef __aligned
#define __aligned(x)		__attribute__((aligned(x)))
#endif

#define noinline		__attribute__((noinline))
#define __acquires(lock)
#define smp_wmb()		__atomic_thread_fence(__ATOMIC_RELEASE)
#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define smp_load_acquire(p)	__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v)	__atomic_store_n(p, v, __ATOMIC_RELEASE)
#define WRITE_ONCE(x, v)	__atomic_store_n(&(x), v, __ATOMIC_RELAXED)

#endif
