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
#include "map.h"
#include "msg.h"
#include "name.h"
#include "opts.h"
#include "out.h"
#include "rec.h"
#include "run.h"
#include "sense.h"
#include "source.h"
#include "status_word.h"
#include "table.h"
#include "tally.h"
#include "tally_print.h"
#include "view.h"

enum {
	ROWS = 30,
	WAITING_MOST = 4096,
};

enum column {
	TIME_NS, TIME_S, LAST, IOS, DEVICE, OP, ERROR, ERRNO, STATUS, SENSE, WHO, COMM, SECTOR,
	BYTES, FILE_PATH,
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
	[SENSE] = { "SENSE", "sense", COL_TEXT, 0, 0 },
	[WHO] = { "PID", "who", COL_TEXT, 0, 0 },
	[COMM] = { "COMM", "comm", COL_TEXT, 0, 0 },
	[SECTOR] = { "SECTOR", "sector", COL_COUNT, 0, 0 },
	[BYTES] = { "BYTES", "bytes", COL_COUNT, COL_ONLY_DATA, 0 },
	[FILE_PATH] = { "FILE", "file", COL_TEXT, COL_CUT, 0 },
};

/* Of @n of a tally: failed IOs that its originator had a part in */
enum { N_FAILED };

static uint64_t ios_of(const struct tally *t)
{
	return t->n[N_FAILED];
}

static struct tallies tallies = { .value = ios_of };

/* Records wait here until the kernel's events of the same time are read */
static struct iob_iolog_bin_record *waiting;
static size_t nr_waiting;

/* What an error is of, besides its originator: its sense, operation and errno */
static void count_error(struct run *run, const struct iob_iolog_bin_record *rec)
{
	struct tally *t = tally_add(&tallies, rec, run->opts->by, TALLY_DISK,
				    (uint64_t)sense_of(rec) << 40 | (uint64_t)rec->op << 32 |
				    (uint32_t)rec->error);

	t->n[N_FAILED] += !t->more;
}

static void count_waiting(struct run *run)
{
	size_t i;

	sense_read();
	for (i = 0; i < nr_waiting; i++)
		count_error(run, &waiting[i]);
	nr_waiting = 0;
}

static void add_error(struct run *run, const struct iob_iolog_bin_record *rec)
{
	if (nr_waiting == WAITING_MOST)
		count_waiting(run);
	waiting[nr_waiting++] = *rec;
}

static int begin_errors(struct run *run)
{
	waiting = must(malloc(WAITING_MOST * sizeof(*waiting)));
	if (source_is_live(&run->source))
		sense_begin();
	return EXIT_OK;
}

static int end_errors(struct run *run)
{
	(void)run;
	sense_end();
	free(waiting);
	waiting = NULL;
	return EXIT_OK;
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
	c[IOS] = CELL_N(t->n[N_FAILED]);
	c[DEVICE] = CELL_TEXT(tally_disk(t));
	c[OP] = CELL_TEXT(rec_op_name(t->key.extra >> 32 & 0xff));
	c[ERROR] = CELL_N((int64_t)t->error);
	c[ERRNO] = CELL_TEXT(name ? name : number);
	c[STATUS] = CELL_TEXT(status_word(t->error));
	c[SENSE] = CELL_TEXT(sense_text(t->key.extra >> 40));
	c[WHO] = CELL_TEXT(label_who(&t->label, who, sizeof(who)));
	c[COMM] = CELL_TEXT(label_comm(&t->label, comm, sizeof(comm)));
	c[SECTOR] = CELL_N(t->sector);
	c[BYTES] = CELL_N(t->all_bytes);
	c[FILE_PATH] = CELL_TEXT(label_file(&t->label));
	table_row(table, c);
}

/* Tables have a column of it only if there is any. */
static bool has_sense(void)
{
	const struct tally *t;
	size_t i;

	map_for_each(&tallies.map, i, t) {
		if (t->key.extra >> 40)
			return true;
	}
	return false;
}

static void print_errors(struct run *run, uint64_t from_ns, uint64_t to_ns, bool last)
{
	struct col cols[NR_COLUMNS];
	const struct tally_look look = {
		.type = "error", .columns = cols, .nr_columns = NR_COLUMNS, .rows = ROWS,
		.none = "No IO failed", .print = print_row,
	};

	count_waiting(run);
	memcpy(cols, columns, sizeof(cols));
	if (!has_sense())
		cols[SENSE].flags |= COL_ONLY_DATA;
	tally_print(run, &tallies, &look, from_ns, to_ns, last);
}

int cmd_errors(const struct opts *o)
{
	static const struct view view = {
		.begin = begin_errors, .record = add_error, .filled = count_waiting,
		.interval = print_errors, .end = end_errors,
	};
	struct opts failed = *o;
	int ret;

	failed.errors = true;
	ret = view_run(&failed, &view);
	/* also if it did not come to its end */
	sense_end();
	return ret;
}
