/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pipe - the files `counters_pipe` and `counters_pipe_bin`
 */
#ifndef IOB_DEBUGFS_PIPE_H
#define IOB_DEBUGFS_PIPE_H

#include <linux/fs.h>

extern const struct file_operations iob_pipe_fops;
extern const struct file_operations iob_pipe_bin_fops;

#endif
