// SPDX-License-Identifier: GPL-2.0
#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "choice.h"
#include "color.h"
#include "grid.h"
#include "group.h"
#include "live_draw.h"
#include "pace.h"
#include "rows.h"
#include "run.h"
#include "text.h"
#include "width.h"

enum {
	FIRST_ROW = LIVE_HEAD + 1,	/* below the titles */
	/* on a lower screen, the rows need the two lines of what was lost */
	LEAST_LINES = 10,
};

static int lost_lines(void)
{
	return LINES >= LEAST_LINES ? 2 : 0;
}

/* The first line below the table. */
static int end_of_table(void)
{
	return LINES - lost_lines() - 1;
}

/* Write escaped text, which may be UTF-8, into a field of @width cells. */
void live_put(int y, int x, int width, const char *text)
{
	wchar_t wide[1024];
	size_t n = mbstowcs(wide, text, 1023), i;
	int w;

	if (y < 0 || y >= LINES || width <= 0)
		return;
	/* the locale cannot convert it: show ASCII only */
	if (n == (size_t)-1) {
		for (n = 0; text[n] && n < 1023; n++)
			wide[n] = (unsigned char)text[n] < 0x80 ? text[n] : '?';
	}
	for (i = 0; i < n && x < COLS; i++) {
		w = wcwidth(wide[i]);
		if (w < 0) {
			wide[i] = '?';
			w = 1;
		}
		if (w > width || x + w > COLS)
			break;
		/* what is left of the screen is scrolled away */
		if (x >= 0 && w)
			mvaddnwstr(y, x, &wide[i], 1);
		x += w;
		width -= w;
	}
}

static double rate_of(const struct live_state *v, uint64_t n)
{
	uint64_t ns = v->to_ns - v->since_ns;

	return ns ? (double)n * 1e9 / (double)ns : 0;
}

static const char *byte_rate_of(const struct live_state *v, char *to, uint64_t n)
{
	return text_bytes(to, (uint64_t)(rate_of(v, n) + 0.5));
}

/* Behind the rates: which disks, or which part of a recording.  @to has PACE_TEXT bytes. */
static const char *where_it_is(const struct live_state *v, char *to)
{
	unsigned int disks = v->run->session.nr_devices;

	if (v->run->pace.on)
		return pace_text(&v->run->pace, to);
	snprintf(to, PACE_TEXT, "%u disk%s%s%s", disks, disks == 1 ? "" : "s",
		 v->paused ? "  PAUSED" : "", v->run->session.own ? "" :
		 v->run->source.kind == SOURCE_SERVED ? "  (by ioblamed)" : "  (reading along)");
	return to;
}

static void draw_sums(struct live_state *v)
{
	char time[32], read[TEXT_NUMBER], written[TEXT_NUMBER], ios[TEXT_NUMBER];
	uint64_t all_read = 0, all_written = 0, all = 0, errors = 0;
	char text[512], failed[64] = "", where[PACE_TEXT];
	size_t i;

	for (i = 0; i < v->nr; i++) {
		all_read += v->rows[i].bytes[ROW_READ];
		all_written += v->rows[i].bytes[ROW_WRITE];
		all += v->rows[i].all_ios;
		errors += v->rows[i].errors;
	}
	run_time(v->run, v->to_ns, time, sizeof(time));
	/* it is in each of the rows that share it */
	if (errors > v->sums->errors)
		errors = v->sums->errors;
	if (errors)
		snprintf(failed, sizeof(failed), "  %llu FAILED", (unsigned long long)errors);
	snprintf(text, sizeof(text),
		 "ioblame %.8s  read %s/s  written %s/s  %s IO/s  %s%s",
		 time + sizeof("2026-11-25"), byte_rate_of(v, read, all_read),
		 byte_rate_of(v, written, all_written), text_rate(ios, rate_of(v, all)),
		 where_it_is(v, where), failed);
	live_put(0, 0, COLS, text);
}

static void draw_head(struct live_state *v)
{
	char text[1024], folded[96] = "", number[TEXT_NUMBER], typed[LIVE_TEXT + 16] = "";

	draw_sums(v);
	if (*v->note) {
		live_put(1, 0, COLS, v->note);
		return;
	}
	if (v->sums->folded)
		snprintf(folded, sizeof(folded), ", %s IOs without file and stack (no room)",
			 text_rate(number, (double)v->sums->folded));
	if (v->mode == LIVE_TYPING && v->typing == v->columns_typed)
		snprintf(typed, sizeof(typed), ", columns: %s", v->typing);
	else if (v->mode == LIVE_TYPING || *v->filter)
		snprintf(typed, sizeof(typed), ", filter: %s", v->filter);
	snprintf(text, sizeof(text), "by %s, most %s first%s%s%s", choice_pivots[v->by],
		 choice_sorts[v->sort], v->accumulate ? ", since the beginning" : "", folded,
		 typed);
	/* what is typed is never cut off */
	if (v->mode == LIVE_TYPING && (int)width_of(text) > COLS)
		live_put(1, 0, COLS, typed + 2);
	else
		live_put(1, 0, COLS, text);
}

