// SPDX-License-Identifier: GPL-2.0
/*
 * A two-level table: a directory for all of memory, and leaves of one page
 * each that come when the first of their page frames is dirtied.  An entry is
 * the number of an act, two bytes while numbers fit; 0 is none.  It is written
 * without a lock: a page is dirtied under its own lock or its mapping's, so
 * entries have one writer at a time, and the two readers (its IO, and
 * reclaiming, which waits out a grace period) take what they find.
 *
 * An entry lives until its page leaves the page cache or is dirtied anew.  It
 * is not cleared by the IO: a page may be dirtied again between the moment its
 * IO is prepared and the moment it is queued, and a clone of the bio may still
 * come.  Who reads an entry holds it against the page's file.
 *
 * A second plane of the same shape keeps when, while somebody wants to know
 * the age: four bytes for a page, in units of 2^14 ns (it wraps in 19 hours).
 */
#include <linux/bitops.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/nodemask.h>
#include <linux/sched.h>
#include <linux/ktime.h>
#include <linux/spinlock.h>

#include <compat/folio.h>

#include "core/act.h"
#include "dirtier.h"
#include "core/stats.h"

#define TIME_SHIFT	14

struct iob_plane iob_dirtiers;
bool iob_dirtiers_wide;
unsigned long iob_dirtiers_short;
static bool want_age;
static struct iob_plane when;

static unsigned long end_of_memory(void)
{
	unsigned long end = 0;
	int nid;

	for_each_online_node(nid)
		end = max(end, node_end_pfn(nid));
	return end;
}

static int plane_init(struct iob_plane *p, unsigned int entry_shift)
{
	p->bits = PAGE_SHIFT - entry_shift;
	p->nr_leaves = (end_of_memory() >> p->bits) + 1;
	p->leaf = kvcalloc(p->nr_leaves, sizeof(*p->leaf), GFP_KERNEL);
	atomic_long_set(&p->pages, 0);
	return p->leaf ? 0 : -ENOMEM;
}

static void plane_exit(struct iob_plane *p)
{
	unsigned long i;

	for (i = 0; p->leaf && i < p->nr_leaves; i++)
		free_page((unsigned long)p->leaf[i]);
	kvfree(p->leaf);
	p->leaf = NULL;
}

static void *leaf_of(const struct iob_plane *p, unsigned long pfn)
{
	unsigned long i = pfn >> p->bits;

	/* memory that was plugged in since has no place: none */
	return likely(i < p->nr_leaves) ? READ_ONCE(p->leaf[i]) : NULL;
}

static void *leaf_make(struct iob_plane *p, unsigned long pfn)
{
	unsigned long i = pfn >> p->bits;
	unsigned long *old, *new;

	if (i >= p->nr_leaves)
		return NULL;
	new = (void *)get_zeroed_page(GFP_NOWAIT | __GFP_NOWARN);
	if (!new)
		return NULL;
	old = cmpxchg(&p->leaf[i], NULL, new);
	if (old) {
		free_page((unsigned long)new);
		return old;
	}
	atomic_long_inc(&p->pages);
	return new;
}

static unsigned long slot_of(const struct iob_plane *p, unsigned long pfn)
{
	return pfn & ((1UL << p->bits) - 1);
}

static void who_store(void *leaf, unsigned long slot, u32 nr)
{
	if (iob_dirtiers_wide)
		WRITE_ONCE(((u32 *)leaf)[slot], nr);
	else
		WRITE_ONCE(((u16 *)leaf)[slot], nr);
}

static void who_fill(void *leaf, unsigned long slot, unsigned long n, u32 nr)
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

static u32 who_load(const void *leaf, unsigned long slot)
{
	if (iob_dirtiers_wide)
		return READ_ONCE(((const u32 *)leaf)[slot]);
	return READ_ONCE(((const u16 *)leaf)[slot]);
}

