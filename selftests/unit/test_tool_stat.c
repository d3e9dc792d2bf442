// SPDX-License-Identifier: GPL-2.0
/* Lines of /proc/diskstats of several kernels, and the time that overlapping IOs cover. */
#include "diskstats.h"
#include "spans.h"
#include "test.h"
#include "work.h"

char *file_read(const char *path);

/* diskstats_read() is not tested here */
char *file_read(const char *path)
{
	(void)path;
	return NULL;
}

static const char text[] =
	"   1       0 ram0 0 0 0 0 0 0 0 0 0 0 0\n"
	/* before 4.18, before 5.5, and now */
	"   8       0 sda 1 2 3 4 5 6 7 8 9 10 11\n"
	"   8      16 sdb 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n"
	" 254       0 vda 10 20 30 40 50 60 70 80 90 100 110 120 130 140 150 160 170\n"
	" 254       1 vda1 1 1 1 1 1 1 1 1 0 1 1 1 1 1 1 1 1\n"
	" 259       0 nvme0n1 4294967300 0 8 4294967295 0 0 0 0 0 0 0 0 0 0 0 0 0";

static bool is_empty(const char *all)
{
	struct diskstats_file file;
	struct diskstats st;
	bool found;

	diskstats_parse(&file, all ? strdup(all) : NULL);
	found = diskstats_find(&file, 0, &st);
	diskstats_free(&file);
	return !found;
}

static void lines(void)
{
	struct diskstats_file file;
	struct diskstats st, before;

	diskstats_parse(&file, strdup(text));
	if (!diskstats_find(&file, 8 << 20, &st))
		fail("no sda");
	if (st.ios[STAT_READ] != 1 || st.merges[STAT_READ] != 2 || st.sectors[STAT_READ] != 3 ||
	    st.ms[STAT_READ] != 4 || st.ios[STAT_WRITE] != 5 || st.ms[STAT_WRITE] != 8 ||
	    st.busy_ms != 10 || st.queue_ms != 11 || st.ios[STAT_DISCARD] || st.ios[STAT_FLUSH])
		fail("sda is wrong");
	if (!diskstats_find(&file, 8 << 20 | 16, &st) || st.ios[STAT_DISCARD] != 12 ||
	    st.sectors[STAT_DISCARD] != 14 || st.ms[STAT_DISCARD] != 15 || st.ios[STAT_FLUSH])
		fail("sdb is wrong");
	if (!diskstats_find(&file, 254 << 20, &before) || before.ios[STAT_FLUSH] != 160 ||
	    before.ms[STAT_FLUSH] != 170 || before.merges[STAT_DISCARD] != 130)
		fail("vda is wrong");
	if (!diskstats_find(&file, 259 << 20, &st) || st.ios[STAT_READ] != 4294967300ULL)
		fail("the last line, without a newline");
	if (diskstats_find(&file, 8 << 20 | 1, &st) || !is_empty("") || !is_empty(NULL))
		fail("a disk that is not there");
	diskstats_free(&file);
	/* milliseconds wrap at 32 bits */
	memset(&st, 0, sizeof(st));
	memset(&before, 0, sizeof(before));
	before.ms[STAT_READ] = 0xfffffff0;
	st.ms[STAT_READ] = 0x10;
	before.ios[STAT_READ] = 5;
	st.ios[STAT_READ] = 7;
	if (!diskstats_since(&st, &before) || st.ms[STAT_READ] != 0x20 || st.ios[STAT_READ] != 2)
		fail("the difference is wrong");
}

/* Another disk has the number of one that is gone: what it did is its own. */
static void another_disk(void)
{
	const struct diskstats old = {
		.ios = { 100, 50 }, .sectors = { 800, 400 }, .busy_ms = 5000, .queue_ms = 77,
	};
	const struct diskstats now[] = {
		{ .ios = { 7, 60 }, .sectors = { 900, 500 }, .busy_ms = 6000 },
		{ .ios = { 200, 60 }, .sectors = { 900, 399 }, .busy_ms = 6000 },
		{ .ios = { 200, 60 }, .sectors = { 900, 500 }, .busy_ms = 40 },
	};
	struct diskstats st;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(now); i++) {
		st = now[i];
		if (diskstats_since(&st, &old) || memcmp(&st, &now[i], sizeof(st)))
			fail("disk %zu was busy for %llu ms", i, (u64)st.busy_ms);
	}
}

