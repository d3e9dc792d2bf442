// SPDX-License-Identifier: GPL-2.0
/*
 * wear: bytes that were written to each disk, as ioblamed has recorded it
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cell.h"
#include "cmd.h"
#include "drive.h"
#include "history.h"
#include "map.h"
#include "msg.h"
#include "out.h"
#include "rec.h"
#include "since.h"
#include "table.h"
#include "text.h"
#include "usage_by.h"

enum {
	ROWS = 20,
};

#define DAY	86400000000000LL

enum column {
	DEVICE, PROGRAM, BYTES, PER_DAY, SHARE, FILE_PATH, NR_COLUMNS,
};

static const struct col columns[NR_COLUMNS] = {
	[DEVICE] = { "DEVICE", "device", COL_TEXT, 0, 0 },
	[PROGRAM] = { "PROGRAM", "program", COL_TEXT, 0, 0 },
	[BYTES] = { "WRITTEN", "bytes", COL_BYTES, 0, 0 },
	[PER_DAY] = { "A DAY", "bytes_per_day", COL_BYTES, 0, 0 },
	[SHARE] = { "%", "share_percent", COL_RATE, 0, 0 },
	[FILE_PATH] = { "FILE", "file", COL_TEXT, COL_CUT | COL_PATH, 0 },
};

/*
 * Of a time that is shorter than a day, a day would have more.  What was not recorded is no part of
 * it; an old ioblamed does not tell how long that was.
 */
static uint64_t in_a_day(uint64_t bytes, const struct usage_list *list)
{
	int64_t ns = list->recorded_ns > 0 ? list->recorded_ns : list->until_ns - list->from_ns;

	return ns > 0 ? (uint64_t)((double)bytes * (double)DAY / (double)ns) : 0;
}

/* What was written to each disk, found by its name */
struct disk_sums {
	struct usage_list list;
	struct map map;
};

struct disk_sum {
	const char *disk;	/* the list's text: each name is one pointer */
	uint64_t bytes;
	bool shown;		/* a row is of this disk */
};

static void index_disks(struct disk_sums *d)
{
	struct disk_sum *sum;
	size_t i;

	for (i = 0; i < d->list.nr; i++) {
		sum = must(calloc(1, sizeof(*sum)));
		sum->disk = d->list.list[i].key.disk;
		sum->bytes = d->list.list[i].bytes;
		map_put(&d->map, sum);
	}
}

/* The sum of a disk, which has written something. */
static struct disk_sum *disk_of(struct disk_sums *d, const char *disk)
{
	const char *own = usage_text(&d->list, disk);

	return map_get(&d->map, &own);
}

/*
 * What was written, by @rows's names: of what the command line asks for, disk, program and file; or
 * with @by_disk, the disk alone and all that was.
 */
static void sum_writes(const struct opts *o, const struct usage_list *list, struct usage_list *rows,
		       bool by_disk)
{
	bool wanted;
	struct usage u;
	size_t i;

	for (i = 0; i < list->nr; i++) {
		/* of what was read, too: a word that matches that is no wrong one */
		wanted = by_disk || history_wants(o, &list->list[i].key);
		if (rec_op_letters[list->list[i].key.op] != 'W' || !wanted)
			continue;
		u = list->list[i];
		u.key = (struct usage_key){ .disk = u.key.disk, .uid = UINT32_MAX };
		if (!by_disk) {
			u.key.program = list->list[i].key.program;
			u.key.file = list->list[i].key.file;
		}
		usage_add(rows, &u);
	}
	usage_sort(rows, SORT_BYTES);
}

