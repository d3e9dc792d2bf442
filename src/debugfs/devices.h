/* SPDX-License-Identifier: GPL-2.0 */
/*
 * devices - the file `devs`
 */
#ifndef IOB_DEBUGFS_DEVICES_H
#define IOB_DEBUGFS_DEVICES_H

#include <linux/fs.h>

extern const struct file_operations iob_devs_fops;

#endif
