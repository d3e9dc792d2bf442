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

#endif
