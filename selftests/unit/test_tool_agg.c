// SPDX-License-Identifier: GPL-2.0
/* Sums are right, and their number is bounded. */
#include "agg.h"
#include "bars.h"
#include "fake_held.h"
#include "group.h"
#include "intent.h"
#include "name.h"
#include "test.h"

static unsigned int noted;

void name_note_file(uint32_t dev, uint64_t ino, uint32_t gen)
{
	(void)dev;
	(void)ino;
	(void)gen;
	noted++;
}

const char *name_cgroup(uint64_t id)
{
	(void)id;
	return "-";
}

/* Disks of an even number have one scheduler, the others another. */
const char *name_sched(uint32_t dev)
{
	return dev & 1 ? "bfq" : "none";
}

/* Processes of an even number are root's, and of one command line. */
const char *name_user(uint32_t tgid, const char *comm)
{
	(void)comm;
	return tgid & 1 ? "me" : "root";
}

const char *name_command(uint32_t tgid, const char *comm)
{
	(void)comm;
	return tgid & 1 ? NULL : "a b";
}

const char *intent_why(const struct iob_iolog_bin_record *rec)
{
	return rec->modifier ? "journal" : "task";
}

static struct iob_iolog_bin_record sample(u32 who, u64 ino, u32 bytes)
{
	static u64 now = 1;
	struct iob_iolog_bin_record rec;

	memset(&rec, 0, sizeof(rec));
	rec.op = "RAWDF"[rnd(5)];
	rec.tgid = who;
	rec.pid = who;
	rec.id = who;
	rec.ino = ino;
	rec.intent_nr = 2 + ino % 7;
	rec.bytes = bytes;
	rec.part = rnd(4) == 0;
	rec.error = rnd(9) ? 0 : -5;
	rec.complete_ns = now += 1000;
	rec.queue_ns = rec.complete_ns - rnd(1000);
	snprintf(rec.comm, sizeof(rec.comm), "w%u", who);
	return rec;
}

struct sums {
	u64 ios, bytes, errors, ns;
};

/* The rows of each pivot, and their histograms, add up to the input. */
static void check(const struct agg *agg, const struct sums *want)
{
	enum pivot by;
	size_t i, nr;

	for (by = 0; by < NR_PIVOTS; by++) {
		struct sums got = { 0 };
		struct row_more more;
		struct row *rows;
		u64 counted = 0;

		nr = group_rows(agg, by, rnd(NR_SORTS), &rows);
		for (i = 0; i < nr; i++) {
			got.ios += rows[i].all_ios;
			got.bytes += rows[i].all_bytes;
			got.errors += rows[i].errors;
			got.ns += rows[i].total_ns;
			if (i && rows[i].sort > rows[i - 1].sort)
				fail("by %u: row %zu is not in order", by, i);
			if (i > 20)
				continue;
			group_more(&rows[i], &more);
			counted += hist_count(&more.hist);
			if (!more.files || !group_same(by, more.lead, rows[i].atoms))
				fail("by %u: row %zu is not made of its own", by, i);
		}
		if (memcmp(&got, want, sizeof(got)))
			fail("by %u: %llu IOs of %llu, %llu bytes of %llu", by, got.ios, want->ios,
			     got.bytes, want->bytes);
		if (nr <= 20 && counted != want->ios)
			fail("by %u: histograms have %llu of %llu", by, counted, want->ios);
		free(rows);
	}
}

static void add(struct agg *agg, struct sums *s, const struct iob_iolog_bin_record *rec)
{
	agg_add(agg, rec);
	s->ios += !rec->part;
	s->bytes += rec->bytes;
	/* no two of them are of one IO */
	s->errors += rec->error != 0;
	s->ns += rec->part ? 0 : rec->complete_ns - rec->queue_ns;
}

