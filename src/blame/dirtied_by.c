// SPDX-License-Identifier: GPL-2.0
#include <linux/sched.h>

#include "behalf.h"
#include "core/code.h"
#include "core/hands_on.h"
#include "core/mark.h"
#include "dirtied_by.h"
#include "dirtier.h"
#include "transaction.h"

/* handle_mm_fault(), once it is found: what happens inside is for the faulting page */
static struct iob_code fault_code;

/* The page frame of a large folio that the task stores into, in a fault; 0: none. */
struct stored_page {
	unsigned long pfn;
};

struct iob_task_part iob_dirtied_by_part = {
	.name = "stored page",
	.size = sizeof(struct stored_page),
};

static struct stored_page *stored_page_of(const struct iob_task *t)
{
	return iob_task_part_of(t, &iob_dirtied_by_part);
}

/**
 * iob_dirtied_by_fault_found - where handle_mm_fault() is
 * @func: its address
 *
 * May sleep; probes may run.
 */
void iob_dirtied_by_fault_found(unsigned long func)
{
	iob_code_publish(func, &fault_code);
}

/* The task stores into page frame @pfn of a large folio; 0: no more. */
void iob_dirtied_by_store(struct iob_task *t, unsigned long pfn)
{
	if (pfn)
		iob_dirty_not_cacheable(t);
	stored_page_of(t)->pfn = pfn;
}

/* Whether the page's entry is one of the file of @hash.  Inside iob_read_lock(). */
bool iob_dirtied_by_has_entry(unsigned long pfn, u32 hash)
{
	return iob_cause_of_entry(iob_dirtier_get(pfn), hash) != IOB_CAUSE_NONE;
}

/*
 * Whether a page that becomes dirty by this stack was dirty before, but for the moment
 * in which writeback looked at it.  What writeback does to the pages of a block device, or of
 * another file than it writes, is a change, unless the stack says otherwise: of metadata, or of the
 * file below.  What it moves to make room was clean.
 * Where no intent can be made for the stack, its addresses tell.
 */
static bool is_dirty_again(const struct iob_task *t, u32 nr, const struct iob_stack *stack,
			   const struct inode *inode)
{
	const struct iob_intent *i = nr > IOB_INTENT_LOST ? iob_intent_nr(nr) : NULL;
	u16 flags = i ? i->flags : iob_marks_of(stack->ip, stack->depth);

	return flags & IOB_INTENT_REDIRTY ||
	       (flags & IOB_INTENT_WRITEBACK && !iob_is_bdev(inode) &&
		!iob_is_metadata(inode) && iob_behalf_writes(t, stack, inode));
}

/* The stack at @at, which @slot of the stack cache holds if that is not NULL. */
static void stack_at(struct iob_stack *stack, const struct iob_frame *at,
		     struct pt_regs *regs, const struct iob_stack_slot *slot)
{
	if (slot) {
		stack->ip = slot->ip + slot->own;
		stack->depth = slot->nr - slot->own;
		stack->sp = at->sp;
		stack->slot = (struct iob_stack_slot *)slot;
	} else {
		iob_stack_from(stack, at, regs);
	}
}

/* Next time it is enough to see that the stack is the same. */
static void note_cacheable(struct iob_task *t, u32 nr)
{
	const struct iob_intent *intent = iob_intent_nr(nr);

	if (nr > IOB_INTENT_LOST && intent && !intent->flags)
		iob_dirty_set_cacheable(t, nr);
}

/**
 * iob_dirtied_by_slow - which cause dirties an inode's pages, without any shortcut
 * @d:     gets it
 * @inode: the inode
 * @at:    where the current task is
 * @regs:  at a function's entry what the handler was given, else NULL
 * @slot:  as iob_dirtied_by_cached() has left it
 *
 * Context as iob_dirtied_by_find().
 */
