// SPDX-License-Identifier: GPL-2.0
/*
 * live: top on a terminal
 *
 * A picture stands for an interval, or for all since the beginning; while it
 * stands, keys look at it from other sides.  Needs ncursesw.
 */
#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <unistd.h>
#include <wchar.h>

#include "agg.h"
#include "bars.h"
#include "choice.h"
#include "clock.h"
#include "escape.h"
#include "group.h"
#include "hist.h"
#include "intent.h"
#include "label.h"
#include "live.h"
#include "msg.h"
#include "name.h"
#include "opts.h"
#include "run.h"
#include "stop.h"
#include "text.h"
#include "view.h"

enum {
	KEY_ESC = 27,
	FIRST_ROW = 3,		/* below the two lines of the head and the titles */
	LOST_LINES = 2,
	FILTER = 64,
	COMM_WIDTH = 16,
	UNIT_WIDTH = 18,
};

enum mode {
	TABLE,
	DETAIL,
	TYPING,			/* a filter */
	HELP,
};

static struct {
	const struct run *run;
	enum mode mode;
	enum pivot by;
	enum sort sort;
	bool accumulate, submitter, paused, on;
	char filter[FILTER], before[FILTER];
	struct agg agg, shown;	/* what comes; what the picture is of */
	uint64_t begun_ns, from_ns, to_ns;
	struct row *rows;
	size_t nr, selected, top;
	struct atom chosen;	/* that the selection stays on */
	bool has_chosen;
	char lost[1024];
	unsigned int line;	/* while a page is written */
} v;

static const struct agg *shown(void)
{
	return v.accumulate ? &v.agg : &v.shown;
}

static uint64_t since(void)
{
	return v.accumulate ? v.begun_ns : v.from_ns;
}

/* Text in a field of so many columns.  It is escaped, and may be UTF-8. */
static void put(int y, int x, int width, const char *text)
{
	wchar_t wide[512];
	size_t n = mbstowcs(wide, text, 511), i;
	int used = 0, w;

	if (width <= 0 || x >= COLS || y >= LINES)
		return;
	if (width > COLS - x)
		width = COLS - x;
	/* a locale that does not know the character: bytes */
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

	put(y, *x + (n < width ? width - n : 0), width, text);
	*x += width + 1;
}

static void put_left(int y, int *x, int width, const char *text)
{
	put(y, *x, width, text);
	*x += width + 1;
}

/* Whether what is typed occurs in anything that the row shows. */
static bool fits(const struct row *sums)
{
	char label[4096], comm[ESCAPE_SIZE(IOB_COMM_LEN)];
	struct row_more more, *row = &more;

	if (!*v.filter)
		return true;
	group_more(sums, &more);
	return strstr(label_row(row->lead, v.by, label, sizeof(label)), v.filter) ||
	       strstr(label_comm(row->lead, comm, sizeof(comm)), v.filter) ||
	       strstr(label_file(row->file), v.filter) ||
	       strstr(row->why->why, v.filter) ||
	       strstr(name_cgroup(row->cgroup->key.cgroup), v.filter);
}

/* Put atoms together again: after an interval, or another look at them. */
static void gather(void)
{
	size_t i, kept = 0;

	free(v.rows);
	v.nr = group_rows(shown(), v.by, v.sort, &v.rows);
	for (i = 0; i < v.nr; i++) {
		if (fits(&v.rows[i]))
			v.rows[kept++] = v.rows[i];
	}
	v.nr = kept;
	for (i = 0; v.has_chosen && i < v.nr; i++) {
		if (group_same(v.by, &v.chosen, v.rows[i].atoms))
			v.selected = i;
	}
	if (v.selected >= v.nr)
		v.selected = v.nr ? v.nr - 1 : 0;
}

static double per_second(uint64_t n)
{
	uint64_t ns = v.to_ns - since();

	return ns ? (double)n * 1e9 / (double)ns : 0;
}

static const char *bytes_per_second(char *to, uint64_t n)
{
	return text_bytes(to, (uint64_t)(per_second(n) + 0.5));
}

