/* SPDX-License-Identifier: GPL-2.0 */
/*
 * grid - rows of texts in columns that fit the terminal
 *
 * A grid takes cells, drops columns that are all zero or do not fit, cuts long names, and gives
 * each line in pieces: table.c prints them, live_draw.c puts them on its screen.
 */
#ifndef IOBLAME_GRID_H
#define IOBLAME_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include "cell.h"
#include "layout.h"

struct grid_text {
	char *text;
	unsigned int width;
	enum mark mark;
};

struct grid {
	const struct col *cols;
	unsigned int nr;
	unsigned int *order;		/* the columns that are shown, from the left */
	unsigned int nr_order;
	struct layout *lay;		/* of each of @order */
	bool *zero;			/* ... and if it has no value but 0 */
	struct grid_text *rows;		/* nr_order for each row */
	size_t nr_rows, room;
	bool whole;			/* cut nothing: it is no terminal */
};

/* Puts a piece of a line: cut, and padded but for the last one. */
typedef void grid_put(const char *text, enum mark mark, void *arg);

bool grid_unknown(const struct col *cols, unsigned int nr, const char *spec, char *to,
		  size_t size);
bool grid_knows(const struct col *cols, unsigned int nr, const char *spec);
void grid_begin(struct grid *g, const struct col *cols, unsigned int nr, const char *spec);
void grid_row(struct grid *g, const struct cell *cells);
void grid_fit(struct grid *g, unsigned int width);
void grid_fix(struct grid *g, unsigned int width);
void grid_line(const struct grid *g, long row, grid_put *put, void *arg);
void grid_clear(struct grid *g);
void grid_end(struct grid *g);

#endif