/* A process that did IO under two names is one row, with the name of most of it. */
static void named(void)
{
	static const struct {
		const char *comm;
		u32 bytes;
	} part[] = { { "small", 4096 }, { "big", 65536 }, { "small", 4096 }, { "late", 512 } };
	struct iob_iolog_bin_record rec;
	struct row_more more;
	struct row *rows;
	struct agg agg;
	unsigned int i;
	enum pivot by;
	size_t nr;

	agg_init(&agg, FIELD_TOTAL, BY_PROCESS);
	for (i = 0; i < 4; i++) {
		rec = sample(7, 1, part[i].bytes);
		memset(rec.comm, 0, sizeof(rec.comm));
		strcpy(rec.comm, part[i].comm);
		agg_add(&agg, &rec);
	}
	/* a lighter process with the heaviest name of all */
	rec = sample(8, 1, 70000);
	agg_add(&agg, &rec);
	for (by = BY_PROCESS; by <= BY_FILE; by++) {
		nr = group_rows(&agg, by, SORT_BYTES, &rows);
		group_more(&rows[0], &more);
		if (nr != (by == BY_PROCESS ? 2 : 1) || more.lead->key.who != 7 ||
		    strcmp(more.lead->key.comm, "big"))
			fail("by %u: %zu rows, the first is %u %s's", by, nr, more.lead->key.who,
			     more.lead->key.comm);
		free(rows);
	}
	agg_clear(&agg);
}

static void adds_up(void)
{
	unsigned int round, i;

	note("seed %llu", seed());
	for (round = 0; round < 20; round++) {
		struct iob_iolog_bin_record rec;
		struct sums want = { 0 };
		struct agg agg;

		agg_init(&agg, FIELD_TOTAL, BY_PROCESS);
		check(&agg, &want);
		for (i = 0; i < 2000; i++) {
			rec = sample(1 + rnd(1 << rnd(8)), rnd(1 << rnd(8)), 512 << rnd(8));
			add(&agg, &want, &rec);
		}
		check(&agg, &want);
		if (agg.folded)
			fail("there was room");
		agg_clear(&agg);
	}
}

/* More originators and files than there is room for, with and without squeezing */
static void bounded(void)
{
	unsigned int often, i;

	for (often = 0; often < 2; often++) {
		struct iob_iolog_bin_record rec;
		struct sums want = { 0 };
		size_t most = 0, nr;
		struct row *rows;
		struct agg agg;

		agg_init(&agg, FIELD_TOTAL, BY_PROCESS);
		for (i = 0; i < 150000; i++) {
			rec = sample(10 + i, i, 4096);
			add(&agg, &want, &rec);
			/* one that writes much all the time, and one that came late */
			rec = sample(1, 3, 1 << 20);
			add(&agg, &want, &rec);
			if (i > 140000) {
				rec = sample(2, 4, 1 << 18);
				add(&agg, &want, &rec);
			}
			if (agg.atoms.nr > most)
				most = agg.atoms.nr;
			if (often && i % 1000 == 0)
				agg_squeeze(&agg);
		}
		if (most > AGG_ATOMS + AGG_ATOMS / 4 + 100)
			fail("%zu atoms", most);
		if (!agg.folded)
			fail("nothing was said of what had no room");
		check(&agg, &want);
		nr = group_rows(&agg, BY_PROCESS, SORT_BYTES, &rows);
		if (!nr || rows[0].atoms->key.who != 1)
			fail("who writes most is not there");
		/* newcomers have room if it is made */
		if (often && (nr < 2 || (rows[1].atoms->key.who != 2 && rows[2].atoms->key.who != 2)))
			fail("who came late is not there");
		free(rows);
		agg_clear(&agg);
		if (agg.atoms.nr || agg.folded)
			fail("something is left");
	}
	if (!noted)
		fail("no name was asked for");
}

