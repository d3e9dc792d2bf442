// SPDX-License-Identifier: GPL-2.0
/*
 * A stamp is a u32 in units of 2^14 ns.  A page dirtied 100 s after boot has the stamp
 * 100 s / 16384 ns = 6103515; stamps wrap after 2^46 ns, 19.5 hours.  Stamp 0 means none.
 */
#include "core/stats.h"
#include "dirty_time.h"
#include "plane.h"

bool iob_dirty_time_wanted;
static struct iob_plane dirty_times;

static void dirty_time_set(unsigned long pfn, u32 stamp)
{
	u32 *leaf = iob_plane_leaf(&dirty_times, pfn);

	if (!leaf)
		leaf = iob_plane_leaf_make(&dirty_times, pfn);
	if (leaf)
		WRITE_ONCE(leaf[iob_plane_slot(&dirty_times, pfn)], stamp);
	else
		iob_stat_inc(pgtree_nomem);
}

/**
 * iob_dirty_time_set - note when pages were dirtied
 * @pfn:   the first page's frame number
 * @count: how many
 * @stamp: as iob_dirty_time_now() said
 *
 * Any context but NMI.  Pages whose leaf cannot be allocated are counted (pgtree_nomem).
 */
void iob_dirty_time_set(unsigned long pfn, unsigned long count, u32 stamp)
{
	for (; count; count--)
		dirty_time_set(pfn++, stamp);
}

/* Copy the stamp of a page whose contents move from frame @from to @to.  Any context but NMI. */
void iob_dirty_time_move(unsigned long to, unsigned long from)
{
	const u32 *leaf = iob_plane_leaf(&dirty_times, from);

	if (leaf && READ_ONCE(iob_dirty_time_wanted))
		dirty_time_set(to, READ_ONCE(leaf[iob_plane_slot(&dirty_times, from)]));
}

/**
 * iob_dirty_time_get - when a page was dirtied
 * @pfn: its frame number
 *
 * Any context.  Return: CLOCK_MONOTONIC in ns, rounded down to 16 us; 0 if there is no
 * stamp of the page.
 */
u64 iob_dirty_time_get(unsigned long pfn)
{
	const u32 *leaf = iob_plane_leaf(&dirty_times, pfn);
	u32 stamp = leaf ? READ_ONCE(leaf[iob_plane_slot(&dirty_times, pfn)]) : 0;
	u64 now = ktime_get_ns() >> IOB_DIRTY_TIME_SHIFT;

	if (!stamp)
		return 0;
	return (now - (u32)((u32)now - stamp)) << IOB_DIRTY_TIME_SHIFT;
}

/* Start or stop to note times.  Any context. */
void iob_dirty_time_want(bool want)
{
	WRITE_ONCE(iob_dirty_time_wanted, want);
}

/* The memory of the stamps in bytes.  Any context. */
unsigned long iob_dirty_time_bytes(void)
{
	return iob_plane_bytes(&dirty_times);
}

/* A session begins.  May sleep.  Return: 0 or -ENOMEM. */
int iob_dirty_time_init(void)
{
	return iob_plane_init(&dirty_times, 2);
}

/* The session ends, or did not begin.  No probe may be attached. */
void iob_dirty_time_exit(void)
{
	iob_plane_exit(&dirty_times);
}
