/* SPDX-License-Identifier: GPL-2.0 */
/*
 * roles - the file `roles`
 */
#ifndef IOB_DEBUGFS_ROLES_H
#define IOB_DEBUGFS_ROLES_H

#include <linux/fs.h>

extern const struct file_operations iob_roles_fops;

#endif
