// SPDX-License-Identifier: GPL-2.0
/*
 * sched: how long IO waits before the device gets it, by scheduler and originator
 *
 * The log says how long an IO took from its queueing to its issue.  A part of that is the time
 * in the IO scheduler, which the kernel's events tell: from the insertion of the request to its
 * issue.  A request that goes to the device directly is not inserted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cell.h"
#include "cmd.h"
#include "escape.h"
#include "events.h"
#include "filter.h"
#include "hist.h"
#include "map.h"
#include "msg.h"
#include "name.h"
#include "opts.h"
#include "out.h"
#include "rec.h"
#include "run.h"
#include "table.h"
#include "view.h"

enum {
	/* sums; what is beyond is put together */
	SUMS_MAX = 16384,
	INSERTS_MAX = 1 << 18,
};

enum column {
	TIME, TIME_S, SECONDS, SCHED, DEVICE, WHO, PID, ROLE, COMM, CGROUP, IOS, P50, P99, MAX,
	SUM, INSERTED, IN_P50, IN_P99, IN_MAX, IN_SUM, NR_COLUMNS,
};

#define DATA	COL_ONLY_DATA

static const struct col columns[NR_COLUMNS] = {
	[TIME] = { "TIME", "time_ns", COL_DIGITS, DATA, 0 },
	[TIME_S] = { "TIME", "time_s", COL_SECONDS, DATA, 0 },
	[SECONDS] = { "SECONDS", "interval_s", COL_RATE, DATA, 0 },
	[SCHED] = { "SCHED", "scheduler", COL_TEXT, 0, 0 },
	[DEVICE] = { "DEVICE", "device", COL_TEXT, 0, 0 },
	[WHO] = { "PID", "who", COL_TEXT, 0, 0 },
	[PID] = { "PID", "pid", COL_COUNT, DATA, 0 },
	[ROLE] = { "ROLE", "role", COL_TEXT, DATA, 0 },
	[COMM] = { "COMM", "comm", COL_TEXT, 0, 0 },
	[CGROUP] = { "CGROUP", "cgroup", COL_TEXT, DATA, 0 },
	[IOS] = { "IOS", "ios", COL_COUNT, 0, 0 },
	[P50] = { "P50", "p50_ns", COL_NSECS, 0, 0 },
	[P99] = { "P99", "p99_ns", COL_NSECS, 0, 0 },
	[MAX] = { "MAX", "max_ns", COL_NSECS, 0, 0 },
	[SUM] = { "SUM", "sum_ns", COL_NSECS, DATA, 0 },
	[INSERTED] = { "INSERTED", "inserted", COL_COUNT, 0, 0 },
	[IN_P50] = { "I-P50", "inserted_p50_ns", COL_NSECS, 0, 0 },
	[IN_P99] = { "I-P99", "inserted_p99_ns", COL_NSECS, 0, 0 },
	[IN_MAX] = { "I-MAX", "inserted_max_ns", COL_NSECS, 0, 0 },
	[IN_SUM] = { "SUM", "inserted_sum_ns", COL_NSECS, DATA, 0 },
};

/* Times of one kind */
struct times {
	uint64_t nr, sum, min, max;
	struct hist hist;
};

struct sched_sum {
	struct sched_key {
		uint64_t cgroup;
		uint32_t disk, kind;
		int32_t id;
		uint32_t others;
		char comm[IOB_COMM_LEN];
	} key;
	struct times wait, inserted;
};

/* A request that was inserted, by where it begins */
struct insert {
	struct insert_key {
		uint64_t sector;
		uint64_t disk;
	} key;
	uint64_t ns;
};

static struct events events;
static struct map sums = { .key_len = sizeof(struct sched_key) };
static struct map inserts = { .key_len = sizeof(struct insert_key) };

static void add_time(struct times *t, uint64_t ns)
{
	if (!t->nr || ns < t->min)
		t->min = ns;
	t->nr++;
	t->sum += ns;
	if (ns > t->max)
		t->max = ns;
	hist_add(&t->hist, ns);
}

