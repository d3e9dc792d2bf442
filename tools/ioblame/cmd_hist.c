// SPDX-License-Identifier: GPL-2.0
/*
 * hist: histograms of sizes and times, in powers of two
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agg.h"
#include "bars.h"
#include "cell.h"
#include "choice.h"
#include "cmd.h"
#include "group.h"
#include "hist.h"
#include "label.h"
#include "opts.h"
#include "out.h"
#include "run.h"
#include "sum.h"
#include "table.h"
#include "view.h"

enum {
	BAR = 40,
	HISTS = 20,
};

static void print_line(const char *text, void *arg)
{
	(void)arg;
	out_printf("%s\n", text);
}

enum column {
	TIME_NS, TIME_S, FIELD, BY, NAME, LOW, HIGH, COUNT, NR_COLUMNS,
};

static const struct col columns[NR_COLUMNS] = {
	[TIME_NS] = { "TIME", "time_ns", COL_DIGITS, 0, 0 },
	[TIME_S] = { "TIME", "time_s", COL_SECONDS, 0, 0 },
	[FIELD] = { "FIELD", "field", COL_TEXT, 0, 0 },
	[BY] = { "BY", "by", COL_TEXT, 0, 0 },
	[NAME] = { "NAME", "name", COL_TEXT, 0, 0 },
	[LOW] = { "LOW", "low", COL_COUNT, 0, 0 },
	[HIGH] = { "HIGH", "high", COL_COUNT, 0, 0 },
	[COUNT] = { "COUNT", "count", COL_COUNT, 0, 0 },
};

/* JSON and CSV: a row for each slot that is not empty, in bytes or microseconds. */
static void print_slots(const struct run *run, const struct hist *h, const char *by,
			const char *name, uint64_t to_ns)
{
	const struct opts *o = run->opts;
	struct col cols[NR_COLUMNS];
	struct table *t;
	struct cell c[NR_COLUMNS];
	uint64_t slots[BARS_SLOTS];
	unsigned int i;

	memcpy(cols, columns, sizeof(cols));
	cols[LOW].key = o->field == FIELD_SIZE ? "low_bytes" : "low_us";
	cols[HIGH].key = o->field == FIELD_SIZE ? "high_bytes" : "high_us";
	t = table_new(o->format, "hist", cols, NR_COLUMNS);
	bars_collect(h, o->field, slots);
	for (i = 0; i < BARS_SLOTS; i++) {
		if (!slots[i])
			continue;
		c[TIME_NS] = CELL_N(run_wall_ns(run, to_ns));
		c[TIME_S] = c[TIME_NS];
		c[FIELD] = CELL_TEXT(choice_fields[o->field]);
		c[BY] = CELL_TEXT(by);
		c[NAME] = CELL_TEXT(name);
		c[LOW] = CELL_N(bars_low(i));
		c[HIGH] = CELL_N(i ? 2 * bars_low(i) - 1 : 0);
		c[COUNT] = CELL_N(slots[i]);
		table_row(t, c);
	}
	table_end(t);
}

static void print_hist(const struct run *run, const struct hist *h, const char *by,
		       const char *name, uint64_t to_ns)
{
	if (run->opts->format != FORMAT_TABLE) {
		print_slots(run, h, by, name, to_ns);
		return;
	}
	out_printf("\n%s", choice_fields[run->opts->field]);
	if (by)
		out_printf(", %s: %s", by, name);
	out_puts("\n");
	if (hist_count(h))
		bars_print(h, run->opts->field, BAR, print_line, NULL);
	else
		out_puts("nothing was counted\n");
}

static void print_hists(struct run *run, uint64_t from_ns, uint64_t to_ns, bool last)
{
	const struct opts *o = run->opts;
	struct hist all = { { 0 } }, part;
	struct row_more more;
	char label[4096], time[32];
	struct row *rows;
	size_t i, nr;

	(void)from_ns;
	if (last && o->interval_ns && !summed.records)
		return;
	if (o->timestamp && o->format == FORMAT_TABLE) {
		run_time(run, to_ns, time, sizeof(time));
		out_printf("\n%s", time);
	}
	nr = group_rows(&summed, o->by, o->given_sort ? o->sort : SORT_IOS, &rows);
	for (i = 0; i < nr && o->given_by && i < (o->rows ? o->rows : HISTS); i++) {
		group_more(&rows[i], &more);
		print_hist(run, &more.hist, choice_pivots[o->by],
			   label_row(more.lead, o->by, label, sizeof(label)), to_ns);
	}
	if (o->given_by && i < nr && o->format == FORMAT_TABLE)
		out_printf("\n... and %zu more (--rows)\n", nr - i);
	for (i = 0; i < nr && !o->given_by; i++) {
		group_hist(&rows[i], &part);
		hist_sum(&all, &part);
	}
	if (!o->given_by)
		print_hist(run, &all, NULL, NULL, to_ns);
	free(rows);
	agg_clear(&summed);
}

int cmd_hist(const struct opts *o)
{
	struct view view = {
		.begin = sum_begin, .record = sum_record, .filled = sum_filled,
		.interval = print_hists, .end = sum_end,
		.ages = o->field == FIELD_AGE,
	};

	return view_run(o, &view);
}
