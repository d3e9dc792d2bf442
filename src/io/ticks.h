/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ticks - lengths of time between readings of a counter
 *
 * Times of another clock are put into the same ticks, with a mark: a flight that was
 * queued by one clock and done by the other has no length.
 *
 * Pure.
 */
#ifndef IOB_IO_TICKS_H
#define IOB_IO_TICKS_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/types.h>

/* The other clock's time. */
#define IOB_TICKS_OTHER		BIT_ULL(63)
/* Further away from any time of either kind than this is no length. */
#define IOB_TICKS_FAR		BIT_ULL(62)
/* a time from which nothing is known to have passed */
#define IOB_TICKS_UNKNOWN	IOB_TICKS_FAR

/* How long one is. */
struct iob_ticks {
	u32 usecs;	/* in us, 32 bits behind the point, rounded up */
	u32 nsecs;	/* in ns, 24 bits, not rounded */
	u64 per_nsec;	/* so many are a nanosecond, 32 bits */
};

void iob_ticks_set(struct iob_ticks *t, u64 nsecs);
u64 iob_ticks_other(const struct iob_ticks *t, u64 nsecs);
u64 iob_ticks_long(u64 ticks, u32 tick, int shift);

/* From one time to another; 0 where that is not known. */
static __always_inline u64 iob_ticks_between(u64 from, u64 to)
{
	u64 ticks = to - from;

	/* (the counters of two processors may differ by a few) */
	return likely(ticks < IOB_TICKS_FAR) ? ticks : 0;
}

/* Most are of a second or less, of which the product has 64 bits. */
static __always_inline u64 iob_ticks_scaled(u64 ticks, u32 tick, int shift)
{
	return likely(!(ticks >> 32)) ? ticks * tick >> shift :
					iob_ticks_long(ticks, tick, shift);
}

/* From one time to another in us. */
static __always_inline u64 iob_ticks_usecs(const struct iob_ticks *t,
					   u64 from, u64 to)
{
	return iob_ticks_scaled(iob_ticks_between(from, to), t->usecs, 32);
}

/* Likewise in ns. */
static __always_inline u64 iob_ticks_nsecs(const struct iob_ticks *t,
					   u64 from, u64 to)
{
	return iob_ticks_scaled(iob_ticks_between(from, to), t->nsecs, 24);
}

/*
 * In us, if that is no second and had without a call: as it is for most.
 * Return: false if not.
 */
static __always_inline bool iob_ticks_soon(const struct iob_ticks *t, u64 from,
					   u64 to, u64 *usecs)
{
	u64 ticks = to - from;

	/* (of times of which one has the mark it is a great number, too) */
	if (unlikely(ticks >> 32))
		return false;
	*usecs = ticks * t->usecs >> 32;
	return true;
}

#endif
