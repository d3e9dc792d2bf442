// SPDX-License-Identifier: GPL-2.0
/*
 * scsi, nvme: how long commands take in the driver, by device, command and originator
 *
 * The kernel's events of the driver say which command was sent, when, and when it was done.  The
 * log says whose IO the sectors are.  What has no record, and is no IO of the block layer, was
 * passed through (by sg_raw, nvme-cli, smartctl ...) and shows the task that sent it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cell.h"
#include "cmd.h"
#include "drvdisk.h"
#include "drvevent.h"
#include "drvorigin.h"
#include "drvtrace.h"
#include "escape.h"
#include "file.h"
#include "hist.h"
#include "map.h"
#include "msg.h"
#include "name.h"
#include "opf.h"
#include "opts.h"
#include "out.h"
#include "rec.h"
#include "run.h"
#include "table.h"
#include "view.h"

enum {
	ROWS = 40,
	/* commands that were sent and not done, and rows, that are kept at most */
	UNDER_WAY_MOST = 65536,
	SUMS_MOST = 4096,
};

/* The record of a command may come a little later */
#define PATIENCE_NS	500000000ULL
/* ... and of discards the right one may come after that of another */
#define SETTLED_NS	100000000ULL

struct under_way {
	uint64_t match;
	struct drvevent sent;
};

struct sum_key {
	char device[40], command[40], who[32], comm[IOB_COMM_LEN + 1], result[80];
	bool passed;
};

struct sum {
	struct sum_key key;
	struct hist hist;
	uint64_t n, total_ns, min_ns, max_ns;
};

struct done {
	struct drvevent sent;
	uint64_t done_ns;
	char result[80];
};

static struct map under_way = { .key_len = sizeof(uint64_t) };
static struct map sums = { .key_len = sizeof(struct sum_key) };
static struct done *pending;
static size_t nr_pending, room_pending;
static uint64_t events, records;
static uint64_t no_room;	/* commands that could not be kept */
static bool nvme;

static void add_pending(const struct drvevent *sent, const struct drvevent *done)
{
	struct done *d;

	if (nr_pending == room_pending) {
		room_pending = room_pending ? room_pending * 2 : 256;
		pending = must(realloc(pending, room_pending * sizeof(*pending)));
	}
	d = &pending[nr_pending++];
	d->sent = *sent;
	d->done_ns = done->ns;
	/* an admin command has a disk in neither; a command of a disk may have it in one only */
	memcpy(d->result, done->result, sizeof(d->result));
}

static bool is_other(const void *value, const void *arg)
{
	return ((const struct under_way *)value)->match != *(const uint64_t *)arg;
}

/* The kernel has not noted every task's name: it may still be there. */
static void name_task(struct drvevent *e)
{
	char path[48], *text;

	if (strcmp(e->comm, "<...>"))
		return;
	snprintf(path, sizeof(path), "/proc/%u/comm", e->pid);
	text = file_read(path);
	if (text)
		snprintf(e->comm, sizeof(e->comm), "%.*s", (int)strcspn(text, "\n"), text);
	free(text);
}

static void take_event(const struct drvevent *e)
{
	struct under_way *u = map_get(&under_way, &e->match);

	events++;
	if (e->kind == DRV_SENT) {
		if (!u) {
			if (under_way.nr >= UNDER_WAY_MOST) {
				no_room++;
				return;
			}
			u = must(calloc(1, sizeof(*u)));
			u->match = e->match;
			map_put(&under_way, u);
		}
		u->sent = *e;
		name_task(&u->sent);
		return;
	}
	/* sent before the view began */
	if (!u || !u->sent.ns)
		return;
	add_pending(&u->sent, e);
	/* tags come again: the entry stays, empty, unless there are very many */
	u->sent.ns = 0;
	if (under_way.nr >= UNDER_WAY_MOST)
		map_keep(&under_way, is_other, &e->match, free);
}

static void take_record(struct run *run, const struct iob_iolog_bin_record *rec)
{
	(void)run;
	records += !strncmp(name_disk(rec->disk), nvme ? "nvme" : "sd", 2);
	if (rec->op == OP_FLUSH || rec->opf & OPF_PREFLUSH)
		drvorigin_note(rec, DRVORIGIN_FLUSH);
	if (rec->op == OP_DISCARD)
		drvorigin_note(rec, DRVORIGIN_DISCARD);
	if (rec->bytes)
		drvorigin_note(rec, rec->sector);
}

/* True if the command is IO of the block layer, or looks like it. */
static bool is_io(const struct drvevent *e)
{
	return e->has_block || drvevent_is_flush(e) || drvevent_is_discard(e);
}

