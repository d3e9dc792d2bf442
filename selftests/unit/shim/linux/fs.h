/* SPDX-License-Identifier: GPL-2.0 */
/* A test that needs inodes has its own. */
#ifndef SHIM_LINUX_FS_H
#define SHIM_LINUX_FS_H

struct inode;

#endif
