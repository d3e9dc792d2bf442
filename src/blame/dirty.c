// SPDX-License-Identifier: GPL-2.0
#include <compat/compiler.h>
#include <compat/rcu.h>

#include "core/disk.h"
#include "core/hands_on.h"
#include "core/stats.h"
#include "dirtied_by.h"
#include "dirtier.h"
#include "dirty.h"
#include "dirty_fast.h"
#include "times.h"
#include "transaction.h"

struct iob_assoc_kind iob_assoc_logged = { .name = "logged_buffer" };

/* A clean folio whose pages a probe has just charged one by one; compared, not followed. */
struct charged_folio {
	const struct iob_folio *folio;
};

struct iob_task_part iob_dirty_part = {
	.name = "charged folio",
	.size = sizeof(struct charged_folio),
};

static struct charged_folio *charged_folio_of(const struct iob_task *t)
{
	return iob_task_part_of(t, &iob_dirty_part);
}

/**
 * iob_dirty_expect - the event of a folio comes next, and has nothing to add
 * @folio:     its pages were charged one by one
 * @was_dirty: it was dirty already: no event comes
 *
 * From a probe, inside iob_read_lock().
 */
void iob_dirty_expect(const struct iob_folio *folio, bool was_dirty)
{
	struct iob_task *t = was_dirty ? NULL : iob_task_get();

	if (t)
		charged_folio_of(t)->folio = folio;
}

/*
 * Whether the pages of @folio were just charged one by one.  If not, all of them become
 * dirty.  Only its file system knows what a folio's private data is: we never look.
 */
static bool was_charged(const struct iob_folio *folio)
{
	struct iob_task *t = iob_task_get();
	bool charged = t && charged_folio_of(t)->folio == folio;

	/* the event of another folio: the expected one did not come */
	if (t)
		charged_folio_of(t)->folio = NULL;
	return charged;
}

/* Remember what dirtied a page, if it was the task itself. */
static void note_last_page(struct iob_task *t, const struct inode *inode, u64 ref)
{
	const struct iob_cause *cause = iob_cause_of(ref);

	if (cause && iob_dirty_is_cacheable(t, cause->intent) &&
	    !(ref & IOB_CAUSE_INHERITED))
		iob_dirty_fast_note(t, cause->intent, inode, ref);
}

/* The slow path of iob_dirty_folio(): not like the task's last page. */
static noinline void dirty_folio_slow(struct inode *inode, struct iob_folio *folio,
				      unsigned long ip, unsigned long sp,
				      unsigned long bp)
{
	const struct iob_frame at = { ip, sp, bp };
	unsigned long nr = iob_folio_pages(folio);
	struct iob_task *t = iob_task_get();
	struct iob_dirtied_by d IOB_UNINIT;

	if (nr > 1 && was_charged(folio))
		return;
	iob_dirtied_by_at(&d, inode, &at);
	iob_dirtied_by_set_changed(&d, folio, iob_folio_pfn(folio), nr);
	if (t)
		note_last_page(t, inode, d.ref);
}

/* Of iob_dirty_folio(): perhaps like the task's last page, but in another call of write(). */
static noinline void dirty_folio_again(struct inode *inode, struct iob_folio *folio,
				       struct iob_task *t, unsigned long ip,
				       unsigned long sp, unsigned long bp)
{
	struct iob_dirty_fast *fast = iob_dirty_fast_of(t);
	const struct iob_stack_slot *m;

	/* (an interrupt has another stack, which is not known) */
	if (unlikely(iob_folio_pages(folio) > 1))
		goto slow;
	if (unlikely(!iob_stack_known(ip, sp, bp, false, &m) ||
		     !iob_dirty_fast_is(t, m->intent, inode)))
		goto slow;
	/* once in a jiffy, to leave the cause's cache line shared */
	if (unlikely(fast->touched != (u32)jiffies)) {
		fast->touched = jiffies;
		iob_cause_touch(fast->cause);
	}
	iob_dirtier_set_one(iob_folio_pfn(folio), fast->entry);
	iob_dirty_fast_again(fast, m, sp);
	return;
slow:
	if (iob_disk_watches(inode))
		dirty_folio_slow(inode, folio, ip, sp, bp);
}

/**
 * iob_dirty_folio - the current task dirties a clean folio
 * @inode: the inode in whose page cache it is
 * @folio: the folio; a page on kernels without folios
 *
 * From a tracepoint's probe, interrupts off.  Most calls dirty the next page of a file by
 * the same stack.  Take the address of no variable here: the compiler would add a stack
 * canary, at a cost for each page.
 */
notrace void iob_dirty_folio(struct inode *inode, struct iob_folio *folio)
{
	const struct task_struct *me = current;
	unsigned long ip, sp, bp;
	struct iob_task *t;

	iob_probe_lock();
	iob_stack_here(&ip, &sp, &bp);
	t = iob_task_peek(me);
	if (t && iob_dirty_fast_goes_on(iob_dirty_fast_of(t), me, inode, sp) &&
	    likely(iob_folio_pages(folio) == 1)) {
		iob_stat_inc(stack_known);
		if (unlikely(READ_ONCE(iob_check_stacks)))
			iob_stack_intent_check(iob_dirty_fast_of(t)->intent, ip, sp, bp);
		iob_dirtier_set_one(iob_folio_pfn(folio), iob_dirty_fast_of(t)->entry);
	} else if (t && iob_dirty_fast_of(t)->ino == inode->i_ino) {
		/*
		 * A context of an earlier session also has another epoch.  Pages of another
		 * file take the slow path at once: if the file's disk is not watched, the
		 * stack is not needed.
		 */
		dirty_folio_again(inode, folio, t, ip, sp, bp);
	} else if (iob_disk_watches(inode)) {
		dirty_folio_slow(inode, folio, ip, sp, bp);
	}
	/* no tail call: this frame is part of the stack that is walked */
	barrier();
	iob_probe_unlock();
}

