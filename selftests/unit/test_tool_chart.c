// SPDX-License-Identifier: GPL-2.0
/* Charts have each IO in its bin, however far their axes had to be stretched. */
#include "chart.h"
#include "test.h"

enum {
	IOS = 4000,
};

static struct iob_iolog_bin_record ios[IOS];

static struct iob_iolog_bin_record sample(u64 at, u64 sector, u32 who, u32 disk)
{
	struct iob_iolog_bin_record rec;

	memset(&rec, 0, sizeof(rec));
	rec.op = "RAWDF"[rnd(5)];
	rec.tgid = who;
	rec.id = who;
	rec.disk = disk;
	rec.sector = sector;
	rec.bytes = rec.op == 'F' ? 0 : 512 * (1 + rnd(100));
	rec.complete_ns = at;
	rec.queue_ns = at > 2000000 ? at - rnd(2000000) : at;
	/* a further part of an IO has bytes only */
	rec.part = rec.bytes && !rnd(4);
	/* it was under way before */
	if (!rnd(10))
		rec.queue_ns = 0;
	return rec;
}

/* Sum up the bin @nr of the chart out of the IOs themselves. */
static struct chart_bin wanted_bin(const struct chart *c, unsigned int nr, u32 who)
{
	struct chart_bin bin = { 0 };
	unsigned int i;

	for (i = 0; i < IOS; i++) {
		const struct iob_iolog_bin_record *r = &ios[i];
		u64 at = r->complete_ns < c->begin_ns ? 0 : r->complete_ns - c->begin_ns;
		bool timed = r->queue_ns && !r->part;
		u64 ns = timed ? r->complete_ns - r->queue_ns : 0;

		if (at / c->width_ns != nr || (who && r->tgid != who))
			continue;
		bin.ios += !r->part;
		bin.read += r->op == 'R' || r->op == 'A' ? r->bytes : 0;
		bin.written += r->op == 'W' ? r->bytes : 0;
		bin.timed += timed;
		bin.total_ns += ns;
		if (bin.max_ns < ns)
			bin.max_ns = ns;
	}
	return bin;
}

static void check_bins(const struct chart *c)
{
	const struct chart_track *t;
	unsigned int nr, slot;
	size_t i;

	for (nr = 0; nr < CHART_BINS; nr += 1 + rnd(5)) {
		struct chart_bin want = wanted_bin(c, nr, 0);
		u64 seen = 0;

		if (memcmp(&want, &c->all[nr], sizeof(want)))
			fail("bin %u of all", nr);
		for (slot = 0; slot < HIST_SLOTS; slot++)
			seen += c->latency[nr][slot];
		if (seen != want.timed)
			fail("bin %u has %llu latencies of %llu", nr, seen, (u64)want.timed);
		if (want.ios && nr >= c->used)
			fail("bin %u is beyond %u", nr, c->used);
		map_for_each(&c->tracks, i, t) {
			want = wanted_bin(c, nr, t->who.nr);
			if (memcmp(&want, &t->bin[nr], sizeof(want)))
				fail("bin %u of %u", nr, t->who.nr);
		}
	}
}

static void check_places(const struct chart *c)
{
	unsigned int d, i, time, place;

	for (d = 0; d < c->nr_disks; d++) {
		static struct chart_cell want[CHART_TIMES][CHART_PLACES];
		const struct chart_disk *disk = c->disk[d];

		memset(want, 0, sizeof(want));
		for (i = 0; i < IOS; i++) {
			const struct iob_iolog_bin_record *r = &ios[i];

			if (r->disk != disk->disk || !r->bytes)
				continue;
			time = (r->complete_ns - c->begin_ns) / c->width_ns / 3;
			place = r->sector / disk->step;
			if (time >= CHART_TIMES || place >= CHART_PLACES) {
				fail("no cell for %llu", (u64)r->sector);
				continue;
			}
			want[time][place].ios += !r->part;
			want[time][place].bytes += r->bytes;
			if (r->part || !r->queue_ns)
				continue;
			want[time][place].timed++;
			want[time][place].total_ns += r->complete_ns - r->queue_ns;
		}
		if (memcmp(want, disk->cell, sizeof(want)))
			fail("places of disk %u", disk->disk);
	}
}

static void bins(void)
{
	unsigned int round, i;

	note("seed %llu", seed());
	for (round = 0; round < 60; round++) {
		u64 begin = 1000000000ULL << rnd(8), at = begin;
		u64 step = 1000ULL << rnd(24), place = 1ULL << rnd(44);
		struct chart *c = chart_new(begin);

		for (i = 0; i < IOS; i++) {
			at += ((u64)rnd(1 << 20) * step) >> 19;
			ios[i] = sample(at, (((u64)rnd(1 << 30)) << 14 | rnd(1 << 14)) % place,
					1 + rnd(5), 8 + rnd(3));
			chart_add(c, &ios[i]);
		}
		check_bins(c);
		check_places(c);
		chart_free(c);
	}
}

