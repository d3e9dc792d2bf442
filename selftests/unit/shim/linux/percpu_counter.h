/* SPDX-License-Identifier: GPL-2.0 */
/* For one thread. */
#ifndef SHIM_LINUX_PERCPU_COUNTER_H
#define SHIM_LINUX_PERCPU_COUNTER_H

#include <linux/types.h>

struct percpu_counter {
	s64 count;
};

#define percpu_counter_init(c, n, gfp)	((c)->count = (n), 0)
#define percpu_counter_destroy(c)	((void)(c))
#define percpu_counter_inc(c)		((void)(c)->count++)
#define percpu_counter_dec(c)		((void)(c)->count--)
#define percpu_counter_read_positive(c)	((c)->count)
#define percpu_counter_sum_positive(c)	((c)->count)

#endif
