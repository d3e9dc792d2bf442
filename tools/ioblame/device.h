/* SPDX-License-Identifier: GPL-2.0 */
/*
 * device - the block devices of this machine
 */
#ifndef IOBLAME_DEVICE_H
#define IOBLAME_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

/* A disk, or a partition */
struct device {
	uint32_t dev;		/* major << 20 | minor */
	uint32_t disk;		/* number of its disk */
	uint64_t start, end;	/* sectors on the disk; end 0: all */
	char number[24];	/* MAJ:MIN, for `devs` */
	char name[64];
};

enum {
	DEVICES_MAX = 1024,
};

bool device_lookup(const char *word, struct device *d);
bool device_require(const char *word, struct device *d);
unsigned int device_all(struct device *d, unsigned int max);
unsigned int device_every(struct device **all);
unsigned int device_arrays(struct device **all);
uint64_t device_sectors(uint32_t dev);
bool device_has(const struct device *d, uint32_t disk, uint64_t sector, bool data);
const struct device *device_beside(const struct device *want, unsigned int nr,
				   const struct device *watched, unsigned int nr_watched);
bool device_under_path(const char *path, const struct device *d, unsigned int nr);

#endif
