// SPDX-License-Identifier: GPL-2.0
/* Slots have no gap, values are in the rows that name them, percentiles are close. */
#include "bars.h"
#include "hist.h"
#include "test.h"
#include "usage.h"

static void slots(void)
{
	unsigned int i;

	for (i = 0; i + 1 < HIST_SLOTS; i++) {
		u64 low = hist_low(i), next = hist_low(i + 1);

		if (next <= low)
			fail("slot %u begins at %llu, the next at %llu", i, low, next);
		if (hist_slot(low) != i || hist_slot(next - 1) != i)
			fail("slot %u is not what its ends are in", i);
	}
	if (hist_slot(U64_MAX) != HIST_SLOTS - 1 || hist_slot(0) != 0)
		fail("the ends");
}

/* The row of bars.h that counts a value. */
static unsigned int row_of(enum field field, u64 value)
{
	uint64_t rows[BARS_SLOTS];
	struct hist h = { { 0 } };
	unsigned int i;

	h.n[bars_slot_of(field, value)]++;
	bars_collect(&h, field, rows);
	for (i = 0; i < BARS_SLOTS && !rows[i]; i++)
		;
	return i;
}

/* The bounds of rows are exact, in microseconds as in bytes and sectors. */
static void bounds(void)
{
	static const struct {
		enum field field;
		u64 unit;
		unsigned int last;	/* row */
	} cases[] = {
		{ FIELD_TOTAL, 1000, 32 }, { FIELD_WAIT, 1000, 32 }, { FIELD_IO, 1000, 32 },
		{ FIELD_AGE, 1000, 32 }, { FIELD_SIZE, 1, 42 }, { FIELD_SEEK, 1, 42 },
		{ FIELD_OFFSET, 1, 42 },
	};
	unsigned int k, i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		enum field field = cases[i].field;
		u64 unit = cases[i].unit;

		if (row_of(field, 0) || row_of(field, unit - 1))
			fail("field %u: less than 1 is in row %u", field, row_of(field, unit - 1));
		for (k = 0; k < 32; k++) {
			u64 low = unit << k;

			if (row_of(field, low) != k + 1 || row_of(field, low - 1) != k)
				fail("field %u: 2^%u is in row %u, what is below in row %u", field,
				     k, row_of(field, low), row_of(field, low - 1));
			/* as counts.c has those that the module counted */
			if (row_of(field, unit * 3 / 2 << k) != k + 1 && (k || unit > 1))
				fail("field %u: the middle of row %u is in row %u", field, k + 1,
				     row_of(field, unit * 3 / 2 << k));
		}
		if (row_of(field, U64_MAX) != cases[i].last)
			fail("field %u: the largest is in row %u", field, row_of(field, U64_MAX));
	}
}

/* Any time is in a row that names it, and the past has it in the same. */
static void times(void)
{
	unsigned int n, row;
	u64 ns, us;

	note("seed %llu", seed());
	for (n = 0; n < 100000; n++) {
		ns = rnd64() >> (23 + rnd(41));
		us = ns / 1000;
		row = row_of(FIELD_TOTAL, ns);
		if (us < bars_low(row) || us > (row ? 2 * bars_low(row) - 1 : 0))
			fail("%llu ns are in the row from %llu us", ns, (u64)bars_low(row));
		if (usage_slot(ns) != row && row < USAGE_SLOTS)
			fail("%llu ns are in row %u, in the past's %u", ns, row, usage_slot(ns));
	}
}

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

/* Of sizes or of times. */
static void close_ones(unsigned int (*slot)(uint64_t value),
		       uint64_t (*percentile)(const struct hist *h, double part))
{
	static const double parts[] = { 0, 0.5, 0.9, 0.99, 1 };
	unsigned int n, i, k;

	for (n = 0; n < 500; n++) {
		unsigned int nr = 1 + rnd(300);
		struct hist h = { { 0 } };
		u64 values[300];

		for (i = 0; i < nr; i++) {
			values[i] = rnd64() >> (24 + rnd(40));
			h.n[slot(values[i])]++;
		}
		qsort(values, nr, sizeof(*values), compare);
		if (hist_count(&h) != nr)
			fail("%u are %llu", nr, (u64)hist_count(&h));
		for (k = 0; k < ARRAY_SIZE(parts); k++) {
			unsigned int at = parts[k] * nr;
			u64 want = values[at < nr ? at : nr - 1];
			u64 got = percentile(&h, parts[k]);
			u64 off = got > want ? got - want : want - got;

			if (hist_within(got, values[0], values[nr - 1]) < values[0] ||
			    hist_within(got, values[0], values[nr - 1]) > values[nr - 1])
				fail("%g of %u is no value between its ends", parts[k], nr);
			if (off > want / 7 + 1)
				fail("%g of %u: %llu, not %llu", parts[k], nr, got, want);
		}
	}
}

