/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/clock - the processor's own counter, where the kernel's clock is one
 *
 * Hides: only x86-64 has one that is read here.  (The name of its clocksource is
 * the same on all kernels; "tsc-early" is another one, of which nobody knows yet
 * how fast it is.)
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

/* Whether @cs is what iob_cycles() reads. */
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
