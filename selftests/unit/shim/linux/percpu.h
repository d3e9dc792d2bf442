/* SPDX-License-Identifier: GPL-2.0 */
/* Of one CPU. */
#ifndef SHIM_LINUX_PERCPU_H
#define SHIM_LINUX_PERCPU_H

#include <stdlib.h>

#define __percpu
#define alloc_percpu(type)		((type *)calloc(1, sizeof(type)))
#define free_percpu(p)			free(p)
#define this_cpu_ptr(p)			(p)
#define per_cpu_ptr(p, cpu)		((p) + (cpu))
#define for_each_possible_cpu(cpu)	for ((cpu) = 0; (cpu) < 1; (cpu)++)
#define for_each_online_cpu(cpu)	for_each_possible_cpu(cpu)

#endif
