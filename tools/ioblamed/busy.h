/* SPDX-License-Identifier: GPL-2.0 */
/*
 * busy - how long each disk had something to do
 *
 * The kernel counts the milliseconds in which a disk had at least one IO: the tenth number of
 * /sys/block/DISK/stat.  A disk that is there for the first time counts from then on.  (The
 * service has no /proc/diskstats.)
 */
#ifndef IOBLAMED_BUSY_H
#define IOBLAMED_BUSY_H

#include <stdint.h>

#include "map.h"
#include "usage.h"

#define BUSY_FOLDER	"/sys/block"

/* All zero before the first pass. */
struct busy {
	struct map disks;	/* that the last pass saw */
	uint64_t pass;
};

void busy_pass(struct busy *busy, const char *folder, struct usage_list *list);
void busy_end(struct busy *busy);

#endif