/* The sum of a record's originator on its disk. */
static struct sched_sum *sum_of(const struct iob_iolog_bin_record *rec)
{
	struct sched_key key = { .disk = rec->disk, .kind = rec->role_kind, .id = rec->id };
	struct sched_sum *sum;

	memcpy(key.comm, rec->comm, sizeof(key.comm));
	if (rec->role_kind == ROLE_CGROUP)
		key.cgroup = rec->cgroup;
	sum = map_get(&sums, &key);
	if (!sum && sums.nr >= SUMS_MAX) {
		key = (struct sched_key){ .disk = rec->disk, .kind = ROLE_SPECIAL, .others = 1 };
		sum = map_get(&sums, &key);
	}
	if (sum)
		return sum;
	sum = must(calloc(1, sizeof(*sum)));
	sum->key = key;
	map_put(&sums, sum);
	return sum;
}

static void take_record(struct run *run, const struct iob_iolog_bin_record *rec)
{
	bool taken = run_took(run);

	events_record(&events, rec);
	/*
	 * What was not issued did not wait for it; of what was under way when ioblame was switched
	 * on, it is not known; of an IO the first part counts.
	 */
	if (taken && rec->issue_ns && rec->queue_ns && !rec->part)
		add_time(&sum_of(rec)->wait, rec_wait_ns(rec));
}

/* The insertion of the request that begins there; it is forgotten. */
static uint64_t take_insert(const struct insert_key *key)
{
	struct insert *insert = map_get(&inserts, key);
	uint64_t ns = insert ? insert->ns : 0;

	if (insert)
		insert->ns = 0;
	return ns;
}

static void put_insert(const struct insert_key *key, uint64_t ns)
{
	struct insert *insert = map_get(&inserts, key);

	if (!insert) {
		/* those that were issued are kept, as the next IO may be there */
		if (inserts.nr >= INSERTS_MAX)
			map_clear(&inserts, free);
		inserts.key_len = sizeof(*key);
		insert = must(calloc(1, sizeof(*insert)));
		insert->key = *key;
		map_put(&inserts, insert);
	}
	insert->ns = ns;
}

static void take_event(const struct blkevent *e, const struct origins_found *found, void *arg)
{
	struct run *run = arg;
	struct insert_key key = { .sector = e->sector };
	uint64_t ns;

	if (!blkevent_has_place(e) || !e->sectors)
		return;
	key.disk = events_disk(&events, e->dev);
	if (e->kind == EV_block_rq_insert) {
		put_insert(&key, e->ns);
	} else if (e->kind == EV_block_bio_frontmerge) {
		/* the request begins earlier now */
		key.sector = e->sector + e->sectors;
		ns = take_insert(&key);
		key.sector = e->sector;
		if (ns)
			put_insert(&key, ns);
	} else {
		ns = take_insert(&key);
		if (ns && found->rec && filter_chooses(&run->filter, found->rec))
			add_time(&sum_of(found->rec)->inserted, e->ns - ns);
	}
}

static int compare_sums(const void *x, const void *y)
{
	const struct sched_sum *a = *(struct sched_sum * const *)x;
	const struct sched_sum *b = *(struct sched_sum * const *)y;

	if (a->wait.sum != b->wait.sum)
		return a->wait.sum < b->wait.sum ? 1 : -1;
	return memcmp(&a->key, &b->key, sizeof(a->key));
}

static void fill_times(struct cell *c, const struct times *t)
{
	c[0] = CELL_N(t->nr);
	c[1] = CELL_IF(t->nr, hist_within(hist_percentile(&t->hist, 0.5), t->min, t->max));
	c[2] = CELL_IF(t->nr, hist_within(hist_percentile(&t->hist, 0.99), t->min, t->max));
	c[3] = CELL_IF(t->nr, t->max);
	c[4] = CELL_N(t->sum);
}

