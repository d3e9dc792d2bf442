// SPDX-License-Identifier: GPL-2.0
/*
 * The table says by page frame number which cause dirtied a page.  It is a plane whose
 * entries are u32; 0 means none.  When the page was dirtied is in a plane of its own, see
 * dirty_time.
 *
 * Entries are written without a lock.  A page is dirtied under its own lock or its
 * mapping's, so an entry has one writer at a time.  Its two readers, the page's IO and
 * the reclaim of causes, take what they find.
 *
 * An entry lives until its page leaves the page cache or is dirtied anew, or until another page
 * of its folio is dirtied, while all of them are clean.  The IO does not clear it: a page may be
 * dirtied again between the moment its IO is prepared and the moment it is queued, and a clone of
 * the bio may still come.  Readers of an entry compare its tag with the page's file.
 *
 * Nothing clears the entries of a cause that is reclaimed: the tag holds the cause's
 * generation, so they do not fit the next cause with this number.
 */
#include <linux/bitops.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include <compat/folio.h>
#include <compat/rcu.h>

#include "core/cause.h"
#include "core/stats.h"
#include "dirtier.h"
#include "dirty_time.h"

static void dirtier_fast_update(void);

struct iob_plane iob_dirtiers = IOB_PLANE(dirtier_fast_update);
struct iob_plane_dir __rcu *iob_dirtier_fast_dir = RCU_INITIALIZER(&iob_plane_no_dir);

static void dirtier_fill(u32 *at, unsigned long n, u32 entry)
{
	u32 *end = at + n;

	while (at < end && !IS_ALIGNED((unsigned long)at, sizeof(u64)))
		WRITE_ONCE(*at++, entry);
	for (; end - at >= 2; at += 2)
		WRITE_ONCE(*(u64 *)at, iob_dirtier_two(entry));
	if (at < end)
		WRITE_ONCE(*at, entry);
}

/**
 * iob_dirtier_set - note the cause of pages' being dirty
 * @pfn:   the first page's frame number
 * @count: how many
 * @entry: the low half of a reference
 *
 * Any context but NMI.  The caller holds iob_read_lock() since it looked up the cause.
 * Pages whose leaf cannot be allocated are counted (pgtree_nomem) and have no dirtier.
 */
void iob_dirtier_set(unsigned long pfn, unsigned long count, u32 entry)
{
	u32 stamp = iob_dirty_time_now();

	while (count) {
		unsigned long slot = iob_plane_slot(&iob_dirtiers, pfn);
		unsigned long n = min(count, (1UL << iob_dirtiers.bits) - slot);
		u32 *leaf = iob_plane_leaf(&iob_dirtiers, pfn);

		if (unlikely(!leaf))
			leaf = iob_plane_leaf_make(&iob_dirtiers, pfn);
		if (leaf) {
			dirtier_fill(leaf + slot, n, entry);
			if (stamp)
				iob_dirty_time_set(pfn, n, stamp);
		} else {
			iob_stat_add(pgtree_nomem, n);
		}
		count -= n;
		pfn += n;
	}
}

/* Forget the dirtiers of @count pages.  Context as above. */
void iob_dirtier_clear(unsigned long pfn, unsigned long count)
{
	while (count) {
		unsigned long slot = iob_plane_slot(&iob_dirtiers, pfn);
		unsigned long n = min(count, (1UL << iob_dirtiers.bits) - slot);
		u32 *leaf = iob_plane_leaf(&iob_dirtiers, pfn);

		if (leaf)
			dirtier_fill(leaf + slot, n, 0);
		count -= n;
		pfn += n;
	}
}

/*
 * Move the entries of @count pages whose contents move from frame @from to @to: the old frames
 * have none any more.  The two ranges are of
 * different folios and do not overlap.  Any context but NMI, inside
 * iob_read_lock().
 */