static void percentiles(void)
{
	note("seed %llu", seed());
	close_ones(hist_slot, hist_percentile);
	close_ones(hist_time_slot, hist_time_percentile);
}

/* A time is off by an eighth at most, whichever it is; the shortest are exact. */
static void close_times(void)
{
	u64 ns, got;

	for (ns = 0; ns < 1ULL << 41; ns += ns / 200 + 1) {
		struct hist h = { { 0 } };

		h.n[hist_time_slot(ns)] = 3;
		got = hist_time_percentile(&h, 0.99);
		if (got != hist_time_percentile(&h, 0) || (ns < 5 && got != ns) ||
		    (got > ns ? got - ns : ns - got) > ns / 8 + 1)
			fail("%llu ns are %llu", ns, got);
	}
}

static void sums(void)
{
	struct hist a = { { 0 } }, b = { { 0 } };

	if (hist_percentile(&a, 0.5))
		fail("nothing has a median");
	hist_add(&a, 10);
	hist_add(&b, 10);
	hist_add(&b, 1000000);
	hist_sum(&a, &b);
	if (hist_count(&a) != 3 || a.n[hist_slot(10)] != 2)
		fail("sum");
}

/* A month has more IOs than 32 bits count. */
static void many(void)
{
	const u64 most = 2ULL * U32_MAX;
	struct hist_few few = { 0 }, other = { 0 };
	struct hist h = { { 0 } };

	hist_few_add(&few, 5, U32_MAX);
	hist_few_add(&few, 5, U32_MAX);
	hist_few_sum(&h, &few);
	if (hist_count(&h) != most)
		fail("few are %llu, not %llu", (u64)hist_count(&h), most);
	hist_few_add(&other, HIST_SLOTS - 1, U32_MAX);
	hist_few_move(&other, &few);
	hist_few_sum(&h, &other);
	if (hist_count(&h) != 2 * most + U32_MAX || h.n[HIST_SLOTS - 1] != U32_MAX)
		fail("moved, they are %llu", (u64)hist_count(&h));
	hist_sum(&h, &h);
	if (hist_count(&h) != 4 * most + 2ULL * U32_MAX || hist_percentile(&h, 0.5) != hist_low(5))
		fail("their sum is %llu", (u64)hist_count(&h));
	hist_few_free(&other);
}

static void bars(void)
{
	static const struct {
		u64 n, most;
		const char *want;
	} cases[] = {
		{ 0, 10, "    " }, { 10, 10, "@@@@" }, { 5, 10, "@@  " },
		{ 1, 1000, "@   " }, { 0, 0, "    " }, { 20, 10, "@@@@" },
	};
	char to[5];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		bars_bar(to, 4, cases[i].n, cases[i].most);
		if (strcmp(to, cases[i].want))
			fail("%llu of %llu is '%s'", cases[i].n, cases[i].most, to);
	}
}

/* The longest line and the longest bar that were printed, and how many bars */
struct printed {
	size_t line, bar, bars;
};

static void take_line(const char *text, void *arg)
{
	struct printed *p = arg;
	const char *begin = strchr(text, '|'), *end = strrchr(text, '|');

	if (strlen(text) > p->line)
		p->line = strlen(text);
	if (!begin)
		return;
	p->bars++;
	if ((size_t)(end - begin) - 1 > p->bar)
		p->bar = end - begin - 1;
}

/* No line is longer than the terminal, as long as the numbers leave room for a bar. */
static void fits(void)
{
	static const struct {
		unsigned int width;
		u64 value;
		size_t bar;
	} cases[] = {
		{ 0, 100, 40 }, { 200, 100, 40 }, { 81, 100, 40 }, { 80, 100, 39 }, { 60, 100, 19 },
		{ 42, 100, 1 }, { 10, 100, 1 },
		/* the largest that a histogram has */
		{ 80, 1ULL << 50, 34 }, { 0, 1ULL << 50, 40 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		unsigned int width = cases[i].width;
		struct printed p = { 0 };
		struct hist h = { { 0 } };

		hist_add(&h, cases[i].value);
		hist_add(&h, cases[i].value);
		hist_add(&h, 0);
		bars_print(&h, FIELD_OFFSET, "sectors", width, take_line, &p);
		if (p.bar != cases[i].bar || p.bars < 2 ||
		    (width && p.bar > 1 && p.line > width))
			fail("%llu in %u columns: a bar of %zu, a line of %zu", cases[i].value,
			     width, p.bar, p.line);
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(slots), TEST(bounds), TEST(times), TEST(percentiles), TEST(close_times),
		TEST(sums), TEST(many), TEST(bars), TEST(fits),
	};

	return run_tests("tool_hist", tests, ARRAY_SIZE(tests));
}
