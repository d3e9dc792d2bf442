/* SPDX-License-Identifier: GPL-2.0 */
/* Memory that comes and goes; a test tells of it itself. */
#ifndef SHIM_LINUX_MEMORY_H
#define SHIM_LINUX_MEMORY_H

enum { MEM_ONLINE = 1, MEM_GOING_OFFLINE, MEM_OFFLINE = 4, MEM_GOING_ONLINE = 8 };

struct memory_notify {
	unsigned long start_pfn, nr_pages;
};

#define register_memory_notifier(nb)	((void)(nb), 0)
#define unregister_memory_notifier(nb)	((void)(nb))

#endif
