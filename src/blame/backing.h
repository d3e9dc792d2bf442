/* SPDX-License-Identifier: GPL-2.0 */
/*
 * backing - whether what a loop device's file holds can come to a watched disk
 */
#ifndef IOB_BLAME_BACKING_H
#define IOB_BLAME_BACKING_H

#include "disk.h"

struct file;

bool iob_backing_file_reaches(const struct file *file);
bool iob_backing_device_reaches(const void *device);
bool iob_backing_disk_reaches(const struct gendisk *gd);
bool iob_backing_known(void);
const struct file *iob_backing_file(const void *device);
void iob_backing_swapon(void);
void iob_backing_sees_swapon(bool seen);

/**
 * iob_disk_hands_on - whether others do IO to other disks for IO to this one
 * @gd: the disk
 *
 * As iob_disk_stacks(), but not for a loop device whose IO now ends in a file that
 * no watched disk has anything to do with.  Any context, inside iob_read_lock().
 */
static inline bool iob_disk_hands_on(const struct gendisk *gd)
{
	return iob_disk_bio_based(gd) ||
	       (iob_disk_is_loop(gd) && iob_backing_disk_reaches(gd));
}

#endif
