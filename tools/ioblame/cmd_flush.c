// SPDX-License-Identifier: GPL-2.0
/*
 * flush: who asks for flushes, and what they cost
 *
 * A file system asks in three ways: by an empty flush, by a write that must be preceded by one
 * (PREFLUSH), and by a write that must be on the medium when it ends (FUA).  Arrays of md are
 * watched, too, unless disks are named: md hands a flush on to each of its disks.  Where others
 * say what is watched, arrays that are not are left out.
 */
#include <stdio.h>

#include "cell.h"
#include "choice.h"
#include "cmd.h"
#include "escape.h"
#include "label.h"
#include "name.h"
#include "opf.h"
#include "opts.h"
#include "out.h"
#include "rec.h"
#include "run.h"
#include "table.h"
#include "tally.h"
#include "tally_print.h"
#include "view.h"

enum {
	ROWS = 30,
};

/* What a tally counts besides */
enum {
	N_EMPTY, N_PRE, N_FUA,
};

enum column {
	TIME_NS, TIME_S,
	WHO, COMM, CGROUP, DEVICE, EMPTY, PRE, FUA, MEAN, P99, MAX, TOTAL, WHY, VIA,
	FILE_PATH, NR_COLUMNS,
};

static const struct col columns[NR_COLUMNS] = {
	[TIME_NS] = { "TIME", "time_ns", COL_DIGITS, COL_ONLY_DATA, 0 },
	[TIME_S] = { "TIME", "time_s", COL_SECONDS, COL_ONLY_DATA, 0 },
	[WHO] = { "PID", "who", COL_TEXT, 0, 0 },
	[COMM] = { "COMM", "comm", COL_TEXT, 0, 0 },
	[CGROUP] = { "CGROUP", "cgroup", COL_TEXT, COL_ONLY_DATA, 0 },
	[DEVICE] = { "DEVICE", "device", COL_TEXT, 0, 0 },
	[EMPTY] = { "FLUSH", "flushes", COL_COUNT, 0, 0 },
	[PRE] = { "PRE", "preflush_writes", COL_COUNT, 0, 0 },
	[FUA] = { "FUA", "fua_writes", COL_COUNT, 0, 0 },
	[MEAN] = { "MEAN", "mean_ns", COL_NSECS, 0, 0 },
	[P99] = { "P99", "p99_ns", COL_NSECS, 0, 0 },
	[MAX] = { "MAX", "max_ns", COL_NSECS, 0, 0 },
	[TOTAL] = { "TOTAL", "total_ns", COL_NSECS, 0, 0 },
	[WHY] = { "WHY", "why", COL_TEXT, COL_ONLY_DATA, 0 },
	[VIA] = { "VIA", "via_comm", COL_TEXT, 0, 0 },
	[FILE_PATH] = { "FILE", "file", COL_TEXT, COL_CUT, 0 },
};

static uint64_t cost_of(const struct tally *t)
{
	return t->total_ns;
}

static struct tallies tallies = { .value = cost_of };

static void add_flush(struct run *run, const struct iob_iolog_bin_record *rec)
{
	struct tally *t;

	if (rec->part || (rec->op != OP_FLUSH && !(rec->opf & (OPF_PREFLUSH | OPF_FUA))))
		return;
	t = tally_add(&tallies, rec, run->opts->by, TALLY_DISK, 0);
	t->n[N_EMPTY] += rec->op == OP_FLUSH;
	t->n[N_PRE] += rec->op != OP_FLUSH && rec->opf & OPF_PREFLUSH;
	t->n[N_FUA] += rec->op != OP_FLUSH && rec->opf & OPF_FUA;
}

static void print_row(const struct run *run, struct table *table, const struct tally *t,
		      uint64_t from_ns, uint64_t to_ns)
{
	char who[32], comm[ESCAPE_SIZE(IOB_COMM_LEN)], via[ESCAPE_SIZE(IOB_COMM_LEN)];
	struct cell c[NR_COLUMNS];
	uint64_t timed = tally_timed(t);

	(void)from_ns;
	escape_text(via, sizeof(via), t->label.sub_comm, IOB_COMM_LEN);
	c[TIME_NS] = CELL_N(run_wall_ns(run, to_ns));
	c[TIME_S] = c[TIME_NS];
	c[WHO] = CELL_TEXT(label_who(&t->label, who, sizeof(who)));
	c[COMM] = CELL_TEXT(label_comm(&t->label, comm, sizeof(comm)));
	c[CGROUP] = CELL_TEXT(name_cgroup(t->label.key.cgroup));
	c[DEVICE] = CELL_TEXT(tally_disk(t));
	c[EMPTY] = CELL_N(t->n[N_EMPTY]);
	c[PRE] = CELL_N(t->n[N_PRE]);
	c[FUA] = CELL_N(t->n[N_FUA]);
	c[MEAN] = CELL_IF(timed, timed ? t->total_ns / timed : 0);
	c[P99] = CELL_IF(timed, tally_percentile(t, 0.99));
	c[MAX] = CELL_IF(timed, t->max_ns);
	c[TOTAL] = CELL_N(t->total_ns);
	c[WHY] = CELL_TEXT(t->label.why);
	c[VIA] = CELL_TEXT(via);
	c[FILE_PATH] = CELL_TEXT(label_file(&t->label));
	table_row(table, c);
}

static void print_flushes(struct run *run, uint64_t from_ns, uint64_t to_ns, bool last)
{
	static const struct tally_look look = {
		.type = "flush", .columns = columns, .nr_columns = NR_COLUMNS, .rows = ROWS,
		.none = "Nobody asked for a flush", .print = print_row,
	};

	tally_print(run, &tallies, &look, from_ns, to_ns, last);
}

int cmd_flush(const struct opts *o)
{
	static const struct view view = {
		.arrays = true, .record = add_flush, .interval = print_flushes,
	};

	return view_run(o, &view);
}
