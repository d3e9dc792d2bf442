/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_MEMORY_HOTPLUG_H
#define SHIM_LINUX_MEMORY_HOTPLUG_H

struct page;

/* a test's own memory */
struct page *pfn_to_online_page(unsigned long pfn);

#endif
