/* SPDX-License-Identifier: GPL-2.0 */
/*
 * recorder_lost - how much of the past the recorder of this process has lost, for its metrics
 */
#ifndef IOBLAMED_RECORDER_LOST_H
#define IOBLAMED_RECORDER_LOST_H

#include <stdint.h>

struct recorder_lost {
	uint64_t sums;		/* minutes and hours that found no room, and are gone */
	uint64_t intervals;	/* that are in their minute alone */
};

extern struct recorder_lost recorder_lost;

#endif
