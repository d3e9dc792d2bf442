/* SPDX-License-Identifier: GPL-2.0 */
/*
 * counter_dir - the directory counters/
 */
#ifndef IOB_DEBUGFS_COUNTER_DIR_H
#define IOB_DEBUGFS_COUNTER_DIR_H

#include <linux/types.h>

struct iob_tree_node;

int iob_counter_dir_init(struct iob_tree_node *dir);
int iob_counter_dir_set_nr(u32 nr);

#endif
