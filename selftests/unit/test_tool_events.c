// SPDX-License-Identifier: GPL-2.0
/*
 * Events of several CPUs come out once each, in order, with the record of their IO, or soon after
 * its end without one; after three seconds if it does not end.  The trace and the clock are this
 * file's.
 */
#include "clock.h"
#include "events.h"
#include "rec.h"
#include "test.h"

#define MS	1000000ULL
#define DISK	(8U << 20)

enum {
	CPUS = 4,
	FILL_MS = 100,
	FILLS = 160,
	IOS = FILLS * FILL_MS,		/* one begins in each millisecond, and takes half of one */
};

static u64 now_ns;
static unsigned int read_to[CPUS];	/* of 2 * IOS, those that this CPU has given */
static unsigned int given[IOS], with_record;
static u64 last_ns, latest_ns;
static bool endless;		/* IO without a record does not end */
static const struct blkevent *only;	/* if set, these are all that there are */
static unsigned int nr_only;

uint64_t clock_ns(void)
{
	return now_ns;
}

int tracefs_open(struct tracefs *t, uint32_t kinds)
{
	(void)t;
	(void)kinds;
	return 0;
}

void tracefs_close(struct tracefs *t)
{
	(void)t;
}

/* What the kernel counts: a path of a namespace is there, which /sys has no number of */
#define PATH	(259U << 20 | 1)

char *file_read(const char *path)
{
	static const char counted[] = "   8       0 sda 1 2 3 4\n 259       0 nvme0n1 1 2 3 4\n"
				      " 259       1 nvme0c1n1 1 2 3 4\n";

	return strcmp(path, "/proc/diskstats") ? NULL : strdup(counted);
}

bool device_lookup(const char *word, struct device *d)
{
	memset(d, 0, sizeof(*d));
	if (strcmp(word, "8:0") && strcmp(word, "nvme0n1"))
		return false;
	d->dev = DISK;
	d->disk = DISK;
	return true;
}

bool device_has(const struct device *d, uint32_t disk, uint64_t sector, bool data)
{
	return d->disk == disk &&
	       (!data || !d->end || (sector >= d->start && sector < d->end));
}

static u64 begin_of(unsigned int io)
{
	return (1000 + io) * MS;
}

/* Whether the log has no record of an IO, as happens if it is full */
static bool is_lost(unsigned int io)
{
	return io % 997 == 5;
}

/* An IO is queued on one CPU, and completes on another. */
static void event_of(unsigned int io, bool complete, struct blkevent *e)
{
	*e = (struct blkevent){
		.ns = begin_of(io) + (complete ? MS / 2 : 0), .sector = io % 64 * 8, .sectors = 8,
		.dev = DISK, .cpu = (io + complete) % CPUS, .pid = io,
		.kind = complete ? EV_block_rq_complete : EV_block_bio_queue,
	};
}

/* What @cpu has noted; the first one is ahead: it was read last, a moment after the others. */
void tracefs_read(struct tracefs *t, void (*one)(const struct blkevent *e, void *arg), void *arg)
{
	unsigned int cpu;
	struct blkevent e;

	(void)t;
	for (cpu = 0; only && cpu < nr_only; cpu++)
		one(&only[cpu], arg);
	for (cpu = 0; !only && cpu < CPUS; cpu++) {
		u64 to = now_ns + (cpu ? 0 : 7 * MS);

		for (; read_to[cpu] < IOS * 2; read_to[cpu]++) {
			event_of(read_to[cpu] / 2, read_to[cpu] & 1, &e);
			if (e.ns > to)
				break;
			if (e.cpu == cpu && !(endless && read_to[cpu] & 1 && is_lost(e.pid)))
				one(&e, arg);
		}
	}
}

static void take(const struct blkevent *e, const struct origins_found *found, void *arg)
{
	unsigned int io = e->pid;

	(void)arg;
	if (e->ns < last_ns)
		fail("an event of %llu behind one of %llu", (u64)e->ns, last_ns);
	last_ns = e->ns;
	if (now_ns - e->ns > latest_ns && now_ns > e->ns)
		latest_ns = now_ns - e->ns;
	given[io]++;
	if (found->rec && found->rec->id != (int)io + 1)
		fail("IO %u has the record of %d", io, found->rec->id - 1);
	if (!found->rec != is_lost(io))
		fail("IO %u %s", io, found->rec ? "has a record" : "has none");
	with_record += !!found->rec;
}

