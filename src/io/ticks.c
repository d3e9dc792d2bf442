// SPDX-License-Identifier: GPL-2.0
#include <linux/kernel.h>
#include <linux/math64.h>

#include "ticks.h"

/**
 * iob_ticks_set - say how long a tick is
 * @t:     to be set
 * @nsecs: so many ns, with 32 bits behind the point; below 256
 */
void iob_ticks_set(struct iob_ticks *t, u64 nsecs)
{
	t->nsecs = nsecs >> 8;
	t->usecs = DIV_ROUND_UP_ULL(nsecs, 1000);
	t->per_nsec = div64_u64(U64_MAX, nsecs);
}

/* A time of the other clock, @nsecs, in ticks and with the mark. */
u64 iob_ticks_other(const struct iob_ticks *t, u64 nsecs)
{
	return mul_u64_u64_shr(nsecs, t->per_nsec, 32) | IOB_TICKS_OTHER;
}

/* Of iob_ticks_scaled(). */
u64 iob_ticks_long(u64 ticks, u32 tick, int shift)
{
	return mul_u64_u32_shr(ticks, tick, shift);
}
