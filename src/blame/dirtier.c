// SPDX-License-Identifier: GPL-2.0
/*
 * The table says by page frame number which act dirtied a page.  It is a plane whose
 * entries are numbers of acts, u16; 0 means none.  It is "wide" if the numbers of acts
 * exceed 16 bits: its entries are u32 then.  When the page was dirtied is in a plane of its
 * own, see dirty_time.
 *
 * Entries are written without a lock.  A page is dirtied under its own lock or its
 * mapping's, so an entry has one writer at a time.  Its two readers, the page's IO and
 * the reclaim of acts (after a grace period), take what they find.
 *
 * An entry lives until its page leaves the page cache or is dirtied anew.  The IO does not
 * clear it: a page may be dirtied again between the moment its IO is prepared and the
 * moment it is queued, and a clone of the bio may still come.  Readers of an entry compare
 * it with the page's file.
 */
#include <linux/bitops.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include <compat/folio.h>

#include "core/act.h"
#include "core/stats.h"
#include "dirtier.h"
#include "dirty_time.h"

struct iob_plane iob_dirtiers;
bool iob_dirtiers_wide;
unsigned long iob_dirtier_fast_leaves;

static void dirtier_store(void *leaf, unsigned long slot, u32 nr)
{
	if (iob_dirtiers_wide)
		WRITE_ONCE(((u32 *)leaf)[slot], nr);
	else
		WRITE_ONCE(((u16 *)leaf)[slot], nr);
}

static void dirtier_fill(void *leaf, unsigned long slot, unsigned long n, u32 nr)
{
	if (iob_dirtiers_wide) {
		for (; n; n--)
			WRITE_ONCE(((u32 *)leaf)[slot++], nr);
	} else {
		u16 *at = (u16 *)leaf + slot, *end = at + n;

		while (at < end && !IS_ALIGNED((unsigned long)at, sizeof(u64)))
			WRITE_ONCE(*at++, nr);
		for (; end - at >= 4; at += 4)
			WRITE_ONCE(*(u64 *)at, iob_dirtier_four(nr));
		while (at < end)
			WRITE_ONCE(*at++, nr);
	}
}

static u32 dirtier_load(const void *leaf, unsigned long slot)
{
	if (iob_dirtiers_wide)
		return READ_ONCE(((const u32 *)leaf)[slot]);
	return READ_ONCE(((const u16 *)leaf)[slot]);
}

/**
 * iob_dirtier_set - note the act that dirties pages
 * @pfn:    the first page's frame number
 * @count:  how many
 * @act_nr: number of the act
 *
 * Any context but NMI.  The caller holds iob_read_lock() since it looked up the act.
 * Pages whose leaf cannot be allocated are counted (pgtree_nomem) and have no dirtier.
 */
void iob_dirtier_set(unsigned long pfn, unsigned long count, u32 act_nr)
{
	u32 stamp = iob_dirty_time_now();

	while (count) {
		unsigned long slot = iob_plane_slot(&iob_dirtiers, pfn);
		unsigned long n = min(count, (1UL << iob_dirtiers.bits) - slot);
		void *leaf = iob_plane_leaf(&iob_dirtiers, pfn);

		if (unlikely(!leaf))
			leaf = iob_plane_leaf_make(&iob_dirtiers, pfn);
		if (leaf) {
			dirtier_fill(leaf, slot, n, act_nr);
			if (stamp)
				iob_dirty_time_set(pfn, n, stamp);
		} else {
			iob_stat_add(pgtree_nomem, n);
		}
		count -= n;
		pfn += n;
	}
}

/* Forget the dirtiers of @count pages that leave the page cache.  Any context. */
void iob_dirtier_clear(unsigned long pfn, unsigned long count)
{
	for (; count; count--, pfn++) {
		void *leaf = iob_plane_leaf(&iob_dirtiers, pfn);

		if (leaf)
			dirtier_store(leaf, iob_plane_slot(&iob_dirtiers, pfn), 0);
	}
}

/*
 * Move the entries of @count pages whose contents move from frame @from to @to: the old frames
 * have none any more.  Any context but NMI.
 */
void iob_dirtier_move(unsigned long to, unsigned long from, unsigned long count)
{
	unsigned long i;

	for (i = 0; i < count; i++) {
		u32 nr = iob_dirtier_get(from + i);
		const struct iob_act *act = iob_act_nr(nr);

		/* an act that is being reclaimed must get no new entry */
		if (nr > IOB_ACT_LOST && (!act || READ_ONCE(act->dead)))
			nr = IOB_ACT_LOST;
		if (nr)
			iob_dirtier_set(to + i, 1, nr);
	}
	iob_dirtier_clear(from, count);
	iob_dirty_time_move(to, from, count);
}

