// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>

#include "cell.h"
#include "color.h"
#include "csv.h"
#include "grid.h"
#include "json.h"
#include "msg.h"
#include "opts.h"
#include "out.h"
#include "table.h"
#include "width.h"

struct table {
	enum format format;
	const char *type;
	const struct col *cols;
	unsigned int nr;
	struct grid grid;	/* of FORMAT_TABLE */
	bool headed;		/* the head of a stream is printed */
};

static const char *wanted;	/* columns, as of -o */

/* Which columns all tables have. */
void table_init(const struct opts *o)
{
	wanted = o->column_list;
}

/**
 * table_new - begin a table
 * @format: table, JSON or CSV
 * @type:   the type of its rows in JSON and CSV
 * @cols:   its columns
 * @nr:     number of columns
 *
 * Return: the table; table_end() prints and frees it.
 */
struct table *table_new(enum format format, const char *type, const struct col *cols,
			unsigned int nr)
{
	struct table *t = must(calloc(1, sizeof(*t)));

	t->format = format;
	t->type = type;
	t->cols = cols;
	t->nr = nr;
	if (format == FORMAT_TABLE)
		grid_begin(&t->grid, cols, nr, wanted);
	return t;
}

/* Add a row. */
void table_row(struct table *t, const struct cell *cells)
{
	if (t->format == FORMAT_JSON)
		json_row(t->type, t->cols, t->nr, cells);
	else if (t->format == FORMAT_CSV)
		csv_row(t->type, t->cols, t->nr, cells);
	else
		grid_row(&t->grid, cells);
}

static void print_piece(const char *text, enum mark mark, void *arg)
{
	(void)arg;
	out_puts(color_begin(mark));
	out_puts(text);
	out_puts(color_end(mark));
}

static void print_line(const struct table *t, long row)
{
	grid_line(&t->grid, row, print_piece, NULL);
	out_puts("\n");
}

/* Print a row at once, in columns of fixed width. */
void table_stream_row(struct table *t, const struct cell *cells)
{
	if (t->format != FORMAT_TABLE) {
		table_row(t, cells);
		return;
	}
	if (!t->headed) {
		grid_fix(&t->grid, width_terminal());
		print_line(t, -1);
	}
	t->headed = true;
	grid_row(&t->grid, cells);
	print_line(t, 0);
	grid_clear(&t->grid);
}

/* Print the rows that are left, and free the table. */
void table_end(struct table *t)
{
	size_t i;

	if (t->format == FORMAT_TABLE && t->grid.nr_rows) {
		grid_fit(&t->grid, width_terminal());
		print_line(t, -1);
		for (i = 0; i < t->grid.nr_rows; i++)
			print_line(t, i);
	}
	if (t->format == FORMAT_TABLE)
		grid_end(&t->grid);
	free(t);
}
