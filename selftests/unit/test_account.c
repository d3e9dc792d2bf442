// SPDX-License-Identifier: GPL-2.0
/*
 * What counters get of an IO's times, and what the log does: none of them takes a time that is not
 * known for 0 us.  And who pays for an IO of several originators.
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/ktime.h>
#include <linux/math64.h>

#include "test.h"

/* the real ones are not read */
#define IOB_COMPAT_BLKDEV_H
#define IOB_COMPAT_CLOCK_H
#define IOB_BLAME_ORIGIN_H
#define IOB_CORE_DISK_H
#define IOB_CORE_INTENT_H
#define IOB_CORE_STATS_H
#define IOB_IO_ACCOUNT_H
#define IOB_IO_LOG_H
#define IOB_IO_SUM_H

#include <linux/ioblame.h>

#define NSEC_PER_USEC		1000L
#define SECTOR_SHIFT		9
#define DISK_NAME_LEN		32
#define div_u64(a, b)		((a) / (u64)(b))
#define get_capacity(gd)	((gd)->capacity)

/* --- compat, core, blame */

struct gendisk {
	u64 capacity;
};

struct request {
	u64 io_start_time_ns;
};

enum iob_op {
	IOB_OP_READ, IOB_OP_AHEAD, IOB_OP_WRITE, IOB_OP_DISCARD, IOB_OP_FLUSH, IOB_NR_OPS,
};

enum iob_less {
	IOB_LESS_INTENT, IOB_LESS_FILE, IOB_LESS_ROLE, IOB_NR_LESS,
};

struct iob_sums {
	u64 ios[IOB_NR_OPS];
	u64 less[IOB_NR_LESS];
};

struct iob_disk {
	struct iob_sums *sums;
	u64 last_end;
};

struct iob_file {
	u64 ino;
};

struct iob_share {
	u64 cause;
	struct iob_file file;
	u64 dirty_ns;
	u32 bytes;
	u8 how;
};

struct iob_cause {
	u32 intent;
};

struct iob_act {
	u64 role;
	struct iob_file file;
};

struct iob_sum {
	int ios;
};

#define IOB_DIRTY_NEVER			0ULL
#define IOB_DIRTY_UNKNOWN		1ULL
#define IOB_CAUSE_NONE			0ULL
#define IOB_CAUSE_NOMEM			1ULL
#define IOB_CAUSE_LOST			2ULL
#define iob_share_never_dirty(s)	((s64)(s)->dirty_ns <= 0)
#define iob_file_same(a, b)		((a)->ino == (b)->ino)
#define iob_stat_inc(name)		((void)0)
#define this_cpu_add(x, n)		((void)((x) += (n)))
#define this_cpu_inc(x)			((void)(x)++)

static struct iob_cause my_cause = { .intent = 5 };
static struct iob_act my_act = { .role = 7 };

#define iob_cause_of(id)		((void)(id), (const struct iob_cause *)&my_cause)
#define iob_act_of(id, file)		((void)(id), (void)(file), &my_act)
#define iob_act_touch(act)		((void)(act))

/* --- the clock: a tick is a ns, and the kernel's time is 1 s ahead */

#define NOW	5000000ULL
#define AHEAD	1000000000ULL
#define US	1000ULL

#define iob_cycles()		NOW

#define OTHER	BIT_ULL(63)	/* IOB_TICKS_OTHER */

u64 iob_clock_other(void)
{
	return NOW | OTHER;
}

void iob_clock_stamp_other(u64 *at)
{
	*at = NOW | OTHER;
}

u64 ktime_get_ns(void)
{
	return NOW + AHEAD;
}

#include "io/clock.h"
#include "io/field.h"
#include "io/run.h"

struct iob_clock iob_clock;

/* --- io/sum, io/log, io/counters */

