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

#include <compat/folio.h>

#include "act.h"
#include "dirtier.h"
#include "stats.h"

#define TIME_SHIFT	14

/* one plane: leaves of PAGE_SIZE hold 1 << bits entries each */
struct plane {
	unsigned long **leaf;	/* set once by cmpxchg */
	unsigned long nr_leaves;
	unsigned int bits;
	atomic_long_t pages;
};

static struct plane who, when;
static bool wide;		/* entries of `who` take four bytes */
static bool want_age;

static unsigned long end_of_memory(void)
{
	unsigned long end = 0;
	int nid;

	for_each_online_node(nid)
		end = max(end, node_end_pfn(nid));
	return end;
}

static int plane_init(struct plane *p, unsigned int entry_shift)
{
	p->bits = PAGE_SHIFT - entry_shift;
	p->nr_leaves = (end_of_memory() >> p->bits) + 1;
	p->leaf = kvcalloc(p->nr_leaves, sizeof(*p->leaf), GFP_KERNEL);
	atomic_long_set(&p->pages, 0);
	return p->leaf ? 0 : -ENOMEM;
}

static void plane_exit(struct plane *p)
{
	unsigned long i;

	for (i = 0; p->leaf && i < p->nr_leaves; i++)
		free_page((unsigned long)p->leaf[i]);
	kvfree(p->leaf);
	p->leaf = NULL;
}

static void *leaf_of(const struct plane *p, unsigned long pfn)
{
	unsigned long i = pfn >> p->bits;

	/* memory that was plugged in since has no place: none */
	return likely(i < p->nr_leaves) ? READ_ONCE(p->leaf[i]) : NULL;
}

static void *leaf_make(struct plane *p, unsigned long pfn)
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

static unsigned long slot_of(const struct plane *p, unsigned long pfn)
{
	return pfn & ((1UL << p->bits) - 1);
}

static void who_store(void *leaf, unsigned long slot, u32 nr)
{
	if (wide)
		WRITE_ONCE(((u32 *)leaf)[slot], nr);
	else
		WRITE_ONCE(((u16 *)leaf)[slot], nr);
}

static u32 who_load(const void *leaf, unsigned long slot)
{
	if (wide)
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
	for (; count; count--, pfn++) {
		void *leaf = leaf_of(&who, pfn);

		if (unlikely(!leaf)) {
			leaf = leaf_make(&who, pfn);
			if (!leaf) {
				iob_stat_inc(pgtree_nomem);
				continue;
			}
		}
		who_store(leaf, slot_of(&who, pfn), act_nr);
		if (stamp)
			when_set(pfn, stamp);
	}
}

/* These pages left the page cache.  Any context. */
void iob_dirtier_clear(unsigned long pfn, unsigned long count)
{
	for (; count; count--, pfn++) {
		void *leaf = leaf_of(&who, pfn);

		if (leaf)
			who_store(leaf, slot_of(&who, pfn), 0);
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

/* The number of the act that dirtied this page, 0 if none is known. */
u32 iob_dirtier_get(unsigned long pfn)
{
	void *leaf = leaf_of(&who, pfn);

	return leaf ? who_load(leaf, slot_of(&who, pfn)) : 0;
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

/* Whether to note when pages are dirtied.  Any context. */
void iob_dirtier_want_age(bool want)
{
	WRITE_ONCE(want_age, want);
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

	for (i = 0; i < who.nr_leaves; i++) {
		const void *leaf = READ_ONCE(who.leaf[i]);

		for (slot = 0; leaf && slot < 1UL << who.bits; slot++) {
			u32 nr = who_load(leaf, slot);

			if (nr && !test_bit(nr, acts) &&
			    is_pending((i << who.bits) + slot))
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

	if (wide)
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

	for (i = 0; i < who.nr_leaves; i++) {
		void *leaf = READ_ONCE(who.leaf[i]);

		for (slot = 0; leaf && slot < 1UL << who.bits; slot++) {
			u32 nr = who_load(leaf, slot);

			if (nr && test_bit(nr, acts))
				drop_entry(leaf, slot, nr,
					   is_pending((i << who.bits) + slot));
		}
		cond_resched();
	}
}

/* What the table takes, in bytes, directories included. */
unsigned long iob_dirtier_bytes(void)
{
	return (who.nr_leaves + when.nr_leaves) * sizeof(void *) +
	       (atomic_long_read(&who.pages) + atomic_long_read(&when.pages)) *
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

	wide = max_acts > 65536;
	err = plane_init(&who, wide ? 2 : 1);
	if (!err)
		err = plane_init(&when, 2);
	if (err)
		iob_dirtier_exit();
	return err;
}

/* Free all.  No probe is attached. */
void iob_dirtier_exit(void)
{
	plane_exit(&who);
	plane_exit(&when);
}