/**
 * iob_dirty_logged - the current task changes a buffer, first in a transaction
 * @log:  the journal
 * @tid:  the transaction
 * @bh:   the buffer
 * @regs: as they were at the function's entry
 *
 * The buffer itself becomes dirty when the transaction is committed, and may have been
 * changed in the next one by then: so it is noted for each transaction.  From a probe,
 * inside iob_read_lock().
 */
void iob_dirty_logged(const void *log, u32 tid, struct buffer_head *bh,
		      struct pt_regs *regs)
{
	struct inode *inode = iob_folio_host(iob_folio_of(bh->b_page));
	unsigned long pfn = page_to_pfn(bh->b_page) + (bh_offset(bh) >> PAGE_SHIFT);
	struct iob_dirtied_by d IOB_UNINIT;

	if (!inode || !iob_disk_watches(inode))
		return;
	iob_dirtied_by_find(&d, inode, regs);
	if (d.again && iob_dirtied_by_has_entry(pfn, d.hash)) {
		d.ref = iob_cause_of_entry(iob_dirtier_get(pfn), d.hash);
		iob_cause_touch_nr(iob_cause_number(d.ref));
	} else {
		iob_dirtier_set(pfn, iob_buffer_pages(bh), (u32)d.ref);
	}
	iob_assoc_set(&iob_assoc_logged, bh, tid, d.ref);
	iob_transaction_join(log, tid, d.ref);
}

/*
 * Whether an inode that @d changes is @d's from now on.  A worker keeps the cause that was noted
 * before, which knows better, and so does any kernel thread that acts on another's behalf; but one
 * that carries out a parent request, or ends a direct write, knows for whom.
 */
static bool is_changer(const struct iob_dirtied_by *d)
{
	if (d->sure || !(current->flags & PF_KTHREAD))
		return true;
	return !iob_hands_on() && !(d->ref & IOB_CAUSE_INHERITED);
}

/**
 * iob_dirty_inode - the current task changes a clean inode
 * @inode:  the inode; iob_disk_watches() it
 * @waited: its times, which waited, are written with it (lazytime)
 *
 * From a probe, inside iob_read_lock().
 */
void iob_dirty_inode(struct inode *inode, bool waited)
{
	bool due = waited && iob_times_are_due(inode);
	/* (a task that changes the inode itself pays in any case) */
	bool needed = due || iob_hands_on();
	u64 before = waited ? iob_times_take(inode, needed) : IOB_CAUSE_NONE;
	struct iob_dirtied_by d IOB_UNINIT;

	/*
	 * The task changes nothing but that others' times wait no longer.  Where the others are not
	 * known, nobody is noted: the flusher pays, as if it had written the times in time.
	 */
	if (due) {
		if (before != IOB_CAUSE_NONE)
			iob_assoc_set(&iob_assoc_inode, inode, 0, before);
		return;
	}
	iob_dirtied_by_find(&d, inode, NULL);
	if (is_changer(&d))
		before = d.ref;
	if (before != IOB_CAUSE_NONE)
		iob_assoc_set(&iob_assoc_inode, inode, 0, before);
}

/**
 * iob_dirty_times - the current task changes no more of a clean inode than its times, which wait
 * @inode: the inode; iob_disk_watches() it
 *
 * From a probe, inside iob_read_lock().
 */
void iob_dirty_times(struct inode *inode)
{
	struct iob_dirtied_by d IOB_UNINIT;

	iob_dirtied_by_find(&d, inode, NULL);
	if (is_changer(&d))
		iob_times_note(inode, d.ref);
}

/* A page with this entry, of the file of @hash, is given up: its dirtier's writes end here. */
static void count_cancelled(u32 entry, u32 hash)
{
	struct iob_cause *cause = iob_cause_of(iob_cause_of_entry(entry, hash));

	if (cause)
		atomic64_inc(&cause->cancelled);
}

/**
 * iob_dirty_cancel - a dirty folio is given up
 * @folio: the folio; it will not be written
 *
 * From a probe, inside iob_read_lock().
 */
void iob_dirty_cancel(struct iob_folio *folio)
{
	unsigned long pfn = iob_folio_pfn(folio), nr = iob_folio_pages(folio);
	struct inode *inode = iob_folio_host(folio);
	u32 hash = inode ? iob_inode_hash(inode) : 0;

	for (; nr; nr--, pfn++) {
		u32 entry = iob_dirtier_get(pfn);

		if (!entry)
			continue;
		iob_stat_inc(pages_cancelled);
		count_cancelled(entry, hash);
		iob_dirtier_clear(pfn, 1);
	}
}
