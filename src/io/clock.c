// SPDX-License-Identifier: GPL-2.0
#include <linux/ktime.h>
#include <linux/notifier.h>
#include <linux/pvclock_gtod.h>
#include <linux/timekeeper_internal.h>

#include "clock.h"

struct iob_clock iob_clock __read_mostly;

static const struct clocksource *kept;	/* by which the kernel's time went */

/* Of iob_clock_now(). */
noinline u64 iob_clock_other(void)
{
	return iob_ticks_other(&iob_clock.tick, ktime_get_ns());
}

/* By what times are measured now: "kernel", if not by a counter.  In a session. */
const char *iob_clock_name(void)
{
	return READ_ONCE(iob_clock.counts) ? IOB_CYCLES_NAME : "kernel";
}

/* @tk: by what the kernel keeps its time from now on.  Interrupts off. */
static int time_goes_on(struct notifier_block *nb, unsigned long stepped, void *tk)
{
	const struct tk_read_base *now = &((struct timekeeper *)tk)->tkr_mono;

	if (likely(now->clock == kept))
		return NOTIFY_OK;
	if (!kept && iob_cycles_are(now->clock) && now->shift <= 32) {
		iob_ticks_set(&iob_clock.tick,
			      (u64)now->mult << (32 - now->shift));
		WRITE_ONCE(iob_clock.counts, true);
	} else {
		WRITE_ONCE(iob_clock.counts, false);
	}
	kept = now->clock;
	return NOTIFY_OK;
}

static struct notifier_block notifier = { .notifier_call = time_goes_on };

/**
 * iob_clock_start - find out by what to measure times, and follow that
 *
 * Before any probe is attached.  May sleep.
 */
void iob_clock_start(void)
{
	kept = NULL;
	iob_clock.counts = false;
	/* a tick is a nanosecond, if nothing else is known */
	iob_ticks_set(&iob_clock.tick, 1ULL << 32);
	/* is called at once, and then with each tick of the kernel's */
	pvclock_gtod_register_notifier(&notifier);
}

/* Follow it no more: the notifier does not run any more when this returns. */
void iob_clock_stop(void)
{
	pvclock_gtod_unregister_notifier(&notifier);
}
