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

/* Against a second of 400 places that are marked one by one. */
static void cover(void)
{
	unsigned int n, i, k, nr;

	note("seed %llu", seed());
	for (n = 0; n < 2000; n++) {
		struct spans s = { 0 };
		char place[400] = { 0 };
		u64 end = 0, want = 0;

		nr = 1 + rnd(12);
		for (i = 0; i < nr; i++) {
			u64 from;

			end += rnd(30);
			/* within the spans that can be open */
			from = end > 120 ? end - rnd(120) : rnd(end + 1);
			spans_add(&s, from, end);
			for (k = from; k < end; k++)
				place[k] = 1;
			if (i >= SPANS_OPEN)
				break;
		}
		for (k = 0; k < sizeof(place); k++)
			want += place[k];
		if (i < SPANS_OPEN && spans_covered(&s) != want)
			fail("%llu are covered, not %llu", (u64)spans_covered(&s), want);
		if (spans_covered(&s) > want)
			fail("more is covered than there is");
	}
}

/* Many IOs one after the other need no more room. */
static void many(void)
{
	struct spans s = { 0 };
	u64 i;

	for (i = 0; i < 1000; i++)
		spans_add(&s, i * 10, i * 10 + 4);
	if (spans_covered(&s) != 4000)
		fail("%llu are covered", (u64)spans_covered(&s));
	/* one that began before all that is left counts from there only */
	spans_add(&s, 0, 10000);
	if (spans_covered(&s) > 10000 || spans_covered(&s) < 4000)
		fail("%llu of 10000 are covered", (u64)spans_covered(&s));
}

int main(void)
{
	static const struct test tests[] = {
		TEST(lines), TEST(another_disk), TEST(looks), TEST(many_lines), TEST(cover), TEST(many),
	};

	return run_tests("tool_stat", tests, ARRAY_SIZE(tests));
}
