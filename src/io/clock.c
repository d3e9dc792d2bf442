// SPDX-License-Identifier: GPL-2.0
/*
 * Which clock a session measures by.  The kernel's timekeeper calls a notifier at each of
 * its ticks; that tells which clock source it uses, and how long a cycle is.
 */
#include <linux/ktime.h>
#include <linux/notifier.h>
#include <linux/pvclock_gtod.h>
#include <linux/timekeeper_internal.h>

#include "clock.h"

struct iob_clock iob_clock __read_mostly;

static const struct clocksource *kept;	/* the kernel's clock source at the last tick */

/* The slow path of iob_clock_now(): the kernel's time, in ticks. */
noinline u64 iob_clock_other(void)
{
	return iob_ticks_other(&iob_clock.tick, ktime_get_ns());
}

/* The clock's name: that of the counter, or "kernel".  In a session. */
const char *iob_clock_name(void)
{
	return READ_ONCE(iob_clock.counts) ? IOB_CYCLES_NAME : "kernel";
}

/* The timekeeper @tk has advanced, or has changed its clock source.  Interrupts off. */
static int timekeeper_ticked(struct notifier_block *nb, unsigned long stepped, void *tk)
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

static struct notifier_block timekeeper_notifier = { .notifier_call = timekeeper_ticked };

/**
 * iob_clock_start - choose the clock, and follow changes of the clock source
 *
 * Before any probe is attached.  May sleep.
 */
void iob_clock_start(void)
{
	kept = NULL;
	iob_clock.counts = false;
	/* without a counter a tick is 1 ns */
	iob_ticks_set(&iob_clock.tick, 1ULL << 32);
	/* the notifier is called at once, and then at each tick */
	pvclock_gtod_register_notifier(&timekeeper_notifier);
}

/* Stop following: the notifier does not run any more when this returns.  May sleep. */
void iob_clock_stop(void)
{
	pvclock_gtod_unregister_notifier(&timekeeper_notifier);
}
