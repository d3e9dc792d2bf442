/* SPDX-License-Identifier: GPL-2.0 */
/*
 * spans - for how long at least one of several IOs was under way
 *
 * Pure.  IOs are added in the order of their ends.  The time that all of them cover is kept as
 * a few spans without overlap.  Where there is no room for another, the oldest is closed: an IO
 * that began before its end then counts from there only.
 * Example: 0 to 10, 5 to 12 and 20 to 30 cover 22.
 */
#ifndef IOBLAME_SPANS_H
#define IOBLAME_SPANS_H

#include <stdint.h>

enum {
	SPANS_OPEN = 8,
};

struct spans {
	struct span {
		uint64_t from, to;
	} open[SPANS_OPEN];
	unsigned int nr;
	uint64_t closed, closed_to;
};

void spans_add(struct spans *s, uint64_t from, uint64_t to);
uint64_t spans_covered(const struct spans *s);

#endif
