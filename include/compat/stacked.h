/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/stacked - what a disk's driver does with IO, told from outside
 *
 * Hides: no flag of struct gendisk says that a driver reads and writes a file, or that it
 * sends each request on to another disk.  The major number and the name say so.
 */
#ifndef IOB_COMPAT_STACKED_H
#define IOB_COMPAT_STACKED_H

#include <linux/blkdev.h>
#include <linux/major.h>

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

#endif
