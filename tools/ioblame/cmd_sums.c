// SPDX-License-Identifier: GPL-2.0
/*
 * sums: what the kernel has summed up in each interval, by originator
 *
 * The module adds each IO to a sum, so no record of an IO is read or lost, and any number of
 * processes can look at once.  The price: percentiles are known to a factor of two.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cell.h"
#include "child.h"
#include "clock.h"
#include "cmd.h"
#include "dir.h"
#include "msg.h"
#include "opts.h"
#include "out.h"
#include "rec.h"
#include "restore.h"
#include "run.h"
#include "stop.h"
#include "sums.h"
#include "table.h"
#include "usage.h"
#include "usage_by.h"

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

static struct sums sums;

static bool is_wanted_disk(uint32_t disk, const void *arg)
{
	const struct run *run = arg;
	unsigned int i;

	for (i = 0; i < run->nr_devices; i++) {
		if (run->device[i].disk == disk)
			return true;
	}
	return !run->nr_devices;
}

static bool matches(const char *text, const char *const *patterns, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!fnmatch(patterns[i], text, 0))
			return true;
	}
	return !nr;
}

static bool is_of_user(const struct usage_key *key, const struct opts *o)
{
	char number[16];
	unsigned int i;

	snprintf(number, sizeof(number), "%u", key->uid);
	for (i = 0; i < o->nr_users; i++) {
		if (!strcmp(o->user[i], key->user) || !strcmp(o->user[i], number))
			return true;
	}
	return !o->nr_users;
}

static bool takes_usage(const struct opts *o, const struct usage_key *key)
{
	return (!*o->rw || strchr(o->rw, rec_op_letters[key->op])) && is_of_user(key, o) &&
	       matches(key->program, o->comm, o->nr_comms) &&
	       matches(key->file, o->file, o->nr_files);
}

static const char *text_of_stack(const struct usage_list *rows, uint64_t hash)
{
	size_t i;

	for (i = 0; i < rows->nr_stacks; i++) {
		if (rows->stack[i].hash == hash)
			return rows->stack[i].text;
	}
	return NULL;
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
	c[STACK] = CELL_TEXT(text_of_stack(rows, k->stack));
	table_row(t, c);
}

static void print_rows(const struct opts *o, const struct usage_list *rows)
{
	size_t i, most = o->rows ? o->rows : o->format == FORMAT_TABLE ? ROWS : SIZE_MAX;
	const uint32_t varies = 1U << UNIT | 1U << PROGRAM | 1U << USER | 1U << WHY |
				1U << FILE_PATH | 1U << STACK;
	struct col cols[NR_COLUMNS];
	struct table *t;

	memcpy(cols, columns, sizeof(cols));
	for (i = 0; i < NR_COLUMNS; i++) {
		if (varies & ~pivot_columns[o->by] & 1U << i)
			cols[i].flags |= COL_ONLY_DATA;
	}
	if (o->by == BY_OP)
		cols[DEVICE].flags |= COL_ONLY_DATA;
	t = table_new(o->format, "usage", cols, NR_COLUMNS);
	for (i = 0; i < rows->nr && i < most; i++)
		print_usage(t, rows, &rows->list[i]);
	table_end(t);
	if (o->format == FORMAT_TABLE && i < rows->nr)
		out_printf("... and %zu more (--rows)\n", rows->nr - i);
}

/* Leave out what the command line does not ask for, and count the rest. */
static void filter_list(struct run *run, struct usage_list *list)
{
	size_t i, n = 0;

	for (i = 0; i < list->nr; i++) {
		if (!takes_usage(run->opts, &list->list[i].key))
			continue;
		run->ios += list->list[i].ios;
		run->bytes[list->list[i].key.how] += list->list[i].bytes;
		list->list[n++] = list->list[i];
	}
	list->nr = n;
}

