// SPDX-License-Identifier: GPL-2.0
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drvdisk.h"
#include "file.h"
#include "nvme_path.h"

/* The file with a disk's number, or NULL; @path gets its path. */
static char *read_dev(char *path, size_t size, const char *disk)
{
	snprintf(path, size, "/sys/block/%s/dev", disk);
	return file_read(path);
}

/* The same of the namespace that a path of NVMe's multipath leads to. */
static char *read_dev_of_head(char *path, size_t size, const char *device)
{
	char head[40];

	return nvme_path_head(device, head, sizeof(head)) ? read_dev(path, size, head) : NULL;
}

/**
 * drvdisk_find - find the disk that an event speaks of
 * @device:  "H:C:I:L" of SCSI, "nvme0n1", or "nvme0c0n1" for a path to it
 * @dev:     its number
 * @sectors: how many sectors of 512 bytes are a block of it
 *
 * Return: false if it is no disk.
 */
bool drvdisk_find(const char *device, uint32_t *dev, unsigned int *sectors)
{
	char path[128], *text, *name;
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
	if (strchr(device, ':')) {
		snprintf(path, sizeof(path), "/sys/class/scsi_device/%s/device/block", device);
		name = file_first_entry(path);
		text = read_dev(path, sizeof(path), name ? name : "-");
		free(name);
	} else {
		text = read_dev(path, sizeof(path), device);
		if (!text)
			text = read_dev_of_head(path, sizeof(path), device);
	}
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
