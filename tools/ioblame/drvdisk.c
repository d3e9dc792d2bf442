// SPDX-License-Identifier: GPL-2.0
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "drvdisk.h"
#include "file.h"
#include "map.h"
#include "msg.h"
#include "nvme_path.h"

/*
 * What is no disk may become one: the first command of SCSI asks what it is.  So it is looked for
 * again, about each time that events are read, and not for each of its commands.
 */
#define AGAIN_NS	50000000

#define DEVICE_NAME	40

/* A name of this run, so that few files are read */
struct known {
	char device[DEVICE_NAME];
	uint32_t dev;
	unsigned int sectors;	/* 0: it is no disk */
	uint64_t looked_ns;	/* when it was looked for */
};

static struct map known = { .key_len = DEVICE_NAME };

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

/* Look in /sys for a disk. */
static void look_for_disk(struct known *k)
{
	unsigned int major, minor;
	char path[128], *text, *name;

	if (strchr(k->device, ':')) {
		snprintf(path, sizeof(path), "/sys/class/scsi_device/%s/device/block", k->device);
		name = file_first_entry(path);
		text = read_dev(path, sizeof(path), name ? name : "-");
		free(name);
	} else {
		text = read_dev(path, sizeof(path), k->device);
		if (!text)
			text = read_dev_of_head(path, sizeof(path), k->device);
	}
	if (text && sscanf(text, "%u:%u", &major, &minor) == 2) {
		k->dev = major << 20 | minor;
		k->sectors = 1;
		free(text);
		strcpy(strrchr(path, '/'), "/queue/logical_block_size");
		text = file_read(path);
		if (text && strtoul(text, NULL, 10) >= 512)
			k->sectors = strtoul(text, NULL, 10) / 512;
	}
	free(text);
}

/**
 * drvdisk_find - find the disk that an event speaks of
 * @device:  "H:C:I:L" of SCSI, "nvme0n1", or "nvme0c0n1" for a path to it
 * @dev:     its number
 * @sectors: how many sectors of 512 bytes are a block of it
 *
 * Return: false if it is no disk, or none yet.
 */
bool drvdisk_find(const char *device, uint32_t *dev, unsigned int *sectors)
{
	char key[DEVICE_NAME] = "";
	uint64_t now;
	struct known *k;

	snprintf(key, sizeof(key), "%s", device);
	k = map_get(&known, key);
	if (!k) {
		k = must(calloc(1, sizeof(*k)));
		memcpy(k->device, key, sizeof(key));
		map_put(&known, k);
	}
	if (!k->sectors) {
		now = clock_ns();
		if (!k->looked_ns || now - k->looked_ns >= AGAIN_NS) {
			k->looked_ns = now;
			look_for_disk(k);
		}
	}
	*dev = k->dev;
	*sectors = k->sectors;
	return *sectors;
}
