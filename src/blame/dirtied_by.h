/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dirtied_by - which cause dirties pages of a file at this moment, and the entries of pages
 *
 * The first task to dirty a clean page is its dirtier: it causes the write.  A task that
 * changes a dirty page causes no IO.  If writeback cannot write a page now, it marks the page
 * dirty again, in whichever task it runs.  The dirtier stays; the stack shows this case.
 *
 * Example: A (cause 7) writes to page 3 of a file: entry 7.  B writes to the same page: it is
 * dirty, no event, entry 7.  The flusher finds the page locked and marks it dirty again: its
 * stack has folio_redirty_for_writepage(), so the entry stays 7, and A pays for the write.
 */
#ifndef IOB_BLAME_DIRTIED_BY_H
#define IOB_BLAME_DIRTIED_BY_H

#include <linux/fs.h>

#include <compat/compiler.h>
#include <compat/folio.h>

#include "core/cause.h"
#include "core/metadata.h"
#include "core/intent.h"
#include "core/task.h"
#include "cached_page.h"
#include "dirty_fast.h"
#include "stack/stack.h"

/* The cause that dirties pages of a file, found once for all of them. */
struct iob_dirtied_by {
	u64 ref;		/* with the tag of the file */
	u32 hash;		/* iob_file_hash() of the file */
	bool again;		/* the pages were dirty before: writeback puts them back */
	bool sure;		/* it is certain for whom the task acts */
	/*
	 * The page frame that the task stores into through a mapping: of its folio only this
	 * page is charged.  0: all of any folio is.
	 */
	unsigned long stored;
	struct iob_task *parent;	/* this task writes for others, by place in the file */
};

extern struct iob_task_part iob_dirtied_by_part;

void iob_dirtied_by_fault_found(unsigned long func);
void iob_dirtied_by_store(struct iob_task *t, unsigned long pfn);
bool iob_dirtied_by_has_entry(unsigned long pfn, u32 hash);
void iob_dirtied_by_slow(struct iob_dirtied_by *d, struct inode *inode,
			 const struct iob_frame *at, struct pt_regs *regs,
			 const struct iob_stack_slot *slot);
void iob_dirtied_by_set(const struct iob_dirtied_by *d, struct iob_folio *f,
			unsigned long pfn, unsigned long count,
			unsigned long first, unsigned long end);
void iob_dirtied_by_set_changed(const struct iob_dirtied_by *d, struct iob_folio *f,
				unsigned long pfn, unsigned long count);

/*
 * Where the current task is.  Without @regs: in the calling function, which must not return
 * while the answer is used.  With @regs: at the entry of the function to which they belong.
 */
static __always_inline void iob_dirtied_by_place(struct iob_frame *at,
						 const struct pt_regs *regs)
{
#ifdef IOB_UNWIND_FRAMES
	if (regs) {
		*at = iob_frame_of(regs);
		return;
	}
#endif
	iob_stack_here(&at->ip, &at->sp, &at->bp);
}

/*
 * The cause by which the current task dirties @inode's pages, if its stack is known and was
 * found to be cacheable before, else IOB_CAUSE_NONE.  @hash and, if the stack is known,
 * @slot are filled in.
 */
static __always_inline u64 iob_dirtied_by_cached(u32 *hash,
						 const struct iob_stack_slot **slot,
						 struct inode *inode,
						 const struct iob_frame *at)
{
	struct iob_task *t = iob_task_get();

	*slot = NULL;
	if (unlikely(!t))
		return IOB_CAUSE_NONE;
	if (unlikely(!iob_stack_known(at->ip, at->sp, at->bp, false, slot)))
		return IOB_CAUSE_NONE;
	if (unlikely(iob_stack_cut(*slot))) {
		*slot = NULL;
		return IOB_CAUSE_NONE;
	}
	if (unlikely(!iob_dirty_is_cacheable(t, (*slot)->intent) ||
		     iob_is_metadata(inode)))
		return IOB_CAUSE_NONE;
	*hash = iob_inode_hash(inode);
	return iob_cause_tagged(iob_task_own_cause(t, (*slot)->intent), *hash);
}

/* As iob_dirtied_by_find(), in a tracepoint's probe that is at @at. */
static __always_inline void iob_dirtied_by_at(struct iob_dirtied_by *d, struct inode *inode,
					      const struct iob_frame *at)
{
	const struct iob_stack_slot *slot;

	d->ref = iob_dirtied_by_cached(&d->hash, &slot, inode, at);
	if (likely(d->ref != IOB_CAUSE_NONE)) {
		d->again = false;
		d->sure = false;
		d->stored = 0;
		d->parent = NULL;
	} else {
		iob_dirtied_by_slow(d, inode, at, NULL, slot);
	}
}

/**
 * iob_dirtied_by_find - which cause dirties an inode's pages now
 * @d:     gets it: one of the current task, or of what it acts on behalf of
 * @inode: the inode
 * @regs:  as they were at a function's entry, or NULL
 *
 * From a probe, inside iob_read_lock(), interrupts may be off.
 */
static __always_inline void iob_dirtied_by_find(struct iob_dirtied_by *d, struct inode *inode,
						struct pt_regs *regs)
{
	struct iob_frame at IOB_UNINIT;

	iob_dirtied_by_place(&at, regs);
	if (regs)
		iob_dirtied_by_slow(d, inode, &at, regs, NULL);
	else
		iob_dirtied_by_at(d, inode, &at);
	/* no tail call: this frame is part of the stack that is walked */
	barrier();
}

#endif
