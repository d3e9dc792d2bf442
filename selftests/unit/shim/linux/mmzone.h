/* SPDX-License-Identifier: GPL-2.0 */
/* Two zones for each node: of memory, and of what devices map. */
#ifndef SHIM_LINUX_MMZONE_H
#define SHIM_LINUX_MMZONE_H

#define CONFIG_ZONE_DEVICE

enum zone_type { ZONE_NORMAL, ZONE_DEVICE, MAX_NR_ZONES };

struct pglist_data;

struct zone {
	struct pglist_data *zone_pgdat;
	unsigned long zone_start_pfn, spanned_pages;
};

struct pglist_data {
	struct zone node_zones[MAX_NR_ZONES];
};

#define zone_idx(zone)		((zone) - (zone)->zone_pgdat->node_zones)
#define zone_end_pfn(zone)	((zone)->zone_start_pfn + (zone)->spanned_pages)

#endif
