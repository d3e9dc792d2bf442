/* SPDX-License-Identifier: GPL-2.0 */
/*
 * log_bin - the files iolog_bin*, one for each CPU
 */
#ifndef IOB_DEBUGFS_LOG_BIN_H
#define IOB_DEBUGFS_LOG_BIN_H

#include <linux/fs.h>

extern const struct file_operations iob_iolog_bin_fops;

#endif