#define iob_sum_of(act, disk, op, how)	((void)(act), (void)(disk), (void)(op), (void)(how), &one)
#define iob_sum_io(sum, bytes, ns, us)	((void)(bytes), (void)(ns), (void)(us), (void)(sum)->ios++)
#define iob_sum_part(sum, bytes)	((void)(sum), (void)(bytes))
#define iob_sum_error(sum)		((void)(sum))
#define iob_io_charge(disk, op, how, n)	((void)(disk), (void)(op), (void)(how), (void)(n))
#define iob_iolog_wanted()		log_wanted

#define IOB_COUNTERS_SIMPLE	(BIT(IOB_FIELD_SIZE) | BIT(IOB_FIELD_TOTAL_TIME))
#define IOB_COUNTERS_SEEK	BIT(IOB_NR_FIELDS + 1)
#define IOB_COUNTERS_SUMS	BIT(IOB_NR_FIELDS + 2)
#define ALL_FIELDS		(BIT(IOB_NR_FIELDS) - 1)

static bool log_wanted;
static struct iob_share logged[4];	/* runs */
static unsigned int nr_logged;
static struct iob_sum one;
static u32 counters_want;	/* fields */
static u32 known;		/* fields that were charged; */
static struct iob_fields got;	/* .. their values */
static unsigned int nr_charged;

#define iob_counters_wanted(op)		((void)(op), counters_want)

static void iob_counters_charge(struct iob_act *pays, enum iob_op op,
				const struct iob_fields *fields, u32 fields_known)
{
	(void)pays;
	(void)op;
	got = *fields;
	known = fields_known;
	nr_charged++;
}

static inline void iob_counters_charge_simple(struct iob_act *pays, enum iob_op op, u64 size,
					      u64 usecs)
{
	struct iob_fields fields = { };

	fields.v[IOB_FIELD_SIZE] = size;
	fields.v[IOB_FIELD_TOTAL_TIME] = usecs;
	iob_counters_charge(pays, op, &fields, IOB_COUNTERS_SIMPLE);
}

static inline void iob_counters_charge_size(struct iob_act *pays, enum iob_op op, u64 size)
{
	struct iob_fields fields = { };

	fields.v[IOB_FIELD_SIZE] = size;
	iob_counters_charge(pays, op, &fields, BIT(IOB_FIELD_SIZE));
}

void iob_io_share(struct iob_io *io, u64 sector, const struct iob_share *share);
void iob_io_end(struct iob_io *io);
void iob_io_charge_first(bool first);
void iob_io_record(struct iob_io *io, u32 wanted, bool logged);

static void iob_iolog_add(const struct iob_io *io)
{
	if (nr_logged < ARRAY_SIZE(logged))
		logged[nr_logged] = io->run;
	nr_logged++;
}

#include "io/run.c"
#include "io/account.c"

#define W	BIT(IOB_FIELD_WAIT_TIME)
#define I	BIT(IOB_FIELD_IO_TIME)
#define T	BIT(IOB_FIELD_TOTAL_TIME)
#define A	BIT(IOB_FIELD_AGE)