noinline void iob_dirtied_by_slow(struct iob_dirtied_by *d, struct inode *inode,
				  const struct iob_frame *at, struct pt_regs *regs,
				  const struct iob_stack_slot *slot)
{
	struct iob_task *t = iob_task_get();
	struct iob_stack stack IOB_UNINIT;
	unsigned long stored;
	struct iob_behalf *b;
	u32 intent;
	bool always;

	d->ref = IOB_CAUSE_NOMEM;
	d->again = false;
	d->sure = false;
	d->stored = 0;
	d->parent = NULL;
	d->hash = iob_inode_hash(inode);
	if (!t)
		return;
	stack_at(&stack, at, regs, slot);
	intent = iob_stack_intent(&stack, 0);
	stored = stored_page_of(t)->pfn;
	if (stored && iob_stack_in(&stack, &fault_code))
		d->stored = stored;
	/* a journal's thread hands on what others have changed */
	always = iob_transaction_writes(t)->always;
	d->again = is_dirty_again(t, intent, &stack, inode) || always;
	b = iob_behalf_active(t, &stack);
	/* (a stack that is cut is counted each time) */
	if (!d->stored && !always && !b && stack.depth < IOB_STACK_DEPTH)
		note_cacheable(t, intent);
	d->ref = iob_behalf_cause(t, b, inode);
	if (d->ref != IOB_CAUSE_NONE && b) {
		d->sure = b->parent || b->sure;
		d->parent = b->parent ? t : NULL;
	}
	if (d->ref == IOB_CAUSE_NONE)
		d->ref = iob_task_own_cause(t, intent);
	d->ref = iob_cause_tagged(d->ref, d->hash);
	/*
	 * Ending a transaction is not taking part in it.  What a worker changes for nobody who is
	 * known was charged to a participant above: that is no further part of the participant's.
	 * kswapd may write a page that others have made dirty, without do_writepages().
	 */
	if (iob_is_metadata(inode) && (b ? !b->common : !iob_hands_on()))
		iob_transaction_join(inode->i_sb, iob_transaction_now(inode->i_sb), d->ref);
}

/* The entry of one page: of the parent request's cause if @d is of one. */
static u32 entry_of_page(const struct iob_dirtied_by *d, struct iob_folio *f,
			 unsigned long pfn)
{
	u64 pos, ref;

	if (!d->parent)
		return (u32)d->ref;
	pos = ((u64)READ_ONCE(f->index) + (pfn - iob_folio_pfn(f))) << PAGE_SHIFT;
	ref = iob_behalf_parent_cause(d->parent, pos);
	return ref == IOB_CAUSE_NONE ? (u32)d->ref : (u32)iob_cause_tagged(ref, d->hash);
}

/* Set the entries of pages but those of this file that are more than @least. */
static void set_missing(const struct iob_dirtied_by *d, struct iob_folio *f,
			unsigned long pfn, unsigned long count, u64 least)
{
	/* one that stays: the next page mostly has the same */
	u32 known = 0, entry;
	unsigned long run;

	for (; count; count -= run, pfn += run) {
		run = known ? iob_dirtier_run(pfn, count, known) : 0;
		if (run)
			continue;
		run = 1;
		entry = iob_dirtier_get(pfn);
		if (entry && iob_cause_of_entry(entry, d->hash) > least) {
			known = entry;
			iob_cause_touch_nr(iob_cause_number(entry));
		} else {
			iob_dirtier_set_one(pfn, entry_of_page(d, f, pfn));
		}
	}
}

/* Set the entries of pages that the task changes. */
static void set_changed(const struct iob_dirtied_by *d, struct iob_folio *f,
			unsigned long pfn, unsigned long count)
{
	if (!d->parent)
		iob_dirtier_set(pfn, count, (u32)d->ref);
	for (; d->parent && count; count--, pfn++)
		iob_dirtier_set_one(pfn, entry_of_page(d, f, pfn));
}

/**
 * iob_dirtied_by_set - set the entries of pages
 * @d:     what dirties them
 * @f:     their folio
 * @pfn:   the first page frame that will be written because of it
 * @count: how many
 * @first: the first page frame that is changed
 * @end:   the one behind the last that is changed
 *
 * Pages are charged, not folios: a page that is written but not changed keeps its entry,
 * and is @d's only if no cause is known.  Inside iob_read_lock().
 */
void iob_dirtied_by_set(const struct iob_dirtied_by *d, struct iob_folio *f,
			unsigned long pfn, unsigned long count,
			unsigned long first, unsigned long end)
{
	unsigned long before = pfn < first ? min(count, first - pfn) : 0, nr;

	if (d->again) {
		set_missing(d, f, pfn, count, IOB_CAUSE_NONE);
		return;
	}
	set_missing(d, f, pfn, before, IOB_CAUSE_LOST);
	pfn += before;
	count -= before;
	nr = pfn < end ? min(count, end - pfn) : 0;
	set_changed(d, f, pfn, nr);
	set_missing(d, f, pfn + nr, count - nr, IOB_CAUSE_LOST);
}

/**
 * iob_dirtied_by_set_changed - set the entries of pages that become dirty as a whole
 * @d:     what dirties them
 * @f:     their folio
 * @pfn:   the first page frame
 * @count: how many
 *
 * All of them are changed, unless the task stores into one page of the folio: then that
 * one.  Inside iob_read_lock().
 */
void iob_dirtied_by_set_changed(const struct iob_dirtied_by *d, struct iob_folio *f,
				unsigned long pfn, unsigned long count)
{
	if (d->stored && d->stored - iob_folio_pfn(f) < iob_folio_pages(f))
		iob_dirtied_by_set(d, f, pfn, count, d->stored, d->stored + 1);
	else
		iob_dirtied_by_set(d, f, pfn, count, pfn, pfn + count);
}
