/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_KTIME_H
#define SHIM_LINUX_KTIME_H

#include <linux/types.h>

#define NSEC_PER_SEC	1000000000L

/* a test's own clock */
u64 ktime_get_ns(void);

#endif