/* An interval in which a disk came or was away is not known; those after it are. */
static void looks(void)
{
	static const struct {
		const char *text;
		bool known;
		u64 ios;
	} steps[] = {
		/* it joins what is watched, after a month */
		{ "8 0 sda 1000000 0 8000000 5 0 0 0 0 0 9 9\n", false, 0 },
		{ "8 0 sda 1000010 0 8000080 5 0 0 0 0 0 9 9\n", true, 10 },
		{ "8 16 sdb 1 0 8 5 0 0 0 0 0 9 9\n", false, 0 },
		{ "8 0 sda 2000000 0 16000000 5 0 0 0 0 0 9 9\n", false, 0 },
		{ "8 0 sda 2000007 0 16000056 5 0 0 0 0 0 9 9\n", true, 7 },
		/* another one has its number */
		{ "8 0 sda 120 0 960 5 0 0 0 0 0 9 9\n", false, 0 },
		{ "8 0 sda 123 0 984 5 0 0 0 0 0 9 9\n", true, 3 },
		/* the file cannot be read, or it is a recording */
		{ NULL, false, 0 },
	};
	struct diskstats_look look = { .there = false };
	struct diskstats_file file;
	struct diskstats st;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		diskstats_parse(&file, steps[i].text ? strdup(steps[i].text) : NULL);
		if (diskstats_next(&look, &file, 8 << 20, &st) != steps[i].known)
			fail("step %zu is %sknown", i, steps[i].known ? "not " : "");
		else if (steps[i].known && st.ios[STAT_READ] != steps[i].ios)
			fail("step %zu has %llu IOs", i, (u64)st.ios[STAT_READ]);
		diskstats_free(&file);
	}
}

/*
 * In an interval of 26 hours, with 100 requests under way and a look each two minutes, milliseconds
 * wrap twice.
 */
static void long_interval(void)
{
	struct diskstats_look look = { .there = false };
	struct diskstats_file file;
	struct diskstats st;
	unsigned int i;
	char line[128];
	u64 ms;
	bool known;

	for (i = 0; i <= 2 * 780; i++) {
		ms = i * 120000ULL;
		/* the second interval is one as the first, but the disk is away for a moment */
		snprintf(line, sizeof(line), "8 %u sda 0 0 0 0 %u 0 %u %u 0 %u %u\n", i == 1000,
			 i, i * 8, (u32)(ms * 99), (u32)(ms + 4294000000), (u32)(ms * 100));
		diskstats_parse(&file, strdup(line));
		if (i % 780) {
			diskstats_gather(&look, &file, 8 << 20);
			diskstats_free(&file);
			continue;
		}
		known = diskstats_next(&look, &file, 8 << 20, &st);
		diskstats_free(&file);
		if (known != (i == 780))
			fail("look %u is %sknown", i, known ? "" : "not ");
		if (!known)
			continue;
		if (st.ios[STAT_WRITE] != 780 || st.sectors[STAT_WRITE] != 780 * 8 ||
		    st.busy_ms != ms || st.ms[STAT_WRITE] != ms * 99 ||
		    st.queue_ms != ms * 100)
			fail("%llu writes took %llu ms, in all %llu ms in %llu ms",
			     (u64)st.ios[STAT_WRITE], (u64)st.ms[STAT_WRITE], (u64)st.queue_ms,
			     (u64)st.busy_ms);
	}
}

/* Each of so many disks is looked for in a file of as many lines. */
static void look_for_all(unsigned int disks)
{
	struct diskstats_file file;
	struct diskstats st;
	char *all, *at;
	unsigned int i;

	all = at = malloc(disks * 64);
	for (i = 0; i < disks; i++)
		at += sprintf(at, "%4u %7u sd%u %u 0 8 1 0 0 0 0 0 9 9\n", 8 + i / 256,
			      i % 256 * 16, i, i);
	diskstats_parse(&file, all);
	for (i = 0; i < disks; i++) {
		if (!diskstats_find(&file, (8 + i / 256) << 20 | i % 256 * 16, &st) ||
		    st.ios[STAT_READ] != i)
			fail("disk %u has %llu IOs", i, (u64)st.ios[STAT_READ]);
	}
	diskstats_free(&file);
}

static void many_lines(void)
{
	work_is_linear("disks of a file", look_for_all);
	look_for_all(4096);
}

/* What is covered, from spans of which each has its place for all time */
struct oracle {
	struct {
		u64 from, to;
	} *span;
	unsigned int nr;
};

static void oracle_add(struct oracle *o, u64 from, u64 to)
{
	while (o->nr && o->span[o->nr - 1].to >= from) {
		o->nr--;
		if (o->span[o->nr].from < from)
			from = o->span[o->nr].from;
	}
	o->span[o->nr].from = from;
	o->span[o->nr++].to = to;
}

static u64 oracle_covered(const struct oracle *o)
{
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i < o->nr; i++)
		sum += o->span[i].to - o->span[i].from;
	return sum;
}

/* The oracle itself, against 400 places that are marked one by one; so few spans are exact. */
static void cover(void)
{
	unsigned int n, i, k, nr;
	struct oracle o;

	note("seed %llu", seed());
	o.span = malloc(12 * sizeof(*o.span));
	for (n = 0; n < 2000; n++) {
		struct spans s = { 0 };
		char place[400] = { 0 };
		u64 end = 0, want = 0, from;

		o.nr = 0;
		nr = 1 + rnd(12);
		for (i = 0; i < nr; i++) {
			end += rnd(30);
			from = end > 120 ? end - rnd(120) : rnd(end + 1);
			spans_add(&s, from, end);
			if (from < end)
				oracle_add(&o, from, end);
			for (k = from; k < end; k++)
				place[k] = 1;
		}
		for (k = 0; k < sizeof(place); k++)
			want += place[k];
		if (spans_covered(&s) != want || oracle_covered(&o) != want)
			fail("%llu are covered, by the oracle %llu, not %llu",
			     (u64)spans_covered(&s), oracle_covered(&o), want);
		spans_clear(&s);
	}
	free(o.span);
}

