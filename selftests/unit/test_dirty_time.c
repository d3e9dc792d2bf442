// SPDX-License-Identifier: GPL-2.0
/*
 * Times of dirtying are right or not known: beside stamps stand the times that they are of.
 */
#include <linux/compiler.h>

#include "blame/dirty_time.h"
#include "test.h"

#define UNIT	(1ULL << IOB_DIRTY_TIME_SHIFT)	/* ns */
#define WRAP	(1ULL << 32)			/* units */

bool iob_dirty_time_wanted;
static u64 clock_ns;

u64 ktime_get_ns(void)
{
	return clock_ns;
}

static u32 stamp_at(u64 time)
{
	clock_ns = time * UNIT + rnd(UNIT);
	return iob_dirty_time_now();
}

static void none_is_noted(void)
{
	iob_dirty_time_wanted = false;
	if (stamp_at(1000))
		fail("a stamp that nobody wants");
	iob_dirty_time_wanted = true;
	if (!stamp_at(0) || !stamp_at(WRAP) || !stamp_at(3 * WRAP))
		fail("a stamp of 0 means that there is none");
	if (iob_dirty_time_of(0, 1000, 0))
		fail("no stamp has a time");
}

static void borders(void)
{
	const u64 most = IOB_DIRTY_TIME_MAX, at = 5 * WRAP + 77;
	u32 stamp = stamp_at(at);

	if (iob_dirty_time_of(stamp, at, 0) != at)
		fail("this moment");
	if (iob_dirty_time_of(stamp, at + most, 0) != at)
		fail("16 hours ago");
	if (iob_dirty_time_of(stamp, at + most + 1, 0))
		fail("longer than 16 hours ago");
	if (iob_dirty_time_of(stamp, at + WRAP - 1, 0))
		fail("just before stamps wrap");
	if (iob_dirty_time_of(stamp, at + 10, at) != at)
		fail("when times began to be noted");
	if (iob_dirty_time_of(stamp, at + 10, at + 1))
		fail("before times were noted");
	/* a stamp of what is to come, as from before a reboot of the clock */
	if (iob_dirty_time_of(200, 100, 0))
		fail("in the future");
	if (iob_dirty_time_of(U32_MAX - 10, 5, 0))
		fail("before the clock began");
}

/* Any time, any age below a wrap: the time, or that it is not known where it must be. */
static void any_age(void)
{
	u64 at, age, since, got, want;
	unsigned int nr_known = 0;

	for (int i = 0; i < 1000000; i++) {
		at = 1 + (rnd64() >> (20 + rnd(40)));
		age = rnd(4) ? rnd64() % (IOB_DIRTY_TIME_MAX + 1) : rnd64() % WRAP;
		since = rnd(3) ? rnd64() % (at + 1) : at + 1 + rnd(1000);
		if (!(u32)at)
			continue;
		want = age > IOB_DIRTY_TIME_MAX || since > at ? 0 : at;
		got = iob_dirty_time_of(stamp_at(at), at + age, since);
		if (got != want)
			fail("%llu, %llu later, noted since %llu: %llu", at, age, since, got);
		nr_known += !!want;
	}
	if (nr_known < 100000)
		fail("only %u are known", nr_known);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(none_is_noted), TEST(borders), TEST(any_age),
	};

	return run_tests("dirty_time", tests, ARRAY_SIZE(tests));
}
