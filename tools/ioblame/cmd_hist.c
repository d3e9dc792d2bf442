// SPDX-License-Identifier: GPL-2.0
/*
 * hist: histograms of sizes and times, in powers of two
 */
#include <stdlib.h>

#include "agg.h"
#include "choice.h"
#include "cmd.h"
#include "counts.h"
#include "group.h"
#include "hist.h"
#include "hist_print.h"
#include "history.h"
#include "label.h"
#include "opts.h"
#include "out.h"
#include "run.h"
#include "sum.h"
#include "table.h"
#include "view.h"

static void print_hists(struct run *run, uint64_t to_ns)
{
	const struct opts *o = run->opts;
	struct table *t = o->percentiles ? hist_new_sums(run) : NULL;
	const char *by = o->given_by ? choice_pivots[o->by] : NULL, *name;
	struct hist all = { { 0 } }, part;
	struct row_more more;
	char label[4096], time[32];
	struct row *rows;
	__uint128_t sum = 0;
	size_t i, nr;

	if (o->timestamp && o->format == FORMAT_TABLE) {
		run_time(run, to_ns, time, sizeof(time));
		out_printf("\n%s", time);
	}
	nr = group_rows(&summed, o->by, o->given_sort ? o->sort : SORT_IOS, &rows);
	for (i = 0; i < nr && o->given_by && i < hist_most(o); i++) {
		group_more(&rows[i], &more);
		name = label_row(more.lead, o->by, label, sizeof(label));
		if (t)
			hist_add_sums(run, t, &more.hist, group_sum(&rows[i]), by, name, to_ns);
		else
			hist_print(run, &more.hist, group_sum(&rows[i]), by, name, to_ns);
	}
	if (o->given_by && i < nr && o->format == FORMAT_TABLE)
		out_printf("\n... and %zu more (--rows)\n", nr - i);
	for (i = 0; i < nr && !o->given_by; i++) {
		group_hist(&rows[i], &part);
		hist_sum(&all, &part);
		sum += group_sum(&rows[i]);
	}
	if (!o->given_by && t)
		hist_add_sums(run, t, &all, sum, NULL, "all", to_ns);
	else if (!o->given_by)
		hist_print(run, &all, sum, NULL, NULL, to_ns);
	if (t)
		table_end(t);
	free(rows);
	agg_clear(&summed);
}

/* The IO before it on the disk may be one that the filters do not take. */
static void take_seek(struct run *run, const struct iob_iolog_bin_record *rec)
{
	if (run_took(run))
		agg_add(&summed, rec);
	else
		agg_pass(&summed, rec);
}

static void print_interval(struct run *run, uint64_t from_ns, uint64_t to_ns, bool last)
{
	(void)from_ns;
	if (!last || !run->opts->interval_ns || summed.records)
		print_hists(run, to_ns);
}

int cmd_hist(const struct opts *o)
{
	struct view view = {
		.begin = sum_begin, .record = sum_record, .filled = sum_filled,
		.interval = print_interval, .end = sum_end,
		.ages = o->field == FIELD_AGE,
	};

	if (o->field == FIELD_SEEK) {
		view.all = true;
		view.record = take_seek;
	}
	if (o->since_ns)
		return history_hist(o);
	return o->counters ? counts_run(o) : view_run(o, &view);
}
