// SPDX-License-Identifier: GPL-2.0
/*
 * The screen shows the sums of the last interval, or of the time since the
 * beginning.  Keys group, sort and filter these sums again at once; new sums come
 * at the end of an interval.
 */
#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

#include "agg.h"
#include "choice.h"
#include "clock.h"
#include "color.h"
#include "escape.h"
#include "group.h"
#include "label.h"
#include "live.h"
#include "live_draw.h"
#include "msg.h"
#include "name.h"
#include "opts.h"
#include "rows.h"
#include "run.h"
#include "stop.h"
#include "view.h"

enum {
	KEY_ESC = 27,
	SIDEWAYS_STEP = 8,
	SIDEWAYS_MOST = 4096,
};

static struct live_state v;

/* True if one of the row's texts contains the filter. */
static bool row_matches_filter(const struct row *sums)
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

/* Group the sums again: after an interval, or after a key. */
static void gather_rows(void)
{
	size_t i, kept = 0;

	free(v.rows);
	v.sums = v.accumulate ? &v.all : &v.shown;
	v.since_ns = v.accumulate ? v.begun_ns : v.from_ns;
	v.nr = group_rows(v.sums, v.by, v.sort, &v.rows);
	for (i = 0; i < v.nr; i++) {
		if (row_matches_filter(&v.rows[i]))
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

static void choose_row(void)
{
	v.has_chosen = v.nr;
	if (v.nr)
		v.chosen = *v.rows[v.selected].atoms;
}

static void set_pivot(enum pivot by)
{
	v.by = by;
	v.selected = 0;
	v.top = 0;
	v.has_chosen = false;
	v.mode = LIVE_TABLE;
	memset(v.need, 0, sizeof(v.need));
	memset(v.seen, 0, sizeof(v.seen));
	gather_rows();
}

static void move_selection(long by)
{
	long to = (long)v.selected + by;

	if (to < 0)
		to = 0;
	if (to >= (long)v.nr)
		to = v.nr ? (long)v.nr - 1 : 0;
	v.selected = to;
	choose_row();
}

static void begin_typing(char *text)
{
	v.mode = LIVE_TYPING;
	v.typing = text;
}

/* The columns that were typed, or the usual ones if nothing was. */
static void take_columns(void)
{
	if (*v.columns_typed && rows_unknown(v.columns_typed, v.note, sizeof(v.note)))
		return;
	v.spec = *v.columns_typed ? v.columns_typed : v.run->opts->column_list;
	v.sideways = 0;
}

static void end_typing(bool drop)
{
	if (drop)
		*v.typing = '\0';
	v.mode = LIVE_TABLE;
	if (v.typing == v.columns_typed)
		take_columns();
}

static void type_key(int key)
{
	size_t n = strlen(v.typing);

	switch (key) {
	case '\n':
	case '\r':
	case KEY_ENTER:
		end_typing(false);
		break;
	case KEY_ESC:
		end_typing(true);
		break;
	case KEY_BACKSPACE:
	case 127:
	case 8:
		if (n)
			v.typing[n - 1] = '\0';
		break;
	default:
		if (key >= ' ' && key < 256 && key != 127 && n + 1 < LIVE_TEXT) {
			v.typing[n] = key;
			v.typing[n + 1] = '\0';
		}
	}
	gather_rows();
}

/* Up and down select a row, or scroll the detail and the help. */
static void move_down(long by)
{
	if (v.mode == LIVE_TABLE)
		move_selection(by);
	else
		v.down = (long)v.down + by > 0 ? v.down + by : 0;
	if (v.mode != LIVE_TABLE && v.down >= v.line)
		v.down = v.line ? v.line - 1 : 0;
}

static void move_sideways(int by)
{
	int to = (int)v.sideways + by;

	v.sideways = to > 0 ? to < SIDEWAYS_MOST ? to : SIDEWAYS_MOST : 0;
}

static void handle_move_key(int key)
{
	switch (key) {
	case KEY_UP:
		move_down(-1);
		break;
	case KEY_DOWN:
		move_down(1);
		break;
	case KEY_LEFT:
		move_sideways(-SIDEWAYS_STEP);
		break;
	case KEY_RIGHT:
		move_sideways(SIDEWAYS_STEP);
		break;
	case KEY_PPAGE:
		move_down(-(long)LINES / 2);
		break;
	case KEY_NPAGE:
		move_down(LINES / 2);
		break;
	case KEY_HOME:
		move_selection(-(long)v.nr);
		break;
	case KEY_END:
		move_selection(v.nr);
		break;
	}
}

static void handle_key(struct run *run, int key)
{
	static const char pivots[] = "pfdck";
	const char *p;

	v.note[0] = '\0';
	if (v.mode == LIVE_TYPING) {
		type_key(key);
		return;
	}
	if (run->pace.on && pace_key(&run->pace, key))
		return;
	p = key > 0 && key < 128 ? strchr(pivots, key) : NULL;
	if (p) {
		set_pivot(p - pivots);
		return;
	}
	switch (key) {
	case 'q':
		run->quit = true;
		break;
	case '\t':
		set_pivot(v.by < BY_WHY ? v.by + 1 : BY_PROCESS);
		break;
	case 's':
		v.sort = (v.sort + 1) % NR_SORTS;
		gather_rows();
		break;
	case '/':
		begin_typing(v.filter);
		break;
	case 'o':
		begin_typing(v.columns_typed);
		break;
	case 'a':
		v.accumulate = !v.accumulate;
		/* IO since the last interval is part of the sums, so they begin there */
		if (v.accumulate)
			v.begun_ns = v.to_ns;
		else
			agg_clear(&v.all);
		gather_rows();
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
		choose_row();
		v.mode = v.mode == LIVE_DETAIL ? LIVE_TABLE : LIVE_DETAIL;
		v.down = 0;
		break;
	case KEY_ESC:
		v.mode = LIVE_TABLE;
		break;
	case 'h':
	case '?':
		v.mode = v.mode == LIVE_HELP ? LIVE_TABLE : LIVE_HELP;
		v.down = 0;
		break;
	default:
		handle_move_key(key);
	}
}

static void leave_terminal(void)
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
		handle_key(run, key);
		live_draw(&v);
	}
}

