// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cell.h"
#include "escape.h"
#include "grid.h"
#include "layout.h"
#include "msg.h"
#include "text.h"
#include "width.h"

enum {
	LEAST_NAME = 8,
	LEAST_PATH = 20,
	CELL_BYTES = 8192,
};

/* Whether they are the same but for capitals; @name is one of several words. */
static bool is_named(const char *word, const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < len && word[i]; i++) {
		if (text_lower(word[i]) != text_lower(name[i]))
			return false;
	}
	return i == len && !word[i];
}

/* The column of a name, which is its head or its key; -1 if there is none. */
static int find_column(const struct col *cols, unsigned int nr, const char *name, size_t len)
{
	int found = -1;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		bool head = is_named(cols[i].head, name, len);
		bool key = is_named(cols[i].key, name, len);

		/* of several with one head, that which is for tables */
		if (head && !(cols[i].flags & COL_ONLY_DATA))
			return i;
		if ((head && found < 0) || key)
			found = i;
	}
	return found;
}

static void list_columns(const struct col *cols, unsigned int nr, char *to, size_t size)
{
	unsigned int i, k;
	size_t n = 0;

	*to = '\0';
	for (i = 0; i < nr && n < size; i++) {
		for (k = 0; k < i && strcmp(cols[k].head, cols[i].head); k++)
			;
		if (k == i)
			n += snprintf(to + n, size - n, "%s%s", n ? ", " : "", cols[i].head);
	}
}

/**
 * grid_unknown - find a column of -o that does not exist
 * @cols: the columns there are
 * @nr:   their number
 * @spec: the columns of -o, or NULL
 * @to:   what is wrong
 * @size: bytes of @to
 *
 * Return: true if there is one.
 */
bool grid_unknown(const struct col *cols, unsigned int nr, const char *spec, char *to,
		  size_t size)
{
	char safe[ESCAPE_SIZE(64)], list[2048];
	size_t len;

	if (!spec)
		return false;
	for (spec += *spec == '+';; spec += len + 1) {
		len = strcspn(spec, ",");
		if (find_column(cols, nr, spec, len) < 0)
			break;
		if (!spec[len])
			return false;
	}
	escape_text(safe, sizeof(safe), spec, len < 64 ? len : 64);
	list_columns(cols, nr, list, sizeof(list));
	snprintf(to, size, "there is no column '%s'; choose of %s", safe, list);
	return true;
}

/* True if the columns of -o exist; else the error is printed. */
bool grid_knows(const struct col *cols, unsigned int nr, const char *spec)
{
	char text[2560];

	if (!grid_unknown(cols, nr, spec, text, sizeof(text)))
		return true;
	msg("%s", text);
	return false;
}

static void add_column(struct grid *g, unsigned int i)
{
	unsigned int k;

	for (k = 0; k < g->nr_order; k++) {
		if (g->order[k] == i)
			return;
	}
	g->order[g->nr_order++] = i;
}

/* Choose the columns: the usual ones, or those of @spec; "+COL" adds to the usual ones. */
static void choose_columns(struct grid *g, const char *spec)
{
	unsigned int i;
	size_t len;
	int found;

	for (i = 0; i < g->nr && (!spec || *spec == '+'); i++) {
		if (!(g->cols[i].flags & COL_ONLY_DATA))
			add_column(g, i);
	}
	if (!spec)
		return;
	for (spec += *spec == '+'; *spec; spec += len + (spec[len] == ',')) {
		len = strcspn(spec, ",");
		found = find_column(g->cols, g->nr, spec, len);
		if (found >= 0)
			add_column(g, found);
	}
}

/**
 * grid_begin - begin a grid
 * @g:    the grid
 * @cols: the columns there are
 * @nr:   their number
 * @spec: which of them, as of -o; NULL for the usual ones
 */
void grid_begin(struct grid *g, const struct col *cols, unsigned int nr, const char *spec)
{
	unsigned int k;

	memset(g, 0, sizeof(*g));
	g->cols = cols;
	g->nr = nr;
	g->order = must(calloc(nr, sizeof(*g->order)));
	g->lay = must(calloc(nr, sizeof(*g->lay)));
	g->zero = must(calloc(nr, sizeof(*g->zero)));
	choose_columns(g, spec);
	for (k = 0; k < g->nr_order; k++) {
		const struct col *col = &cols[g->order[k]];

		g->lay[k].need = strlen(col->head);
		g->lay[k].rank = spec && *spec != '+' ? k : COL_RANK(col->flags);
		g->zero[k] = col->flags & COL_IF_NOT_0 && !(spec && *spec != '+');
	}
}

