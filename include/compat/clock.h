/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/clock - the processor's cycle counter, if the kernel's clock reads the same
 *
 * Hides: it is used on x86-64 only, where the clocksource is named "tsc" on all kernels.
 * "tsc-early" is another clocksource, whose frequency is not calibrated yet.
 */
#ifndef IOB_COMPAT_CLOCK_H
#define IOB_COMPAT_CLOCK_H

#include <linux/clocksource.h>
#include <linux/string.h>

#ifdef CONFIG_X86_64
#include <asm/msr.h>
#include <asm/tsc.h>

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
#endif

#endif