static void when_set(unsigned long pfn, u32 stamp)
{
	u32 *leaf = leaf_of(&when, pfn);

	if (!leaf)
		leaf = leaf_make(&when, pfn);
	if (leaf)
		WRITE_ONCE(leaf[slot_of(&when, pfn)], stamp);
	else
		iob_stat_inc(pgtree_nomem);
}

static void when_fill(unsigned long pfn, unsigned long n, u32 stamp)
{
	for (; n; n--)
		when_set(pfn++, stamp);
}

/**
 * iob_dirtier_set - these pages were dirtied by an act
 * @pfn:    the first page's frame number
 * @count:  how many
 * @act_nr: number of the act
 *
 * Any context but NMI, inside iob_read_lock() since the act was looked up.
 * A page whose leaf cannot be had is counted and stays without a dirtier.
 */
void iob_dirtier_set(unsigned long pfn, unsigned long count, u32 act_nr)
{
	u32 stamp = 0;

	if (READ_ONCE(want_age))
		stamp = max_t(u32, ktime_get_ns() >> TIME_SHIFT, 1);
	while (count) {
		unsigned long slot = slot_of(&iob_dirtiers, pfn);
		unsigned long n = min(count, (1UL << iob_dirtiers.bits) - slot);
		void *leaf = leaf_of(&iob_dirtiers, pfn);

		if (unlikely(!leaf))
			leaf = leaf_make(&iob_dirtiers, pfn);
		if (leaf) {
			who_fill(leaf, slot, n, act_nr);
			if (stamp)
				when_fill(pfn, n, stamp);
		} else {
			iob_stat_add(pgtree_nomem, n);
		}
		count -= n;
		pfn += n;
	}
}

/* These pages left the page cache.  Any context. */
void iob_dirtier_clear(unsigned long pfn, unsigned long count)
{
	for (; count; count--, pfn++) {
		void *leaf = leaf_of(&iob_dirtiers, pfn);

		if (leaf)
			who_store(leaf, slot_of(&iob_dirtiers, pfn), 0);
	}
}

/* A page's content went to another frame.  Any context but NMI. */
void iob_dirtier_move(unsigned long to, unsigned long from, unsigned long count)
{
	for (; count; count--, to++, from++) {
		u32 nr = iob_dirtier_get(from);
		u32 *stamp = leaf_of(&when, from);

		const struct iob_act *act = iob_act_nr(nr);

		/* one that is being reclaimed is to get no new entry */
		if (nr > IOB_ACT_LOST && (!act || READ_ONCE(act->dead)))
			nr = IOB_ACT_LOST;
		if (nr)
			iob_dirtier_set(to, 1, nr);
		if (nr && stamp && READ_ONCE(want_age))
			when_set(to, stamp[slot_of(&when, from)]);
	}
}

/* Of iob_dirtier_get(): entries take four bytes. */
u32 iob_dirtier_get_wide(unsigned long pfn)
{
	void *leaf = leaf_of(&iob_dirtiers, pfn);

	return leaf ? who_load(leaf, slot_of(&iob_dirtiers, pfn)) : 0;
}

/**
 * iob_dirtier_time - when a page was dirtied
 * @pfn: its frame number
 *
 * Any context.  Return: CLOCK_MONOTONIC in ns, rounded down to 16 us; 0 if it
 * was not noted.
 */
u64 iob_dirtier_time(unsigned long pfn)
{
	const u32 *leaf = leaf_of(&when, pfn);
	u32 stamp = leaf ? READ_ONCE(leaf[slot_of(&when, pfn)]) : 0;
	u64 now = ktime_get_ns() >> TIME_SHIFT;

	if (!stamp)
		return 0;
	return (now - (u32)((u32)now - stamp)) << TIME_SHIFT;
}

/*
 * Whether one page is set without ado: see iob_dirtier_set_one().  Counters and
 * sessions change it, and neither is to store what was so before.
 */
