/* SPDX-License-Identifier: GPL-2.0 */
/*
 * drive - what a drive counts itself
 *
 * NVMe drives have it in their SMART log, which root can read.
 */
#ifndef IOBLAME_DRIVE_H
#define IOBLAME_DRIVE_H

#include <stdbool.h>
#include <stdint.h>

struct drive {
	uint64_t bytes_written;		/* in all its life */
	unsigned int percent_used;	/* of what its maker expects; may exceed 100 */
};

bool drive_read(const char *disk, struct drive *d);

#endif
