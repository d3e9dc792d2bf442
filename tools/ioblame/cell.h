/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cell - columns, and the cells of a row
 */
#ifndef IOBLAME_CELL_H
#define IOBLAME_CELL_H

#include <stdbool.h>
#include <stdint.h>

#include "color.h"
#include "intent.h"

enum col_type {
	COL_TEXT,
	COL_COUNT,
	COL_DIGITS,		/* a count that JSON has as a string: jq would round it */
	COL_SECONDS,		/* nanoseconds, in JSON and CSV as seconds */
	COL_SIGNED,
	COL_BYTES,
	COL_NSECS,
	COL_RATE,
	COL_FLAG,
	COL_STACK,		/* an array of functions */
};

enum {
	COL_ONLY_DATA = 1,	/* not in tables */
	COL_ONLY_TABLE = 2,
	COL_CUT = 4,		/* cut to fit the terminal */
	COL_PATH = 8,		/* ... at the left: the end says more */
	COL_IF_NOT_0 = 16,	/* in tables if a row has it */
};

/* On a narrow terminal, columns of a high rank (1 to 99) go first */
#define COL_DROP(rank)		((rank) << 8)
#define COL_RANK(flags)		((flags) >> 8)

/* @key is the name in JSON and CSV, and ends in the unit */
struct col {
	const char *head, *key;
	enum col_type type;
	unsigned int flags;
	unsigned int width;	/* in a stream, whose rows are printed one by one */
};

struct cell {
	bool known;
	const char *text;
	uint64_t n;
	double f;
	const struct intent *intent;
	enum mark mark;
};

#define CELL_NONE	((struct cell){ 0 })
#define CELL_TEXT(t)	((struct cell){ .known = (t) != NULL, .text = (t) })
#define CELL_N(v)	((struct cell){ .known = true, .n = (v) })
#define CELL_IF(c, v)	((struct cell){ .known = (c), .n = (v) })
#define CELL_RATE(v)	((struct cell){ .known = true, .f = (v) })
#define CELL_STACK(i)	((struct cell){ .known = (i) != NULL, .intent = (i) })

bool cell_is_number(const struct col *col);
const char *cell_text(const struct col *col, const struct cell *cell, char *buf,
		      unsigned int size);

#endif
