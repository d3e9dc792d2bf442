/* SPDX-License-Identifier: GPL-2.0 */
/*
 * backing - whether what a loop device's file holds can come to a watched disk
 */
#ifndef IOB_STACKED_LOOP_FILE_H
#define IOB_STACKED_LOOP_FILE_H

#include <linux/fs.h>

#include <compat/loop.h>

#include "core/disk.h"

/* of disks whose struct loop_device is as we know it; NULL before one was seen */
extern const void *iob_loop_file_fops;

bool iob_loop_file_file_reaches(const struct file *file);
bool iob_loop_file_device_reaches(const void *device);
bool iob_loop_file_disk_reaches(const struct gendisk *gd);
bool iob_loop_file_known(void);
const struct file *iob_loop_file_file(const void *device);
void iob_loop_file_swapon(void);
void iob_loop_file_sees_swapon(bool seen);
void iob_loop_file_ioctl(void);
void iob_loop_file_sees_ioctl(bool seen);
const struct file *iob_loop_file_of_now(const struct gendisk *gd);

/*
 * Whether a loop device has the file that it had when iob_loop_file_of_now() said which:
 * in that epoch, in which nobody can have given it another one at the same address.
 * Any context, inside iob_read_lock(); of a disk to which there is IO.
 */
static __always_inline bool iob_loop_file_is(const struct gendisk *gd,
					   const struct file *file)
{
	return file && iob_loop_file(gd->private_data) == file;
}

/**
 * iob_disk_hands_on - whether others do IO to other disks for IO to this one
 * @gd: the disk
 *
 * As iob_disk_stacks(), but not for multipath if no other disk is watched, nor for a
 * loop device whose IO now ends in a file that no watched disk has anything to do with:
 * their requests are as those of any disk.  Any context, inside iob_read_lock().
 */
static inline bool iob_disk_hands_on(const struct gendisk *gd)
{
	if (iob_disk_bio_based(gd))
		return true;
	if (iob_disk_is_file(gd))
		return iob_loop_file_disk_reaches(gd);
	return iob_disk_maps_requests(gd) && iob_devs_beside(gd);
}

#endif