/* All IOs, read every FILL_MS.  Return: the longest that an event waited. */
static u64 all(void)
{
	static struct events ev;
	unsigned int fill, io, next = 0;

	memset(given, 0, sizeof(given));
	memset(read_to, 0, sizeof(read_to));
	with_record = 0;
	last_ns = 0;
	latest_ns = 0;
	now_ns = 1000 * MS;
	events_begin(&ev, ~0U, NULL, 0);
	for (fill = 0; fill < FILLS; fill++) {
		now_ns += FILL_MS * MS;
		for (; next < IOS && begin_of(next) + MS / 2 <= now_ns; next++) {
			struct iob_iolog_bin_record rec = {
				.op = OP_WRITE, .disk = DISK, .sector = next % 64 * 8,
				.bytes = 4096, .queue_ns = begin_of(next),
				.complete_ns = begin_of(next) + MS / 2, .id = (int)next + 1,
			};

			if (!is_lost(next))
				events_record(&ev, &rec);
		}
		events_fill(&ev);
		events_release(&ev, false, take, NULL);
	}
	now_ns += FILL_MS * MS;
	events_fill(&ev);
	events_release(&ev, true, take, NULL);
	events_end(&ev);
	for (io = 0; io < IOS; io++) {
		if (given[io] != (endless && is_lost(io) ? 1 : 2))
			fail("IO %u has %u events", io, given[io]);
	}
	return latest_ns;
}

static void come_out_in_order(void)
{
	u64 waited = all();

	if (waited > 4 * FILL_MS * MS)
		fail("an event waits for %llu ns", waited);
	note("%u of %u with a record", with_record, 2 * IOS);
}

static void wait_for_the_end(void)
{
	u64 waited;

	endless = true;
	waited = all();
	if (waited < EVENTS_WAIT_NS || waited > EVENTS_WAIT_NS + 2 * FILL_MS * MS)
		fail("an event waits for %llu ns", waited);
}

static unsigned int shown;

static void count(const struct blkevent *e, const struct origins_found *found, void *arg)
{
	(void)found;
	(void)arg;
	shown |= 1U << e->pid;
}

/* The trace of a partition has the flushes of its disk, but no command that says nothing of it. */
static void partition_has_flushes(void)
{
	static const struct device part = { .disk = DISK, .start = 2048, .end = 4096 };
	struct blkevent cases[] = {
		{ .sector = 2048, .sectors = 8, .rwbs = "W" }, { .rwbs = "FF" }, { .rwbs = "FWS" },
		{ .sector = 4096, .sectors = 8, .rwbs = "FWS" }, { .rwbs = "N" },
		{ .sector = 4096, .rwbs = "FWS" },
	};
	struct events ev;
	unsigned int i;

	events_begin(&ev, ~0U, &part, 1);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		cases[i].dev = DISK;
		cases[i].pid = i;
		cases[i].ns = i + 1;
		cases[i].kind = EV_block_rq_issue;
	}
	only = cases;
	nr_only = ARRAY_SIZE(cases);
	events_fill(&ev);
	events_release(&ev, true, count, NULL);
	events_end(&ev);
	if (shown != 7)
		fail("events 0x%x are shown", shown);
}

static void find(const struct blkevent *e, const struct origins_found *found, void *arg)
{
	(void)arg;
	shown |= 1U << e->pid;
	if (!found->rec != (e->dev != DISK && e->dev != PATH))
		fail("an event of %#x has %s record", e->dev, found->rec ? "a" : "no");
}

/* The requests of a path of NVMe's multipath are IO of the namespace, which alone is watched. */
static void path_has_records(void)
{
	static const struct device watched = { .disk = DISK };
	const struct iob_iolog_bin_record rec = {
		.op = OP_WRITE, .disk = DISK, .sector = 8, .bytes = 4096, .queue_ns = 1,
		.complete_ns = 10, .id = 7,
	};
	struct blkevent cases[] = {
		{ .dev = DISK, .kind = EV_block_bio_queue },
		{ .dev = PATH, .kind = EV_block_rq_insert },
		{ .dev = PATH, .kind = EV_block_rq_issue },
		{ .dev = PATH, .kind = EV_block_rq_complete },
		/* another disk, which is gone */
		{ .dev = 8 << 20 | 16, .kind = EV_block_rq_issue },
	};
	struct events ev;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		cases[i].sector = 8;
		cases[i].sectors = 8;
		cases[i].pid = i;
		cases[i].ns = i + 2;
		strcpy(cases[i].rwbs, "W");
	}
	only = cases;
	nr_only = ARRAY_SIZE(cases);
	for (i = 0; i < 2; i++) {
		events_begin(&ev, ~0U, &watched, i);
		events_record(&ev, &rec);
		shown = 0;
		events_fill(&ev);
		events_release(&ev, true, find, NULL);
		if (shown != (i ? 15 : 31))
			fail("events 0x%x are shown", shown);
		if (strcmp(events_number(&ev, PATH), "259:1"))
			fail("the path's number is %s", events_number(&ev, PATH));
		events_end(&ev);
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(come_out_in_order), TEST(wait_for_the_end), TEST(partition_has_flushes),
		TEST(path_has_records),
	};

	return run_tests("tool_events", tests, ARRAY_SIZE(tests));
}
