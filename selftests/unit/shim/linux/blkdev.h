/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_BLKDEV_H
#define SHIM_LINUX_BLKDEV_H

#define SECTOR_SHIFT	9
#define SECTOR_SIZE	(1 << SECTOR_SHIFT)

#endif
