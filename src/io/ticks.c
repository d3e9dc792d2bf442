// SPDX-License-Identifier: GPL-2.0
/*
 * The rare side of ticks.h: the factors, and products of more than 64 bits.
 *
 * Pure: builds in userspace too.
 */
#include <linux/kernel.h>
#include <linux/math64.h>

#include "ticks.h"

/**
 * iob_ticks_set - set the length of a tick
 * @t:     gets it
 * @nsecs: ns with 32 fractional bits; below 256 ns
 *
 * Any context.
 */
void iob_ticks_set(struct iob_ticks *t, u64 nsecs)
{
	t->nsecs = nsecs >> 8;
	t->usecs = DIV_ROUND_UP_ULL(nsecs, 1000);
	t->per_nsec = div64_u64(U64_MAX, nsecs);
}

/* @nsecs, a time of the other clock, in ticks and with the mark.  Any context. */
u64 iob_ticks_other(const struct iob_ticks *t, u64 nsecs)
{
	return mul_u64_u64_shr(nsecs, t->per_nsec, 32) | IOB_TICKS_OTHER;
}

/* The slow path of iob_ticks_scaled(): the product needs more than 64 bits. */
u64 iob_ticks_long(u64 ticks, u32 tick, int shift)
{
	return mul_u64_u32_shr(ticks, tick, shift);
}
