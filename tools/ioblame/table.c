// SPDX-License-Identifier: GPL-2.0
#include <libsmartcols/libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cell.h"
#include "csv.h"
#include "json.h"
#include "msg.h"
#include "opts.h"
#include "out.h"
#include "table.h"

struct table {
	enum format format;
	const char *type;
	const struct col *cols;
	unsigned int nr;
	struct libscols_table *scols;
	bool headed;		/* the head of a stream is printed */
};

static bool col_is_shown(const struct col *col)
{
	return !(col->flags & COL_ONLY_DATA);
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
	unsigned int i;

	t->format = format;
	t->type = type;
	t->cols = cols;
	t->nr = nr;
	if (format != FORMAT_TABLE)
		return t;
	t->scols = must(scols_new_table());
	for (i = 0; i < nr; i++) {
		int flags = cell_is_number(&cols[i]) ? SCOLS_FL_RIGHT :
			    cols[i].flags & COL_CUT ? SCOLS_FL_TRUNC : 0;

		if (col_is_shown(&cols[i]))
			must(scols_table_new_column(t->scols, cols[i].head, 0, flags));
	}
	/* libsmartcols asks the terminal for its width */
	if (isatty(STDOUT_FILENO))
		scols_table_set_termforce(t->scols, SCOLS_TERMFORCE_ALWAYS);
	else
		scols_table_set_termforce(t->scols, SCOLS_TERMFORCE_NEVER);
	return t;
}

/* Add a row. */
void table_row(struct table *t, const struct cell *cells)
{
	struct libscols_line *line;
	unsigned int i, at = 0;
	char buf[2048];

	if (t->format == FORMAT_JSON) {
		json_row(t->type, t->cols, t->nr, cells);
		return;
	}
	if (t->format == FORMAT_CSV) {
		csv_row(t->type, t->cols, t->nr, cells);
		return;
	}
	line = must(scols_table_new_line(t->scols, NULL));
	for (i = 0; i < t->nr; i++) {
		if (col_is_shown(&t->cols[i]))
			scols_line_set_data(line, at++,
					    cell_text(&t->cols[i], &cells[i], buf, sizeof(buf)));
	}
}

static void print_stream_cell(const struct col *col, const char *text, bool last)
{
	if (last && !cell_is_number(col))
		out_puts(text);
	else
		out_printf(cell_is_number(col) ? "%*s%s" : "%-*s%s", (int)col->width, text,
			   last ? "" : " ");
}

/* Print a row at once, in columns of fixed width. */
void table_stream_row(struct table *t, const struct cell *cells)
{
	unsigned int i, last = 0;
	char buf[2048];

	if (t->format != FORMAT_TABLE) {
		table_row(t, cells);
		return;
	}
	for (i = 0; i < t->nr; i++) {
		if (col_is_shown(&t->cols[i]))
			last = i;
	}
	for (i = 0; !t->headed && i <= last; i++) {
		if (col_is_shown(&t->cols[i]))
			print_stream_cell(&t->cols[i], t->cols[i].head, i == last);
	}
	if (!t->headed)
		out_puts("\n");
	t->headed = true;
	for (i = 0; i <= last; i++) {
		if (col_is_shown(&t->cols[i]))
			print_stream_cell(&t->cols[i],
					  cell_text(&t->cols[i], &cells[i], buf, sizeof(buf)),
					  i == last);
	}
	out_puts("\n");
}

/* Print the rows that are left, and free the table. */
void table_end(struct table *t)
{
	char *text = NULL;

	if (t->scols) {
		if (scols_table_get_nlines(t->scols) &&
		    !scols_print_table_to_string(t->scols, &text) && text)
			out_printf("%s%s", text,
				   *text && text[strlen(text) - 1] == '\n' ? "" : "\n");
		free(text);
		scols_unref_table(t->scols);
	}
	free(t);
}