/* The largest numbers that a record can hold; and more of everything than there is room for */
static void extremes(void)
{
	static const u64 numbers[] = { 0, 1, 1ULL << 32, 1ULL << 63, ~0ULL };
	struct chart *c = chart_new(5);
	struct iob_iolog_bin_record rec;
	unsigned int i;
	u64 seen = 0;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		rec = sample(numbers[i], numbers[i], 1, 8);
		rec.part = 0;
		chart_add(c, &rec);
	}
	for (i = 0; i < 5000; i++) {
		rec = sample(i, i, 1 + i, i % 40);
		rec.part = 0;
		chart_add(c, &rec);
	}
	for (i = 0; i < CHART_BINS; i++)
		seen += c->all[i].ios;
	if (seen != 5000 + ARRAY_SIZE(numbers))
		fail("%llu IOs", seen);
	if (c->tracks.nr > CHART_TRACKS || c->nr_disks > CHART_DISKS ||
	    c->nr_disks + c->forgotten.nr != 40)
		fail("%zu tracks, %u disks and %zu without a map", c->tracks.nr, c->nr_disks,
		     c->forgotten.nr);
	chart_free(c);
}

/* The heavy ones are kept, and an atom finds its own. */
static void keeps_heavy(void)
{
	struct chart *c = chart_new(0);
	struct atom a = { .key = { .kind = ROLE_PROCESS, .who = 7 } };
	struct iob_iolog_bin_record rec;
	unsigned int i;

	for (i = 0; i < 100000; i++) {
		rec = sample(i * 1000, i, i % 10 ? 1000 + i : 7, 8);
		rec.part = 0;
		chart_add(c, &rec);
	}
	if (!chart_track(c, &a) || chart_track(c, &a)->ios != 10000)
		fail("the heaviest was forgotten");
	a.key.who = 1001;
	if (chart_track(c, &a))
		fail("nothing was forgotten");
	a.key.who = 7;
	a.key.rest = REST_ALL;
	if (chart_track(c, &a))
		fail("the others are taken for one");
	chart_free(c);
}

/* The IOs of a disk's map, 0 if it has none. */
static u64 ios_of_disk(const struct chart *c, u32 disk)
{
	unsigned int i;

	for (i = 0; i < c->nr_disks; i++) {
		if (c->disk[i]->disk == disk)
			return c->disk[i]->ios;
	}
	return 0;
}

/* A disk that comes late and does most has a map; each map has all IO of its disk. */
static void keeps_heavy_disks(void)
{
	struct chart *c = chart_new(0);
	u64 want[41] = { 0 };
	struct iob_iolog_bin_record rec;
	unsigned int i, disk;

	for (i = 0; i < 41000; i++) {
		/* all are seen once, then most of it is the 40th's, and the first's */
		disk = i < 40 ? i + 1 : i % 2 ? 40 : i % 4 ? 1 : 1 + rnd(40);
		rec = sample(i * 1000, i, 7, disk);
		rec.part = 0;
		chart_add(c, &rec);
		want[disk]++;
		/* the first does more than the others from the beginning */
		for (; i < 40 && disk == 1 && want[1] < 100; want[1]++)
			chart_add(c, &rec);
	}
	if (ios_of_disk(c, 40) != want[40] || ios_of_disk(c, 1) != want[1])
		fail("the heaviest has %llu IOs of %llu, the next %llu of %llu",
		     ios_of_disk(c, 40), want[40], ios_of_disk(c, 1), want[1]);
	for (disk = 1; disk <= 40; disk++) {
		if (ios_of_disk(c, disk) && ios_of_disk(c, disk) != want[disk])
			fail("disk %u has %llu IOs of %llu", disk, ios_of_disk(c, disk), want[disk]);
	}
	chart_free(c);
	/* as many as a forged recording may have */
	c = chart_new(0);
	for (i = 0; i < 100000; i++) {
		rec = sample(i * 1000, i, 7, i);
		chart_add(c, &rec);
	}
	if (c->nr_disks > CHART_DISKS || c->forgotten.nr > CHART_FORGOTTEN)
		fail("%u disks, and %zu without a map", c->nr_disks, c->forgotten.nr);
	chart_free(c);
}

int main(void)
{
	static const struct test tests[] = { TEST(bins), TEST(extremes), TEST(keeps_heavy),
					   TEST(keeps_heavy_disks) };

	return run_tests("tool_chart", tests, ARRAY_SIZE(tests));
}
