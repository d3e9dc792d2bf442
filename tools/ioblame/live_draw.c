// SPDX-License-Identifier: GPL-2.0
#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "bars.h"
#include "choice.h"
#include "escape.h"
#include "group.h"
#include "hist.h"
#include "intent.h"
#include "label.h"
#include "live_draw.h"
#include "msg.h"
#include "name.h"
#include "run.h"
#include "text.h"

enum {
	FIRST_ROW = 3,		/* below the two lines of the head and the titles */
	LOST_LINES = 2,
	COMM_WIDTH = 16,
	UNIT_WIDTH = 18,
};

/* Write escaped text, which may be UTF-8, into a field of @width columns. */
static void put_text(int y, int x, int width, const char *text)
{
	wchar_t wide[512];
	size_t n = mbstowcs(wide, text, 511), i;
	int used = 0, w;

	if (width <= 0 || x >= COLS || y >= LINES)
		return;
	if (width > COLS - x)
		width = COLS - x;
	/* the locale cannot convert it: show ASCII only */
	if (n == (size_t)-1) {
		for (n = 0; text[n] && n < 511; n++)
			wide[n] = (unsigned char)text[n] < 0x80 ? text[n] : '?';
	}
	for (i = 0; i < n; i++) {
		w = wcwidth(wide[i]);
		if (w < 0) {
			wide[i] = '?';
			w = 1;
		}
		if (used + w > width)
			break;
		used += w;
	}
	mvaddnwstr(y, x, wide, i);
}

static void put_right(int y, int *x, int width, const char *text)
{
	int n = strlen(text);

	put_text(y, *x + (n < width ? width - n : 0), width, text);
	*x += width + 1;
}

