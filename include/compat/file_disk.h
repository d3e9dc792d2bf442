/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/file_disk - disks whose content is a file
 *
 * Hides: that there is one driver of such disks (loop), and how its struct begins; see
 * compat/loop.h.  Code that is compiled into probes of each IO gets at both by neutral
 * names.
 */
#ifndef IOB_COMPAT_FILE_DISK_H
#define IOB_COMPAT_FILE_DISK_H

#include <compat/blkdev.h>
#include <compat/loop.h>
#include <compat/stacked.h>

/*
 * True if the content of the disk is this file (not NULL).  Any context, inside
 * iob_read_lock(); there is IO to the disk, whose private struct has its file at @at.
 */
static __always_inline bool iob_file_disk_has(const struct gendisk *gd,
					      const struct file *file, unsigned int at)
{
	return file && iob_loop_file(gd->private_data, at) == file;
}

#endif