/* Where put_piece() writes */
struct pen {
	int y, x;
	attr_t attr;
};

static void put_piece(const char *text, enum mark mark, void *arg)
{
	struct pen *pen = arg;
	attr_t attr = pen->attr;

	if (mark && color_is_on() && has_colors())
		attr |= COLOR_PAIR(mark) | (mark == MARK_BAD ? A_BOLD : 0);
	attron(attr);
	live_put(pen->y, pen->x, COLS - pen->x, text);
	attroff(attr);
	pen->x += width_of(text);
}

static void draw_grid_line(const struct live_state *v, const struct grid *g, int y, long row,
			   bool marked)
{
	struct pen pen = { y, -(int)v->sideways, marked ? A_REVERSE : A_NORMAL };

	if (marked) {
		attron(A_REVERSE);
		mvhline(y, 0, ' ', COLS);
		attroff(A_REVERSE);
	}
	grid_line(g, row, put_piece, &pen);
}

/* Columns keep what they had, or the picture would be restless. */
static void keep_widths(struct live_state *v, struct grid *g)
{
	unsigned int k, c;

	for (k = 0; k < g->nr_order; k++) {
		c = g->order[k];
		v->seen[c] |= !g->zero[k];
		g->zero[k] = !v->seen[c];
		if (v->need[c] > g->lay[k].need)
			g->lay[k].need = v->need[c];
		v->need[c] = g->lay[k].need;
	}
}

static void draw_table(struct live_state *v)
{
	size_t room = end_of_table() > FIRST_ROW ? end_of_table() - FIRST_ROW : 1, i;
	struct rows_look look = {
		.rates = !v->accumulate, .submitter = v->submitter, .from_ns = v->since_ns,
		.to_ns = v->to_ns, .iowait = v->iowait,
	};
	struct col cols[ROWS_COLUMNS];
	struct cell cells[ROWS_COLUMNS];
	struct rows_room names;
	struct grid g;

	if (v->selected < v->top)
		v->top = v->selected;
	if (v->selected >= v->top + room)
		v->top = v->selected - room + 1;
	rows_look_at(&look, v->rows, v->nr);
	grid_begin(&g, cols, rows_columns(cols, v->by, &look), v->spec);
	for (i = 0; i < room && v->top + i < v->nr; i++) {
		rows_cells(v->run, &v->rows[v->top + i], v->by, &look, cells, &names);
		grid_row(&g, cells);
	}
	keep_widths(v, &g);
	grid_fit(&g, v->sideways ? 0 : COLS);
	draw_grid_line(v, &g, LIVE_HEAD, -1, true);
	for (i = 0; i < g.nr_rows; i++)
		draw_grid_line(v, &g, FIRST_ROW + i, i, v->top + i == v->selected);
	if (!v->nr)
		live_put(FIRST_ROW, 0, COLS, *v->filter ? "no IO of this filter" : "no IO");
	grid_end(&g);
}

/* Write the next line of the detail or of the help, unless it is scrolled away. */
void live_line(const char *text, void *state)
{
	struct live_state *v = state;
	int y = LIVE_HEAD + (int)v->line++ - (int)v->down;

	if (y >= LIVE_HEAD && y < end_of_table())
		live_put(y, 0, COLS, text);
}

/* Draw lines that can be scrolled, but not past the last one. */
static void draw_lines(struct live_state *v, void (*lines)(struct live_state *v))
{
	unsigned int room = end_of_table() > LIVE_HEAD ? end_of_table() - LIVE_HEAD : 1, most;

	v->line = 0;
	lines(v);
	most = v->line > room ? v->line - room : 0;
	if (v->down <= most)
		return;
	v->down = most;
	v->line = 0;
	erase();
	draw_head(v);
	lines(v);
}

static void draw_foot(struct live_state *v)
{
	bool lost = !strstr(v->lost, "Lost: nothing") && !strstr(v->lost, "of all IO: nothing");
	char text[sizeof(v->lost)], *line, *rest;
	int y = end_of_table();

	snprintf(text, sizeof(text), "%s", v->lost);
	if (lost && color_is_on() && has_colors())
		attron(COLOR_PAIR(MARK_BAD));
	for (line = strtok_r(text, "\n", &rest); line && y < LINES - 1;
	     line = strtok_r(NULL, "\n", &rest))
		live_put(y++, 0, COLS, line);
	attrset(A_NORMAL);
	attron(A_REVERSE);
	mvhline(LINES - 1, 0, ' ', COLS);
	live_put(LINES - 1, 0, COLS,
		 "q quit  h help  Enter detail  p/f/d/c/k pivot  s sort  / filter  a accumulate  o columns  v via");
	attroff(A_REVERSE);
}

/* Draw the whole screen. */
void live_draw(struct live_state *v)
{
	if (!v->on)
		return;
	erase();
	draw_head(v);
	if (v->mode == LIVE_DETAIL)
		draw_lines(v, live_detail);
	else if (v->mode == LIVE_HELP)
		draw_lines(v, live_help);
	else
		draw_table(v);
	draw_foot(v);
	if (v->mode == LIVE_TYPING)
		move(1, COLS - 1);
	refresh();
}
