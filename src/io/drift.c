// SPDX-License-Identifier: GPL-2.0
/*
 * Looks come with each tick of the timekeeper, or less often if all CPUs are idle.
 *
 * Pure: builds in userspace too.
 */
#include <linux/kernel.h>

#include "drift.h"

enum {
	DRIFT_WINDOW = 1000000000,
	DRIFT_NOISE  = 1000000,
	/* the clock may be 500 ppm off, the counter's speed is known that well, too */
	DRIFT_SHIFT  = 10,
};

static void drift_window_begin(struct iob_drift *d, u64 nsecs)
{
	d->window = nsecs;
	d->least = S64_MAX;
}

/* The first look: the counter says @ticks, the clock @nsecs.  Any context. */
void iob_drift_begin(struct iob_drift *d, u64 ticks, u64 nsecs)
{
	d->ticks = ticks;
	d->nsecs = nsecs;
	d->second = false;
	drift_window_begin(d, nsecs);
}

/**
 * iob_drift_look - a later look
 * @d:     has the looks before
 * @tick:  how long a tick is meant to be
 * @ticks: what the counter says
 * @nsecs: what the clock said just before
 *
 * Any context; the caller allows one call at a time.  Return: false if the counter is not
 * what it was.
 */
bool iob_drift_look(struct iob_drift *d, const struct iob_ticks *tick, u64 ticks, u64 nsecs)
{
	u64 len = nsecs - d->window, away;
	s64 ahead;
	bool right;

	/* the counter has jumped back behind the first look */
	if (ticks - d->ticks >= IOB_TICKS_FAR)
		return false;
	ahead = iob_ticks_nsecs(tick, d->ticks, ticks) - (nsecs - d->nsecs);
	if (ahead < d->least)
		d->least = ahead;
	if (len < DRIFT_WINDOW)
		return true;
	away = d->least > d->before ? d->least - d->before : d->before - d->least;
	right = !d->second || away <= DRIFT_NOISE + (len >> DRIFT_SHIFT);
	d->before = d->least;
	d->second = true;
	drift_window_begin(d, nsecs);
	return right;
}