static void set_short(void)
{
	static DEFINE_SPINLOCK(lock);

	spin_lock(&lock);
	WRITE_ONCE(iob_dirtiers_short, want_age || iob_dirtiers_wide ?
				       0 : iob_dirtiers.nr_leaves);
	spin_unlock(&lock);
}

/* Whether to note when pages are dirtied.  Any context. */
void iob_dirtier_want_age(bool want)
{
	WRITE_ONCE(want_age, want);
	set_short();
}

/*
 * Whether a page may still have to be written, or is being prepared for it.
 * It may be another one's by now: then the answer does no harm.
 */
static bool is_pending(unsigned long pfn)
{
	struct iob_folio *f;

	if (!pfn_valid(pfn))
		return false;
	f = iob_folio_of(pfn_to_page(pfn));
	return iob_folio_dirty(f) || iob_folio_writeback(f) ||
	       iob_folio_locked(f);
}

/**
 * iob_dirtier_owners - which acts have pages that are still to be written
 * @acts: bitmap by number of act; bits are set, none is cleared
 *
 * May sleep: it reads the whole table.
 */
void iob_dirtier_owners(unsigned long *acts)
{
	unsigned long i, slot;

	for (i = 0; i < iob_dirtiers.nr_leaves; i++) {
		const void *leaf = READ_ONCE(iob_dirtiers.leaf[i]);

		for (slot = 0; leaf && slot < 1UL << iob_dirtiers.bits; slot++) {
			u32 nr = who_load(leaf, slot);

			if (nr && !test_bit(nr, acts) &&
			    is_pending((i << iob_dirtiers.bits) + slot))
				__set_bit(nr, acts);
		}
		cond_resched();
	}
}

/*
 * By cmpxchg: an act that lives may dirty the page at this very moment, and
 * its entry must not be lost.  A page that is clean loses nothing.
 */
static void drop_entry(void *leaf, unsigned long slot, u32 nr, bool pending)
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
 * iob_dirtier_drop - entries of these acts go: LOST where a write is to come
 * @acts: bitmap by number of act
 *
 * May sleep.  The acts are no longer found by content, and a grace period has
 * passed since, so no new entry of theirs can come.
 */
void iob_dirtier_drop(const unsigned long *acts)
{
	unsigned long i, slot;

	for (i = 0; i < iob_dirtiers.nr_leaves; i++) {
		void *leaf = READ_ONCE(iob_dirtiers.leaf[i]);

		for (slot = 0; leaf && slot < 1UL << iob_dirtiers.bits; slot++) {
			u32 nr = who_load(leaf, slot);

			if (nr && test_bit(nr, acts))
				drop_entry(leaf, slot, nr,
					   is_pending((i << iob_dirtiers.bits) + slot));
		}
		cond_resched();
	}
}

/* What the table takes, in bytes, directories included. */
unsigned long iob_dirtier_bytes(void)
{
	return (iob_dirtiers.nr_leaves + when.nr_leaves) * sizeof(void *) +
	       (atomic_long_read(&iob_dirtiers.pages) + atomic_long_read(&when.pages)) *
	       PAGE_SIZE;
}

/**
 * iob_dirtier_init - begin with an empty table
 * @max_acts: numbers of acts stay below; above 65536 entries take four bytes
 *
 * May sleep.  Return: 0 or -ENOMEM.
 */
int iob_dirtier_init(u32 max_acts)
{
	int err;

	iob_dirtiers_wide = max_acts > 65536;
	err = plane_init(&iob_dirtiers, iob_dirtiers_wide ? 2 : 1);
	if (!err)
		err = plane_init(&when, 2);
	set_short();
	if (err)
		iob_dirtier_exit();
	return err;
}

/* Free all.  No probe is attached. */
void iob_dirtier_exit(void)
{
	plane_exit(&iob_dirtiers);
	plane_exit(&when);
}
