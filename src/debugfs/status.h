/* SPDX-License-Identifier: GPL-2.0 */
/*
 * status - the file `status`
 */
#ifndef IOB_DEBUGFS_STATUS_H
#define IOB_DEBUGFS_STATUS_H

#include <linux/fs.h>
#include <linux/seq_file.h>

extern const struct file_operations iob_status_fops;

void iob_status_set_hooks(void (*show)(struct seq_file *m));

#endif
