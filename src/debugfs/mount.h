/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mount - the file system `ioblame`, which shows the tree where debugfs does not
 */
#ifndef IOB_DEBUGFS_MOUNT_H
#define IOB_DEBUGFS_MOUNT_H

struct iob_tree_view;

extern const struct iob_tree_view iob_mount_view;

int iob_mount_init(void);
void iob_mount_exit(void);

#endif
