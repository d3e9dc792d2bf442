/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers that several threads change.  No order but where a barrier says so. */
#ifndef SHIM_LINUX_ATOMIC_H
#define SHIM_LINUX_ATOMIC_H

#include <linux/compiler.h>

typedef struct {
	int counter;
} atomic_t;

typedef struct {
	s64 counter;
} atomic64_t;

/* as on a machine of 64 bits */
#define atomic_long_t			atomic64_t
#define atomic_long_inc_return(a)	atomic64_inc_return(a)

#define ATOMIC64_INIT(v)	{ (v) }

#define atomic_read(a)		READ_ONCE((a)->counter)
#define atomic64_read(a)	READ_ONCE((a)->counter)
#define atomic_set(a, v)	WRITE_ONCE((a)->counter, v)
#define atomic_add(v, a)	((void)__atomic_fetch_add(&(a)->counter, v, __ATOMIC_RELAXED))
#define atomic64_add(v, a)	((void)__atomic_fetch_add(&(a)->counter, v, __ATOMIC_RELAXED))
#define atomic_inc(a)		atomic_add(1, a)
#define atomic_dec(a)		atomic_add(-1, a)
#define atomic64_inc(a)		atomic64_add(1, a)
#define atomic64_inc_return(a)	__atomic_add_fetch(&(a)->counter, 1, __ATOMIC_SEQ_CST)
#define smp_mb__after_atomic()	__atomic_thread_fence(__ATOMIC_SEQ_CST)

#endif