/* The record in whose time a command fell, or NULL. */
static const struct drvorigin *find_origin(const struct done *d, uint32_t dev, unsigned int sectors)
{
	if (d->sent.has_block)
		return drvorigin_find(dev, d->sent.block * sectors, d->sent.ns);
	if (drvevent_is_flush(&d->sent))
		return drvorigin_find(dev, DRVORIGIN_FLUSH, d->sent.ns);
	if (drvevent_is_discard(&d->sent))
		return drvorigin_find_discard(dev, d->sent.ns, d->done_ns);
	return NULL;
}

static void add_sum(const struct done *d, const struct drvorigin *o, uint32_t dev, bool passed)
{
	uint64_t ns = d->done_ns > d->sent.ns ? d->done_ns - d->sent.ns : 0;
	char comm[ESCAPE_SIZE(17)];
	struct sum_key key;
	struct sum *s;

	memset(&key, 0, sizeof(key));
	snprintf(key.device, sizeof(key.device), "%.39s", dev ? name_disk(dev) : d->sent.device);
	snprintf(key.command, sizeof(key.command), "%s", d->sent.command);
	snprintf(key.result, sizeof(key.result), "%s", d->result);
	key.passed = passed;
	if (o) {
		snprintf(key.who, sizeof(key.who), "%s", o->who);
		snprintf(key.comm, sizeof(key.comm), "%s", o->comm);
	} else if (!passed) {
		strcpy(key.who, "-");
		strcpy(key.comm, "-");
	} else {
		escape_text(comm, sizeof(comm), d->sent.comm, strlen(d->sent.comm));
		snprintf(key.who, sizeof(key.who), "%u", d->sent.pid);
		snprintf(key.comm, sizeof(key.comm), "%.16s", comm);
		escape_cut(key.comm);
	}
	s = map_get(&sums, &key);
	if (!s && sums.nr >= SUMS_MOST) {
		no_room++;
		return;
	}
	if (!s) {
		s = must(calloc(1, sizeof(*s)));
		s->key = key;
		map_put(&sums, s);
	}
	hist_add(&s->hist, ns);
	if (!s->n || ns < s->min_ns)
		s->min_ns = ns;
	s->n++;
	s->total_ns += ns;
	if (ns > s->max_ns)
		s->max_ns = ns;
}

/* Find the record of a command.  Return: false if it may still come. */
static bool find_settled(const struct done *d, uint32_t dev, unsigned int sectors, uint64_t now_ns,
			 const struct drvorigin **o)
{
	if (drvevent_is_discard(&d->sent) && d->done_ns + SETTLED_NS > now_ns)
		return false;
	*o = find_origin(d, dev, sectors);
	return *o || !is_io(&d->sent) || d->done_ns + PATIENCE_NS <= now_ns;
}

/* Commands that are done, with the records that came meanwhile. */
static void match_pending(uint64_t now_ns, bool last)
{
	const struct drvorigin *o;
	unsigned int sectors;
	size_t i, kept = 0;
	struct done *d;
	uint32_t dev;

	for (i = 0; i < nr_pending; i++) {
		d = &pending[i];
		drvdisk_find(d->sent.device, &dev, &sectors);
		o = NULL;
		if (dev && !find_settled(d, dev, sectors, last ? UINT64_MAX : now_ns, &o))
			pending[kept++] = *d;
		else
			add_sum(d, o, dev,
				!o && !(is_io(&d->sent) && drvorigin_forgotten(d->sent.ns)));
	}
	nr_pending = kept;
}

static void take_events(struct run *run)
{
	drvtrace_read(take_event);
	match_pending(run->now_ns, false);
}

enum column {
	TIME_NS, TIME_S,
	DEVICE, COMMAND, WHO, COMM, PASSED, COUNT, MEAN, P50, P99, MAX, TOTAL, RESULT,
	NR_COLUMNS,
};

static const struct col columns[NR_COLUMNS] = {
	[TIME_NS] = { "TIME", "time_ns", COL_DIGITS, COL_ONLY_DATA, 0 },
	[TIME_S] = { "TIME", "time_s", COL_SECONDS, COL_ONLY_DATA, 0 },
	[DEVICE] = { "DEVICE", "device", COL_TEXT, 0, 0 },
	[COMMAND] = { "COMMAND", "command", COL_TEXT, 0, 0 },
	[WHO] = { "PID", "who", COL_TEXT, 0, 0 },
	[COMM] = { "COMM", "comm", COL_TEXT, 0, 0 },
	[PASSED] = { "PASS", "passthrough", COL_FLAG, 0, 0 },
	[COUNT] = { "COUNT", "count", COL_COUNT, 0, 0 },
	[MEAN] = { "MEAN", "mean_ns", COL_NSECS, 0, 0 },
	[P50] = { "P50", "p50_ns", COL_NSECS, COL_ONLY_DATA, 0 },
	[P99] = { "P99", "p99_ns", COL_NSECS, 0, 0 },
	[MAX] = { "MAX", "max_ns", COL_NSECS, 0, 0 },
	[TOTAL] = { "TOTAL", "total_ns", COL_NSECS, COL_ONLY_DATA, 0 },
	[RESULT] = { "RESULT", "result", COL_TEXT, COL_CUT, 0 },
};

