/* SPDX-License-Identifier: GPL-2.0 */
/*
 * clock - how long an IO takes
 *
 * Each IO asks twice for the time, and most only to know how long it took.  For
 * that the processor's counter will do, where the kernel keeps its own time by it
 * (and so knows that it runs alike on all processors): read as it is, in ticks, it
 * costs a fraction of ktime_get_ns().  Elsewhere, and once the kernel has put it
 * aside in the middle of a session, the times are the kernel's, in ticks, too.
 */
#ifndef IOB_IO_CLOCK_H
#define IOB_IO_CLOCK_H

#include <linux/compiler.h>

#include <compat/clock.h>
#include "ticks.h"

struct iob_clock {
	bool counts;	/* iob_cycles() are the ticks; only ever set to false */
	struct iob_ticks tick;
};

extern struct iob_clock iob_clock;

u64 iob_clock_other(void);
const char *iob_clock_name(void);
void iob_clock_start(void);
void iob_clock_stop(void);

/* Now, in ticks.  Any context but NMI. */
static __always_inline u64 iob_clock_now(void)
{
	return likely(READ_ONCE(iob_clock.counts)) ? iob_cycles() :
						     iob_clock_other();
}

/* From @from until now in us, see iob_ticks_soon(). */
static __always_inline bool iob_clock_soon(u64 from, u64 *usecs)
{
	u64 now = iob_cycles();

	return likely(READ_ONCE(iob_clock.counts)) &&
	       iob_ticks_soon(&iob_clock.tick, from, now, usecs);
}

/* From one time to another in us. */
static __always_inline u64 iob_clock_usecs(u64 from, u64 to)
{
	return iob_ticks_usecs(&iob_clock.tick, from, to);
}

/* Likewise in ns. */
static __always_inline u64 iob_clock_nsecs(u64 from, u64 to)
{
	return iob_ticks_nsecs(&iob_clock.tick, from, to);
}

#endif
