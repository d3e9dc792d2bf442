// SPDX-License-Identifier: GPL-2.0
/*
 * Stamps are written without a lock, as the entries of the dirtier table are.  The worker
 * removes a stamp by cmpxchg, which leaves that of a page which is dirtied meanwhile.
 */
#include <linux/sched.h>

#include <compat/rcu.h>

#include "core/stats.h"
#include "core/worker.h"
#include "dirty_time.h"
#include "plane.h"

bool iob_dirty_time_wanted;
static struct iob_plane dirty_times = IOB_PLANE(NULL);
/* in units of stamps: times are noted from here on */
static u64 dirty_time_since;

#define SWEEP_JIFFIES	(3600 * HZ)

static void dirty_time_sweep(struct work_struct *work);
static DECLARE_DELAYED_WORK(sweep_work, dirty_time_sweep);

static u64 dirty_time_units(void)
{
	return ktime_get_ns() >> IOB_DIRTY_TIME_SHIFT;
}

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
 * Any context but NMI, inside iob_read_lock().  Pages whose leaf cannot be allocated are counted
 * (pgtree_nomem).
 */
void iob_dirty_time_set(unsigned long pfn, unsigned long count, u32 stamp)
{
	for (; count; count--)
		dirty_time_set(pfn++, stamp);
}

/*
 * Move the stamps of @count pages whose contents move from frame @from to @to.  Any context but
 * NMI.
 */
void iob_dirty_time_move(unsigned long to, unsigned long from, unsigned long count)
{
	if (!READ_ONCE(iob_dirty_time_wanted))
		return;
	for (; count; count--, to++, from++) {
		u32 *leaf = iob_plane_leaf(&dirty_times, from);
		u32 stamp = 0;

		if (leaf) {
			leaf += iob_plane_slot(&dirty_times, from);
			stamp = READ_ONCE(*leaf);
			WRITE_ONCE(*leaf, 0);
		}
		/* none is moved, too: @to may have that of an earlier page */
		if (stamp || iob_plane_leaf(&dirty_times, to))
			dirty_time_set(to, stamp);
	}
}

/**
 * iob_dirty_time_get - when a page was dirtied
 * @pfn: its frame number
 *
 * Any context, inside iob_read_lock().  Return: CLOCK_MONOTONIC in ns, rounded down to 16 us; 0
 * if it is not known.
 */
u64 iob_dirty_time_get(unsigned long pfn)
{
	const u32 *leaf = iob_plane_leaf(&dirty_times, pfn);
	u32 stamp;

	/* else the page may have been dirtied again since it was stamped */
	if (!leaf || !smp_load_acquire(&iob_dirty_time_wanted))
		return 0;
	stamp = READ_ONCE(leaf[iob_plane_slot(&dirty_times, pfn)]);
	return iob_dirty_time_of(stamp, dirty_time_units(), READ_ONCE(dirty_time_since)) <<
	       IOB_DIRTY_TIME_SHIFT;
}

/* Start or stop to note times.  The caller allows one call at a time. */
void iob_dirty_time_want(bool want)
{
	/* the unit that has begun may have a stamp from before */
	if (want && !iob_dirty_time_wanted)
		WRITE_ONCE(dirty_time_since, dirty_time_units() + 1);
	/* pairs with iob_dirty_time_get() */
	smp_store_release(&iob_dirty_time_wanted, want);
}

/* Void @nr stamps that are too old, or from before @since. */
static void dirty_time_sweep_stamps(u32 *stamps, unsigned long nr, u64 since)
{
	/* a second more: a stamp that is made in the meantime is no old one that wrapped */
	u64 now = dirty_time_units() + (NSEC_PER_SEC >> IOB_DIRTY_TIME_SHIFT);
	u32 stamp;

	for (; nr; nr--, stamps++) {
		stamp = READ_ONCE(*stamps);
		if (stamp && !iob_dirty_time_of(stamp, now, since))
			cmpxchg(stamps, stamp, 0);
	}
}

static void dirty_time_sweep(struct work_struct *work)
{
	unsigned long i, pfn;
	u64 since;
	u32 *leaf;

	for (i = 0; i < iob_plane_parts(&dirty_times); i++) {
		pfn = i << IOB_PART_BITS;
		iob_read_lock();
		leaf = iob_plane_leaf(&dirty_times, pfn);
		/* while no times are noted, no stamp holds */
		since = READ_ONCE(iob_dirty_time_wanted) ? READ_ONCE(dirty_time_since) : U64_MAX;
		if (leaf)
			dirty_time_sweep_stamps(leaf + iob_plane_slot(&dirty_times, pfn),
						IOB_PART_FRAMES, since);
		iob_read_unlock();
		cond_resched();
	}
	iob_work_queue_delayed(&sweep_work, SWEEP_JIFFIES);
}

/* The memory of the stamps in bytes.  May sleep. */
unsigned long iob_dirty_time_bytes(void)
{
	return iob_plane_bytes(&dirty_times);
}

/* A session begins.  May sleep.  Return: 0 or -ENOMEM. */
int iob_dirty_time_init(void)
{
	int err = iob_plane_start(&dirty_times, 2);

	if (!err)
		iob_work_queue_delayed(&sweep_work, SWEEP_JIFFIES);
	return err;
}

/* The session ends, or did not begin.  No probe may be attached. */
void iob_dirty_time_exit(void)
{
	cancel_delayed_work_sync(&sweep_work);
	iob_plane_stop(&dirty_times);
}