/* An IO that was queued 100 us ago and issued 70 us ago, of which that may not be known. */
static const struct time_case {
	const char *what;
	bool requests;
	u8 op;
	u64 queue_at, issue_at;
	u64 block_issue_ns;	/* that the block layer knows */
	u64 woken;		/* when the machine last woke up */
	u64 dirty_ns;
	u32 unknown;		/* fields */
	u32 wait, took, total;
	bool given_up;		/* the counter, meanwhile */
} cases[] = {
	{ "all known", true, IOB_OP_READ, NOW - 100 * US, NOW - 70 * US, 0, 0, 0, 0, 30, 70, 100 },
	{ "no requests", false, IOB_OP_READ, NOW - 100 * US, 0, 0, 0, 0, 0, 0, 100, 100 },
	{ "a flush", true, IOB_OP_FLUSH, NOW - 100 * US, 0, 0, 0, 0, 0, 0, 100, 100 },
	{ "the block layer knows", true, IOB_OP_READ, NOW - 100 * US, 0, NOW + AHEAD - 70 * US, 0, 0,
	  0, 30, 70, 100 },
	{ "issued before that was seen", true, IOB_OP_WRITE, NOW - 100 * US, 0, 0, 0, 0, W | I, 0, 0,
	  100 },
	{ "queued before that was seen", true, IOB_OP_READ, IOB_TICKS_UNKNOWN, 0, 0, 0, 0,
	  W | I | T | A, 0, 0, 0 },
	{ "the block layer knows of that", true, IOB_OP_READ, IOB_TICKS_UNKNOWN, 0,
	  NOW + AHEAD - 70 * US, 0, 0, W | T | A, 0, 70, 0 },
	{ "dirty, queued before", true, IOB_OP_WRITE, IOB_TICKS_UNKNOWN, 0, 0, 0,
	  NOW + AHEAD - 900 * US, W | I | T, 0, 0, 0 },
	{ "dirty, nobody knows when", true, IOB_OP_WRITE, NOW - 100 * US, NOW - 70 * US, 0, 0,
	  IOB_DIRTY_UNKNOWN, A, 30, 70, 100 },
	{ "slept since", true, IOB_OP_READ, NOW - 100 * US, NOW - 70 * US, NOW + AHEAD - 70 * US,
	  NOW - 50 * US, 0, W | I | T | A, 0, 0, 0 },
	{ "slept since, not seen", true, IOB_OP_READ, NOW - 100 * US, 0, NOW + AHEAD - 70 * US,
	  NOW - 50 * US, 0, W | I | T | A, 0, 0, 0 },
	{ "slept before the issue", true, IOB_OP_READ, NOW - 100 * US, NOW - 70 * US, 0,
	  NOW - 80 * US, 0, W | T | A, 0, 70, 0 },
	{ "the counter began anew", true, IOB_OP_READ, NOW + BIT_ULL(40), NOW + BIT_ULL(40) + 30 * US,
	  0, NOW - 50 * US, 0, W | I | T | A, 0, 0, 0 },
	{ "the counter is given up", true, IOB_OP_READ, NOW - 100 * US, NOW - 70 * US, 0, 0, 0,
	  W | I | T | A, 0, 0, 0, true },
	{ "it was given up before", true, IOB_OP_READ, OTHER | (NOW - 100 * US),
	  OTHER | (NOW - 70 * US), 0, 0, 0, 0, 30, 70, 100, true },
	{ "slept before it", true, IOB_OP_READ, NOW - 100 * US, NOW - 70 * US, 0, NOW - 110 * US, 0,
	  0, 30, 70, 100 },
};

static struct iob_io done(const struct time_case *c, u32 want)
{
	static struct gendisk gd = { .capacity = 1000 };
	static struct request rq;
	static struct iob_first first;
	static struct iob_sums sums;
	static struct iob_disk disk = { .sums = &sums };
	const struct iob_share share = {
		.cause = 9, .bytes = 4096, .dirty_ns = c->dirty_ns,
	};
	struct iob_io io = {
		.disk = &disk, .gd = &gd, .rq = c->requests ? &rq : NULL, .first = &first,
		.issue_at = c->issue_at, .op = c->op, .nr_bios = 1,
	};

	iob_clock.woken = c->woken;
	iob_clock.counts = !c->given_up;
	iob_ticks_set(&iob_clock.tick, 1ULL << 32);
	rq.io_start_time_ns = c->block_issue_ns;
	first.queue_at = c->queue_at;
	counters_want = want;
	known = 0;
	memset(&got, 0, sizeof(got));
	nr_charged = 0;
	one.ios = 0;
	iob_io_share(&io, 8, &share);
	iob_io_end(&io);
	return io;
}

