/* SPDX-License-Identifier: GPL-2.0 */
/*
 * table - rows of one kind, as a table, as JSON lines or as CSV
 */
#ifndef IOBLAME_TABLE_H
#define IOBLAME_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "intent.h"
#include "opts.h"

enum col_type {
	COL_TEXT,
	COL_COUNT,
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
	COL_CUT = 4,		/* may be shortened to fit the terminal */
};

/* @key is what JSON and CSV call it; the unit is its end */
struct col {
	const char *head, *key;
	enum col_type type;
	unsigned int flags;
	unsigned int width;	/* of a stream, where no table is gathered */
};

struct cell {
	bool known;
	const char *text;
	uint64_t n;
	double f;
	const struct intent *intent;
};

struct table;

#define CELL_NONE	((struct cell){ 0 })
#define CELL_TEXT(t)	((struct cell){ .known = (t) != NULL, .text = (t) })
#define CELL_N(v)	((struct cell){ .known = true, .n = (v) })
#define CELL_IF(c, v)	((struct cell){ .known = (c), .n = (v) })
#define CELL_RATE(v)	((struct cell){ .known = true, .f = (v) })
#define CELL_STACK(i)	((struct cell){ .known = (i) != NULL, .intent = (i) })

struct table *table_new(enum format format, const char *type, const struct col *cols,
			unsigned int nr);
void table_row(struct table *t, const struct cell *cells);
void table_stream_row(struct table *t, const struct cell *cells);
void table_end(struct table *t);
const char *cell_text(const struct col *col, const struct cell *cell, char *buf,
		      unsigned int size);
char *stack_folded(const struct intent *in, const char *separator, bool outermost_first);

/* JSON lines that are no rows: keys and values */
struct json_object;
struct json_object *json_begin(const char *type);
void json_text(struct json_object *o, const char *key, const char *text);
void json_n(struct json_object *o, const char *key, uint64_t n);
void json_print(struct json_object *o);

#endif
