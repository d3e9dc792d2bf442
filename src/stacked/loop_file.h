/* SPDX-License-Identifier: GPL-2.0 */
/*
 * loop_file - whether the content of a loop device's file can come to a watched disk
 */
#ifndef IOB_STACKED_LOOP_FILE_H
#define IOB_STACKED_LOOP_FILE_H

#include <linux/types.h>

struct file;
struct gendisk;

extern struct iob_layout iob_loop_layout;

bool iob_loop_file_known(void);
const struct file *iob_loop_file_of(const void *device);
bool iob_loop_file_reaches(const struct file *file);
bool iob_loop_device_reaches(const void *device);
bool iob_loop_disk_reaches(const struct gendisk *gd);
const struct file *iob_loop_file_now(const struct gendisk *gd);

void iob_loop_swapon(void);
void iob_loop_sees_swapon(bool seen);
void iob_loop_sees_room(bool seen);
void iob_loop_ioctl(void);
void iob_loop_sees_ioctl(bool seen);

#endif
