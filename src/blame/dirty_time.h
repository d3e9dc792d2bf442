/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dirty_time - page frame number -> when the page was dirtied
 *
 * Filled only while a counter wants the age of pages.  A stamp is a u32 in units of 2^14 ns,
 * 0 means none.  Stamps wrap after 2^46 ns, 19.5 hours.
 *
 * A time that is not known is better than a wrong one.  Nothing is known of a page that was
 * dirtied before times were noted, or while they were not: a stamp from before that moment
 * is void.  And each hour a worker voids the stamps of pages that were dirtied more than 16
 * hours ago.  So no stamp is left that may have wrapped, even if the worker is 3 hours late.
 *
 * Example: a page dirtied 100 s after boot has the stamp 100 s / 16384 ns = 6103515.  At 110
 * s nobody wants times any more; at 120 s the page is written and dirtied anew, and keeps
 * its stamp; from 130 s on times are noted again.  The page is written at 140 s: 6103515 is
 * before 130 s, so the page has no age, though it seems to be 40 s old.
 */
#ifndef IOB_BLAME_DIRTY_TIME_H
#define IOB_BLAME_DIRTY_TIME_H

#include <linux/compiler.h>
#include <linux/ktime.h>
#include <linux/types.h>

/* log2 of the nanoseconds in the unit of a stamp */
#define IOB_DIRTY_TIME_SHIFT	14

/* Stamps that are older are void. */
#define IOB_DIRTY_TIME_MAX	((16 * 3600 * 1000000000ULL) >> IOB_DIRTY_TIME_SHIFT)

extern bool iob_dirty_time_wanted;

int iob_dirty_time_init(void);
void iob_dirty_time_exit(void);
void iob_dirty_time_want(bool want);
void iob_dirty_time_set(unsigned long pfn, unsigned long count, u32 stamp);
void iob_dirty_time_move(unsigned long to, unsigned long from, unsigned long count);
u64 iob_dirty_time_get(unsigned long pfn);
unsigned long iob_dirty_time_bytes(void);

/**
 * iob_dirty_time_of - the time that a stamp means
 * @stamp: the stamp
 * @now:   in units of stamps
 * @since: times are noted from here on, likewise
 *
 * Return: in units of stamps, 0 if it is not known.
 */
static inline u64 iob_dirty_time_of(u32 stamp, u64 now, u64 since)
{
	u32 age = (u32)now - stamp;

	if (!stamp || age > IOB_DIRTY_TIME_MAX || age > now || now - age < since)
		return 0;
	return now - age;
}

/* The stamp of this moment; 0 if no times are noted.  Any context. */
static inline u32 iob_dirty_time_now(void)
{
	if (likely(!READ_ONCE(iob_dirty_time_wanted)))
		return 0;
	return max_t(u32, ktime_get_ns() >> IOB_DIRTY_TIME_SHIFT, 1);
}

#endif
