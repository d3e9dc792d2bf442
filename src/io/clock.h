/* SPDX-License-Identifier: GPL-2.0 */
/*
 * clock - how long an IO takes
 *
 * Each IO reads the clock twice, and mostly only the difference is wanted.  If the CPU's
 * counter is the kernel's clocksource, or the clocksource is a hypervisor's that is made of
 * the counter, then it is the same on all CPUs, and a read costs a fraction of
 * ktime_get_ns().  In this case times are raw values of the counter, in ticks.  Elsewhere,
 * or once the counter is not trusted any more, times are those of ktime_get_ns(), converted
 * to ticks.
 *
 * Example: the TSC runs at 2.5 GHz.  An IO is queued at tick 1000 and done at tick 251000:
 * it took 250000 ticks of 0.4 ns, 100 us.
 */
#ifndef IOB_IO_CLOCK_H
#define IOB_IO_CLOCK_H

#include <linux/compiler.h>

#include <compat/clock.h>
#include "ticks.h"

struct iob_clock {
	bool counts;	/* ticks are iob_cycles(); never set again once false */
	u64 woken;	/* iob_cycles() when the machine last woke up, 0: it has not slept */
	struct iob_ticks tick;
};

extern struct iob_clock iob_clock;

u64 iob_clock_other(void);
void iob_clock_stamp_other(u64 *at);
const char *iob_clock_name(void);
void iob_clock_start(void);
void iob_clock_stop(void);

/* The time in ticks.  Any context but NMI. */
static __always_inline u64 iob_clock_now(void)
{
	return likely(READ_ONCE(iob_clock.counts)) ? iob_cycles() :
						     iob_clock_other();
}

/* Note the time in ticks.  Any context but NMI. */
static __always_inline void iob_clock_stamp(u64 *at)
{
	if (likely(READ_ONCE(iob_clock.counts)))
		*at = iob_cycles();
	else
		iob_clock_stamp_other(at);
}

/*
 * Microseconds and ticks since @from, which was stamped less than some IOs ago: see
 * iob_ticks_soon().
 * Return: false if it was stamped by the other clock, or long ago, be it that the machine has
 * slept.  If it was stamped by the counter, and the counter is not trusted any more, the
 * difference is as good as the last ones were.
 */
static __always_inline bool iob_clock_soon(u64 from, u32 *usecs, u64 *ticks)
{
	return iob_ticks_soon(&iob_clock.tick, from, iob_cycles(), usecs, ticks);
}

/* The ticks of iob_clock_soon() in nanoseconds. */
static __always_inline u64 iob_clock_nsecs_of(u64 ticks)
{
	return iob_ticks_soon_nsecs(&iob_clock.tick, ticks);
}

/*
 * True if the machine has slept since: the kernel's clock stood, and the counter went on or began
 * anew.  (Times of the other clock, and that which is not known, are greater.)
 */
static __always_inline bool iob_clock_slept(u64 from)
{
	return unlikely(from < READ_ONCE(iob_clock.woken));
}

/*
 * True if the length up to @to, which is now, is known: see iob_clock_usecs().  It is not if the
 * two are of different clocks, nor if the counter began anew in a sleep: then @from is far ahead.
 */
static __always_inline bool iob_clock_knows(u64 from, u64 to)
{
	return likely(to - from < IOB_TICKS_FAR || from - to < IOB_TICKS_SKEW) &&
	       !iob_clock_slept(from);
}

/* Microseconds from one time to another; 0 if that is not known. */
static __always_inline u64 iob_clock_usecs(u64 from, u64 to)
{
	return iob_clock_slept(from) ? 0 : iob_ticks_usecs(&iob_clock.tick, from, to);
}

/* Likewise nanoseconds. */
static __always_inline u64 iob_clock_nsecs(u64 from, u64 to)
{
	return iob_clock_slept(from) ? 0 : iob_ticks_nsecs(&iob_clock.tick, from, to);
}

#endif
