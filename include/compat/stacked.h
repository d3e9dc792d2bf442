/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/stacked - what a disk's driver does with IO, told from outside
 *
 * Hides: no flag of struct gendisk says that a driver reads and writes a file, or that it
 * sends each request or bio on to another disk.  The major number and the name say so.
 */
#ifndef IOB_COMPAT_STACKED_H
#define IOB_COMPAT_STACKED_H

#include <linux/blkdev.h>
#include <linux/major.h>
#include <linux/string.h>

#include <compat/blkdev.h>

/* True if a file holds the disk's content (loop).  Any context. */
static inline bool iob_disk_is_file(const struct gendisk *gd)
{
	return gd->major == LOOP_MAJOR;
}

/*
 * True if the driver makes a request to another disk of each request, as device mapper's
 * multipath does.  Of a disk that is not bio_based; no other driver gives such names.  Any
 * context.
 */
static inline bool iob_disk_maps_requests(const struct gendisk *gd)
{
	/* the first letter tells for most disks */
	return gd->disk_name[0] == 'd' && gd->disk_name[1] == 'm' &&
	       gd->disk_name[2] == '-';
}

/*
 * True if the driver may pass a bio on to another disk as it is without block_bio_remap.  Those
 * that take bios and are known: device mapper, md and nvme announce it; the others pass none
 * on.  Any context.
 */
static inline bool iob_disk_passes_silently(const struct gendisk *gd)
{
	static const char * const known[] = { "dm-", "md", "nvme", "ram", "zram", "pmem" };
	unsigned int i;

	if (!iob_disk_bio_based(gd))
		return false;
	for (i = 0; i < ARRAY_SIZE(known); i++) {
		if (!strncmp(gd->disk_name, known[i], strlen(known[i])))
			return false;
	}
	return true;
}

#endif