/* Print what is new.  Return: the exit status. */
static int print_pass(struct run *run, bool last)
{
	static struct usage_list list, rows;
	const struct opts *o = run->opts;
	static bool again;
	char time[32];
	int err = sums_pass(&sums, &list);

	if (err)
		return dir_refused(err, "sums_bin");
	run->now_ns = clock_ns();
	run->ended_by_others = !run->session.own && !sums.on;
	filter_list(run, &list);
	usage_by(&rows, &list, o->by);
	usage_sort(&rows, o->sort);
	/* what is left behind the last interval is not worth one of its own */
	if (rows.nr || !last || !o->interval_ns) {
		run_time(run, run->now_ns, time, sizeof(time));
		if (o->format == FORMAT_TABLE && again)
			out_puts("\n");
		if (o->format == FORMAT_TABLE && o->timestamp)
			out_printf("%.19s\n", time);
		if (o->format == FORMAT_TABLE && !rows.nr)
			out_printf("No IO in %.1f s.\n",
				   (double)(rows.until_ns - rows.from_ns) / 1e9);
		print_rows(o, &rows);
		again = true;
	}
	usage_clear(&rows);
	usage_clear(&list);
	out_flush();
	return EXIT_OK;
}

/* Print at each interval until the end of the time or of the command.  Return: the exit status. */
static int watch_sums(struct run *run, uint64_t interval, uint64_t *printed)
{
	const struct opts *o = run->opts;
	uint64_t start = clock_ns(), next = start + interval, now, wait;
	int ret;

	while (!stop_asked() && !out_closed() && !run->ended_by_others) {
		now = clock_ns();
		if (interval && now >= next) {
			ret = print_pass(run, false);
			next += interval;
			++*printed;
			if (ret || (o->count && *printed >= o->count))
				return ret;
			continue;
		}
		if (child_ended(o->sync) || (o->duration_ns && now >= start + o->duration_ns))
			break;
		wait = 100000000;
		if (interval && next - now < wait)
			wait = next - now;
		if (o->duration_ns && start + o->duration_ns - now < wait)
			wait = start + o->duration_ns - now;
		stop_wait(-1, wait);
	}
	return EXIT_OK;
}

/* Return: the exit status. */
static int begin_sums(struct run *run)
{
	const struct opts *o = run->opts;
	int err, ret = dir_find();

	if (ret)
		return ret;
	err = restore_set_sums();
	if (err == ENOENT) {
		msg("the module that is loaded has no sums: load the one of this version");
		return EXIT_FAILED;
	}
	if (err)
		return dir_refused(err, "sums");
	ret = session_begin(&run->session, run->device, run->nr_devices, NULL);
	session_ready();
	if (ret)
		return ret;
	sums.wants = is_wanted_disk;
	sums.arg = run;
	err = sums_open(&sums);
	if (err)
		return dir_refused(err, "sums_bin");
	session_status(&run->session);
	source_head_now(&run->source.head);
	run->source.kind = SOURCE_BINARY;
	if (o->run && !child_start(o->run))
		return EXIT_FAILED;
	return EXIT_OK;
}

static int go_through(struct run *run)
{
	const struct opts *o = run->opts;
	uint64_t printed = 0, interval = o->interval_ns;
	int ret;

	/* without a duration or a command, each second */
	if (!interval && !o->duration_ns && !o->run)
		interval = 1000000000;
	run_print_head(run);
	ret = watch_sums(run, interval, &printed);
	if (stop_asked())
		child_kill(stop_asked());
	if (ret)
		return ret;
	if (o->sync && !stop_asked())
		sync();
	session_off(&run->session);
	if (!o->count || printed < o->count)
		ret = print_pass(run, interval);
	if (!ret)
		run_print_end(run);
	if (sums.broken)
		msg("%llu bytes of the module were not understood",
		    (unsigned long long)sums.broken);
	return ret;
}

int cmd_sums(const struct opts *o)
{
	struct run run = { .opts = o, .session.logless = true };
	unsigned int i;
	int ret;

	for (i = 0; i < o->nr_devices; i++) {
		if (!device_require(o->device[i], &run.device[run.nr_devices++]))
			return EXIT_FAILED;
	}
	sums.fd = -1;
	sums.intents = -1;
	if (o->sync)
		sync();
	ret = begin_sums(&run);
	if (!ret)
		ret = go_through(&run);
	out_flush();
	sums_close(&sums);
	session_off(&run.session);
	session_end(&run.session);
	if (!ret && run.ended_by_others) {
		msg("ioblame was switched off by somebody else");
		return EXIT_FAILED;
	}
	if (!ret && out_failed())
		return EXIT_FAILED;
	return ret ? ret : o->run ? child_status() : EXIT_OK;
}
