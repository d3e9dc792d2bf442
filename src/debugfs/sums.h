/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sums - the file `sums_bin`
 */
#ifndef IOB_DEBUGFS_SUMS_H
#define IOB_DEBUGFS_SUMS_H

#include <linux/fs.h>

extern const struct file_operations iob_sums_bin_fops;

#endif
