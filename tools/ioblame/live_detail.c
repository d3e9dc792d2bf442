// SPDX-License-Identifier: GPL-2.0
/*
 * What the live view shows instead of its table: one row in detail, or the keys.  Both are lines
 * that can be scrolled.
 */
#include <curses.h>
#include <stdio.h>

#include "bars.h"
#include "choice.h"
#include "group.h"
#include "hist.h"
#include "intent.h"
#include "label.h"
#include "live_draw.h"
#include "msg.h"
#include "name.h"
#include "text.h"

static void print_line(struct live_state *v, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void print_line(struct live_state *v, const char *fmt, ...)
{
	char text[4700];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	live_line(text, v);
}

static void print_sums(struct live_state *v, const struct row *row, const struct row_more *more)
{
	char label[4600], read[TEXT_NUMBER], written[TEXT_NUMBER], discarded[TEXT_NUMBER];

	attron(A_BOLD);
	live_line(label_row(more->lead, v->by, label, sizeof(label)), v);
	attroff(A_BOLD);
	print_line(v, "  read %s, written %s, %llu IOs, %llu errors",
		   text_bytes(read, row->bytes[ROW_READ]),
		   text_bytes(written, row->bytes[ROW_WRITE]),
		   (unsigned long long)row->all_ios, (unsigned long long)row->errors);
	if (row->ios[ROW_DISCARD] || row->ios[ROW_FLUSH])
		print_line(v, "  discarded %s, %llu flushes",
			   text_bytes(discarded, row->bytes[ROW_DISCARD]),
			   (unsigned long long)row->ios[ROW_FLUSH]);
	print_line(v, "  mostly %s on %s, via %u", more->why->why,
		   name_disk(more->disk->key.disk), more->via->key.sub_pid);
	print_line(v, "  file %.4300s", label_file(more->file));
	print_line(v, "  cgroup %.4300s", name_cgroup(more->cgroup->key.cgroup));
}

/* The selected row: sums, file, histogram and stack. */
void live_detail(struct live_state *v)
{
	const struct intent *in;
	struct row_more more;
	unsigned int i;

	if (!v->nr) {
		live_line("no IO", v);
		return;
	}
	group_more(&v->rows[v->selected], &more);
	print_sums(v, &v->rows[v->selected], &more);
	live_line("", v);
	live_line("time from queueing to completion:", v);
	bars_print(&more.hist, FIELD_TOTAL, bars_unit(FIELD_TOTAL), COLS, live_line, v);
	live_line("", v);
	in = intent_get(more.stack->key.intent);
	print_line(v, "stack #%u:", more.stack->key.intent);
	for (i = 0; in && i < in->depth; i++)
		print_line(v, "  %s", in->frame[i]);
}

/* The keys. */
void live_help(struct live_state *v)
{
	static const char * const about[] = {
		"p f d c k   rows are processes, files, devices, cgroups, stacks",
		"Tab         the next of these, also operations and reasons",
		"s           sort by the next of",
		"            %s",
		"/           filter: only rows that contain a text; Enter ends, Esc drops it",
		"a           sums since the beginning, or of each interval",
		"o           choose columns: pid,comm,p99 or +unit; Enter ends, Esc: the usual",
		"v           show the submitter",
		"up down     select a row; also PgUp, PgDn, Home, End",
		"right left  all columns, sideways; back to those that fit",
		"Enter       stack and histogram of the row; Esc: back",
		"space       pause and continue",
		", .  < >    a recording: back and forward by an interval, by a tenth; 0: its beginning",
		"+ -         a recording: faster, slower",
		"q           quit",
		"",
		"* behind a name: the process has exited",
	};
	char sorts[CHOICE_LIST];
	size_t i;

	choice_list(sorts, choice_sorts, NR_SORTS);
	for (i = 0; i < ARRAY_SIZE(about); i++)
		print_line(v, about[i], sorts);
}