/* seek_dist is from the end of the last IO of the same disk; parts and flushes are no seeks. */
static void seeks(void)
{
	static const struct {
		u32 disk, bytes, part;
		u64 sector;
		char op;
	} io[] = {
		{ 1, 4096, 0, 100, 'R' },	/* the first: not counted */
		{ 1, 4096, 0, 108, 'R' },	/* 0 */
		{ 2, 512, 0, 50, 'W' },
		{ 1, 8192, 0, 16, 'W' },	/* 100 back */
		{ 1, 4096, 1, 32, 'W' },
		{ 1, 0, 0, 0, 'F' },
		{ 1, 512, 0, 41, 'R' },		/* 1 after the part */
		{ 2, 512, 0, 1051, 'W' },	/* 1000 */
	};
	struct iob_iolog_bin_record rec;
	u64 sum = 0, n = 0;
	struct row *rows;
	struct hist hist;
	struct agg agg;
	size_t i, nr;

	agg_init(&agg, FIELD_SEEK, BY_DEVICE);
	for (i = 0; i < ARRAY_SIZE(io); i++) {
		rec = sample(7, 20, io[i].bytes);
		rec.disk = io[i].disk;
		rec.sector = io[i].sector;
		rec.part = io[i].part;
		rec.op = io[i].op;
		agg_add(&agg, &rec);
	}
	nr = group_rows(&agg, BY_DEVICE, SORT_IOS, &rows);
	for (i = 0; i < nr; i++) {
		group_hist(&rows[i], &hist);
		n += hist_count(&hist);
		sum += group_sum(&rows[i]);
		if (rows[i].atoms->key.disk == 1 && (!hist.n[0] || !hist.n[1] ||
						     !hist.n[hist_slot(100)]))
			fail("the seeks of disk 1");
	}
	if (nr != 2 || n != 4 || sum != 1101)
		fail("%zu disks with %llu seeks of %llu sectors", nr, n, sum);
	free(rows);
	agg_free(&agg);
}

/* A few IOs far behind on a disk have a sum of more than 64 bits: their mean is right. */
static void far_behind(void)
{
	struct iob_iolog_bin_record rec;
	struct agg agg, all;
	struct row *rows;
	size_t i, nr;

	agg_init(&agg, FIELD_OFFSET, BY_DEVICE);
	agg_init(&all, FIELD_OFFSET, BY_DEVICE);
	for (i = 0; i < 6; i++) {
		rec = sample(7 + i % 2, 20, 4096);
		rec.sector = 1ULL << 62;
		rec.part = 0;
		rec.op = 'R';
		agg_add(&agg, &rec);
	}
	agg_merge(&all, &agg);
	nr = group_rows(&all, BY_DEVICE, SORT_IOS, &rows);
	if (nr != 1 || group_sum(&rows[0]) / 6 != 1ULL << 62)
		fail("the mean of %zu rows is %llu", nr, (u64)(group_sum(&rows[0]) / 6));
	free(rows);
	agg_free(&agg);
	agg_free(&all);
}

/* What an IO took, and its size, is counted in the row of bars.h that names it. */
static void in_row(void)
{
	static const struct {
		enum field field;
		u64 ns, bytes;
		unsigned int row;
	} cases[] = {
		{ FIELD_TOTAL, 64000, 512, 7 }, { FIELD_TOTAL, 63999, 512, 6 },
		{ FIELD_TOTAL, 65000, 512, 7 }, { FIELD_IO, 1060000000, 512, 21 },
		{ FIELD_WAIT, 1048576000, 512, 21 }, { FIELD_AGE, 1048575999, 512, 20 },
		{ FIELD_SIZE, 64000, 65536, 17 }, { FIELD_SIZE, 64000, 65024, 16 },
	};
	struct iob_iolog_bin_record rec;
	uint64_t rows[BARS_SLOTS];
	struct hist hist;
	struct row *row;
	struct agg agg;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		agg_init(&agg, cases[i].field, BY_PROCESS);
		rec = sample(7, 20, cases[i].bytes);
		rec.part = 0;
		rec.queue_ns = 1;
		rec.issue_ns = cases[i].field == FIELD_WAIT ? 1 + cases[i].ns : 1;
		rec.dirty_ns = 1;
		rec.complete_ns = 1 + cases[i].ns;
		agg_add(&agg, &rec);
		if (group_rows(&agg, BY_PROCESS, SORT_IOS, &row) != 1)
			fail("case %zu: no row", i);
		group_hist(row, &hist);
		bars_collect(&hist, cases[i].field, rows);
		if (rows[cases[i].row] != 1)
			fail("%s: %llu ns and %llu bytes are not in row %u",
			     bars_unit(cases[i].field), cases[i].ns, cases[i].bytes, cases[i].row);
		free(row);
		agg_free(&agg);
	}
}

