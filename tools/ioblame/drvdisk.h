/* SPDX-License-Identifier: GPL-2.0 */
/*
 * drvdisk - the disks of the kernel's events of SCSI and NVMe, by their numbers
 */
#ifndef IOBLAME_DRVDISK_H
#define IOBLAME_DRVDISK_H

#include <stdbool.h>
#include <stdint.h>

bool drvdisk_find(const char *device, uint32_t *dev, unsigned int *sectors);

#endif