void grid_row(struct grid *g, const struct cell *cells)
{
	static char buf[CELL_BYTES];
	struct grid_text *to;
	unsigned int k;

	if ((g->nr_rows + 1) * g->nr_order > g->room) {
		g->room = (g->nr_rows + 1) * g->nr_order * 2;
		g->rows = must(realloc(g->rows, g->room * sizeof(*g->rows)));
	}
	to = g->rows + g->nr_rows++ * g->nr_order;
	for (k = 0; k < g->nr_order; k++) {
		const struct cell *cell = &cells[g->order[k]];

		to[k].text = must(strdup(cell_text(&g->cols[g->order[k]], cell, buf, sizeof(buf))));
		to[k].width = width_of(to[k].text);
		to[k].mark = cell->mark;
		if (to[k].width > g->lay[k].need)
			g->lay[k].need = to[k].width;
		g->zero[k] &= !cell->known || (!cell->n && !(cell->f > 0) && !cell->text);
	}
}

static unsigned int least_of(const struct grid *g, unsigned int k)
{
	const struct col *col = &g->cols[g->order[k]];
	unsigned int least = g->lay[k].need;

	if (col->flags & COL_CUT)
		least = col->flags & COL_PATH || col->type == COL_STACK ? LEAST_PATH : LEAST_NAME;
	return least < g->lay[k].need ? least : g->lay[k].need;
}

/* Choose widths for the rows that are there; 0: no limit. */
void grid_fit(struct grid *g, unsigned int width)
{
	unsigned int k;

	g->whole = !width;
	for (k = 0; k < g->nr_order; k++) {
		g->lay[k].shown = !g->zero[k];
		g->lay[k].least = least_of(g, k);
	}
	layout_fit(g->lay, g->nr_order, width);
}

/* Choose widths before there are rows: those that the columns have; the last takes the rest. */
void grid_fix(struct grid *g, unsigned int width)
{
	unsigned int k;

	for (k = 0; k < g->nr_order; k++) {
		const struct col *col = &g->cols[g->order[k]];

		g->zero[k] = false;
		if (col->width > g->lay[k].need)
			g->lay[k].need = col->width;
		if (!col->width && col->flags & COL_CUT)
			g->lay[k].need = width ? width : g->lay[k].need;
	}
	grid_fit(g, width);
}

static void put_padded(const struct layout *lay, const struct col *col, bool whole,
		       const struct grid_text *t, bool last, grid_put *put, void *arg)
{
	static char cut[CELL_BYTES * 2], blank[CELL_BYTES];
	unsigned int used = t->width, pad;
	const char *text = t->text;

	/* a number is never cut, or it would be another */
	if (used > lay->width && !whole &&
	    !(cell_is_number(col) && lay->width >= lay->least)) {
		used = width_cut(cut, sizeof(cut), text, lay->width, col->flags & COL_PATH);
		text = cut;
	}
	pad = used < lay->width && lay->width < sizeof(blank) ? lay->width - used : 0;
	memset(blank, ' ', pad);
	blank[pad] = '\0';
	if (cell_is_number(col) && pad)
		put(blank, MARK_NONE, arg);
	put(text, t->mark, arg);
	if (!cell_is_number(col) && pad && !last)
		put(blank, MARK_NONE, arg);
}

/* Give a row in pieces; -1: the head. */
void grid_line(const struct grid *g, long row, grid_put *put, void *arg)
{
	unsigned int k, last = 0;
	bool first = true;

	for (k = 0; k < g->nr_order; k++) {
		if (g->lay[k].shown)
			last = k;
	}
	for (k = 0; k <= last && g->nr_order; k++) {
		const struct col *col = &g->cols[g->order[k]];
		struct grid_text head = { (char *)col->head, strlen(col->head), MARK_NONE };
		const struct grid_text *t = row < 0 ? &head : &g->rows[row * g->nr_order + k];

		if (!g->lay[k].shown)
			continue;
		if (!first)
			put(" ", MARK_NONE, arg);
		first = false;
		put_padded(&g->lay[k], col, g->whole, t, k == last, put, arg);
	}
}

/* Drop the rows; the widths stay. */
void grid_clear(struct grid *g)
{
	size_t i;

	for (i = 0; i < g->nr_rows * g->nr_order; i++)
		free(g->rows[i].text);
	g->nr_rows = 0;
}

void grid_end(struct grid *g)
{
	grid_clear(g);
	free(g->rows);
	free(g->order);
	free(g->lay);
	free(g->zero);
	memset(g, 0, sizeof(*g));
}
