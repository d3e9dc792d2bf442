/* SPDX-License-Identifier: GPL-2.0 */
/*
 * layout - which columns fit into a width, and how wide each is
 *
 * Pure.  Example: 80 cells, and columns that need 120: those with the highest ranks go until
 * the least widths of the others fit; these then share what is left, the widest gives first.
 */
#ifndef IOBLAME_LAYOUT_H
#define IOBLAME_LAYOUT_H

#include <stdbool.h>

struct layout {
	unsigned int need;	/* what its longest text takes */
	unsigned int least;	/* what it can be cut to */
	unsigned int rank;	/* the highest goes first; equal ones go together, but for 0 */
	bool shown;		/* asked for; the result may be false */
	unsigned int width;	/* the result */
};

void layout_fit(struct layout *cols, unsigned int nr, unsigned int width);

#endif
