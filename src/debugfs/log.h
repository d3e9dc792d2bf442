/* SPDX-License-Identifier: GPL-2.0 */
/*
 * log - the file `iolog`
 */
#ifndef IOB_DEBUGFS_LOG_H
#define IOB_DEBUGFS_LOG_H

#include <linux/fs.h>

extern const struct file_operations iob_iolog_fops;

#endif
