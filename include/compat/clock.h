/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/clock - the processor's cycle counter, and whether it can be trusted
 *
 * Hides: it is used on x86-64 only, where the clocksource is named "tsc" on all kernels.
 * "tsc-early" is another clocksource, whose frequency is not calibrated yet.
 *
 * Hides also how hypervisors say that the counter is the same on all virtual CPUs: KVM by a
 * flag in the page of kvm-clock, Hyper-V by the sequence number of its page.  Both make
 * their clocks of the counter then.
 */
#ifndef IOB_COMPAT_CLOCK_H
#define IOB_COMPAT_CLOCK_H

#include <linux/clocksource.h>
#include <linux/string.h>

#ifdef CONFIG_X86_64
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/pvclock.h>
#include <asm/tsc.h>
#include <clocksource/hyperv_timer.h>

#define IOB_CYCLES_NAME	"tsc"

static __always_inline u64 iob_cycles(void)
{
	return rdtsc();
}

/* True if iob_cycles() reads the counter of @cs. */
static inline bool iob_cycles_are(const struct clocksource *cs)
{
	return !strcmp(cs->name, IOB_CYCLES_NAME);
}

static inline bool iob_cycles_by_kvm(void)
{
	const struct pvclock_vsyscall_time_info *page = pvclock_get_pvti_cpu0_va();

	return page && (READ_ONCE(page->pvti.flags) & PVCLOCK_TSC_STABLE_BIT);
}

static inline bool iob_cycles_by_hyperv(void)
{
	const struct ms_hyperv_tsc_page *page = hv_get_tsc_page();

	/* 0: the guest is to ask the hypervisor for the time */
	return page && READ_ONCE(page->tsc_sequence);
}

/*
 * True if the kernel has found that the counter is not what it should be: when a CPU came, or
 * by another clock.  Any context.
 */
static inline bool iob_cycles_fail(void)
{
	return check_tsc_unstable();
}

/*
 * True if the counter runs at one speed, and is the same on all CPUs, as the hypervisor or
 * else the processor says, while @cs is the kernel's clock.  Any context.
 */
static inline bool iob_cycles_hold(const struct clocksource *cs)
{
	if (!strcmp(cs->name, "kvm-clock"))
		return iob_cycles_by_kvm();
	if (!strcmp(cs->name, "hyperv_clocksource_tsc_page"))
		return iob_cycles_by_hyperv();
	return boot_cpu_has(X86_FEATURE_TSC_RELIABLE) ||
	       (boot_cpu_has(X86_FEATURE_CONSTANT_TSC) && boot_cpu_has(X86_FEATURE_NONSTOP_TSC));
}

/* The speed of the counter in kHz, 0 if it is not known. */
static inline u32 iob_cycles_khz(void)
{
	return tsc_khz;
}
#else
#define IOB_CYCLES_NAME	""

static inline u64 iob_cycles(void)
{
	return 0;
}

static inline bool iob_cycles_are(const struct clocksource *cs)
{
	return false;
}

static inline bool iob_cycles_fail(void)
{
	return true;
}

static inline bool iob_cycles_hold(const struct clocksource *cs)
{
	return false;
}

static inline u32 iob_cycles_khz(void)
{
	return 0;
}
#endif

#endif