static void show_interval(struct run *run, uint64_t from_ns, uint64_t to_ns, bool last)
{
	if (last)
		return;
	run_lost(run, v.lost, sizeof(v.lost));
	if (v.paused) {
		/* the next interval that is shown has all IO of the pause, and is as long */
		if (!v.held)
			v.held_ns = from_ns;
		v.held = true;
		live_draw(&v);
		return;
	}
	v.from_ns = v.held ? v.held_ns : from_ns;
	v.held = false;
	v.to_ns = to_ns;
	if (v.accumulate) {
		agg_merge(&v.all, &v.agg);
		agg_squeeze(&v.all);
	}
	agg_clear(&v.shown);
	v.shown = v.agg;
	agg_init(&v.agg, FIELD_TOTAL, v.by);
	gather_rows();
	live_draw(&v);
}

/* What is printed before the terminal is left is gone with the picture. */
static void end_pictures(struct run *run)
{
	(void)run;
	leave_terminal();
}

static void add_record(struct run *run, const struct iob_iolog_bin_record *rec)
{
	(void)run;
	agg_add(&v.agg, rec);
}

/* What the sums have is of another time. */
static void drop_sums(struct run *run)
{
	v.begun_ns = run->now_ns;
	agg_clear(&v.agg);
	agg_clear(&v.all);
}

/* What to type where there is no live view: a table of the same machine, or recording. */
static void say_no_view(const struct opts *o)
{
	if (!o->input)
		msg("this terminal has no live view; try: ioblame top --batch");
	else
		msg("this terminal has no live view; try: ioblame replay %s report",
		    escape_is_word(o->input) ? o->input : "FILE");
}

/* What was shown last is drawn again when a key is pressed. */
static void hold_names(const void *arg)
{
	const struct live_state *state = arg;

	agg_hold_names(&state->shown);
	agg_hold_names(&state->all);
	agg_hold_names(&state->agg);
}

static int begin_live(struct run *run)
{
	SCREEN *screen;

	v.run = run;
	v.by = run->opts->by;
	v.sort = run->opts->sort;
	v.accumulate = run->opts->accumulate;
	v.submitter = run->opts->submitter;
	v.iowait = run->opts->iowait;
	v.spec = run->opts->column_list;
	v.begun_ns = run->pace.on ? run->pace.begin_ns : clock_ns();
	v.from_ns = v.begun_ns;
	v.to_ns = v.begun_ns;
	agg_init(&v.agg, FIELD_TOTAL, v.by);
	agg_init(&v.shown, FIELD_TOTAL, v.by);
	agg_init(&v.all, FIELD_TOTAL, v.by);
	name_held_by(hold_names, &v);
	/* (newterm() takes one that cannot move its cursor, as TERM=dumb, too) */
	screen = cur_term && cursor_address ? newterm(NULL, stdout, stdin) : NULL;
	if (!screen) {
		say_no_view(run->opts);
		return EXIT_FAILED;
	}
	v.on = true;
	atexit(leave_terminal);
	set_term(screen);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(50);
	curs_set(0);
	if (has_colors() && start_color() == OK && use_default_colors() == OK) {
		init_pair(MARK_SLOW, COLOR_YELLOW, -1);
		init_pair(MARK_BAD, COLOR_RED, -1);
	}
	/* no message until leave_terminal(): it would spoil the screen */
	gather_rows();
	live_draw(&v);
	return EXIT_OK;
}

static int end_live(struct run *run)
{
	(void)run;
	free(v.rows);
	agg_clear(&v.agg);
	agg_clear(&v.shown);
	agg_clear(&v.all);
	return EXIT_OK;
}

int live_top(const struct opts *o)
{
	static const struct view view = {
		.begin = begin_live, .record = add_record, .interval = show_interval,
		.ending = end_pictures, .wait = wait_for_keys, .jumped = drop_sums,
		.end = end_live,
		.interval_ns = 1000000000,
		.unordered = true,
	};
	int bad;

	/* read the terminal's description before ioblame is on: it is IO, too */
	setupterm(NULL, STDOUT_FILENO, &bad);
	return view_run(o, &view);
}
