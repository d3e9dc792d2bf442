/* SPDX-License-Identifier: GPL-2.0 */
/*
 * moment_pace - how often a recording is begun
 *
 * Pure.  For one reason and disk at most once a minute; the others are counted, and said with
 * the next one.
 */
#ifndef IOBLAMED_MOMENT_PACE_H
#define IOBLAMED_MOMENT_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "map.h"

#define MOMENT_PACE_NS	60000000000ULL

struct moment_pace {
	struct map known;
	uint64_t kept_ns;	/* when those that are over were last dropped */
};

bool moment_pace_may(struct moment_pace *p, uint32_t disk, int what, uint64_t now_ns,
		     uint64_t *left_out);
void moment_pace_end(struct moment_pace *p);

#endif
