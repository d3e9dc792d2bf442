/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dirty_time - page frame number -> when the page was dirtied
 *
 * Filled only while a counter wants the age of pages.
 */
#ifndef IOB_BLAME_DIRTY_TIME_H
#define IOB_BLAME_DIRTY_TIME_H

#include <linux/compiler.h>
#include <linux/ktime.h>
#include <linux/types.h>

/* log2 of the nanoseconds in the unit of a stamp */
#define IOB_DIRTY_TIME_SHIFT	14

extern bool iob_dirty_time_wanted;

int iob_dirty_time_init(void);
void iob_dirty_time_exit(void);
void iob_dirty_time_want(bool want);
void iob_dirty_time_set(unsigned long pfn, unsigned long count, u32 stamp);
void iob_dirty_time_move(unsigned long to, unsigned long from);
u64 iob_dirty_time_get(unsigned long pfn);
unsigned long iob_dirty_time_bytes(void);

/* The stamp of this moment; 0 if no times are noted.  Any context. */
static inline u32 iob_dirty_time_now(void)
{
	if (likely(!READ_ONCE(iob_dirty_time_wanted)))
		return 0;
	return max_t(u32, ktime_get_ns() >> IOB_DIRTY_TIME_SHIFT, 1);
}

#endif