/* Threads, flags and queues are told apart if rows stand for them, else they make no atoms. */
static void told_apart(void)
{
	static const enum pivot by[] = { BY_THREAD, BY_FLAGS, BY_QUEUE, BY_SCHED };
	struct iob_iolog_bin_record rec;
	struct row *rows;
	struct agg agg;
	size_t i, k, nr;

	for (i = 0; i < ARRAY_SIZE(by); i++) {
		agg_init(&agg, FIELD_TOTAL, by[i]);
		for (k = 0; k < 16; k++) {
			rec = sample(7, 20, 512);
			rec.op = 'W';
			rec.pid = 7 + (k & 1);
			rec.opf = 1 | (k & 2 ? 1 << 11 : 0) | 1U << 27;
			rec.hwq = k & 4 ? 3 : 0;
			rec.disk = k & 8 ? 3 : 5;
			agg_add(&agg, &rec);
		}
		nr = group_rows(&agg, by[i], SORT_IOS, &rows);
		/* a queue is one of a disk; both disks have the same scheduler */
		if (nr != (by[i] == BY_QUEUE ? 4 : by[i] == BY_SCHED ? 1 : 2) ||
		    agg.atoms.nr != (by[i] == BY_SCHED ? 2 : 4))
			fail("by %u: %zu rows of %zu atoms", by[i], nr, agg.atoms.nr);
		free(rows);
		agg_free(&agg);
	}
}

/* A forged recording has any number of disks: those that have no room have no seeks. */
static void many_disks(void)
{
	struct iob_iolog_bin_record rec;
	struct agg agg;
	unsigned int i;

	agg_init(&agg, FIELD_SEEK, BY_DEVICE);
	memset(&rec, 0, sizeof(rec));
	rec.op = 'R';
	rec.bytes = 512;
	for (i = 0; i < 3 * AGG_DISKS; i++) {
		rec.disk = i;
		agg_add(&agg, &rec);
	}
	if (agg.ends.nr != AGG_DISKS || agg.no_seek != 2 * AGG_DISKS)
		fail("%zu disks, %llu without", (size_t)agg.ends.nr, (u64)agg.no_seek);
	agg_free(&agg);
}

/* IO that was under way at the start has no times: it is not taken for the fastest. */
static void not_timed(void)
{
	static const struct {
		enum field field;
		u64 queue_ns, issue_ns;
		bool counted;
		bool requests;	/* of the disk */
	} cases[] = {
		{ FIELD_TOTAL, 0, 0, false }, { FIELD_WAIT, 0, 0, false }, { FIELD_IO, 0, 0, false },
		{ FIELD_TOTAL, 0, 5, false }, { FIELD_WAIT, 0, 5, false }, { FIELD_IO, 0, 5, true },
		{ FIELD_TOTAL, 5, 0, true }, { FIELD_WAIT, 5, 0, true }, { FIELD_IO, 5, 0, true },
		{ FIELD_TOTAL, 1000, 1000, true }, { FIELD_SIZE, 0, 0, true },
		{ FIELD_TOTAL, 5, 0, true, true }, { FIELD_WAIT, 5, 0, false, true },
		{ FIELD_IO, 5, 0, false, true }, { FIELD_IO, 0, 5, true, true },
		{ FIELD_WAIT, 5, 5, true, true },
	};
	struct iob_iolog_bin_record rec = sample(7, 1, 4096);
	struct row_more more;
	struct row *rows;
	struct agg agg;
	size_t i;

	rec.complete_ns = 1000;
	rec.op = 'W';
	rec.part = 0;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		rec.hwq = cases[i].requests ? 0 : 0xffff;
		rec.queue_ns = cases[i].queue_ns;
		rec.issue_ns = cases[i].issue_ns;
		agg_init(&agg, cases[i].field, BY_PROCESS);
		agg_add(&agg, &rec);
		if (group_rows(&agg, BY_PROCESS, SORT_BYTES, &rows) != 1)
			fail("case %zu: not one row", i);
		group_more(&rows[0], &more);
		if (hist_count(&more.hist) != cases[i].counted)
			fail("case %zu: %llu times", i, (u64)hist_count(&more.hist));
		if (rows[0].all_ios != 1)
			fail("case %zu: %llu IOs", i, (u64)rows[0].all_ios);
		free(rows);
		agg_free(&agg);
	}
}