/* The slow path of iob_dirtier_get(): entries take four bytes.  Any context. */
u32 iob_dirtier_get_wide(unsigned long pfn)
{
	void *leaf = iob_plane_leaf(&iob_dirtiers, pfn);

	return leaf ? dirtier_load(leaf, iob_plane_slot(&iob_dirtiers, pfn)) : 0;
}

/*
 * Update the condition of iob_dirtier_set_one()'s fast path.  Counters and sessions change
 * what it depends on; the lock keeps either from storing an outdated value.
 */
static void dirtier_fast_update(void)
{
	static DEFINE_SPINLOCK(lock);

	spin_lock(&lock);
	WRITE_ONCE(iob_dirtier_fast_leaves,
		   iob_dirty_time_wanted || iob_dirtiers_wide ? 0 : iob_dirtiers.nr_leaves);
	spin_unlock(&lock);
}

/* Start or stop to note when pages are dirtied.  The caller allows one call at a time. */
void iob_dirtier_want_age(bool want)
{
	iob_dirty_time_want(want);
	dirtier_fast_update();
}

/*
 * True if a page may still have to be written, or is being prepared for it.  The frame may
 * have another page by now: the answer does no harm then.
 */
static bool pfn_is_pending(unsigned long pfn)
{
	struct iob_folio *f;

	if (!pfn_valid(pfn))
		return false;
	f = iob_folio_of(pfn_to_page(pfn));
	return iob_folio_dirty(f) || iob_folio_writeback(f) ||
	       iob_folio_locked(f);
}

/**
 * iob_dirtier_owners - find the acts that have pages that are still to be written
 * @acts: bitmap by number of act; the function sets bits and clears none
 *
 * May sleep: it reads the whole table.
 */
void iob_dirtier_owners(unsigned long *acts)
{
	unsigned long i, slot;

	for (i = 0; i < iob_dirtiers.nr_leaves; i++) {
		const void *leaf = READ_ONCE(iob_dirtiers.leaf[i]);

		for (slot = 0; leaf && slot < 1UL << iob_dirtiers.bits; slot++) {
			u32 nr = dirtier_load(leaf, slot);

			if (nr && !test_bit(nr, acts) &&
			    pfn_is_pending((i << iob_dirtiers.bits) + slot))
				__set_bit(nr, acts);
		}
		cond_resched();
	}
}

/*
 * Replace the entry @nr by LOST if a write is @pending, else by none: a clean page loses
 * nothing.  The cmpxchg keeps the entry of a live act that dirties the page meanwhile.
 */
static void dirtier_entry_drop(void *leaf, unsigned long slot, u32 nr, bool pending)
{
	u32 new = pending ? IOB_ACT_LOST : IOB_ACT_NONE;
	bool done;

	if (iob_dirtiers_wide)
		done = cmpxchg((u32 *)leaf + slot, nr, new) == nr;
	else
		done = cmpxchg((u16 *)leaf + slot, nr, new) == nr;
	if (done && pending)
		iob_stat_inc(act_lost);
}

/**
 * iob_dirtier_drop - drop the entries of some acts; pages that wait for a write become LOST
 * @acts: bitmap by number of act
 *
 * May sleep.  The acts must be out of the index and a grace period must have passed since:
 * they get no new entry then.
 */
void iob_dirtier_drop(const unsigned long *acts)
{
	unsigned long i, slot;

	for (i = 0; i < iob_dirtiers.nr_leaves; i++) {
		void *leaf = READ_ONCE(iob_dirtiers.leaf[i]);

		for (slot = 0; leaf && slot < 1UL << iob_dirtiers.bits; slot++) {
			u32 nr = dirtier_load(leaf, slot);

			if (nr && test_bit(nr, acts))
				dirtier_entry_drop(leaf, slot, nr,
						   pfn_is_pending((i << iob_dirtiers.bits) +
								  slot));
		}
		cond_resched();
	}
}

/* The memory of both planes in bytes, directories included.  Any context. */
unsigned long iob_dirtier_bytes(void)
{
	return iob_plane_bytes(&iob_dirtiers) + iob_dirty_time_bytes();
}

/**
 * iob_dirtier_init - make an empty table
 * @max_acts: limit of the acts' numbers; entries take four bytes if it exceeds 65536
 *
 * May sleep.  Return: 0 or -ENOMEM.
 */
int iob_dirtier_init(u32 max_acts)
{
	int err;

	iob_dirtiers_wide = max_acts > 65536;
	err = iob_plane_init(&iob_dirtiers, iob_dirtiers_wide ? 2 : 1);
	if (!err)
		err = iob_dirty_time_init();
	dirtier_fast_update();
	if (err)
		iob_dirtier_exit();
	return err;
}

/* Free the table.  No probe may be attached. */
void iob_dirtier_exit(void)
{
	iob_plane_exit(&iob_dirtiers);
	iob_dirty_time_exit();
}
