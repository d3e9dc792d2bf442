/* SPDX-License-Identifier: GPL-2.0 */
/*
 * nvme_path - the paths of NVMe's own multipath, by which a controller is reached
 *
 * A path is a disk that is hidden: no device node, no number in /sys.  The IO of nvme0c1n2 is that
 * of the namespace nvme0n2, whose number the log has.
 */
#ifndef IOBLAME_NVME_PATH_H
#define IOBLAME_NVME_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool nvme_path_head(const char *path, char *head, size_t size);
bool nvme_path_find(uint32_t dev, char *head, size_t size);

#endif