/* Sums that are added to others are those of all IO, also where there is no room. */
static void merges(void)
{
	static const unsigned int kinds[] = { 1, 50, AGG_ATOMS + 5000, 2 * AGG_ATOMS };
	struct agg agg, all;
	struct atom *atom;
	unsigned int k, i;
	u64 ios, bytes, times, want, first;
	size_t slot, p;

	for (k = 0; k < ARRAY_SIZE(kinds); k++) {
		agg_init(&all, FIELD_TOTAL, BY_PROCESS);
		want = 0;
		first = 0;
		for (i = 0; i < 3; i++) {
			struct iob_iolog_bin_record rec;
			unsigned int n;

			agg_init(&agg, FIELD_TOTAL, BY_PROCESS);
			for (n = 0; n < kinds[k]; n++) {
				rec = sample(1 + n / 2 + i, 1 + n, 4096);
				rec.queue_ns = 1;
				rec.complete_ns = 1000 + n;
				agg_add(&agg, &rec);
				want++;
				first += !rec.part;
			}
			agg_merge(&all, &agg);
			agg_squeeze(&all);
			if (agg.records != kinds[k])
				fail("what is added is changed");
			agg_free(&agg);
		}
		ios = bytes = times = 0;
		map_for_each(&all.atoms, slot, atom) {
			ios += atom->ios;
			bytes += atom->bytes;
			for (p = 0; p < atom->hist.nr; p++)
				times += atom->hist.pair[p].n;
		}
		if (ios != first || bytes != want * 4096 || times != first || all.records != want)
			fail("%u: %llu IOs, %llu bytes, %llu times of %llu", kinds[k], ios, bytes,
			     times, first);
		if (all.atoms.nr > AGG_ATOMS + AGG_ATOMS / 4)
			fail("%u: %zu atoms", kinds[k], all.atoms.nr);
		if (!all.folded != (kinds[k] < AGG_ATOMS / 4))
			fail("%u: %llu are folded", kinds[k], (u64)all.folded);
		agg_free(&all);
	}
}

enum {
	SHARED = 400,
	PARTS_MOST = 60,
};

static struct shared {
	unsigned int nr;
	struct iob_iolog_bin_record part[PARTS_MOST];
} shared[SHARED];

/* An IO of several originators and files */
static void make_shared(struct shared *io, u64 queue_ns, u64 now)
{
	unsigned int i, programs = 1 + rnd(4), files = 1 + rnd(20);
	int error = rnd(2) ? 0 : -5;
	u32 disk = 8 + rnd(2);

	io->nr = rnd(4) ? 1 + rnd(PARTS_MOST) : 1;
	for (i = 0; i < io->nr; i++) {
		io->part[i] = sample(1 + rnd(programs), 1 + rnd(files), 512 << rnd(4));
		io->part[i].op = 'W';
		io->part[i].disk = disk;
		io->part[i].part = i;
		io->part[i].error = error;
		io->part[i].queue_ns = queue_ns;
		io->part[i].complete_ns = now;
		io->part[i].modifier = rnd(2);
		io->part[i].cgroup = io->part[i].tgid / 2;
	}
}

/* Whether one of the first @nr parts is in the row of @atom */
static bool is_in_row(const struct shared *io, unsigned int nr, enum pivot by,
		      const struct atom *atom)
{
	struct atom one = { .why = NULL };
	unsigned int i;

	for (i = 0; i < nr; i++) {
		agg_key(&one.key, &io->part[i], BY_PROCESS);
		one.why = intent_why(&io->part[i]);
		if (group_same(by, &one, atom))
			return true;
	}
	return false;
}

