/* SPDX-License-Identifier: GPL-2.0 */
/*
 * zone - parts of memory; kernels that no device maps memory for have no zone for that
 */
#ifndef IOB_COMPAT_ZONE_H
#define IOB_COMPAT_ZONE_H

#include <linux/mmzone.h>

/* Whether a zone is memory that a device maps: pmem, or a GPU's. */
static inline bool iob_zone_is_device(const struct zone *zone)
{
#ifdef CONFIG_ZONE_DEVICE
	return zone_idx(zone) == ZONE_DEVICE;
#else
	return false;
#endif
}

#endif
