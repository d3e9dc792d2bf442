// SPDX-License-Identifier: GPL-2.0
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "cell.h"
#include "escape.h"
#include "out.h"
#include "rec.h"
#include "table.h"
#include "usage_by.h"
#include "usage_print.h"

enum {
	ROWS = 20,
};

enum column {
	TIME, TIME_S, SECONDS, DEVICE, OP, UNIT, PROGRAM, USER, USER_ID, IOS, BYTES, MEAN, P50,
	P99, ERRORS, WHY, FILE_PATH, STACK, NR_COLUMNS,
};

static const struct col columns[NR_COLUMNS] = {
	[TIME] = { "TIME", "time_ns", COL_DIGITS, COL_ONLY_DATA, 0 },
	[TIME_S] = { "TIME", "time_s", COL_SECONDS, COL_ONLY_DATA, 0 },
	[SECONDS] = { "SECONDS", "interval_s", COL_RATE, COL_ONLY_DATA, 0 },
	[DEVICE] = { "DEVICE", "device", COL_TEXT, 0, 0 },
	[OP] = { "OP", "op", COL_TEXT, 0, 0 },
	[UNIT] = { "UNIT", "unit", COL_TEXT, COL_CUT | COL_DROP(30), 0 },
	[PROGRAM] = { "PROGRAM", "program", COL_TEXT, 0, 0 },
	[USER] = { "USER", "user", COL_TEXT, COL_DROP(20), 0 },
	[USER_ID] = { "UID", "uid", COL_COUNT, COL_ONLY_DATA, 0 },
	[IOS] = { "IOS", "ios", COL_COUNT, 0, 0 },
	[BYTES] = { "BYTES", "bytes", COL_BYTES, 0, 0 },
	[MEAN] = { "MEAN", "mean_ns", COL_NSECS, 0, 0 },
	[P50] = { "P50", "p50_ns", COL_NSECS, 0, 0 },
	[P99] = { "P99", "p99_ns", COL_NSECS, 0, 0 },
	[ERRORS] = { "ERR", "errors", COL_COUNT, COL_IF_NOT_0, 0 },
	[WHY] = { "WHY", "why", COL_TEXT, 0, 0 },
	[FILE_PATH] = { "FILE", "file", COL_TEXT, COL_CUT | COL_PATH, 0 },
	[STACK] = { "STACK", "folded", COL_TEXT, COL_CUT, 0 },
};

/* What tells rows of a pivot from each other, beside device and operation: bits of columns */
static const uint32_t pivot_columns[USAGE_PIVOTS] = {
	[BY_PROCESS] = 1U << UNIT | 1U << PROGRAM | 1U << USER | 1U << USER_ID,
	[BY_FILE] = 1U << FILE_PATH,
	[BY_CGROUP] = 1U << UNIT,
	[BY_STACK] = 1U << STACK,
	[BY_WHY] = 1U << WHY,
};

static bool matches(const char *text, const char *const *patterns, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!fnmatch(patterns[i], text, FNM_NOESCAPE))
			return true;
	}
	return !nr;
}

/* Whether it is of the user that a word names, or is the number of. */
bool usage_is_of_user(const struct usage_key *key, const char *word)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", key->uid);
	return escape_shows(key->user, word) || !strcmp(word, number);
}

static bool is_of_users(const struct usage_key *key, const struct opts *o)
{
	unsigned int i;

	for (i = 0; i < o->nr_users; i++) {
		if (usage_is_of_user(key, o->user[i]))
			return true;
	}
	return !o->nr_users;
}

/* Whether the command line asks for it: by user, program, file and operation. */
bool usage_wanted(const struct opts *o, const struct usage_key *key)
{
	return (!*o->rw || strchr(o->rw, rec_op_letters[key->op])) && is_of_users(key, o) &&
	       matches(key->program, o->comm, o->nr_comms) &&
	       matches(key->file, o->file, o->nr_files);
}

/* A text that is not known, or is not the row's, is none in JSON. */
static struct cell cell_of(const char *text)
{
	return CELL_TEXT(*text ? text : NULL);
}

static void print_usage(struct table *t, const struct usage_list *rows, const struct usage *u)
{
	const struct usage_key *k = &u->key;
	struct cell c[NR_COLUMNS];

	c[TIME] = CELL_N(rows->until_ns);
	c[TIME_S] = c[TIME];
	c[SECONDS] = CELL_RATE((double)(rows->until_ns - rows->from_ns) / 1e9);
	c[DEVICE] = cell_of(k->disk);
	c[OP] = CELL_TEXT(rec_op_name(rec_op_letters[k->op]));
	c[UNIT] = cell_of(k->unit);
	c[PROGRAM] = cell_of(k->program);
	c[USER] = cell_of(k->user);
	c[USER_ID] = CELL_IF(k->uid != UINT32_MAX, k->uid);
	c[IOS] = CELL_N(u->ios);
	c[BYTES] = CELL_N(u->bytes);
	c[MEAN] = CELL_IF(u->ios, u->ios ? u->ns / u->ios : 0);
	c[P50] = CELL_IF(u->ios, usage_percentile(u->lat, 0.5));
	c[P99] = CELL_IF(u->ios, usage_percentile(u->lat, 0.99));
	c[ERRORS] = CELL_N(u->errors);
	c[WHY] = cell_of(k->why);
	c[FILE_PATH] = cell_of(k->file);
	c[STACK] = CELL_TEXT(usage_stack_text(rows, k->stack));
	table_row(t, c);
}

/**
 * usage_print - print rows of usage_by() as a table, JSON or CSV
 * @o:	  the command line: its format and number of rows
 * @rows: in their order
 * @by:	  what they stand for
 */
void usage_print(const struct opts *o, const struct usage_list *rows, enum pivot by)
{
	size_t i, most = o->rows ? o->rows : o->format == FORMAT_TABLE ? ROWS : SIZE_MAX;
	const uint32_t varies = 1U << UNIT | 1U << PROGRAM | 1U << USER | 1U << WHY |
				1U << FILE_PATH | 1U << STACK;
	struct col cols[NR_COLUMNS];
	struct table *t;

	memcpy(cols, columns, sizeof(cols));
	for (i = 0; i < NR_COLUMNS; i++) {
		if (varies & ~pivot_columns[by] & 1U << i)
			cols[i].flags |= COL_ONLY_DATA;
	}
	if (by == BY_OP)
		cols[DEVICE].flags |= COL_ONLY_DATA;
	t = table_new(o->format, "usage", cols, NR_COLUMNS);
	for (i = 0; i < rows->nr && i < most; i++)
		print_usage(t, rows, &rows->list[i]);
	table_end(t);
	if (o->format == FORMAT_TABLE && i < rows->nr)
		out_printf("... and %zu more (--rows)\n", rows->nr - i);
}