static void check_shared(const struct agg *agg, enum pivot by)
{
	struct row *rows;
	struct hist hist;
	size_t i, nr = group_rows(agg, by, SORT_BYTES, &rows);
	unsigned int k;

	for (i = 0; i < nr; i++) {
		u64 ios = 0, ns = 0, errors = 0;

		for (k = 0; k < SHARED; k++) {
			const struct shared *io = &shared[k];
			bool first = is_in_row(io, 1, by, rows[i].atoms);

			ios += first;
			ns += first ? io->part[0].complete_ns - io->part[0].queue_ns : 0;
			errors += io->part[0].error && is_in_row(io, io->nr, by, rows[i].atoms);
		}
		group_hist(&rows[i], &hist);
		if (rows[i].all_ios != ios || rows[i].total_ns != ns || hist_count(&hist) != ios)
			fail("by %u: %llu IOs of %llu ns with %llu times, not %llu of %llu", by,
			     (u64)rows[i].all_ios, (u64)rows[i].total_ns, (u64)hist_count(&hist),
			     ios, ns);
		if (rows[i].errors != errors)
			fail("by %u: %llu IOs failed, not %llu", by, (u64)rows[i].errors, errors);
	}
	free(rows);
}

/* Of an IO of many parts, each row has it once at most; if it has a part, also that it failed. */
static void shares(void)
{
	unsigned int round, i, k, failed;
	struct agg agg, all;
	enum pivot by;
	u64 now = 5000;

	note("seed %llu", seed());
	for (round = 0; round < 10; round++) {
		agg_init(&agg, FIELD_TOTAL, BY_PROCESS);
		agg_init(&all, FIELD_TOTAL, BY_PROCESS);
		failed = 0;
		for (i = 0; i < SHARED; i++) {
			/* the disk completes some just when it did the one before */
			make_shared(&shared[i], 1 + i, now += rnd(3) * 1000);
			failed += shared[i].part[0].error != 0;
			for (k = 0; k < shared[i].nr; k++)
				agg_add(&agg, &shared[i].part[k]);
		}
		agg_merge(&all, &agg);
		for (by = 0; by <= BY_WHY; by++) {
			check_shared(&agg, by);
			check_shared(&all, by);
		}
		if (all.ios != SHARED || all.errors != failed)
			fail("%llu IOs of which %llu failed, not %u", (u64)all.ios, (u64)all.errors,
			     failed);
		agg_free(&agg);
		agg_free(&all);
	}
}

/* What has lost its file says so, and is an IO once; also what is no first part of any. */
static void folds_shared(void)
{
	struct iob_iolog_bin_record rec = sample(1, 1, 4096);
	unsigned int i, first;
	struct row *rows;
	struct agg agg;

	for (first = 0; first < 2; first++) {
		agg_init(&agg, FIELD_TOTAL, BY_PROCESS);
		rec.op = 'W';
		rec.error = -5;
		for (i = 0; i < AGG_ATOMS + 210; i++) {
			rec.ino = 1 + i;
			rec.part = i < AGG_ATOMS ? 0 : i - AGG_ATOMS + 1 - first;
			rec.complete_ns = i < AGG_ATOMS ? 5 + i : 5 + AGG_ATOMS;
			rec.queue_ns = 5;
			agg_add(&agg, &rec);
		}
		if (agg.folded != 1)
			fail("%llu IOs are folded", (u64)agg.folded);
		if (group_rows(&agg, BY_PROCESS, SORT_IOS, &rows) != 1 ||
		    rows[0].all_ios != AGG_ATOMS + first || rows[0].errors != AGG_ATOMS + 1)
			fail("%llu IOs, %llu failed", (u64)rows[0].all_ios, (u64)rows[0].errors);
		free(rows);
		agg_squeeze(&agg);
		if (group_rows(&agg, BY_PROCESS, SORT_IOS, &rows) != 1 ||
		    rows[0].all_ios != AGG_ATOMS + first || rows[0].errors != AGG_ATOMS + 1)
			fail("squeezed: %llu IOs, %llu failed", (u64)rows[0].all_ios,
			     (u64)rows[0].errors);
		free(rows);
		agg_free(&agg);
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(adds_up), TEST(named), TEST(bounded), TEST(seeks), TEST(far_behind), TEST(told_apart),
		TEST(many_disks), TEST(not_timed), TEST(in_row), TEST(merges), TEST(shares),
		TEST(folds_shared),
	};

	return run_tests("tool_agg", tests, ARRAY_SIZE(tests));
}