static void counters(void)
{
	const struct time_case *c;

	for (c = cases; c < cases + ARRAY_SIZE(cases); c++) {
		done(c, ALL_FIELDS);
		if (nr_charged != 1 || known != (ALL_FIELDS & ~c->unknown))
			fail("%s: fields %#x", c->what, known);
		if (got.v[IOB_FIELD_WAIT_TIME] != c->wait || got.v[IOB_FIELD_IO_TIME] != c->took ||
		    got.v[IOB_FIELD_TOTAL_TIME] != c->total || got.v[IOB_FIELD_SIZE] != 4096)
			fail("%s: %llu + %llu, %llu us", c->what, got.v[IOB_FIELD_WAIT_TIME],
			     got.v[IOB_FIELD_IO_TIME], got.v[IOB_FIELD_TOTAL_TIME]);
	}
}

/* Counters of the size and of all of the time, and sums: all IO has a size. */
static void simple(void)
{
	const struct time_case *c;

	for (c = cases; c < cases + ARRAY_SIZE(cases); c++) {
		done(c, IOB_COUNTERS_SIMPLE | IOB_COUNTERS_SUMS);
		if (nr_charged != 1 || known != (IOB_COUNTERS_SIMPLE & ~c->unknown))
			fail("%s: fields %#x", c->what, known);
		if (got.v[IOB_FIELD_TOTAL_TIME] != c->total || got.v[IOB_FIELD_SIZE] != 4096)
			fail("%s: %llu us", c->what, got.v[IOB_FIELD_TOTAL_TIME]);
		if (one.ios != 1)
			fail("%s: the sum has %d", c->what, one.ios);
	}
}

/* The log has 0 for what is not known, and for the issue of what is not issued. */
static void stamps(void)
{
	const struct time_case *c;
	u64 end = NOW + AHEAD, queued, issued;
	struct iob_io io;

	for (c = cases; c < cases + ARRAY_SIZE(cases); c++) {
		io = done(c, 0);
		iob_io_stamp(&io);
		queued = c->unknown & T ? 0 : end - 100 * US;
		issued = c->unknown & I || !c->requests || c->op == IOB_OP_FLUSH ? 0 : end - 70 * US;
		if (io.queue_ns != queued || io.issue_ns != issued || io.done_ns != end)
			fail("%s: %llu, %llu, %llu", c->what, io.queue_ns, io.issue_ns, io.done_ns);
	}
}

/* Who pays for an IO of several originators: of each its cause, which also has its file */
static const struct charge_case {
	const char *what;
	struct charge {
		u8 how;
		u64 cause;
		u32 pages;
	} shares[4], split[4], first;
} charges[] = {
	{ "the first is known", { { IOB_HOW_EXACT, 11, 2 }, { IOB_HOW_EXACT, 12, 3 } },
	  { { IOB_HOW_EXACT, 11, 2 }, { IOB_HOW_EXACT, 12, 3 } }, { IOB_HOW_EXACT, 11, 5 } },
	{ "unknown before known", { { IOB_HOW_SUBMITTER, 20, 2 }, { IOB_HOW_EXACT, 11, 1 } },
	  { { IOB_HOW_SUBMITTER, 20, 2 }, { IOB_HOW_EXACT, 11, 1 } }, { IOB_HOW_EXACT, 11, 3 } },
	{ "lost before inherited", { { IOB_HOW_LOST, IOB_CAUSE_LOST, 1 },
				     { IOB_HOW_INHERITED, 13, 1 } },
	  { { IOB_HOW_LOST, IOB_CAUSE_LOST, 1 }, { IOB_HOW_INHERITED, 13, 1 } },
	  { IOB_HOW_INHERITED, 13, 2 } },
	{ "several behind an unknown one",
	  { { IOB_HOW_SUBMITTER, 20, 1 }, { IOB_HOW_INHERITED, 13, 1 }, { IOB_HOW_EXACT, 11, 1 },
	    { IOB_HOW_SUBMITTER, 20, 1 } },
	  { { IOB_HOW_SUBMITTER, 20, 1 }, { IOB_HOW_INHERITED, 13, 1 }, { IOB_HOW_EXACT, 11, 1 },
	    { IOB_HOW_SUBMITTER, 20, 1 } }, { IOB_HOW_INHERITED, 13, 4 } },
	{ "known before unknown", { { IOB_HOW_INHERITED, 13, 1 }, { IOB_HOW_SUBMITTER, 20, 1 } },
	  { { IOB_HOW_INHERITED, 13, 1 }, { IOB_HOW_SUBMITTER, 20, 1 } },
	  { IOB_HOW_INHERITED, 13, 2 } },
	{ "nobody is known", { { IOB_HOW_SUBMITTER, 20, 1 }, { IOB_HOW_LOST, IOB_CAUSE_LOST, 1 } },
	  { { IOB_HOW_SUBMITTER, 20, 1 }, { IOB_HOW_LOST, IOB_CAUSE_LOST, 1 } },
	  { IOB_HOW_SUBMITTER, 20, 2 } },
};

