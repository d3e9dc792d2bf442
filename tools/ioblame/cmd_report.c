// SPDX-License-Identifier: GPL-2.0
/*
 * report: sums by process, file, device and stack
 */
#include <stdio.h>
#include <stdlib.h>

#include "agg.h"
#include "choice.h"
#include "cmd.h"
#include "group.h"
#include "history.h"
#include "html.h"
#include "intent.h"
#include "msg.h"
#include "opts.h"
#include "out.h"
#include "rows.h"
#include "run.h"
#include "sum.h"
#include "text.h"
#include "view.h"

enum {
	ROWS_IN_REPORT = 20,
	STACKS_IN_REPORT = 5,
	FRAMES_IN_REPORT = 12,
};

static void print_title(const struct run *run, const char *text)
{
	if (run->opts->format == FORMAT_TABLE)
		out_printf("\n%s\n", text);
}

/* Stacks are too long for a table: print each below the other. */
static void print_stacks(const struct run *run, unsigned int most)
{
	char read[TEXT_NUMBER], written[TEXT_NUMBER];
	const struct intent *in;
	struct row_more more;
	struct row *rows;
	size_t nr, i;
	unsigned int k;

	nr = group_rows(&summed, BY_STACK, run->opts->sort, &rows);
	for (i = 0; i < nr && i < most; i++) {
		group_more(&rows[i], &more);
		in = intent_get(more.stack->key.intent);
		out_printf("#%u  read %s, written %s, %llu IOs, mostly %s\n",
			   more.stack->key.intent,
			   text_bytes(read, rows[i].bytes[ROW_READ]),
			   text_bytes(written, rows[i].bytes[ROW_WRITE]),
			   (unsigned long long)rows[i].all_ios, more.why->why);
		for (k = 0; in && k < in->depth && k < FRAMES_IN_REPORT; k++)
			out_printf("    %s\n", in->frame[k]);
		if (in && in->depth > FRAMES_IN_REPORT)
			out_printf("    ... %u more\n", in->depth - FRAMES_IN_REPORT);
	}
	if (i < nr)
		out_printf("... and %zu more\n", nr - i);
	free(rows);
}

static void print_head(const struct run *run, uint64_t from_ns, uint64_t to_ns)
{
	char time[32];

	if (run->opts->format != FORMAT_TABLE)
		return;
	run_time(run, run->opts->timestamp ? to_ns : from_ns, time, sizeof(time));
	if (run->opts->timestamp)
		out_printf("%s  ", time);
	out_printf("%llu IOs in %.1f s", (unsigned long long)summed.ios,
		   (double)(to_ns - from_ns) / 1e9);
	if (!run->opts->timestamp)
		out_printf(" from %.19s", time);
	/* a recording may be of another machine */
	if (run->opts->input && *run->source.head.host)
		out_printf(" on %s", run->source.head.host);
	out_printf(", Linux %s\n", run->source.head.kernel);
}

static void print_report(struct run *run, uint64_t from_ns, uint64_t to_ns, bool last)
{
	static const enum pivot parts[] = { BY_PROCESS, BY_FILE, BY_DEVICE };
	const struct opts *o = run->opts;
	struct rows_look look = {
		.submitter = o->submitter, .iowait = o->iowait, .from_ns = from_ns, .to_ns = to_ns,
	};
	bool all = o->format != FORMAT_TABLE;
	unsigned int most = o->rows ? o->rows : all ? 0 : ROWS_IN_REPORT;
	char text[64];
	size_t i;

	/* after the last interval, print only if there was IO */
	if (last && o->interval_ns && !summed.records)
		return;
	print_head(run, from_ns, to_ns);
	if (!summed.records)
		return;
	if (o->given_by) {
		rows_print(run, &summed, o->by, most, &look);
		sum_print_folded(run);
		agg_clear(&summed);
		return;
	}
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		snprintf(text, sizeof(text), "By %s:", choice_pivots[parts[i]]);
		print_title(run, text);
		rows_print(run, &summed, parts[i], most, &look);
	}
	print_title(run, "By stack:");
	if (all)
		rows_print(run, &summed, BY_STACK, most, &look);
	else
		print_stacks(run, o->rows ? o->rows : STACKS_IN_REPORT);
	sum_print_folded(run);
	agg_clear(&summed);
}

int cmd_report(const struct opts *o)
{
	static const struct view view = {
		.begin = sum_begin, .record = sum_record, .filled = sum_filled,
		.interval = print_report, .end = sum_end,
	};

	if (o->since_ns)
		return history_report(o);
	if (!rows_know(o->column_list))
		return EXIT_USAGE;
	/* who only says `replay FILE` wants to look at it */
	if (o->bare && top_is_live(o))
		return cmd_top(o);
	return o->html ? html_report(o) : view_run(o, &view);
}
