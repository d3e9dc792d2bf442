// SPDX-License-Identifier: GPL-2.0
/*
 * pattern: how many IOs of each disk and originator are sequential, and how many random
 *
 * As biopattern: an IO is sequential if it begins where the last one of the disk ended.  Two
 * originators that both go in sequence disturb each other, so each is held against its own
 * last IO, too.  The filters choose which IOs are counted; the last one is that of all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agg.h"
#include "cell.h"
#include "choice.h"
#include "cmd.h"
#include "escape.h"
#include "group.h"
#include "label.h"
#include "map.h"
#include "msg.h"
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
	ROWS = 30,
	ENDS_MOST = 16384,	/* about 4 MiB */
};

/* What a tally counts besides */
enum {
	N_SEQ, N_RANDOM, N_OWN_SEQ,
};

/* A disk, or with @own an originator on it */
struct end_key {
	struct atom_key who;
	uint32_t disk, own;
};

/* Where the last IO ended */
struct end {
	struct end_key key;
	uint64_t sector;
	uint64_t used;		/* the number of its last use */
};

#define NO_END	UINT64_MAX

enum column {
	TIME_NS, TIME_S, DEVICE, NAME, SEQ, RANDOM, OWN, COUNT, SEQUENTIAL, BYTES, NR_COLUMNS,
};

static const struct col columns[NR_COLUMNS] = {
	[TIME_NS] = { "TIME", "time_ns", COL_DIGITS, COL_ONLY_DATA, 0 },
	[TIME_S] = { "TIME", "time_s", COL_SECONDS, COL_ONLY_DATA, 0 },
	[DEVICE] = { "DEVICE", "device", COL_TEXT, 0, 0 },
	[NAME] = { "NAME", "name", COL_TEXT, COL_CUT, 0 },
	[RANDOM] = { "%RND", "random_percent", COL_RATE, 0, 0 },
	[SEQ] = { "%SEQ", "sequential_percent", COL_RATE, 0, 0 },
	[OWN] = { "OWN%SEQ", "own_sequential_percent", COL_RATE, 0, 0 },
	[COUNT] = { "COUNT", "count", COL_COUNT, 0, 0 },
	[SEQUENTIAL] = { "SEQ", "sequential", COL_COUNT, COL_ONLY_DATA, 0 },
	[BYTES] = { "BYTES", "bytes", COL_BYTES, 0, 0 },
};

static uint64_t ios_of(const struct tally *t)
{
	return t->all_ios;
}

static struct tallies tallies = { .value = ios_of };
static struct map ends = { .key_len = sizeof(struct end_key) };
static uint64_t uses;

static bool is_recent(const void *value, const void *arg)
{
	(void)arg;
	return ((const struct end *)value)->used + ENDS_MOST / 2 > uses;
}

/* Where the last IO ended, or NO_END.  Now it is where this one ends. */
static uint64_t move_end(const struct end_key *key, const struct iob_iolog_bin_record *rec)
{
	struct end *e = map_get(&ends, key);
	uint64_t last = e ? e->sector : NO_END;

	/* half of them and more were not used for long: forget these */
	if (!e && ends.nr >= ENDS_MOST)
		map_keep(&ends, is_recent, NULL, free);
	if (!e) {
		e = must(calloc(1, sizeof(*e)));
		e->key = *key;
		map_put(&ends, e);
	}
	e->sector = rec->sector + rec->bytes / 512;
	e->used = ++uses;
	return last;
}

static void add_io(struct run *run, const struct iob_iolog_bin_record *rec)
{
	struct end_key key = { .disk = rec->disk };
	bool taken = run_took(run);
	uint64_t end, own_end;
	struct tally *t;

	if (!rec->bytes || !strchr("RAW", rec->op))
		return;
	end = move_end(&key, rec);
	agg_key(&key.who, rec, run->opts->by);
	group_narrow(run->opts->by, &key.who);
	key.own = 1;
	own_end = move_end(&key, rec);
	t = taken ? tally_add(&tallies, rec, run->opts->by, TALLY_DISK, 0) : NULL;
	/* a further part of an IO is no IO; the first one of a disk has none before it */
	if (!t || rec->part || end == NO_END)
		return;
	t->n[N_SEQ] += end == rec->sector;
	t->n[N_RANDOM] += end != rec->sector;
	t->n[N_OWN_SEQ] += own_end == rec->sector;
}

static void print_row(const struct run *run, struct table *table, const struct tally *t,
		      uint64_t from_ns, uint64_t to_ns)
{
	uint64_t n = t->n[N_SEQ] + t->n[N_RANDOM];
	char label[4096];
	struct cell c[NR_COLUMNS];

	(void)from_ns;
	c[TIME_NS] = CELL_N(run_wall_ns(run, to_ns));
	c[TIME_S] = c[TIME_NS];
	c[DEVICE] = CELL_TEXT(tally_disk(t));
	c[NAME] = CELL_TEXT(t->key.who.rest ? "(others)" :
			    label_row(&t->label, run->opts->by, label, sizeof(label)));
	c[RANDOM] = CELL_RATE(n ? 100.0 * (double)t->n[N_RANDOM] / (double)n : 0);
	c[SEQ] = CELL_RATE(n ? 100.0 * (double)t->n[N_SEQ] / (double)n : 0);
	c[OWN] = CELL_RATE(n ? 100.0 * (double)t->n[N_OWN_SEQ] / (double)n : 0);
	c[COUNT] = CELL_N(n);
	c[SEQUENTIAL] = CELL_N(t->n[N_SEQ]);
	c[BYTES] = CELL_N(t->all_bytes);
	table_row(table, c);
}

static void print_pattern(struct run *run, uint64_t from_ns, uint64_t to_ns, bool last)
{
	static const struct tally_look look = {
		.type = "pattern", .columns = columns, .nr_columns = NR_COLUMNS, .rows = ROWS,
		.print = print_row,
	};

	tally_print(run, &tallies, &look, from_ns, to_ns, last);
}

int cmd_pattern(const struct opts *o)
{
	static const struct view view = {
		.all = true, .record = add_io, .interval = print_pattern,
	};

	return view_run(o, &view);
}
