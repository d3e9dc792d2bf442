/* SPDX-License-Identifier: GPL-2.0 */
/*
 * spans - for how long at least one of several IOs was under way
 *
 * Pure.  IOs are added in the order of their ends.  The time that all of them cover is kept as
 * spans without overlap, each with how much of it is covered; an IO takes the place of all that
 * it outlasts.  Example: 0 to 10, 5 to 12 and 20 to 30 cover 22, in the spans 0 to 12 and 20 to 30;
 * with an IO from 2 to 40 it is one span, from 0 to 40.
 *
 * Where there is no room for another span, old ones are put together: 0 to 30, of which 22 are
 * covered.  An IO that began before, or after, that span is still counted exactly.  Of one that
 * began within it, it is not known how much was covered before: that is taken to be evenly spread.
 * Spans are put together only where this can be wrong by a small part of how long such an IO must
 * have been under way, so it is a small part of what is covered.
 */
#ifndef IOBLAME_SPANS_H
#define IOBLAME_SPANS_H

#include <stdint.h>

enum {
	SPANS_MOST = 256,
};

struct spans {
	struct span {
		uint64_t from, to;
		uint64_t covered;
	} *span;
	unsigned int nr, size;
	unsigned int shift;	/* of the last time that spans were put together */
};

void spans_add(struct spans *s, uint64_t from, uint64_t to);
uint64_t spans_covered(const struct spans *s);
void spans_clear(struct spans *s);

#endif
