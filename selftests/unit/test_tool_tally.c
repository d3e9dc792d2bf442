// SPDX-License-Identifier: GPL-2.0
/* The number of tallies is bounded, the heaviest are among them, and none of the sums is lost. */
#include "agg.h"
#include "fake_acts.h"
#include "fake_names.h"
#include "intent.h"
#include "name.h"
#include "tally.h"
#include "test.h"

enum { HEAVY = 7 };

static uint64_t bytes_of(const struct tally *t)
{
	return t->all_bytes;
}

static uint64_t time_of(const struct tally *t)
{
	return t->total_ns;
}

/* What all tallies together are to have */
struct sums {
	u64 ios, bytes, written, n, ns, timed, rows;
};

static void add(struct tallies *t, struct sums *s, u32 who, u64 ino, u32 disk, u64 extra, u32 bytes)
{
	static u64 now = 1000000;
	struct iob_iolog_bin_record rec = {
		.op = rnd(2) ? 'W' : 'R', .tgid = who, .pid = who, .id = who, .ino = ino, .disk = disk,
		.role_kind = ROLE_PROCESS, .bytes = bytes, .part = rnd(8) == 0, .error = -5,
	};
	struct tally *tally;

	rec.complete_ns = now += 1000;
	rec.queue_ns = rec.complete_ns - 1 - rnd(1000);
	snprintf(rec.comm, sizeof(rec.comm), "w%u", who);
	tally = tally_add(t, &rec, BY_PROCESS, TALLY_FILE | TALLY_DISK, extra);
	tally->n[3]++;
	s->n++;
	s->bytes += bytes;
	s->ios += !rec.part;
	s->written += rec.op == 'W' ? bytes : 0;
	s->ns += rec.part ? 0 : rec_total_ns(&rec);
	s->timed += !rec.part;
}

/* Return: the tallies, sorted, which add up to what was put in. */
static struct tally **check(const struct tallies *t, const struct sums *want)
{
	const char *const write = strchr(rec_op_letters, 'W');
	struct sums got = { 0 };
	struct tally **list;
	size_t i, nr = tally_sorted(t, &list);

	for (i = 0; i < nr; i++) {
		got.ios += list[i]->all_ios;
		got.bytes += list[i]->all_bytes;
		got.written += list[i]->bytes[write - rec_op_letters];
		got.n += list[i]->n[3];
		got.ns += list[i]->total_ns;
		got.timed += tally_timed(list[i]);
		if (i && t->value(list[i]) > t->value(list[i - 1]))
			fail("row %zu is not in order", i);
	}
	if (nr > TALLY_MOST)
		fail("%zu tallies", nr);
	if (memcmp(&got, want, sizeof(got)))
		fail("%llu IOs of %llu, %llu bytes of %llu, %llu counted of %llu", got.ios, want->ios,
		     got.bytes, want->bytes, got.n, want->n);
	return list;
}

/* One that comes when all room is taken, and is the heaviest of all. */
static void heavy_last(void)
{
	struct tallies t = { .value = bytes_of };
	struct sums want = { 0 };
	struct tally **list;
	unsigned int i;

	for (i = 0; i < TALLY_MOST + 800; i++)
		add(&t, &want, 100, 10 + i, 8 << 20, 0, 4096);
	for (i = 0; i < 20000; i++)
		add(&t, &want, HEAVY, 5, 8 << 20, 0, 1 << 20);
	if (want.n != TALLY_MOST + 800 + 20000)
		fail("%llu of %u found room", want.n, TALLY_MOST + 800 + 20000);
	list = check(&t, &want);
	if (list[0]->key.who.who != HEAVY || list[0]->key.file.ino != 5)
		fail("the heaviest is not the first, but %u", list[0]->key.who.who);
	if (!list[1]->key.who.rest || !t.others)
		fail("nothing says what was put together");
	free(list);
	tally_clear(&t);
	if (t.others || t.map.nr)
		fail("something is left");
}

