/* SPDX-License-Identifier: GPL-2.0 */
/*
 * intents - the files `intents` and `intents_bin`
 */
#ifndef IOB_DEBUGFS_INTENTS_H
#define IOB_DEBUGFS_INTENTS_H

#include <linux/fs.h>

extern const struct file_operations iob_intents_fops;
extern const struct file_operations iob_intents_bin_fops;

#endif
