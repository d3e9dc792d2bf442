/* SPDX-License-Identifier: GPL-2.0 */
/*
 * debugfs - /sys/kernel/debug/ioblame
 */
#ifndef IOB_DEBUGFS_DEBUGFS_H
#define IOB_DEBUGFS_DEBUGFS_H

#include <linux/seq_file.h>

int iob_files_init(void (*show_hooks)(struct seq_file *m));
void iob_files_exit(void);

#endif
