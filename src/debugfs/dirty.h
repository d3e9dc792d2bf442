/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dirty - the file that shows pages that are to be written, and writes that were cancelled
 */
#ifndef IOB_DEBUGFS_DIRTY_H
#define IOB_DEBUGFS_DIRTY_H

#include <linux/fs.h>

extern const struct file_operations iob_dirty_fops;

#endif