void iob_dirtier_move(unsigned long to, unsigned long from, unsigned long count)
{
	unsigned long i;
	u32 entry;

	for (i = 0; i < count; i++) {
		entry = iob_dirtier_get(from + i);
		if (!entry) {
			/* no entry is moved, too: @to may have that of an earlier page */
			iob_dirtier_clear(to + i, 1);
			continue;
		}
		iob_dirtier_set(to + i, 1, entry);
		/* the reclaim of causes may have passed @to, and may be before @from */
		iob_cause_touch_nr(iob_cause_number(entry));
	}
	iob_dirtier_clear(from, count);
	iob_dirty_time_move(to, from, count);
}

/*
 * Update the condition of iob_dirtier_set_one()'s fast path.  Counters, sessions and memory that
 * comes change what it depends on; the lock keeps each from storing an outdated value.
 */
static void dirtier_fast_update(void)
{
	static DEFINE_SPINLOCK(lock);

	spin_lock(&lock);
	rcu_assign_pointer(iob_dirtier_fast_dir,
			   iob_dirty_time_wanted ? &iob_plane_no_dir :
			   rcu_dereference_check(iob_dirtiers.dir, lockdep_is_held(&lock)));
	spin_unlock(&lock);
}

/* Start or stop to note when pages are dirtied.  The caller allows one call at a time. */
void iob_dirtier_want_age(bool want)
{
	iob_dirty_time_want(want);
	dirtier_fast_update();
}

/*
 * True if a page's folio is pending.  The frame may have another page by now: the answer does no
 * harm then.
 */
static bool pfn_is_pending(unsigned long pfn)
{
	/* (memory that is offline, or a device's, has none) */
	struct page *page = pfn_to_online_page(pfn);

	return page && iob_folio_is_pending(iob_folio_of(page));
}

/* As iob_dirtier_mark(), of one part: @pfn is its first page frame. */
static void dirtier_mark_part(unsigned long pfn, unsigned long *causes)
{
	const u32 *leaf = iob_dirtier_leaf(pfn);
	unsigned long end = pfn + IOB_PART_FRAMES;

	for (; leaf && pfn < end; pfn++) {
		u32 nr = iob_cause_number(READ_ONCE(leaf[pfn % IOB_LEAF_PAGES]));

		if (nr && !test_bit(nr, causes) && pfn_is_pending(pfn))
			__set_bit(nr, causes);
	}
}

/**
 * iob_dirtier_mark - find the causes that have pages that are still to be written
 * @causes: bitmap by number of cause; the function sets bits and clears none
 * @stop:   true: the walk ends at the next part
 *
 * May sleep: it reads the whole table, and looks at the pages of causes that are not marked.
 * Return: false if it was stopped; then not all are found.
 */
bool iob_dirtier_mark(unsigned long *causes, const bool *stop)
{
	unsigned long i;

	/* (pages of memory that comes meanwhile are dirtied by causes that are in use) */
	for (i = 0; i < iob_plane_parts(&iob_dirtiers); i++) {
		if (READ_ONCE(*stop))
			return false;
		iob_read_lock();
		dirtier_mark_part(i << IOB_PART_BITS, causes);
		iob_read_unlock();
		cond_resched();
	}
	return true;
}

/* The memory of both planes in bytes, directories included.  May sleep. */
unsigned long iob_dirtier_bytes(void)
{
	return iob_plane_bytes(&iob_dirtiers) + iob_dirty_time_bytes();
}

/* Make an empty table.  May sleep.  Return: 0 or -ENOMEM. */
int iob_dirtier_init(void)
{
	int err = iob_plane_start(&iob_dirtiers, 2);

	if (!err)
		err = iob_dirty_time_init();
	if (err)
		iob_dirtier_exit();
	return err;
}

/* Free the table.  No probe may be attached. */
void iob_dirtier_exit(void)
{
	iob_plane_stop(&iob_dirtiers);
	iob_dirty_time_exit();
}
