// SPDX-License-Identifier: GPL-2.0
/*
 * Counters beside a clock: right ones are believed, jumps and other speeds are seen.
 */
#include "io/drift.h"
#include "test.h"

#define SEC	1000000000ULL

/*
 * A counter of @khz whose tick is meant to be that of @meant kHz, looked at for @secs seconds;
 * after half of them it jumps by @jump ns.  Return: the seconds until it is not believed, or
 * 0.
 */
static u64 believed(u64 khz, u64 meant, u64 secs, s64 jump)
{
	struct iob_drift d;
	struct iob_ticks tick;
	u64 at = rnd64() >> 12, base = rnd64() >> 12, now = 0, late;

	iob_ticks_set(&tick, (1000000ULL << 32) / meant);
	iob_drift_begin(&d, at, base);
	while (now < secs * SEC) {
		/* NOHZ; the counter is read a little later, or the CPU was stopped */
		now += rnd(4) ? 4000000 : 1 + rnd(400000000);
		late = rnd(20) ? 500 + rnd(3000) : rnd(50000000);
		if (now > secs * SEC / 2)
			late += jump;
		if (!iob_drift_look(&d, &tick, at + (u64)((unsigned __int128)(now + late) *
						     khz / 1000000), base + now))
			return now / SEC + 1;
	}
	return 0;
}

static void right(void)
{
	for (int i = 0; i < 200; i++) {
		u64 khz = 100000 + rnd(5000000), got;

		/* NTP makes the clock 500 ppm faster or slower */
		got = believed(khz, khz + ((int)rnd(3) - 1) * (s64)(khz / 2100), 100, 0);
		if (got)
			fail("%llu kHz is not believed after %llu s", khz, got);
	}
}

static void wrong(void)
{
	for (int i = 0; i < 200; i++) {
		u64 khz = 1000000 + rnd(4000000), got;
		s64 jump = (rnd(2) ? -1 : 1) * (s64)(8000000 + rnd(2000000000));

		got = believed(khz, khz, 20, jump);
		if (!got || got < 10 || got > 14)
			fail("a jump of %lld ns after 10 s is seen after %llu s", jump, got);
		got = believed(khz, khz + khz / 100, 20, 0);
		if (!got || got > 6)
			fail("1 %% slower is seen after %llu s", got);
	}
}

int main(void)
{
	static const struct test tests[] = { TEST(right), TEST(wrong) };

	return run_tests("drift", tests, ARRAY_SIZE(tests));
}