static void print_sum(const struct run *run, struct table *t, const struct sched_sum *s,
		      uint64_t from_ns, uint64_t to_ns)
{
	const struct name_key disk = { .kind = NAME_SCHED, .dev = s->key.disk };
	char who[32], comm[ESCAPE_SIZE(IOB_COMM_LEN)], *sched;
	const struct sched_key *k = &s->key;
	struct cell c[NR_COLUMNS];

	escape_text(comm, sizeof(comm), k->comm, sizeof(k->comm));
	c[TIME] = CELL_N(run_wall_ns(run, to_ns));
	c[TIME_S] = c[TIME];
	c[SECONDS] = CELL_RATE((double)(to_ns - from_ns) / 1e9);
	/* (not one that was looked up seconds ago) */
	sched = name_ask(&disk);
	c[SCHED] = CELL_TEXT(sched ? sched : "none");
	c[DEVICE] = CELL_TEXT(name_disk(k->disk));
	c[WHO] = CELL_TEXT(rec_who(k->kind, abs(k->id), who, sizeof(who)));
	c[PID] = CELL_IF(k->kind <= ROLE_PROCESS, k->id);
	c[ROLE] = CELL_TEXT(rec_role_name(k->kind));
	c[COMM] = CELL_TEXT(k->others ? "(others)" : k->cgroup ? name_unit(k->cgroup) :
			    *comm ? comm : "-");
	c[CGROUP] = CELL_TEXT(k->cgroup ? name_cgroup(k->cgroup) : NULL);
	fill_times(c + IOS, &s->wait);
	fill_times(c + INSERTED, &s->inserted);
	table_row(t, c);
	free(sched);
}

/* Print the sums, those that waited longest in all first, and begin anew. */
static void print_sums(struct run *run, uint64_t from_ns, uint64_t to_ns)
{
	const struct opts *o = run->opts;
	struct sched_sum **list = must(malloc((sums.nr + 1) * sizeof(*list))), *sum;
	struct table *t = table_new(o->format, "sched", columns, NR_COLUMNS);
	size_t i, nr = 0;
	char time[32];

	map_for_each(&sums, i, sum)
		list[nr++] = sum;
	qsort(list, nr, sizeof(*list), compare_sums);
	if (o->format == FORMAT_TABLE && (o->timestamp || o->interval_ns)) {
		run_time(run, to_ns, time, sizeof(time));
		out_printf("%.19s\n", time);
	}
	for (i = 0; i < nr && (!o->rows || i < o->rows); i++)
		print_sum(run, t, list[i], from_ns, to_ns);
	table_end(t);
	if (o->format == FORMAT_TABLE && i < nr)
		out_printf("... and %zu more\n", nr - i);
	if (o->format == FORMAT_TABLE && o->interval_ns)
		out_puts("\n");
	free(list);
	map_clear(&sums, free);
	sums.key_len = sizeof(struct sched_key);
}

static int begin_sched(struct run *run)
{
	return events_begin(&events, 1U << EV_block_rq_insert | 1U << EV_block_rq_issue |
			    1U << EV_block_bio_frontmerge, run->session.device,
			    run->session.nr_devices);
}

static void release_events(struct run *run)
{
	events_fill(&events);
	events_release(&events, false, take_event, run);
}

static void stop_events(struct run *run)
{
	(void)run;
	tracefs_stop(&events.trace);
}

static void end_interval(struct run *run, uint64_t from_ns, uint64_t to_ns, bool last)
{
	uint64_t lost;

	if (last) {
		events_fill(&events);
		events_release(&events, true, take_event, run);
		lost = tracefs_lost(&events.trace);
		if (lost)
			msg("%llu events had no room in the kernel's buffers: INSERTED is too small",
			    (unsigned long long)lost);
	}
	if (!last || sums.nr || !run->opts->interval_ns)
		print_sums(run, from_ns, to_ns);
}

static int end_sched(struct run *run)
{
	(void)run;
	events_end(&events);
	map_clear(&sums, free);
	map_clear(&inserts, free);
	return EXIT_OK;
}

int cmd_sched(const struct opts *o)
{
	static const struct view view = {
		.begin = begin_sched, .all = true, .record = take_record,
		.filled = release_events, .stopping = stop_events, .interval = end_interval,
		.end = end_sched,
	};

	return view_run(o, &view);
}
