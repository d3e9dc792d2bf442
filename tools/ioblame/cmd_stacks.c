// SPDX-License-Identifier: GPL-2.0
/*
 * stacks: folded stacks for flame graph programs, or a flame graph
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agg.h"
#include "cell.h"
#include "choice.h"
#include "cmd.h"
#include "device.h"
#include "file.h"
#include "flame.h"
#include "flame_sums.h"
#include "group.h"
#include "history.h"
#include "intent.h"
#include "msg.h"
#include "opts.h"
#include "out.h"
#include "recording.h"
#include "run.h"
#include "sum.h"
#include "table.h"
#include "view.h"
#include "web.h"

static FILE *file;

static int open_output(const struct opts *o)
{
	file = file_create(o->output);
	if (file)
		return 0;
	msg("cannot write the output: %s", strerror(errno));
	return EXIT_FAILED;
}

static int begin_stacks(struct run *run)
{
	const struct opts *o = run->opts;

	sum_begin(run);
	if (!o->output)
		return 0;
	if (recording_is(o->input, o->output))
		return EXIT_FAILED;
	if (device_under_path(o->output, run->session.device, run->session.nr_devices))
		msg("the output is on a disk that is watched: writing it is IO, too");
	return open_output(o);
}

static const char *weight_unit(enum weight weight)
{
	return weight == WEIGHT_IOS ? "IOs" : weight == WEIGHT_TIME ? "us" : "bytes";
}

static void write_output(const char *text)
{
	if (file)
		fputs(text, file);
	else
		out_puts(text);
}

enum column {
	INTENT, WHY, FOLDED, IOS, BYTES, TOTAL, NR_COLUMNS,
};

static const struct col columns[NR_COLUMNS] = {
	[INTENT] = { "INTENT", "intent", COL_COUNT, 0, 0 },
	[WHY] = { "WHY", "why", COL_TEXT, 0, 0 },
	[FOLDED] = { "FOLDED", "folded", COL_TEXT, 0, 0 },
	[IOS] = { "IOS", "ios", COL_COUNT, 0, 0 },
	[BYTES] = { "BYTES", "bytes", COL_COUNT, 0, 0 },
	[TOTAL] = { "TOTAL", "total_us", COL_COUNT, 0, 0 },
};

/* JSON and CSV: a row for each stack. */
static void print_stack_rows(const struct opts *o)
{
	static const enum sort sorts[NR_WEIGHTS] = {
		[WEIGHT_BYTES] = SORT_BYTES, [WEIGHT_IOS] = SORT_IOS,
		[WEIGHT_TIME] = SORT_TIME,
	};
	struct table *t = table_new(o->format, "stack", columns, NR_COLUMNS);
	struct cell c[NR_COLUMNS];
	const struct intent *in;
	struct row_more more;
	struct row *rows;
	size_t i, nr;
	char *folded;

	nr = group_rows(&summed, BY_STACK, o->given_sort ? o->sort : sorts[o->weight], &rows);
	for (i = 0; i < nr && (!o->rows || i < o->rows); i++) {
		group_more(&rows[i], &more);
		in = intent_get(more.stack->key.intent);
		folded = in ? intent_folded(in, ";", true) : NULL;
		c[INTENT] = CELL_N(more.stack->key.intent);
		c[WHY] = CELL_TEXT(more.why->why);
		c[FOLDED] = CELL_TEXT(folded);
		c[IOS] = CELL_N(rows[i].all_ios);
		c[BYTES] = CELL_N(rows[i].all_bytes);
		c[TOTAL] = CELL_N(rows[i].total_ns / 1000);
		table_row(t, c);
		free(folded);
	}
	table_end(t);
	free(rows);
}

static void print_flame(const struct opts *o, const struct flame *f, double seconds)
{
	char title[128];

	if (!o->svg) {
		flame_folded(f, write_output);
		return;
	}
	snprintf(title, sizeof(title), "Block IO by originator, %s, %.1f s",
		 weight_unit(o->weight), seconds);
	flame_svg(f, title, weight_unit(o->weight), web_flame, write_output);
}

static void print_stacks_at_end(struct run *run, uint64_t from_ns, uint64_t to_ns, bool last)
{
	const struct opts *o = run->opts;
	struct flame *f;

	/* one flame graph, of the whole run */
	if (!last)
		return;
	if (o->format != FORMAT_TABLE) {
		print_stack_rows(o);
		return;
	}
	f = flame_of_sums(&summed, o->weight);
	print_flame(o, f, (double)(to_ns - from_ns) / 1e9);
	flame_free(f);
}

static int close_output(void)
{
	bool bad;

	if (!file)
		return EXIT_OK;
	bad = ferror(file);
	bad |= fclose(file) != 0;
	if (bad) {
		msg("cannot write the output: %s", strerror(errno));
		return EXIT_FAILED;
	}
	return EXIT_OK;
}

static int end_stacks(struct run *run)
{
	sum_end(run);
	return close_output();
}

/* What ioblamed has recorded. */
static int show_past(const struct opts *o)
{
	struct flame *f;
	double seconds;
	int ret;

	if (o->format != FORMAT_TABLE)
		return history_report(o);
	ret = history_flame(o, &f, &seconds);
	if (ret)
		return ret;
	if (o->output)
		ret = open_output(o);
	if (!ret)
		print_flame(o, f, seconds);
	flame_free(f);
	return ret ? ret : close_output();
}

int cmd_stacks(const struct opts *o)
{
	static const struct view view = {
		.begin = begin_stacks, .record = sum_record, .filled = sum_filled,
		.interval = print_stacks_at_end, .end = end_stacks,
	};

	return o->since_ns ? show_past(o) : view_run(o, &view);
}
