// SPDX-License-Identifier: GPL-2.0
/*
 * The probes of the page cache and of writeback see a page that is dirtied, written for a
 * reason, moved to another frame, or dropped.  Example: a task dirties page 7 of a file (its
 * frame gets the task's act); 30 s later the flusher starts with the reason "periodic" (its
 * modifier), calls do_writepages() (it works on behalf of the dirtier of page 7), and is
 * done; memory pressure deletes the page from the page cache (its frame has no act).
 *
 * Context: dirty and delete run with interrupts off under the mapping's lock; start and
 * written run in the flusher; handlers of functions run with preemption off.  Probes of buffers and
 * of inodes run in the task that changes them, preemptible on 7.2 but in iob_read_lock(); the
 * caller has a reference to what they get.
 */
#include <linux/blkdev.h>
#include <linux/buffer_head.h>
#include <linux/writeback.h>

#include <compat/folio.h>
#include <compat/inode.h>
#include <compat/rcu.h>
#include <compat/tracepoint.h>
#include <compat/wb_work.h>

#include <trace/events/block.h>
#include <trace/events/filemap.h>
#include <trace/events/writeback.h>

#include "blame/behalf.h"
#include "blame/dirtier.h"
#include "blame/dirty.h"
#include "blame/dirty_fast.h"
#include "blame/dirty_range.h"
#include "blame/provider.h"
#include "blame/times.h"
#include "core/disk.h"
#include "core/layout.h"
#include "core/mark.h"
#include "core/task.h"
#include "hook.h"

static notrace void folio_dirty_probe(void *data, struct iob_folio *f,
				      struct address_space *mapping)
{
	if (mapping && mapping->host)
		iob_dirty_folio(mapping->host, f);
}

static void folio_delete_probe(void *data, struct iob_folio *f)
{
	iob_read_lock();
	iob_dirtier_clear(iob_folio_pfn(f), iob_folio_pages(f));
	iob_read_unlock();
}

/* Note why the current task writes: the intents of its IO have this modifier. */
static void writeback_modifier_set(u32 modifier)
{
	struct iob_task *t;

	iob_read_lock();
	t = iob_task_get();
	if (t)
		iob_task_set_modifier(t, modifier);
	iob_read_unlock();
}

static const struct iob_layout_member work_members[] = {
	IOB_LAYOUT_MEMBER("reason", struct iob_wb_work, reason),
};

/* Without BTF it is believed if all reasons that were read exist, and one is not 0. */
static struct iob_layout work_layout = {
	.type = "wb_writeback_work", IOB_LAYOUT_OF(work_members),
	.cost = "why a flusher writes (the reason in intents)",
};

static void writeback_start_probe(void *data, struct bdi_writeback *wb,
				  struct wb_writeback_work *work)
{
	u32 reason = WB_REASON_MAX;

	if (!iob_layout_is_bad(&work_layout)) {
		reason = iob_wb_work_reason(iob_layout_at(&work_layout, 0, work));
		/* (what is 0 may be anything) */
		if (reason)
			iob_layout_tell(&work_layout, reason != WB_REASON_MAX);
		if (!iob_layout_is_sure(&work_layout) &&
		    (!READ_ONCE(work_layout.held) || READ_ONCE(work_layout.failed)))
			reason = WB_REASON_MAX;
	}
	writeback_modifier_set(reason == WB_REASON_MAX ? 0 : IOB_MODIFIER_WB | reason);
}

static void writeback_written_probe(void *data, struct bdi_writeback *wb,
				    struct wb_writeback_work *work)
{
	writeback_modifier_set(0);
}

/* (to, from): folios, or pages in older kernels */
static void folio_migrate_entered(struct pt_regs *regs)
{
	struct iob_folio *to = iob_arg_ptr(regs, 0);
	struct iob_folio *from = iob_arg_ptr(regs, 1);

	iob_dirtier_move(iob_folio_pfn(to), iob_folio_pfn(from),
			 min_t(unsigned long, iob_folio_pages(to),
			       iob_folio_pages(from)));
}

/*
 * This tracepoint, and not writeback_mark_inode_dirty, which also fires for each page that
 * becomes dirty and for flags that do not change the inode itself.
 */