/* One IO lasts for a second; beside it there are short ones, each covers a part of its turn. */
static void outlasts(unsigned int shorts, u64 from)
{
	u64 turn = 1000000000 / shorts, want = 0, got, i;
	struct spans s = { 0 };

	for (i = 0; i < shorts; i++) {
		spans_add(&s, i * turn, i * turn + turn / 100);
		want += i * turn < from ? turn / 100 : 0;
	}
	if (spans_covered(&s) != shorts * (turn / 100))
		fail("%u short ones cover %llu", shorts, (u64)spans_covered(&s));
	spans_add(&s, from, 1000000000);
	want += 1000000000 - from;
	got = spans_covered(&s);
	/* where it begins is known to a hundredth of a second */
	if (from ? got > want + 10000000 || got + 10000000 < want : got != want)
		fail("%llu are covered beside %u, not %llu", got, shorts, want);
	spans_clear(&s);
}

static void one_long(void)
{
	static const unsigned int shorts[] = { 1, 7, 8, 9, 100, 255, 256, 257, 10000, 1000000 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(shorts); i++) {
		outlasts(shorts[i], 0);
		outlasts(shorts[i], 250000007);
		outlasts(shorts[i], 999000007);
	}
}

enum {
	IOS = 20000,
	PART = 50,		/* it is wrong by this part of what is covered, at most */
};

/* Of any magnitude below a power of two */
static u64 about(unsigned int bits)
{
	return rnd64() & ((1ULL << (1 + rnd(bits))) - 1);
}

/* IOs of any length after gaps of any length, and now and then one that outlasts many. */
static void any_length(void)
{
	unsigned int n, i, gap, length, many;
	u64 end, want, got, wrong, worst = 0;
	struct oracle o;

	o.span = malloc(IOS * sizeof(*o.span));
	for (n = 0; n < 300; n++) {
		struct spans s = { 0 };

		o.nr = 0;
		gap = 4 + rnd(16);
		length = 1 + rnd(24);
		many = 1 + rnd(5000);
		end = 0;
		for (i = 0; i < IOS; i++) {
			u64 took;

			end += 1 + about(gap);
			took = 1 + about(rnd(many) ? length : 34);
			took = took < end ? took : end;
			spans_add(&s, end - took, end);
			oracle_add(&o, end - took, end);
			if (s.nr > SPANS_MOST || s.size > SPANS_MOST)
				fail("%u spans, room for %u", s.nr, s.size);
		}
		want = oracle_covered(&o);
		got = spans_covered(&s);
		wrong = got > want ? got - want : want - got;
		if (wrong * PART > want)
			fail("%llu are covered, not %llu", got, want);
		if (want && wrong * 100000 / want > worst)
			worst = wrong * 100000 / want;
		spans_clear(&s);
	}
	note("seed %llu, wrong by %llu of 100,000 at most", seed(), worst);
	free(o.span);
}

/* What an IO costs does not grow with how many there are; 16 times as much is IOs squared. */
static u64 work_of(unsigned int ios)
{
	struct spans s = { 0 };
	u64 before = work;
	unsigned int i;

	for (i = 0; i < ios; i++)
		spans_add(&s, i * 100ULL + i % 37, i * 100ULL + 60);
	spans_clear(&s);
	return work - before;
}

static void cheap(void)
{
	u64 few = work_of(10000), many = work_of(40000);

	if (!few || many > 5 * few || many > 40000 * 100)
		fail("%llu blocks for 10,000 IOs, %llu for 40,000", few, many);
	note("%llu blocks for 10,000 IOs, %llu for 40,000", few, many);
}

/* Times of a damaged recording: the ends are in any order, and may be the last of all times. */
static void any_order(void)
{
	unsigned int n, i;

	note("seed %llu", seed());
	for (n = 0; n < 200; n++) {
		struct spans s = { 0 };

		for (i = 0; i < 2000; i++)
			spans_add(&s, rnd_value(), rnd_value());
		for (i = 0; i < s.nr; i++) {
			if (s.span[i].from >= s.span[i].to ||
			    s.span[i].covered > s.span[i].to - s.span[i].from ||
			    (i && s.span[i].from < s.span[i - 1].to))
				fail("span %u is wrong", i);
		}
		spans_clear(&s);
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(lines), TEST(another_disk), TEST(looks), TEST(long_interval), TEST(many_lines),
		TEST(cover), TEST(one_long), TEST(any_length), TEST(cheap), TEST(any_order),
	};

	return run_tests("tool_stat", tests, ARRAY_SIZE(tests));
}
