// SPDX-License-Identifier: GPL-2.0
/*
 * files: for each file and each originator what was read and written there
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cell.h"
#include "choice.h"
#include "cmd.h"
#include "escape.h"
#include "label.h"
#include "name.h"
#include "opts.h"
#include "out.h"
#include "rec.h"
#include "run.h"
#include "table.h"
#include "tally.h"
#include "tally_print.h"
#include "view.h"

enum {
	ROWS = 40,
	/* places in IOB_OPS */
	AT_READ = 0, AT_AHEAD, AT_WRITE, AT_DISCARD,
};

enum column {
	TIME_NS, TIME_S, SECONDS, WHO, COMM, CGROUP, DEVICE, READS, READ, WRITES, WRITTEN,
	DISCARDED, ERRORS, P50, P99, FILE_PATH, DEV_NR, INO, NR_COLUMNS,
};

static const struct col columns[NR_COLUMNS] = {
	[TIME_NS] = { "TIME", "time_ns", COL_DIGITS, COL_ONLY_DATA, 0 },
	[TIME_S] = { "TIME", "time_s", COL_SECONDS, COL_ONLY_DATA, 0 },
	[SECONDS] = { "SECONDS", "interval_s", COL_RATE, COL_ONLY_DATA, 0 },
	[WHO] = { "PID", "who", COL_TEXT, 0, 0 },
	[COMM] = { "COMM", "comm", COL_TEXT, 0, 0 },
	[CGROUP] = { "CGROUP", "cgroup", COL_TEXT, COL_ONLY_DATA, 0 },
	[DEVICE] = { "DEVICE", "device", COL_TEXT, COL_ONLY_DATA, 0 },
	[READS] = { "READS", "reads", COL_COUNT, 0, 0 },
	[READ] = { "READ", "read_bytes", COL_BYTES, 0, 0 },
	[WRITES] = { "WRITES", "writes", COL_COUNT, 0, 0 },
	[WRITTEN] = { "WRITTEN", "write_bytes", COL_BYTES, 0, 0 },
	[DISCARDED] = { "DISCARD", "discard_bytes", COL_BYTES, COL_ONLY_DATA, 0 },
	[ERRORS] = { "ERR", "errors", COL_COUNT, COL_ONLY_DATA, 0 },
	[P50] = { "P50", "p50_ns", COL_NSECS, 0, 0 },
	[P99] = { "P99", "p99_ns", COL_NSECS, 0, 0 },
	[FILE_PATH] = { "FILE", "file", COL_TEXT, COL_CUT, 0 },
	[DEV_NR] = { "DEV", "dev", COL_TEXT, COL_ONLY_DATA, 0 },
	[INO] = { "INO", "ino", COL_COUNT, COL_ONLY_DATA, 0 },
};

static struct tallies tallies;

static void add_io(struct run *run, const struct iob_iolog_bin_record *rec)
{
	struct tally *t = tally_add(&tallies, rec, run->opts->by, TALLY_FILE, 0);

	t->n[0] += rec->error && !t->more;
}

static uint64_t bytes_of(const struct tally *t)
{
	return t->all_bytes;
}

static uint64_t ios_of(const struct tally *t)
{
	return t->all_ios;
}

static uint64_t read_of(const struct tally *t)
{
	return t->bytes[AT_READ] + t->bytes[AT_AHEAD];
}

static uint64_t written_of(const struct tally *t)
{
	return t->bytes[AT_WRITE];
}

static uint64_t time_of(const struct tally *t)
{
	return t->total_ns;
}

static uint64_t p99_of(const struct tally *t)
{
	return tally_percentile(t, 0.99);
}

static void print_row(const struct run *run, struct table *table, const struct tally *t,
		      uint64_t from_ns, uint64_t to_ns)
{
	const struct atom_key *key = &t->label.key;
	char who[32], comm[ESCAPE_SIZE(IOB_COMM_LEN)], dev[32];
	struct cell c[NR_COLUMNS];

	snprintf(dev, sizeof(dev), "%u:%u", key->dev >> 20, key->dev & 0xfffff);
	c[TIME_NS] = CELL_N(run_wall_ns(run, to_ns));
	c[TIME_S] = c[TIME_NS];
	c[SECONDS] = CELL_RATE((double)(to_ns - from_ns) / 1e9);
	c[WHO] = CELL_TEXT(label_who(&t->label, who, sizeof(who)));
	c[COMM] = CELL_TEXT(label_comm(&t->label, comm, sizeof(comm)));
	c[CGROUP] = CELL_TEXT(name_cgroup(key->cgroup));
	c[DEVICE] = CELL_TEXT(tally_disk(t));
	c[READS] = CELL_N(t->ios[AT_READ] + t->ios[AT_AHEAD]);
	c[READ] = CELL_N(read_of(t));
	c[WRITES] = CELL_N(t->ios[AT_WRITE]);
	c[WRITTEN] = CELL_N(written_of(t));
	c[DISCARDED] = CELL_N(t->bytes[AT_DISCARD]);
	c[ERRORS] = CELL_N(t->n[0]);
	c[P50] = CELL_IF(tally_timed(t), tally_percentile(t, 0.5));
	c[P99] = CELL_IF(tally_timed(t), tally_percentile(t, 0.99));
	c[FILE_PATH] = CELL_TEXT(label_file(&t->label));
	c[DEV_NR] = CELL_TEXT(dev);
	c[INO] = CELL_N(key->ino);
	table_row(table, c);
}

static void print_files(struct run *run, uint64_t from_ns, uint64_t to_ns, bool last)
{
	static const struct tally_look look = {
		.type = "file_use", .columns = columns, .nr_columns = NR_COLUMNS, .rows = ROWS,
		.print = print_row,
	};

	tally_print(run, &tallies, &look, from_ns, to_ns, last);
}

int cmd_files(const struct opts *o)
{
	static uint64_t (*const values[NR_SORTS])(const struct tally *t) = {
		[SORT_BYTES] = bytes_of, [SORT_IOS] = ios_of, [SORT_READ] = read_of,
		[SORT_WRITTEN] = written_of, [SORT_P99] = p99_of, [SORT_TIME] = time_of,
	};
	static const struct view view = {
		.record = add_io, .interval = print_files,
	};

	tallies.value = values[o->sort];
	return view_run(o, &view);
}
