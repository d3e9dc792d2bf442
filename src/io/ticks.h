/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ticks - lengths of time between two readings of a counter
 *
 * A length is a difference of readings, scaled by a fixed-point factor.  Times of a second
 * clock are put into the same ticks, with a mark in bit 63: an IO that was queued by one
 * clock and done by the other has no length (0).
 *
 * Example: a counter of 2.5 GHz has ticks of 0.4 ns.  Readings 1000 and 251000 are 250000
 * ticks apart: .usecs is 0.0004 * 2^32 = 1717987 (rounded up), and 250000 * 1717987 >> 32
 * is 100 us.
 *
 * Pure: builds in userspace too.
 */
#ifndef IOB_IO_TICKS_H
#define IOB_IO_TICKS_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/types.h>

/* the mark of times of the other clock */
#define IOB_TICKS_OTHER		BIT_ULL(63)
/* a greater difference is no length: the times are of different clocks */
#define IOB_TICKS_FAR		BIT_ULL(62)
/* a time that is not known: the length from it is 0 */
#define IOB_TICKS_UNKNOWN	IOB_TICKS_FAR
/* the counters of two CPUs differ by less */
#define IOB_TICKS_SKEW		BIT_ULL(20)

/* The length of a tick. */
struct iob_ticks {
	u32 usecs;	/* in us, 32 fractional bits, rounded up */
	u32 nsecs;	/* in ns, 24 fractional bits, rounded down */
	u64 per_nsec;	/* ticks in a ns, 32 fractional bits */
};

void iob_ticks_set(struct iob_ticks *t, u64 nsecs);
u64 iob_ticks_other(const struct iob_ticks *t, u64 nsecs);
u64 iob_ticks_long(u64 ticks, u32 tick, int shift);

/* Ticks from one time to another; 0 if that is not known. */
static __always_inline u64 iob_ticks_between(u64 from, u64 to)
{
	u64 ticks = to - from;

	/* (the counters of two CPUs may differ by a few: a negative length is 0) */
	return likely(ticks < IOB_TICKS_FAR) ? ticks : 0;
}

/* Most lengths are below a second or two: then the product fits in 64 bits. */
static __always_inline u64 iob_ticks_scaled(u64 ticks, u32 tick, int shift)
{
	return likely(!(ticks >> 32)) ? ticks * tick >> shift :
					iob_ticks_long(ticks, tick, shift);
}

/* Microseconds from one time to another. */
static __always_inline u64 iob_ticks_usecs(const struct iob_ticks *t,
					   u64 from, u64 to)
{
	return iob_ticks_scaled(iob_ticks_between(from, to), t->usecs, 32);
}

/* Likewise nanoseconds. */
static __always_inline u64 iob_ticks_nsecs(const struct iob_ticks *t,
					   u64 from, u64 to)
{
	return iob_ticks_scaled(iob_ticks_between(from, to), t->nsecs, 24);
}

/*
 * iob_ticks_usecs() without a call, for lengths below 2^32 ticks, and the ticks.
 * Return: false if it is longer, or not known.
 */
static __always_inline bool iob_ticks_soon(const struct iob_ticks *t, u64 from,
					   u64 to, u32 *usecs, u64 *ticks)
{
	*ticks = to - from;

	/* (the difference is great, too, if one of the times has the mark) */
	if (unlikely(*ticks >> 32))
		return false;
	*usecs = *ticks * t->usecs >> 32;
	return true;
}

/* Nanoseconds of so many ticks, below 2^32. */
static __always_inline u64 iob_ticks_soon_nsecs(const struct iob_ticks *t, u64 ticks)
{
	return ticks * READ_ONCE(t->nsecs) >> 24;
}

#endif