static void put_left(int y, int *x, int width, const char *text)
{
	put_text(y, *x, width, text);
	*x += width + 1;
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

static void draw_head(struct live_state *v)
{
	char time[32], read[TEXT_NUMBER], written[TEXT_NUMBER], ios[TEXT_NUMBER];
	uint64_t all_read = 0, all_written = 0, all = 0;
	unsigned int disks = v->run->session.nr_devices;
	char text[512], folded[96] = "";
	size_t i;

	for (i = 0; i < v->nr; i++) {
		all_read += v->rows[i].bytes[ROW_READ];
		all_written += v->rows[i].bytes[ROW_WRITE];
		all += v->rows[i].all_ios;
	}
	run_time(v->run, v->to_ns, time, sizeof(time));
	snprintf(text, sizeof(text), "ioblame %.8s  read %s/s  written %s/s  %s IO/s  %u disk%s%s%s",
		 time, byte_rate_of(v, read, all_read),
		 byte_rate_of(v, written, all_written), text_rate(ios, rate_of(v, all)),
		 disks, disks == 1 ? "" : "s", v->paused ? "  PAUSED" : "",
		 v->run->session.own ? "" : "  (reading along)");
	put_text(0, 0, COLS, text);
	if (v->sums->folded)
		snprintf(folded, sizeof(folded), ", %s IOs without file and stack (no room)",
			 text_rate(ios, (double)v->sums->folded));
	snprintf(text, sizeof(text), "by %s, most %s first%s%s%s%s",
		 choice_pivots[v->by], choice_sorts[v->sort],
		 v->accumulate ? ", since the beginning" : "", folded,
		 *v->filter || v->mode == LIVE_TYPING ? ", filter: " : "", v->filter);
	put_text(1, 0, COLS, text);
}

static void draw_titles(struct live_state *v)
{
	static const char * const titles[NR_PIVOTS] = {
		[BY_PROCESS] = "FILE", [BY_FILE] = "FILE", [BY_DEVICE] = "DEVICE",
		[BY_CGROUP] = "CGROUP", [BY_STACK] = "STACK", [BY_OP] = "OP",
		[BY_WHY] = "WHY",
	};
	int x = 0;

	attron(A_REVERSE);
	mvhline(2, 0, ' ', COLS);
	if (v->by == BY_PROCESS) {
		put_right(2, &x, 8, "PID");
		put_left(2, &x, COMM_WIDTH, "COMM");
		put_left(2, &x, UNIT_WIDTH, "UNIT");
	}
	put_right(2, &x, 6, "R/s");
	put_right(2, &x, 6, "W/s");
	put_right(2, &x, 6, "RB/s");
	put_right(2, &x, 6, "WB/s");
	put_right(2, &x, 6, "P50");
	put_right(2, &x, 6, "P99");
	put_left(2, &x, 10, "WHY");
	if (v->submitter)
		put_left(2, &x, 15, "VIA");
	put_left(2, &x, COLS, titles[v->by]);
	attroff(A_REVERSE);
}

static void draw_row(const struct live_state *v, int y, const struct row *row, bool selected)
{
	char number[TEXT_NUMBER], text[4600], comm[ESCAPE_SIZE(IOB_COMM_LEN)];
	struct row_more more;
	int x = 0;

	group_more(row, &more);

	if (selected) {
		attron(A_REVERSE);
		mvhline(y, 0, ' ', COLS);
	}
	if (v->by == BY_PROCESS) {
		put_right(y, &x, 8, label_who(more.lead, text, sizeof(text)));
		snprintf(text, sizeof(text), "%s%s", label_comm(more.lead, comm, sizeof(comm)),
			 label_exited(more.lead) ? "*" : "");
		put_left(y, &x, COMM_WIDTH, text);
		put_left(y, &x, UNIT_WIDTH, name_unit(more.cgroup->key.cgroup));
	}
	put_right(y, &x, 6, text_rate(number, rate_of(v, row->ios[ROW_READ])));
	put_right(y, &x, 6, text_rate(number, rate_of(v, row->ios[ROW_WRITE])));
	put_right(y, &x, 6, byte_rate_of(v, number, row->bytes[ROW_READ]));
	put_right(y, &x, 6, byte_rate_of(v, number, row->bytes[ROW_WRITE]));
	put_right(y, &x, 6, text_nsecs(number, hist_percentile(&more.hist, 0.5)));
	put_right(y, &x, 6, text_nsecs(number, hist_percentile(&more.hist, 0.99)));
	put_left(y, &x, 10, more.why->why);
	if (v->submitter) {
		escape_text(comm, sizeof(comm), more.via->sub_comm, IOB_COMM_LEN);
		put_left(y, &x, 15, comm);
	}
	if (v->by == BY_PROCESS) {
		if (more.files > 1)
			snprintf(text, sizeof(text), "%.4300s (+%u)", label_file(more.file),
				 more.files - 1);
		else
			snprintf(text, sizeof(text), "%.4300s", label_file(more.file));
		put_left(y, &x, COLS, text);
	} else {
		put_left(y, &x, COLS, label_row(more.lead, v->by, text, sizeof(text)));
	}
	if (selected)
		attroff(A_REVERSE);
}

static void draw_table(struct live_state *v)
{
	size_t room = LINES > FIRST_ROW + LOST_LINES + 1 ?
		      LINES - FIRST_ROW - LOST_LINES - 1 : 1;
	size_t i;

	if (v->selected < v->top)
		v->top = v->selected;
	if (v->selected >= v->top + room)
		v->top = v->selected - room + 1;
	draw_titles(v);
	for (i = 0; i < room && v->top + i < v->nr; i++)
		draw_row(v, FIRST_ROW + i, &v->rows[v->top + i], v->top + i == v->selected);
	if (!v->nr)
		put_text(FIRST_ROW, 0, COLS, "no IO");
}

static void draw_line(const char *text, void *arg)
{
	struct live_state *v = arg;

	if ((int)v->line < LINES - LOST_LINES - 1)
		put_text(v->line++, 2, COLS - 2, text);
}

/* The selected row: sums, file, stack and histogram. */
static void draw_detail(struct live_state *v)
{
	char text[4600], read[TEXT_NUMBER], written[TEXT_NUMBER];
	const struct intent *in;
	const struct row *row;
	struct row_more more;
	unsigned int i, most;

	if (!v->nr) {
		put_text(FIRST_ROW, 0, COLS, "no IO");
		return;
	}
	row = &v->rows[v->selected];
	group_more(row, &more);
	v->line = FIRST_ROW;
	label_row(more.lead, v->by, text, sizeof(text));
	attron(A_BOLD);
	put_text(v->line++, 0, COLS, label_row(more.lead, v->by, text, sizeof(text)));
	attroff(A_BOLD);
	snprintf(text, sizeof(text), "read %s, written %s, %llu IOs, %llu errors, mostly %s on %s",
		 text_bytes(read, row->bytes[ROW_READ]),
		 text_bytes(written, row->bytes[ROW_WRITE]),
		 (unsigned long long)row->all_ios, (unsigned long long)row->errors,
		 more.why->why, name_disk(more.disk->key.disk));
	draw_line(text, v);
	snprintf(text, sizeof(text), "file %.4300s", label_file(more.file));
	draw_line(text, v);
	in = intent_get(more.stack->key.intent);
	snprintf(text, sizeof(text), "stack #%u:", more.stack->key.intent);
	put_text(++v->line, 0, COLS, text);
	v->line++;
	/* leave room for the histogram */
	most = LINES > 34 ? LINES - 24 : 10;
	for (i = 0; in && i < in->depth && i < most; i++)
		draw_line(in->frame[i], v);
	if (in && i < in->depth) {
		snprintf(text, sizeof(text), "... %u more", in->depth - i);
		draw_line(text, v);
	}
	v->line++;
	put_text(v->line++, 0, COLS, "time from queueing to completion:");
	bars_print(&more.hist, FIELD_TOTAL, COLS > 80 ? 40 : 20, draw_line, v);
}

static void draw_help(void)
{
	static const char * const about[] = {
		"p f d c k   rows are processes, files, devices, cgroups, stacks (Tab: the next, also op and why)",
		"s           sort by %s",
		"/           filter: only rows that contain a text; Enter ends, Esc drops it",
		"a           sums since the beginning, or of each interval",
		"v           show the submitter",
		"arrows      select a row; also PgUp, PgDn, Home, End",
		"Enter       stack and histogram of the row; Esc: back",
		"space       pause and continue",
		"q           quit",
		"",
		"* behind a name: the process has exited",
	};
	char sorts[CHOICE_LIST], text[CHOICE_LIST + 64];
	size_t i;

	choice_list(sorts, choice_sorts, NR_SORTS);
	for (i = 0; i < ARRAY_SIZE(about); i++) {
		snprintf(text, sizeof(text), about[i], sorts);
		put_text(FIRST_ROW + i, 2, COLS - 2, text);
	}
}

static void draw_foot(struct live_state *v)
{
	char text[sizeof(v->lost)], *line, *rest;
	int y = LINES - LOST_LINES - 1;

	snprintf(text, sizeof(text), "%s", v->lost);
	for (line = strtok_r(text, "\n", &rest); line && y < LINES - 1;
	     line = strtok_r(NULL, "\n", &rest))
		put_text(y++, 0, COLS, line);
	attron(A_REVERSE);
	mvhline(LINES - 1, 0, ' ', COLS);
	put_text(LINES - 1, 0, COLS,
		 "q quit  p/f/d/c/k pivot  s sort  / filter  a accumulate  v via  Enter detail  h help");
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
		draw_detail(v);
	else if (v->mode == LIVE_HELP)
		draw_help();
	else
		draw_table(v);
	draw_foot(v);
	if (v->mode == LIVE_TYPING)
		move(1, COLS - 1);
	refresh();
}
