// SPDX-License-Identifier: GPL-2.0
/*
 * Lengths of time by counters of any speed, against the same in 128 bits.
 */
#include "io/ticks.h"
#include "test.h"

#define FEW	500	/* speeds */
#define MANY	2000	/* lengths by each */

typedef unsigned __int128 u128;

/* A processor's counter, from 20 MHz to 8 GHz; sometimes the kernel's nanosecond. */
static u64 any_tick(struct iob_ticks *t)
{
	u64 hz = 20000000 + rnd64() % 7980000000ULL;
	u64 nsecs = rnd(10) ? (u64)(((u128)1000000000 << 32) / hz) : 1ULL << 32;

	iob_ticks_set(t, nsecs);
	return nsecs;
}

/* When, in ticks: four years after the start or more, most much less. */
static u64 any_time(void)
{
	return rnd64() >> (4 + rnd(60));
}

static bool within(u64 got, u128 least, u128 most)
{
	return got >= least && got <= most;
}

/* From and to are of one kind. */
static void lengths(void)
{
	struct iob_ticks t;
	u64 nsecs = any_tick(&t), from, len, mark, got, ticks;
	u32 nr_soon = 0, soon;

	for (int i = 0; i < FEW * MANY; i++) {
		if (i % MANY == 0)
			nsecs = any_tick(&t);
		from = any_time();
		/* (of slow ones 2^60 would be more ns than there is room for) */
		len = any_time() >> (nsecs >> 32 ? 6 : 0);
		mark = rnd(2) ? IOB_TICKS_OTHER : 0;
		got = iob_ticks_nsecs(&t, from | mark, (from + len) | mark);
		/* what is not rounded was less than 2^-24 ns of each */
		if (!within(got, 0, (u128)len * nsecs >> 32) ||
		    got + (len >> 24) + 1 < (u128)len * nsecs >> 32)
			fail("%llu ticks of %llu are %llu ns", len, nsecs, got);
		got = iob_ticks_usecs(&t, from | mark, (from + len) | mark);
		/* what is rounded up was less than 2^-32 us of each */
		if (!within(got, ((u128)len * nsecs >> 32) / 1000,
			    (((u128)len * nsecs >> 32) + 1) / 1000 + (len >> 32) + 1))
			fail("%llu ticks of %llu are %llu us", len, nsecs, got);
		if (!iob_ticks_soon(&t, from | mark, (from + len) | mark, &soon, &ticks))
			continue;
		nr_soon++;
		if (soon != got)
			fail("%llu ticks are %llu us, soon %u", len, got, soon);
		got = iob_ticks_nsecs(&t, from | mark, (from + len) | mark);
		if (ticks != len || iob_ticks_soon_nsecs(&t, ticks) != got)
			fail("%llu ticks are %llu ns, soon %llu", len, got,
			     iob_ticks_soon_nsecs(&t, ticks));
	}
	if (nr_soon < FEW * MANY / 4)
		fail("only %u are had soon", nr_soon);
	note("%u of %u had soon", nr_soon, FEW * MANY);
}

/* A whole number of us is not told as one less. */
static void whole(void)
{
	struct iob_ticks t;
	u64 nsecs = any_tick(&t), usecs, ticks;

	for (int i = 0; i < FEW * MANY; i++) {
		if (i % MANY == 0)
			nsecs = any_tick(&t);
		usecs = rnd(1000000);
		ticks = ((((u128)usecs * 1000) << 32) + nsecs - 1) / nsecs;
		if (iob_ticks_usecs(&t, 0, ticks) < usecs)
			fail("%llu us are %llu", usecs, iob_ticks_usecs(&t, 0, ticks));
	}
}

static void no_length(struct iob_ticks *t, const char *what, u64 from, u64 to)
{
	u32 usecs = 0;
	u64 ticks;

	if (iob_ticks_nsecs(t, from, to) || iob_ticks_usecs(t, from, to) ||
	    iob_ticks_soon(t, from, to, &usecs, &ticks))
		fail("%s: from %#llx to %#llx there is a length", what, from, to);
}

/* Between clocks, from a time that is not known, and back in time there is none. */
static void none(void)
{
	struct iob_ticks t;
	u64 a, b;

	for (int i = 0; i < FEW * MANY; i++) {
		if (i % MANY == 0)
			any_tick(&t);
		a = any_time();
		b = iob_ticks_other(&t, rnd64() >> (7 + rnd(57)));
		no_length(&t, "to the other", a, b);
		no_length(&t, "from the other", b, a);
		no_length(&t, "unknown", IOB_TICKS_UNKNOWN, a);
		no_length(&t, "unknown, other", IOB_TICKS_UNKNOWN, b);
		no_length(&t, "back", a + 1 + rnd(1000), a);
		no_length(&t, "back, other", b + 1 + rnd(1000), b);
	}
}

/* The other clock's times are in ns, and measured as such. */
static void others(void)
{
	struct iob_ticks t;
	u64 from, len, got;

	for (int i = 0; i < FEW * MANY; i++) {
		if (i % MANY == 0)
			any_tick(&t);
		from = rnd64() >> (8 + rnd(56));
		len = rnd64() >> (8 + rnd(56));
		got = iob_ticks_nsecs(&t, iob_ticks_other(&t, from),
				      iob_ticks_other(&t, from + len));
		/* rounded to ticks, 50 ns at most; of each, less than 2^-24 ns is lost */
		if (!within(got + 51 + (len >> 20), len, (u128)len + 102 + (len >> 20)))
			fail("%llu ns are %llu", len, got);
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(lengths), TEST(whole), TEST(none), TEST(others),
	};

	return run_tests("ticks", tests, ARRAY_SIZE(tests));
}