static void inode_dirty_probe(void *data, struct inode *inode, int flags)
{
	if (!(flags & I_DIRTY_INODE) || iob_inode_dirty(inode))
		return;
	iob_read_lock();
	if (iob_disk_watches(inode))
		iob_dirty_inode(inode, flags & I_DIRTY_TIME || iob_inode_times_wait(inode));
	iob_read_unlock();
}

/*
 * With lazytime new times only set a flag of the inode, without the event above, which comes when
 * they are to be written, within a day.  This one comes when a clean inode is put into a list.
 */
static void inode_enqueue_probe(void *data, struct inode *inode)
{
	if (!iob_inode_times_only(inode))
		return;
	iob_read_lock();
	if (iob_disk_watches(inode))
		iob_dirty_times(inode);
	iob_read_unlock();
}

/* Comes right before inode_dirty_probe() in the same task, which may be dropping the inode. */
static void inode_times_due_probe(void *data, struct inode *inode)
{
	if (iob_inode_dirty(inode))
		return;
	iob_read_lock();
	if (iob_disk_watches(inode))
		iob_times_set_due(inode);
	iob_read_unlock();
}

static void inode_write_probe(void *data, struct inode *inode, struct writeback_control *wbc)
{
	iob_read_lock();
	iob_behalf_inode(inode);
	iob_read_unlock();
}

static void inode_written_probe(void *data, struct inode *inode, struct writeback_control *wbc)
{
	iob_read_lock();
	iob_behalf_inode(NULL);
	iob_read_unlock();
}

/* (mapping, wbc): the flusher allocates blocks on behalf of the pages' dirtiers */
static void writepages_entered(struct pt_regs *regs)
{
	struct address_space *mapping = iob_arg_ptr(regs, 0);
	const struct writeback_control *wbc = iob_arg_ptr(regs, 1);

	if (!mapping->host)
		return;
	if (wbc->range_cyclic)
		iob_behalf_pages(mapping->host, READ_ONCE(mapping->writeback_index), ULONG_MAX,
				 true, regs);
	else
		iob_behalf_pages(mapping->host, wbc->range_start >> PAGE_SHIFT,
				 wbc->range_end >> PAGE_SHIFT, true, regs);
}

/* (folio): truncation makes it clean without a write */
static void folio_cancel_entered(struct pt_regs *regs)
{
	struct iob_folio *f = iob_arg_ptr(regs, 0);

	iob_dirty_cancel(f);
}

/*
 * Whether another buffer of a small folio is dirty; mostly the first one is.  They stay in a ring,
 * as the caller has the folio locked, or a reference to @bh.
 */
static bool page_has_dirty_buffer(struct iob_folio *f, const struct buffer_head *bh)
{
	const struct buffer_head *b = iob_folio_private(f);

	if (b && buffer_dirty(b))
		return true;
	for (b = bh->b_this_page; b && b != bh; b = b->b_this_page) {
		if (buffer_dirty(b))
			return true;
	}
	return false;
}

/*
 * A small folio that is clean has an event of its own, which is as exact.  One that is dirty has
 * none, though its buffers may have been written: write_dirty_buffer() leaves it dirty.
 */
static void buffer_dirty_probe(void *data, struct buffer_head *bh)
{
	struct iob_folio *f;

	if (buffer_dirty(bh))
		return;
	f = iob_buffer_folio(bh);
	if (iob_folio_pages(f) == 1 && (!iob_folio_dirty(f) || page_has_dirty_buffer(f, bh)))
		return;
	iob_read_lock();
	iob_dirty_buffer(bh);
	iob_read_unlock();
}

static void redirty_found(unsigned long func)
{
	iob_mark_set(func, IOB_MARK_REDIRTY);
}

static void writeback_found(unsigned long func)
{
	iob_mark_set(func, IOB_MARK_WRITEBACK);
}