static int compare_sums(const void *va, const void *vb)
{
	const struct sum *a = *(struct sum **)va, *b = *(struct sum **)vb;

	if (a->total_ns != b->total_ns)
		return a->total_ns < b->total_ns ? 1 : -1;
	return memcmp(&a->key, &b->key, sizeof(a->key));
}

static void print_row(const struct run *run, struct table *table, const struct sum *s,
		      uint64_t to_ns)
{
	struct cell c[NR_COLUMNS];

	c[TIME_NS] = CELL_N(run_wall_ns(run, to_ns));
	c[TIME_S] = c[TIME_NS];
	c[DEVICE] = CELL_TEXT(s->key.device);
	c[COMMAND] = CELL_TEXT(s->key.command);
	c[WHO] = CELL_TEXT(s->key.who);
	c[COMM] = CELL_TEXT(s->key.comm);
	c[PASSED] = CELL_N(s->key.passed);
	c[COUNT] = CELL_N(s->n);
	c[MEAN] = CELL_N(s->total_ns / s->n);
	c[P50] = CELL_N(hist_within(hist_percentile(&s->hist, 0.5), s->min_ns, s->max_ns));
	c[P99] = CELL_N(hist_within(hist_percentile(&s->hist, 0.99), s->min_ns, s->max_ns));
	c[MAX] = CELL_N(s->max_ns);
	c[TOTAL] = CELL_N(s->total_ns);
	c[RESULT] = CELL_TEXT(*s->key.result ? s->key.result : "good");
	table_row(table, c);
}

static void print_sums(struct run *run, uint64_t from_ns, uint64_t to_ns, bool last)
{
	const struct opts *o = run->opts;
	size_t i, n = 0, most = o->rows ? o->rows : o->format == FORMAT_TABLE ? ROWS : SIZE_MAX;
	struct sum **list, *s;
	struct table *table;

	drvtrace_read(take_event);
	match_pending(to_ns, last);
	list = must(malloc((sums.nr + 1) * sizeof(*list)));
	map_for_each(&sums, i, s)
		list[n++] = s;
	qsort(list, n, sizeof(*list), compare_sums);
	if (o->format == FORMAT_TABLE && !n && (!last || !o->interval_ns))
		out_printf("No command in %.1f s.\n", (double)(to_ns - from_ns) / 1e9);
	table = table_new(o->format, nvme ? "nvme" : "scsi", columns, NR_COLUMNS);
	for (i = 0; i < n && i < most; i++)
		print_row(run, table, list[i], to_ns);
	table_end(table);
	if (o->format == FORMAT_TABLE && i < n)
		out_printf("... and %zu more (--rows)\n", n - i);
	if (o->format == FORMAT_TABLE && n && !last)
		out_puts("\n");
	free(list);
	map_clear(&sums, free);
}

static int begin_trace(struct run *run)
{
	(void)run;
	return drvtrace_open(nvme ? DRVTRACE_NVME : DRVTRACE_SCSI);
}

static int end_trace(struct run *run)
{
	uint64_t lost = drvtrace_lost();

	(void)run;
	if (lost)
		msg("%llu events of the kernel had no room in its buffers",
		    (unsigned long long)lost);
	if (no_room)
		msg("%llu commands had no room, and are not shown", (unsigned long long)no_room);
	if (drvtrace_unknown())
		msg("%llu lines of the kernel's events were not understood",
		    (unsigned long long)drvtrace_unknown());
	if (records && !events)
		msg("there was IO, but the kernel told of no command: its events of %s do not work",
		    nvme ? "NVMe" : "SCSI");
	drvtrace_close();
	map_clear(&under_way, free);
	drvorigin_clear();
	free(pending);
	pending = NULL;
	nr_pending = 0;
	room_pending = 0;
	return EXIT_OK;
}

static int watch(const struct opts *o)
{
	static const struct view view = {
		.begin = begin_trace, .record = take_record, .filled = take_events,
		.interval = print_sums, .end = end_trace,
	};
	int ret = view_run(o, &view);

	/* also if it did not come to its end */
	drvtrace_close();
	return ret;
}

int cmd_scsi(const struct opts *o)
{
	nvme = false;
	return watch(o);
}

int cmd_nvme(const struct opts *o)
{
	nvme = true;
	return watch(o);
}