static void draw_head(void)
{
	char time[32], read[TEXT_NUMBER], written[TEXT_NUMBER], ios[TEXT_NUMBER];
	uint64_t all_read = 0, all_written = 0, all = 0;
	unsigned int disks = v.run->session.nr_devices;
	char text[512], folded[96] = "";
	size_t i;

	for (i = 0; i < v.nr; i++) {
		all_read += v.rows[i].bytes[ROW_READ];
		all_written += v.rows[i].bytes[ROW_WRITE];
		all += v.rows[i].all_ios;
	}
	run_time(v.run, v.to_ns, time, sizeof(time));
	snprintf(text, sizeof(text), "ioblame %.8s  read %s/s  written %s/s  %s IO/s  %u disk%s%s%s",
		 time, bytes_per_second(read, all_read),
		 bytes_per_second(written, all_written), text_rate(ios, per_second(all)),
		 disks, disks == 1 ? "" : "s", v.paused ? "  PAUSED" : "",
		 v.run->session.own ? "" : "  (reading along)");
	put(0, 0, COLS, text);
	if (shown()->folded)
		snprintf(folded, sizeof(folded), ", %s IOs without file and stack (no room)",
			 text_rate(ios, (double)shown()->folded));
	snprintf(text, sizeof(text), "by %s, most %s first%s%s%s%s",
		 choice_pivots[v.by], choice_sorts[v.sort],
		 v.accumulate ? ", since the beginning" : "", folded,
		 *v.filter || v.mode == TYPING ? ", filter: " : "", v.filter);
	put(1, 0, COLS, text);
}

