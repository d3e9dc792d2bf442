// SPDX-License-Identifier: GPL-2.0
/*
 * errors: IO that failed, by device, operation, status and originator
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cell.h"
#include "choice.h"
#include "cmd.h"
#include "escape.h"
#include "label.h"
#include "msg.h"
#include "name.h"
#include "opts.h"
#include "out.h"
#include "rec.h"
#include "run.h"
#include "status_word.h"
#include "table.h"
#include "tally.h"
#include "tally_print.h"
#include "view.h"

enum {
	ROWS = 30,
};

enum column {
	TIME_NS, TIME_S, LAST, IOS, DEVICE, OP, ERROR, ERRNO, STATUS, WHO, COMM, SECTOR, BYTES,
	FILE_PATH,
	NR_COLUMNS,
};

static const struct col columns[NR_COLUMNS] = {
	[TIME_NS] = { "TIME", "time_ns", COL_DIGITS, COL_ONLY_DATA, 0 },
	[TIME_S] = { "TIME", "time_s", COL_SECONDS, COL_ONLY_DATA, 0 },
	[LAST] = { "LAST", "last", COL_TEXT, COL_ONLY_TABLE, 0 },
	[IOS] = { "IOS", "ios", COL_COUNT, 0, 0 },
	[DEVICE] = { "DEVICE", "device", COL_TEXT, 0, 0 },
	[OP] = { "OP", "op", COL_TEXT, 0, 0 },
	[ERROR] = { "ERR", "error", COL_SIGNED, COL_ONLY_DATA, 0 },
	[ERRNO] = { "ERRNO", "errno", COL_TEXT, 0, 0 },
	[STATUS] = { "STATUS", "status", COL_TEXT, 0, 0 },
	[WHO] = { "PID", "who", COL_TEXT, 0, 0 },
	[COMM] = { "COMM", "comm", COL_TEXT, 0, 0 },
	[SECTOR] = { "SECTOR", "sector", COL_COUNT, 0, 0 },
	[BYTES] = { "BYTES", "bytes", COL_COUNT, COL_ONLY_DATA, 0 },
	[FILE_PATH] = { "FILE", "file", COL_TEXT, COL_CUT, 0 },
};

static struct tallies tallies;

static void add_error(struct run *run, const struct iob_iolog_bin_record *rec)
{
	tally_add(&tallies, rec, run->opts->by, TALLY_DISK,
		  (uint64_t)rec->op << 32 | (uint32_t)rec->error);
}

static uint64_t ios_of(const struct tally *t)
{
	return t->all_ios;
}

static void print_row(const struct run *run, struct table *table, const struct tally *t,
		      uint64_t from_ns, uint64_t to_ns)
{
	char who[32], comm[ESCAPE_SIZE(IOB_COMM_LEN)], last[32], number[16];
	const char *name = status_errno(t->error);
	struct cell c[NR_COLUMNS];

	(void)from_ns;
	(void)to_ns;
	run_time(run, t->last_ns, last, sizeof(last));
	/* without the date and the microseconds */
	last[sizeof("2026-11-25 10:00:00") - 1] = '\0';
	snprintf(number, sizeof(number), "%d", -t->error);
	c[TIME_NS] = CELL_N(run_wall_ns(run, t->last_ns));
	c[TIME_S] = c[TIME_NS];
	c[LAST] = CELL_TEXT(last + sizeof("2026-11-25"));
	c[IOS] = CELL_N(t->all_ios);
	c[DEVICE] = CELL_TEXT(name_disk(t->key.disk));
	c[OP] = CELL_TEXT(rec_op_name(t->key.extra >> 32));
	c[ERROR] = CELL_N((int64_t)t->error);
	c[ERRNO] = CELL_TEXT(name ? name : number);
	c[STATUS] = CELL_TEXT(status_word(t->error));
	c[WHO] = CELL_TEXT(label_who(&t->label, who, sizeof(who)));
	c[COMM] = CELL_TEXT(label_comm(&t->label, comm, sizeof(comm)));
	c[SECTOR] = CELL_N(t->sector);
	c[BYTES] = CELL_N(t->all_bytes);
	c[FILE_PATH] = CELL_TEXT(label_file(&t->label));
	table_row(table, c);
}

static void print_errors(struct run *run, uint64_t from_ns, uint64_t to_ns, bool last)
{
	static const struct tally_look look = {
		.type = "error", .columns = columns, .nr_columns = NR_COLUMNS, .rows = ROWS,
		.none = "No IO failed", .value = ios_of, .print = print_row,
	};

	tally_print(run, &tallies, &look, from_ns, to_ns, last);
}

int cmd_errors(const struct opts *o)
{
	static const struct view view = {
		.record = add_error, .interval = print_errors,
	};
	struct opts failed = *o;

	failed.errors = true;
	return view_run(&failed, &view);
}