/* What the view sorts by is what is kept: one slow IO of no bytes among many that were quick. */
static void slow_first(void)
{
	struct iob_iolog_bin_record rec = {
		.op = 'F', .tgid = HEAVY, .role_kind = ROLE_PROCESS, .queue_ns = 1,
		.complete_ns = 10000000000ULL, .disk = 8 << 20,
	};
	struct tallies t = { .value = time_of };
	struct sums want = { 0 };
	struct tally **list;
	unsigned int i;

	tally_add(&t, &rec, BY_PROCESS, TALLY_DISK, 0);
	for (i = 0; i < 5 * TALLY_MOST; i++)
		add(&t, &want, 100 + i, 0, 8 << 20, 0, 4096);
	tally_sorted(&t, &list);
	if (list[0]->key.who.who != HEAVY && list[1]->key.who.who != HEAVY)
		fail("the slowest is not there");
	free(list);
	tally_clear(&t);
}

/* Disk and number stay, so that a row says of what its IO is, and are bounded all the same. */
static void of_what(void)
{
	static const struct {
		u32 disks, extras;
		bool stay;
	} cases[] = {
		{ 1, 1, true }, { 3, 5, true }, { 100, 10, true }, { 1 << 20, 1, false },
		{ 1 << 10, 1 << 20, false },
	};
	struct sums want;
	struct tally **list;
	struct tallies t;
	size_t k, i;
	unsigned int seen;

	note("seed %llu", seed());
	for (k = 0; k < ARRAY_SIZE(cases); k++) {
		t = (struct tallies){ .value = bytes_of };
		want = (struct sums){ 0 };
		for (i = 0; i < 60000; i++)
			add(&t, &want, 100 + i, 10 + i, 1 + rnd(cases[k].disks),
			    1 + rnd(cases[k].extras), 512 << rnd(8));
		list = check(&t, &want);
		for (seen = 0, i = 0; i < t.map.nr; i++) {
			if (list[i]->key.who.rest && cases[k].stay && !list[i]->key.disk)
				fail("case %zu: the disk is gone", k);
			if (list[i]->key.who.rest &&
			    (list[i]->label.key.rest != REST_ALL || list[i]->key.file.ino))
				fail("case %zu: it is not called (others)", k);
			seen += list[i]->key.who.rest != REST_NONE;
		}
		if (!seen || (cases[k].stay && seen > cases[k].disks * cases[k].extras))
			fail("case %zu: %u rows of others", k, seen);
		free(list);
		tally_clear(&t);
	}
}

/* All take one millisecond, which is no limit of a slot; of the first one, it is not known. */
static void same_time(void)
{
	struct iob_iolog_bin_record rec = {
		.op = 'W', .role_kind = ROLE_PROCESS, .complete_ns = 1000001, .disk = 8 << 20,
	};
	struct tallies t = { .value = bytes_of };
	unsigned int others = 0;
	struct tally **list;
	size_t i, nr;

	for (i = 0; i < 3 * TALLY_MOST; i++) {
		rec.queue_ns = i ? 1 : 0;
		rec.tgid = rec.pid = rec.id = 100 + i;
		tally_add(&t, &rec, BY_PROCESS, TALLY_DISK, 0);
	}
	nr = tally_sorted(&t, &list);
	for (i = 0; i < nr; i++) {
		if (tally_timed(list[i]) && tally_percentile(list[i], 0.5) != 1000000)
			fail("row %zu of %zu: half of them took %llu ns", i, nr,
			     (u64)tally_percentile(list[i], 0.5));
		others += list[i]->key.who.rest != REST_NONE;
	}
	if (!others)
		fail("none were put together");
	free(list);
	tally_clear(&t);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(heavy_last), TEST(slow_first), TEST(of_what), TEST(same_time),
	};

	return run_tests("tool_tally", tests, ARRAY_SIZE(tests));
}