static struct iob_share share_of(const struct charge *c)
{
	return (struct iob_share){
		.cause = c->cause, .file.ino = 100 + c->cause, .how = c->how,
		.dirty_ns = 1000 + c->cause, .bytes = c->pages * 4096,
	};
}

static void expect_runs(const char *what, const char *charge, const struct charge *want,
			unsigned int most)
{
	unsigned int i, nr;

	for (nr = 0; nr < most && want[nr].pages; nr++)
		;
	if (nr_logged != nr) {
		fail("%s, %s: %u runs, not %u", what, charge, nr_logged, nr);
		return;
	}
	for (i = 0; i < nr; i++) {
		struct iob_share w = share_of(want + i), *run = logged + i;

		if (run->cause != w.cause || run->file.ino != w.file.ino || run->how != w.how ||
		    run->dirty_ns != w.dirty_ns || run->bytes != w.bytes)
			fail("%s, %s: run %u is %u bytes of %llu, how %u", what, charge, i,
			     run->bytes, run->cause, run->how);
	}
}

static void write_shares(const struct charge_case *c, bool charge_it_first)
{
	static struct gendisk gd = { .capacity = 1000 };
	static struct iob_first first;
	struct iob_sums sums = { };
	struct iob_disk disk = { .sums = &sums };
	struct iob_io io = {
		.disk = &disk, .gd = &gd, .first = &first, .op = IOB_OP_WRITE, .nr_bios = 1,
	};
	u64 sector = 8;
	unsigned int i;

	iob_io_charge_first(charge_it_first);
	counters_want = 0;
	log_wanted = true;
	nr_logged = 0;
	for (i = 0; i < ARRAY_SIZE(c->shares) && c->shares[i].pages; i++) {
		struct iob_share share = share_of(c->shares + i);

		iob_io_share(&io, sector, &share);
		sector += share.bytes >> SECTOR_SHIFT;
	}
	iob_io_end(&io);
	log_wanted = false;
	iob_io_charge_first(false);
	if (sums.ios[IOB_OP_WRITE] != 1)
		fail("%s: it is %llu IOs", c->what, sums.ios[IOB_OP_WRITE]);
}

/* Each pays for its bytes; or the first known one for the IO, also for what is before its own. */
static void who_pays(void)
{
	const struct charge_case *c;

	for (c = charges; c < charges + ARRAY_SIZE(charges); c++) {
		write_shares(c, false);
		expect_runs(c->what, "split", c->split, ARRAY_SIZE(c->split));
		write_shares(c, true);
		expect_runs(c->what, "first", &c->first, 1);
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(counters), TEST(simple), TEST(stamps), TEST(who_pays),
	};

	return run_tests("account", tests, ARRAY_SIZE(tests));
}
