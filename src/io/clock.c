// SPDX-License-Identifier: GPL-2.0
/*
 * Which clock a session measures by.  The kernel's timekeeper calls a notifier at each of
 * its ticks; that tells which clock source it uses, and how long a cycle is.
 *
 * Beside another clock source, such as kvm-clock, the counter serves if the hypervisor or
 * the kernel says that it is the same on all CPUs.  Its speed is what the kernel knows of it.
 * Each tick asks again, and compares the counter with the kernel's clock: a guest may move
 * to another host.  Then, as when the kernel changes its clock source to one beside which
 * the counter cannot serve, times are the kernel's for the rest of the session.
 *
 * While the machine sleeps, the kernel's clock stands, and the counter goes on or begins anew.  So
 * an IO that was under way has no length.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/moduleparam.h>
#include <linux/notifier.h>
#include <linux/pvclock_gtod.h>
#include <linux/timekeeper_internal.h>

#include "clock.h"
#include "drift.h"

struct iob_clock iob_clock __read_mostly;

/* Whether the counter may serve beside another clock source. */
enum {
	TRUST_NEVER,
	TRUST_WORD,	/* if the hypervisor or the processor gives its word */
	TRUST_UNTIL,	/* until it is seen to be wrong */
};

static unsigned int trust_tsc = TRUST_WORD;

static int set_trust(const char *text, const struct kernel_param *param)
{
	unsigned int trust;

	if (kstrtouint(text, 0, &trust) || trust > TRUST_UNTIL)
		return -EINVAL;
	WRITE_ONCE(trust_tsc, trust);
	return 0;
}

static const struct kernel_param_ops trust_ops = {
	.set = set_trust,
	.get = param_get_uint,
};

module_param_cb(trust_tsc, &trust_ops, &trust_tsc, 0600);
MODULE_PARM_DESC(trust_tsc, "measure by the TSC where the kernel's clock is another: 0 never, 1 if the hypervisor or the processor says that it is the same on all CPUs (default), 2 until it is seen to be wrong");

static const struct clocksource *kept;	/* the kernel's clock source at the last tick */
static struct iob_drift drift;	/* of the counter from that clock source, if they differ */
static bool compared;		/* .. there was a first look */
static ktime_t slept;		/* how long the machine has slept since it was booted */

/* False if a clock source is too coarse to be compared with: jiffies. */
static bool clock_is_fine(const struct clocksource *cs)
{
	return cs->rating >= 100;
}

/* The slow path of iob_clock_now(): the kernel's time, in ticks. */
noinline u64 iob_clock_other(void)
{
	return iob_ticks_other(&iob_clock.tick, ktime_get_ns());
}

/* The slow path of iob_clock_stamp(): a call after which nothing is needed any more. */
noinline void iob_clock_stamp_other(u64 *at)
{
	*at = iob_clock_other();
}

/* The clock's name: that of the counter, or "kernel".  In a session. */
const char *iob_clock_name(void)
{
	return READ_ONCE(iob_clock.counts) ? IOB_CYCLES_NAME : "kernel";
}

/* True if the counter may serve beside the clock source @cs. */
static bool clock_counter_trusted(const struct clocksource *cs)
{
	unsigned int trust = READ_ONCE(trust_tsc);

	if (trust == TRUST_NEVER || !clock_is_fine(cs) || iob_cycles_fail())
		return false;
	return trust == TRUST_UNTIL || iob_cycles_hold(cs);
}

/*
 * The kernel's clock is the counter, or the counter can serve beside it.  Set the tick: NTP slews
 * the clock by up to a tenth, as after a boot with a wrong time, and leaves @raw as it is.
 */
static bool clock_counter_taken(const struct tk_read_base *raw)
{
	u32 khz = iob_cycles_khz();

	if (iob_cycles_are(raw->clock) && raw->shift <= 32) {
		iob_ticks_set(&iob_clock.tick, (u64)raw->mult << (32 - raw->shift));
		return true;
	}
	/* (below 4 MHz a tick is longer than struct iob_ticks can say) */
	if (khz < 4000 || !clock_counter_trusted(raw->clock))
		return false;
	iob_ticks_set(&iob_clock.tick, div_u64((u64)NSEC_PER_MSEC << 32, khz));
	return true;
}

/*
 * The clock's time in ns.  The timekeeper counts whole intervals of a tick only; what has passed
 * since, up to ten milliseconds, the clock source must be asked.  As the timekeeper asks it:
 * interrupts off, under its lock.
 */
static u64 clock_nsecs(const struct tk_read_base *now)
{
	u64 passed = now->clock->read((struct clocksource *)now->clock) - now->cycle_last;

	return ktime_to_ns(now->base) +
	       (((passed & now->mask) * now->mult + now->xtime_nsec) >> now->shift);
}

/* The counter has served.  True if it still can. */
static bool clock_counter_holds(const struct tk_read_base *now)
{
	u64 nsecs;

	if (iob_cycles_are(now->clock)) {
		if (compared)
			compared = false;
		return true;
	}
	if (!clock_counter_trusted(now->clock))
		return false;
	nsecs = clock_nsecs(now);
	if (compared && kept == now->clock)
		return iob_drift_look(&drift, &iob_clock.tick, iob_cycles(), nsecs);
	iob_drift_begin(&drift, iob_cycles(), nsecs);
	compared = true;
	return true;
}

/* The machine has slept since the last tick. */
static void clock_woken(void)
{
	WRITE_ONCE(iob_clock.woken, iob_cycles());
	compared = false;
}

/* The timekeeper @tk has advanced, or has changed its clock source.  Interrupts off. */
static int timekeeper_ticked(struct notifier_block *nb, unsigned long stepped, void *tk)
{
	const struct tk_read_base *now = &((struct timekeeper *)tk)->tkr_mono;
	ktime_t sleeps = ((struct timekeeper *)tk)->offs_boot;

	if (!kept)
		WRITE_ONCE(iob_clock.counts,
			   clock_counter_taken(&((struct timekeeper *)tk)->tkr_raw));
	else if (sleeps != slept)
		clock_woken();
	if (READ_ONCE(iob_clock.counts) && !clock_counter_holds(now))
		WRITE_ONCE(iob_clock.counts, false);
	/* written on change only: CPUs take turns at the tick */
	if (kept != now->clock)
		kept = now->clock;
	if (slept != sleeps)
		slept = sleeps;
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
	compared = false;
	iob_clock.counts = false;
	iob_clock.woken = 0;
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
