/* SPDX-License-Identifier: GPL-2.0 */
/*
 * clock - how long an IO takes
 *
 * Each IO asks twice for the time, and most only to know how long it took.  For
 * that the processor's counter will do, where the kernel keeps its own time by it
 * (and so knows that it runs alike on all processors): read as it is, in ticks, it
 * costs a fraction of ktime_get_ns().  Elsewhere, and once the kernel has put it
 * aside in the middle of a session, the times are the kernel's, in ticks, too.
 *
 * Those have a mark, so that between one of each nothing is measured.
 */
#ifndef IOB_RECORD_CLOCK_H
#define IOB_RECORD_CLOCK_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/math64.h>

#include <compat/clock.h>

/* The kernel's time, in ticks. */
#define IOB_CLOCK_OTHER		BIT_ULL(63)
/* Further away from any time of either kind than this is no length. */
#define IOB_CLOCK_FAR		BIT_ULL(62)
/* a time from which nothing is known to have passed */
#define IOB_CLOCK_UNKNOWN	IOB_CLOCK_FAR

struct iob_clock {
	bool counts;	/* iob_cycles() are the ticks; only ever set to false */
	u32 usecs;	/* a tick in us, 32 bits behind the point, rounded up */
	u32 nsecs;	/* likewise in ns, 24 bits, not rounded */
	u64 ticks;	/* a nanosecond in ticks, 32 bits */
};

extern struct iob_clock iob_clock;

u64 iob_clock_other(void);
u64 iob_clock_long(u64 ticks, u32 tick, int shift);
const char *iob_clock_name(void);
void iob_clock_start(void);
void iob_clock_stop(void);

/* Now, in ticks.  Any context but NMI. */
static __always_inline u64 iob_clock_now(void)
{
	return likely(READ_ONCE(iob_clock.counts)) ? iob_cycles() :
						     iob_clock_other();
}

/* From one time to another in ticks; 0 where that is not known. */
static __always_inline u64 iob_clock_ticks(u64 from, u64 to)
{
	u64 ticks = to - from;

	/* (the counters of two processors may differ by a few) */
	return likely(ticks < IOB_CLOCK_FAR) ? ticks : 0;
}

/* Most are of a second or less, of which the product has 64 bits. */
static __always_inline u64 iob_clock_scaled(u64 ticks, u32 tick, int shift)
{
	return likely(!(ticks >> 32)) ? ticks * tick >> shift :
					iob_clock_long(ticks, tick, shift);
}

/*
 * The same until now in us, if that is no second and had without a call: as it is for most.
 * Return: false if not.
 */
static __always_inline bool iob_clock_soon(u64 from, u64 *usecs)
{
	u64 ticks = iob_cycles() - from;

	/* (of a time that has the mark it is a great number, too) */
	if (unlikely(!READ_ONCE(iob_clock.counts) || ticks >> 32))
		return false;
	*usecs = ticks * iob_clock.usecs >> 32;
	return true;
}

/* From one time to another in us. */
static __always_inline u64 iob_clock_usecs(u64 from, u64 to)
{
	return iob_clock_scaled(iob_clock_ticks(from, to), iob_clock.usecs, 32);
}

/* Likewise in ns. */
static __always_inline u64 iob_clock_nsecs(u64 from, u64 to)
{
	return iob_clock_scaled(iob_clock_ticks(from, to), iob_clock.nsecs, 24);
}

#endif
