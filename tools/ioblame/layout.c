// SPDX-License-Identifier: GPL-2.0
#include <stddef.h>

#include "layout.h"

/* Cells of all columns, with a blank between them; their least, or what they have. */
static unsigned int sum_of(const struct layout *cols, unsigned int nr, bool least)
{
	unsigned int i, sum = 0, shown = 0;

	for (i = 0; i < nr; i++) {
		if (!cols[i].shown)
			continue;
		sum += least ? cols[i].least : cols[i].width;
		shown++;
	}
	return shown ? sum + shown - 1 : 0;
}

/*
 * Take out the columns of the highest rank, which go together; of rank 0 only the last one.
 * Return: false if no more than one column is left.
 */
static bool drop_columns(struct layout *cols, unsigned int nr)
{
	unsigned int i, rank = 0, last = 0, shown = 0;

	for (i = 0; i < nr; i++) {
		if (!cols[i].shown)
			continue;
		shown++;
		if (cols[i].rank >= rank) {
			rank = cols[i].rank;
			last = i;
		}
	}
	for (i = 0; i < nr && shown > 1; i++) {
		if (!cols[i].shown || cols[i].rank != rank || (!rank && i != last))
			continue;
		cols[i].shown = false;
		shown--;
	}
	return shown > 1;
}

/* Take a cell from the widest column that can give one. */
static bool narrow_column(struct layout *cols, unsigned int nr)
{
	struct layout *widest = NULL;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (cols[i].shown && cols[i].width > cols[i].least &&
		    (!widest || cols[i].width > widest->width))
			widest = &cols[i];
	}
	if (widest)
		widest->width--;
	return widest;
}

/* Fit the columns that are @shown into @width cells; 0: as many as they need. */
void layout_fit(struct layout *cols, unsigned int nr, unsigned int width)
{
	unsigned int i;

	while (width && sum_of(cols, nr, true) > width && drop_columns(cols, nr))
		;
	for (i = 0; i < nr; i++)
		cols[i].width = cols[i].need;
	while (width && sum_of(cols, nr, false) > width && narrow_column(cols, nr))
		;
	/* a single column that does not fit is cut */
	for (i = 0; width && i < nr; i++) {
		if (cols[i].shown && cols[i].width > width)
			cols[i].width = width;
	}
}