static void draw_titles(void)
{
	static const char * const titles[NR_PIVOTS] = {
		[BY_PROCESS] = "FILE", [BY_FILE] = "FILE", [BY_DEVICE] = "DEVICE",
		[BY_CGROUP] = "CGROUP", [BY_STACK] = "STACK", [BY_OP] = "OP",
		[BY_WHY] = "WHY",
	};
	int x = 0;

	attron(A_REVERSE);
	mvhline(2, 0, ' ', COLS);
	if (v.by == BY_PROCESS) {
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
	if (v.submitter)
		put_left(2, &x, 15, "VIA");
	put_left(2, &x, COLS, titles[v.by]);
	attroff(A_REVERSE);
}

static void draw_row(int y, const struct row *row, bool selected)
{
	char number[TEXT_NUMBER], text[4600], comm[ESCAPE_SIZE(IOB_COMM_LEN)];
	struct row_more more;
	int x = 0;

	group_more(row, &more);

	if (selected) {
		attron(A_REVERSE);
		mvhline(y, 0, ' ', COLS);
	}
	if (v.by == BY_PROCESS) {
		put_right(y, &x, 8, label_who(more.lead, text, sizeof(text)));
		snprintf(text, sizeof(text), "%s%s", label_comm(more.lead, comm, sizeof(comm)),
			 label_exited(more.lead) ? "*" : "");
		put_left(y, &x, COMM_WIDTH, text);
		put_left(y, &x, UNIT_WIDTH, name_unit(more.cgroup->key.cgroup));
	}
	put_right(y, &x, 6, text_rate(number, per_second(row->ios[ROW_READ])));
	put_right(y, &x, 6, text_rate(number, per_second(row->ios[ROW_WRITE])));
	put_right(y, &x, 6, bytes_per_second(number, row->bytes[ROW_READ]));
	put_right(y, &x, 6, bytes_per_second(number, row->bytes[ROW_WRITE]));
	put_right(y, &x, 6, text_nsecs(number, hist_percentile(&more.hist, 0.5)));
	put_right(y, &x, 6, text_nsecs(number, hist_percentile(&more.hist, 0.99)));
	put_left(y, &x, 10, more.why->why);
	if (v.submitter) {
		escape_text(comm, sizeof(comm), more.via->sub_comm, IOB_COMM_LEN);
		put_left(y, &x, 15, comm);
	}
	if (v.by == BY_PROCESS) {
		if (more.files > 1)
			snprintf(text, sizeof(text), "%.4300s (+%u)", label_file(more.file),
				 more.files - 1);
		else
			snprintf(text, sizeof(text), "%.4300s", label_file(more.file));
		put_left(y, &x, COLS, text);
	} else {
		put_left(y, &x, COLS, label_row(more.lead, v.by, text, sizeof(text)));
	}
	if (selected)
		attroff(A_REVERSE);
}

static void draw_table(void)
{
	size_t room = LINES > FIRST_ROW + LOST_LINES + 1 ?
		      LINES - FIRST_ROW - LOST_LINES - 1 : 1;
	size_t i;

	if (v.selected < v.top)
		v.top = v.selected;
	if (v.selected >= v.top + room)
		v.top = v.selected - room + 1;
	draw_titles();
	for (i = 0; i < room && v.top + i < v.nr; i++)
		draw_row(FIRST_ROW + i, &v.rows[v.top + i], v.top + i == v.selected);
	if (!v.nr)
		put(FIRST_ROW, 0, COLS, "no IO");
}

static void draw_line(const char *text, void *arg)
{
	(void)arg;
	if ((int)v.line < LINES - LOST_LINES - 1)
		put(v.line++, 2, COLS - 2, text);
}

/* What one row is made of: its stack and how its times are spread. */
static void draw_detail(void)
{
	char text[4600], read[TEXT_NUMBER], written[TEXT_NUMBER];
	const struct intent *in;
	const struct row *row;
	struct row_more more;
	unsigned int i, most;

	if (!v.nr) {
		put(FIRST_ROW, 0, COLS, "no IO");
		return;
	}
	row = &v.rows[v.selected];
	group_more(row, &more);
	v.line = FIRST_ROW;
	label_row(more.lead, v.by, text, sizeof(text));
	attron(A_BOLD);
	put(v.line++, 0, COLS, label_row(more.lead, v.by, text, sizeof(text)));
	attroff(A_BOLD);
	snprintf(text, sizeof(text), "read %s, written %s, %llu IOs, %llu errors, mostly %s on %s",
		 text_bytes(read, row->bytes[ROW_READ]),
		 text_bytes(written, row->bytes[ROW_WRITE]),
		 (unsigned long long)row->all_ios, (unsigned long long)row->errors,
		 more.why->why, name_disk(more.disk->key.disk));
	draw_line(text, NULL);
	snprintf(text, sizeof(text), "file %.4300s", label_file(more.file));
	draw_line(text, NULL);
	in = intent_get(more.stack->key.intent);
	snprintf(text, sizeof(text), "stack #%u:", more.stack->key.intent);
	put(++v.line, 0, COLS, text);
	v.line++;
	/* the histogram wants its room, too */
	most = LINES > 34 ? LINES - 24 : 10;
	for (i = 0; in && i < in->depth && i < most; i++)
		draw_line(in->frame[i], NULL);
	if (in && i < in->depth) {
		snprintf(text, sizeof(text), "... %u more", in->depth - i);
		draw_line(text, NULL);
	}
	v.line++;
	put(v.line++, 0, COLS, "time from queueing to completion:");
	bars_print(&more.hist, FIELD_TOTAL, COLS > 80 ? 40 : 20, draw_line, NULL);
}

static void draw_help(void)
{
	static const char * const about[] = {
		"p f d c k   rows are processes, files, devices, cgroups, stacks (Tab: the next, also op and why)",
		"s           sort by bytes, ios, read, written, p99, time",
		"/           filter: what the row must contain; Enter ends, Esc drops it",
		"a           sums since the beginning, or of each interval",
		"v           the submitter as a column",
		"arrows      choose a row; PgUp, PgDn, Home, End",
		"Enter       the row's stack and histogram; Esc: back",
		"space       stop the picture, and go on",
		"q           end",
		"",
		"* behind a name: the process has exited",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(about); i++)
		put(FIRST_ROW + i, 2, COLS - 2, about[i]);
}

static void draw_foot(void)
{
	char text[sizeof(v.lost)], *line, *rest;
	int y = LINES - LOST_LINES - 1;

	snprintf(text, sizeof(text), "%s", v.lost);
	for (line = strtok_r(text, "\n", &rest); line && y < LINES - 1;
	     line = strtok_r(NULL, "\n", &rest))
		put(y++, 0, COLS, line);
	attron(A_REVERSE);
	mvhline(LINES - 1, 0, ' ', COLS);
	put(LINES - 1, 0, COLS,
	    "q end  p/f/d/c/k pivot  s sort  / filter  a accumulate  v via  Enter detail  h help");
	attroff(A_REVERSE);
}

static void draw(void)
{
	if (!v.on)
		return;
	erase();
	draw_head();
	if (v.mode == DETAIL)
		draw_detail();
	else if (v.mode == HELP)
		draw_help();
	else
		draw_table();
	draw_foot();
	if (v.mode == TYPING)
		move(1, COLS - 1);
	refresh();
}

static void choose(void)
{
	v.has_chosen = v.nr;
	if (v.nr)
		v.chosen = *v.rows[v.selected].atoms;
}

static void pivot(enum pivot by)
{
	v.by = by;
	v.selected = 0;
	v.top = 0;
	v.has_chosen = false;
	v.mode = TABLE;
	gather();
}

static void step(long by)
{
	long to = (long)v.selected + by;

	if (to < 0)
		to = 0;
	if (to >= (long)v.nr)
		to = v.nr ? (long)v.nr - 1 : 0;
	v.selected = to;
	choose();
}

static void typed(int key)
{
	size_t n = strlen(v.filter);

	switch (key) {
	case '\n':
	case '\r':
	case KEY_ENTER:
		v.mode = TABLE;
		break;
	case KEY_ESC:
		v.filter[0] = '\0';
		v.mode = TABLE;
		break;
	case KEY_BACKSPACE:
	case 127:
	case 8:
		if (n)
			v.filter[n - 1] = '\0';
		break;
	default:
		if (key >= ' ' && key < 256 && key != 127 && n + 1 < sizeof(v.filter)) {
			v.filter[n] = key;
			v.filter[n + 1] = '\0';
		}
	}
	gather();
}

static void moved(int key)
{
	switch (key) {
	case KEY_UP:
		step(-1);
		break;
	case KEY_DOWN:
		step(1);
		break;
	case KEY_PPAGE:
		step(-(long)LINES / 2);
		break;
	case KEY_NPAGE:
		step(LINES / 2);
		break;
	case KEY_HOME:
		step(-(long)v.nr);
		break;
	case KEY_END:
		step(v.nr);
		break;
	}
}

static void pressed(struct run *run, int key)
{
	static const char pivots[] = "pfdck";
	const char *p;

	if (v.mode == TYPING) {
		typed(key);
		return;
	}
	p = key > 0 && key < 128 ? strchr(pivots, key) : NULL;
	if (p) {
		pivot(p - pivots);
		return;
	}
	switch (key) {
	case 'q':
		run->quit = true;
		break;
	case '\t':
		pivot((v.by + 1) % NR_PIVOTS);
		break;
	case 's':
		v.sort = (v.sort + 1) % NR_SORTS;
		gather();
		break;
	case '/':
		v.mode = TYPING;
		break;
	case 'a':
		v.accumulate = !v.accumulate;
		/* what came since the picture stands counts for the sums only */
		if (v.accumulate)
			v.begun_ns = v.to_ns;
		else
			agg_clear(&v.agg);
		gather();
		break;
	case 'v':
		v.submitter = !v.submitter;
		break;
	case ' ':
		v.paused = !v.paused;
		break;
	case '\n':
	case '\r':
	case KEY_ENTER:
		choose();
		v.mode = v.mode == DETAIL ? TABLE : DETAIL;
		break;
	case KEY_ESC:
		v.mode = TABLE;
		break;
	case 'h':
	case '?':
		v.mode = v.mode == HELP ? TABLE : HELP;
		break;
	default:
		moved(key);
	}
}

static void leave(void)
{
	if (v.on)
		endwin();
	v.on = false;
}

static void wait_for_keys(struct run *run, uint64_t timeout_ns)
{
	int key;

	stop_wait(STDIN_FILENO, timeout_ns);
	while ((key = getch()) != ERR) {
		pressed(run, key);
		draw();
	}
}

static void picture(struct run *run, uint64_t from_ns, uint64_t to_ns, bool last)
{
	if (last) {
		leave();
		return;
	}
	run_lost(run, v.lost, sizeof(v.lost));
	if (v.paused) {
		/* what comes meanwhile is in the next picture */
		draw();
		return;
	}
	v.from_ns = from_ns;
	v.to_ns = to_ns;
	if (v.accumulate) {
		agg_squeeze(&v.agg);
	} else {
		agg_clear(&v.shown);
		v.shown = v.agg;
		agg_init(&v.agg, FIELD_TOTAL);
	}
	gather();
	draw();
}

static void record(struct run *run, const struct iob_iolog_bin_record *rec)
{
	(void)run;
	agg_add(&v.agg, rec);
}

static int begin(struct run *run)
{
	SCREEN *screen;

	v.run = run;
	v.by = run->opts->by;
	v.sort = run->opts->sort;
	v.accumulate = run->opts->accumulate;
	v.submitter = run->opts->submitter;
	v.begun_ns = clock_ns();
	v.from_ns = v.begun_ns;
	v.to_ns = v.begun_ns;
	agg_init(&v.agg, FIELD_TOTAL);
	agg_init(&v.shown, FIELD_TOTAL);
	screen = newterm(NULL, stdout, stdin);
	if (!screen) {
		msg("this terminal has no live view; try: ioblame top --batch");
		return EXIT_FAILED;
	}
	v.on = true;
	atexit(leave);
	set_term(screen);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(50);
	curs_set(0);
	/* the terminal is ours until leave(): messages come before and after */
	gather();
	draw();
	return EXIT_OK;
}

static int end(struct run *run)
{
	(void)run;
	free(v.rows);
	agg_clear(&v.agg);
	agg_clear(&v.shown);
	return EXIT_OK;
}

int live_top(const struct opts *o)
{
	static const struct view view = {
		.begin = begin, .record = record, .interval = picture,
		.wait = wait_for_keys, .end = end, .interval_ns = 1000000000,
		.unordered = true,
	};
	int bad;

	/* what describes the terminal is read before a disk is watched */
	setupterm(NULL, STDOUT_FILENO, &bad);
	return view_run(o, &view);
}
