// SPDX-License-Identifier: GPL-2.0
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drvdisk.h"
#include "file.h"

/**
 * drvdisk_find - find the disk that an event speaks of
 * @device:  "H:C:I:L" of SCSI, or "nvme0n1"
 * @dev:     its number
 * @sectors: how many sectors of 512 bytes are a block of it
 *
 * Return: false if it is no disk.
 */
bool drvdisk_find(const char *device, uint32_t *dev, unsigned int *sectors)
{
	char path[128], *text;
	unsigned int i, major, minor;

	/* the names of this run, so that few files are read */
	static struct { char device[40]; uint32_t dev; unsigned int sectors; } known[256];
	static unsigned int nr;

	for (i = 0; i < nr; i++) {
		if (!strcmp(known[i].device, device)) {
			*dev = known[i].dev;
			*sectors = known[i].sectors;
			return *sectors;
		}
	}
	*dev = 0;
	*sectors = 0;
	snprintf(path, sizeof(path), "/sys/block/%s/dev", device);
	if (strchr(device, ':')) {
		snprintf(path, sizeof(path), "/sys/class/scsi_device/%s/device/block", device);
		text = file_first_entry(path);
		snprintf(path, sizeof(path), "/sys/block/%s/dev", text ? text : "-");
		free(text);
	}
	text = file_read(path);
	if (text && sscanf(text, "%u:%u", &major, &minor) == 2) {
		*dev = major << 20 | minor;
		*sectors = 1;
		free(text);
		strcpy(strrchr(path, '/'), "/queue/logical_block_size");
		text = file_read(path);
		if (text && strtoul(text, NULL, 10) >= 512)
			*sectors = strtoul(text, NULL, 10) / 512;
	}
	free(text);
	if (nr < 256) {
		snprintf(known[nr].device, sizeof(known[nr].device), "%s", device);
		known[nr].dev = *dev;
		known[nr++].sectors = *sectors;
	}
	return *sectors;
}
