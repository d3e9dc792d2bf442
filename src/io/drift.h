/* SPDX-License-Identifier: GPL-2.0 */
/*
 * drift - whether a counter still runs as fast as the kernel's clock
 *
 * Both are read together now and then, the counter a little later than the clock: a
 * hypervisor may even stop the CPU in between.  So the counter seems to be ahead, by a
 * different time at each look.  What counts is the least of a window of a second: it must
 * be what it was in the window before, but for NTP's corrections of the clock and a
 * millisecond.
 *
 * Example: the looks of a window find the counter 3, 2, 900 and 2 us ahead, those of the
 * next one 3 and 2 us: the counter is right.  Then the guest moves to another host, where
 * the counter is 5 s further: at the end of this window it is not.
 *
 * Pure: builds in userspace too.
 */
#ifndef IOB_IO_DRIFT_H
#define IOB_IO_DRIFT_H

#include <linux/types.h>

#include "ticks.h"

struct iob_drift {
	u64 ticks, nsecs;	/* the counter and the clock at the first look */
	u64 window;		/* when this window began, in ns of the clock */
	s64 least;		/* how far the counter is ahead, in ns: in this window */
	s64 before;		/* likewise in the window before */
	bool second;		/* there was a window before */
};

void iob_drift_begin(struct iob_drift *d, u64 ticks, u64 nsecs);
bool iob_drift_look(struct iob_drift *d, const struct iob_ticks *tick, u64 ticks, u64 nsecs);

#endif
