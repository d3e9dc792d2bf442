// SPDX-License-Identifier: GPL-2.0
/* The ends of intervals, as far as times go: a forged recording has any. */
#include "schedule.h"
#include "test.h"

static void few(void)
{
	static const struct {
		u64 next, interval, now, want;
	} cases[] = {
		{ 100, 10, 0, 100 }, { 100, 10, 99, 100 }, { 100, 10, 100, 110 },
		{ 100, 10, 109, 110 }, { 100, 10, 110, 120 }, { 100, 10, 1005, 1010 },
		{ 0, 1, 0, 1 }, { 0, 1, U64_MAX - 1, U64_MAX },
		/* no time is later */
		{ 100, 1000000000, U64_MAX, U64_MAX }, { U64_MAX, 1, U64_MAX, U64_MAX },
		{ 0, 1, U64_MAX, U64_MAX }, { U64_MAX - 5, 10, U64_MAX - 1, U64_MAX },
		{ 5, U64_MAX, 5, U64_MAX }, { 0, U64_MAX, 7, U64_MAX },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		u64 got = schedule_next(cases[i].next, cases[i].interval, cases[i].now);

		if (got != cases[i].want)
			fail("%llu + n * %llu after %llu is %llu, not %llu", cases[i].next,
			     cases[i].interval, cases[i].now, got, cases[i].want);
	}
}

/* It is after the time, by an interval at most, and so many intervals later. */
static void any(void)
{
	unsigned int i;

	note("seed %llu", seed());
	for (i = 0; i < 200000; i++) {
		u64 next = rnd_value(), interval = rnd_value(), now = rnd_value(), got;

		interval += !interval;
		got = schedule_next(next, interval, now);
		if (now < next ? got != next : got <= now && got != U64_MAX)
			fail("%llu + n * %llu after %llu is %llu", next, interval, now, got);
		if (got != U64_MAX && now >= next &&
		    (got - now > interval || (got - next) % interval))
			fail("%llu + n * %llu after %llu is %llu", next, interval, now, got);
	}
}

int main(void)
{
	static const struct test tests[] = { TEST(few), TEST(any) };

	return run_tests("tool_schedule", tests, ARRAY_SIZE(tests));
}