static const struct iob_hook writeback_table[] = {
	{
		.name = "writeback_dirty_folio|writeback_dirty_page",
		.kind = IOB_HOOK_TRACEPOINT, .phase = IOB_HOOK_ENABLED,
		.needed = true, .impact = "everything",
		.probe = IOB_PROBE(IOB_WRITEBACK_DIRTY, folio_dirty_probe, folio_dirty_probe),
	}, {
		.name = "mm_filemap_delete_from_page_cache",
		.kind = IOB_HOOK_TRACEPOINT, .phase = IOB_HOOK_ENABLED,
		.needed = true, .impact = "everything",
		.probe = IOB_PROBE(mm_filemap_delete_from_page_cache,
				   folio_delete_probe, folio_delete_probe),
	}, {
		.name = "writeback_start",
		.kind = IOB_HOOK_TRACEPOINT, .phase = IOB_HOOK_ENABLED,
		.probe = IOB_PROBE(writeback_start, writeback_start_probe, writeback_start_probe),
		.impact = "the reason of writeback: modifiers of type 1",
	}, {
		.name = "writeback_written",
		.kind = IOB_HOOK_TRACEPOINT, .phase = IOB_HOOK_ENABLED,
		.probe = IOB_PROBE(writeback_written, writeback_written_probe,
				   writeback_written_probe),
		.impact = "the end of a reason of writeback",
	}, {
		.name = "folio_migrate_flags|migrate_page_states",
		.kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,
		.entered = folio_migrate_entered,
		.impact = "the dirtiers of pages that compaction moves",
	}, {
		.name = "folio_redirty_for_writepage|redirty_page_for_writepage",
		.kind = IOB_HOOK_ADDRESS, .phase = IOB_HOOK_LOADED,
		.found = redirty_found,
		.impact = "the first dirtier of pages that writeback redirties",
	}, {
		.name = "writeback_dirty_inode_start",
		.kind = IOB_HOOK_TRACEPOINT, .phase = IOB_HOOK_ENABLED,
		.probe = IOB_PROBE(writeback_dirty_inode_start, inode_dirty_probe,
				   inode_dirty_probe),
		.impact = "which act changed an inode",
	}, {
		.name = "writeback_dirty_inode_enqueue",
		.kind = IOB_HOOK_TRACEPOINT, .phase = IOB_HOOK_ENABLED,
		.probe = IOB_PROBE(writeback_dirty_inode_enqueue, inode_enqueue_probe,
				   inode_enqueue_probe),
		.impact = "which act changed an inode's times where they wait (lazytime)",
	}, {
		.name = "writeback_lazytime_iput|writeback_lazytime",
		.kind = IOB_HOOK_TRACEPOINT, .phase = IOB_HOOK_ENABLED,
		.probe = IOB_PROBE(writeback_lazytime, inode_times_due_probe,
				   inode_times_due_probe),
		.impact = "the act that changed times, when others drop the inode (lazytime)",
	}, {
		.name = "writeback_write_inode_start",
		.kind = IOB_HOOK_TRACEPOINT, .phase = IOB_HOOK_ENABLED,
		.probe = IOB_PROBE(writeback_write_inode_start, inode_write_probe,
				   inode_write_probe),
		.impact = "the act that changed an inode, when the flusher writes it",
	}, {
		.name = "writeback_write_inode",
		.kind = IOB_HOOK_TRACEPOINT, .phase = IOB_HOOK_ENABLED,
		.probe = IOB_PROBE(writeback_write_inode, inode_written_probe,
				   inode_written_probe),
		.impact = "the end of the flusher's write of an inode",
	}, {
		.name = "do_writepages",
		.kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,
		.entered = writepages_entered, .attached = iob_behalf_see_writepages,
		.impact = "the dirtiers that the flusher allocates blocks for",
	}, {
		.name = "__folio_cancel_dirty|__cancel_dirty_page",
		.kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,
		.entered = folio_cancel_entered,
		.impact = "the count of pages_cancelled",
	}, {
		.name = "do_writepages",
		.kind = IOB_HOOK_ADDRESS, .phase = IOB_HOOK_LOADED,
		.found = writeback_found,
		.impact = "the first dirtier of pages that writeback marks dirty anew",
	}, {
		.name = "vfs_write",
		.kind = IOB_HOOK_ADDRESS, .phase = IOB_HOOK_LOADED,
		.found = iob_dirty_fast_found,
		.impact = "no data: writes of many pages cost more",
	},
	{
		.name = "block_dirty_buffer",
		.kind = IOB_HOOK_TRACEPOINT, .phase = IOB_HOOK_ENABLED,
		.probe = IOB_PROBE(block_dirty_buffer, buffer_dirty_probe,
				   buffer_dirty_probe),
		.impact = "who dirties single pages of a large folio, and buffers again",
	},
};

static IOB_HOOK_LIST(writeback_hooks, writeback_table);

IOB_PROVIDER(writeback) = {
	.hooks = &writeback_hooks,
	.layout = { &work_layout },
};
