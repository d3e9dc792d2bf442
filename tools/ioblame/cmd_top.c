// SPDX-License-Identifier: GPL-2.0
/*
 * top: the sums of each interval, in the live view or as tables
 */
#include <sys/stat.h>
#include <unistd.h>

#include "agg.h"
#include "cmd.h"
#include "history.h"
#include "live.h"
#include "msg.h"
#include "name.h"
#include "opts.h"
#include "out.h"
#include "rows.h"
#include "run.h"
#include "sum.h"
#include "view.h"

enum {
	TOP_ROWS = 20,
	/* files whose names are looked up in a second before they are shown */
	TOP_NAMES = 1000,
};

static void print_top(struct run *run, uint64_t from_ns, uint64_t to_ns, bool last)
{
	static uint64_t begun;
	const struct opts *o = run->opts;
	struct rows_look look = {
		.rates = !o->accumulate, .submitter = o->submitter, .iowait = o->iowait,
		.from_ns = from_ns, .to_ns = to_ns,
	};
	char time[32];

	if (last && !summed.records)
		return;
	if (!begun)
		begun = from_ns;
	if (o->accumulate)
		look.from_ns = begun;
	if (o->format == FORMAT_TABLE) {
		run_time(run, to_ns, time, sizeof(time));
		out_printf("%s%.19s  %llu IOs\n", begun == from_ns ? "" : "\n", time,
			   (unsigned long long)summed.ios);
	}
	rows_print(run, &summed, o->by, o->rows ? o->rows :
		   o->format == FORMAT_TABLE ? TOP_ROWS : 0, &look);
	sum_print_folded(run);
	if (!o->accumulate)
		agg_clear(&summed);
}

/* True if there is a terminal for the live view, and what it shows can be shown. */
bool top_is_live(const struct opts *o)
{
#ifdef HAVE_CURSES
	struct stat st;

	/* what a command prints would be lost in the picture, and spoil it */
	if (o->run)
		return false;
	/* a recording is read again to go back in it: a pipe cannot be */
	if (o->input && (stat(o->input, &st) || !S_ISREG(st.st_mode)))
		return false;
	return isatty(STDOUT_FILENO) && isatty(STDIN_FILENO) && !o->batch &&
	       o->format == FORMAT_TABLE;
#else
	(void)o;
	return false;
#endif
}

int cmd_top(const struct opts *o)
{
	static const struct view view = {
		.begin = sum_begin, .record = sum_record, .filled = sum_filled,
		.interval = print_top, .end = sum_end,
		.interval_ns = 1000000000, .unordered = true,
	};

	if (o->since_ns)
		return history_top(o);
	if (!rows_know(o->column_list))
		return EXIT_USAGE;
	if (!o->input)
		name_note_at_most(TOP_NAMES);

#ifdef HAVE_CURSES
	if (top_is_live(o))
		return live_top(o);
#endif
	return view_run(o, &view);
}