/* A disk's own sum, beside what the drive counts */
static void print_disk(const struct opts *o, const struct usage *u, const struct usage_list *list)
{
	static const struct col cols[] = {
		{ "DEVICE", "device", COL_TEXT, 0, 0 }, { "FROM", "from_ns", COL_DIGITS, 0, 0 },
		{ "FROM", "from_s", COL_SECONDS, 0, 0 }, { "UNTIL", "until_ns", COL_DIGITS, 0, 0 },
		{ "UNTIL", "until_s", COL_SECONDS, 0, 0 }, { "WRITTEN", "bytes", COL_BYTES, 0, 0 },
		{ "A DAY", "bytes_per_day", COL_BYTES, 0, 0 },
		{ "LIFE", "life_bytes", COL_BYTES, 0, 0 },
		{ "USED", "used_percent", COL_COUNT, 0, 0 },
	};
	char bytes[TEXT_NUMBER], daily[TEXT_NUMBER], life[TEXT_NUMBER], from[32];
	struct drive d = { 0 };
	/* the disks of another machine's past have names that others have here */
	bool known = !o->nr_pasts && drive_read(u->key.disk, &d);
	uint64_t day = in_a_day(u->bytes, list);
	struct table *t;

	if (o->format == FORMAT_JSON) {
		t = table_new(FORMAT_JSON, "drive", cols, ARRAY_SIZE(cols));
		table_row(t, (struct cell[]){
			CELL_TEXT(u->key.disk), CELL_N(list->from_ns), CELL_N(list->from_ns),
			CELL_N(list->until_ns), CELL_N(list->until_ns), CELL_N(u->bytes),
			CELL_N(day), CELL_IF(known, d.bytes_written),
			CELL_IF(known, d.percent_used),
		});
		table_end(t);
	}
	if (o->format != FORMAT_TABLE)
		return;
	out_printf("%s: %s written since %s, %s a day\n", u->key.disk, text_bytes(bytes, u->bytes),
		   since_text(list->from_ns, from, sizeof(from)), text_bytes(daily, day));
	if (known)
		out_printf("    the drive counts %s in its life, and %u %% of its endurance as used\n",
			   text_bytes(life, d.bytes_written), d.percent_used);
}

static void print_rows(const struct opts *o, const struct usage_list *rows,
		       struct disk_sums *disks, const struct usage_list *list)
{
	size_t i, most = o->rows ? o->rows : o->format == FORMAT_TABLE ? ROWS : SIZE_MAX;
	struct table *t = table_new(o->format, "wear", columns, NR_COLUMNS);
	const struct disk_sum *disk;
	const struct usage *u;
	struct cell c[NR_COLUMNS];

	for (i = 0; i < rows->nr && i < most; i++) {
		u = &rows->list[i];
		disk = disk_of(disks, u->key.disk);
		c[DEVICE] = CELL_TEXT(u->key.disk);
		c[PROGRAM] = CELL_TEXT(*u->key.program ? u->key.program : NULL);
		c[BYTES] = CELL_N(u->bytes);
		c[PER_DAY] = CELL_N(in_a_day(u->bytes, list));
		c[SHARE] = CELL_RATE(disk->bytes ?
				     100 * (double)u->bytes / (double)disk->bytes : 0);
		c[FILE_PATH] = CELL_TEXT(*u->key.file ? u->key.file : NULL);
		table_row(t, c);
	}
	table_end(t);
	if (o->format == FORMAT_TABLE && i < rows->nr)
		out_printf("... and %zu more (--rows)\n", rows->nr - i);
}

/* The sums of the disks of which there are rows */
static void print_disks(const struct opts *o, const struct usage_list *rows,
			struct disk_sums *disks, const struct usage_list *list)
{
	size_t i;

	for (i = 0; i < rows->nr; i++)
		disk_of(disks, rows->list[i].key.disk)->shown = true;
	for (i = 0; i < disks->list.nr; i++) {
		if (disk_of(disks, disks->list.list[i].key.disk)->shown)
			print_disk(o, &disks->list.list[i], list);
	}
}

int cmd_wear(const struct opts *o)
{
	struct usage_list list = { 0 }, rows = { 0 };
	struct disk_sums disks = { .map.key_len = sizeof(const char *) };
	struct opts all = *o;
	int ret;

	/* a disk wears by what all write; the others are not shown */
	all.nr_devices = 0;
	all.nr_comms = 0;
	all.nr_users = 0;
	all.nr_files = 0;
	ret = history_list(&all, history_until(o) - 30 * DAY, false, &list);
	if (!ret) {
		sum_writes(o, &list, &rows, false);
		history_end_words(o);
		sum_writes(o, &list, &disks.list, true);
		index_disks(&disks);
		print_disks(o, &rows, &disks, &list);
		if (o->format == FORMAT_TABLE)
			out_puts(rows.nr ? "\n" : "No writes were recorded in this time.\n");
		if (rows.nr)
			print_rows(o, &rows, &disks, &list);
		if (list.lost_ios)
			msg("%llu IOs of this time are not known",
			    (unsigned long long)list.lost_ios);
	}
	usage_clear(&rows);
	map_clear(&disks.map, free);
	usage_clear(&disks.list);
	usage_clear(&list);
	return ret;
}
