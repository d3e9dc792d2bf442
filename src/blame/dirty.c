// SPDX-License-Identifier: GPL-2.0
/*
 * The first to dirty a clean page is its dirtier: it is he who causes the
 * write.  Writeback that finds it cannot write a page marks it dirty again,
 * in whichever task that may be; that changes nothing, and the stack tells.
 */
#include <compat/iomap.h>

#include "act.h"
#include "dirtier.h"
#include "dirty.h"
#include "disk.h"
#include "intent.h"
#include "stack.h"
#include "task.h"

/* Whether the page's entry is this file's. */
static bool has_dirtier(unsigned long pfn, const struct iob_file *file)
{
	u32 nr = iob_dirtier_get(pfn);
	const struct iob_act *act;

	if (nr <= IOB_ACT_LOST)
		return nr == IOB_ACT_LOST;
	act = iob_act_nr(nr);
	return act && iob_file_same(&act->file, file);
}

/*
 * Whether a page that becomes dirty with this intent was dirty before, but for
 * the moment in which writeback looked at it.  What writeback does to a block
 * device's pages is metadata of its own making, unless it says otherwise.
 */
static bool is_dirty_again(u32 nr, const struct inode *inode)
{
	const struct iob_intent *i = iob_intent_nr(nr);

	if (!i)
		return false;
	return i->flags & IOB_INTENT_REDIRTY ||
	       (i->flags & IOB_INTENT_WRITEBACK && !S_ISBLK(inode->i_mode));
}

/* somebody who dirties pages of a file, found once for all of them */
struct dirtier {
	struct iob_file file;
	u32 act_nr;
	bool again;		/* is_dirty_again() */
};

/*
 * Who dirties @inode's pages now: the current task.  From a probe, inside
 * iob_read_lock(), interrupts maybe off; @regs as they were at a kprobe, or
 * NULL.
 */
static void find_dirtier(struct dirtier *d, struct inode *inode,
			 struct pt_regs *regs)
{
	unsigned long trace[IOB_STACK_DEPTH];
	struct iob_task *t = iob_task_get();
	unsigned int depth;
	u32 intent;

	d->act_nr = iob_id_nr(IOB_ACT_NOMEM);
	d->again = false;
	if (!t)
		return;
	depth = iob_stack_save(trace, regs);
	intent = iob_intent_get(trace, depth, 0);
	iob_file_of(inode, &d->file);
	d->again = is_dirty_again(intent, inode);
	d->act_nr = iob_id_nr(iob_task_act(t, intent, &d->file));
}

static void set_dirtier(const struct dirtier *d, unsigned long pfn,
			unsigned long count)
{
	if (!d->again || !has_dirtier(pfn, &d->file))
		iob_dirtier_set(pfn, count, d->act_nr);
}

#ifdef IOB_HAVE_FOLIO
/**
 * iob_dirty_mapped - the current task stores into a mapped page
 * @page: the page
 * @regs: as they were at the kprobe
 *
 * The first such store makes all of a large folio dirty.  Whoever stores into
 * another page of it later is that page's dirtier nevertheless.
 * From a probe, inside iob_read_lock().
 */
void iob_dirty_mapped(struct page *page, struct pt_regs *regs)
{
	struct folio *folio = page_folio(page);
	struct inode *inode = iob_folio_host(folio);
	struct dirtier d;

	/* a clean folio's own event is to come */
	if (!inode || !folio_test_large(folio) || !folio_test_dirty(folio) ||
	    !iob_disk_watches(inode))
		return;
	find_dirtier(&d, inode, regs);
	set_dirtier(&d, page_to_pfn(page), 1);
}

#ifdef IOB_IOMAP_WHOLE_FOLIOS
/**
 * iob_dirty_again - the current task is about to write into a folio
 * @folio: the folio; locked by the task
 * @off:   bytes from the folio's start
 * @len:   bytes
 * @regs:  as they were at the kprobe
 *
 * For kernels whose iomap knows no dirty blocks: all of a folio is written if
 * any of it is.  So whoever makes it dirty pays for all, until others write
 * into their parts.  From a probe, inside iob_read_lock().
 */
void iob_dirty_again(struct folio *folio, size_t off, size_t len,
		     struct pt_regs *regs)
{
	struct inode *inode = iob_folio_host(folio);
	struct dirtier d;
	size_t end;

	/* a clean folio's own event is to come */
	if (!inode || !len || !folio_test_large(folio) ||
	    !folio_test_dirty(folio) || !iob_disk_watches(inode))
		return;
	find_dirtier(&d, inode, regs);
	end = min(off + len, folio_size(folio));
	set_dirtier(&d, folio_pfn(folio) + (off >> PAGE_SHIFT),
		    ((end - 1) >> PAGE_SHIFT) - (off >> PAGE_SHIFT) + 1);
}
#endif
#endif

#ifdef IOB_HAVE_BH_FOLIO
/* The folio's own event is next if it was clean: it has nothing to add. */
static void expect_event(const struct folio *folio, bool was_dirty)
{
	struct iob_task *t = was_dirty ? NULL : iob_task_get();

	if (t)
		t->ranged = folio;
}

/**
 * iob_dirty_buffer - the current task dirties a clean buffer of a large folio
 * @bh: the buffer
 *
 * From a probe, inside iob_read_lock().
 */
void iob_dirty_buffer(struct buffer_head *bh)
{
	struct inode *inode = iob_folio_host(bh->b_folio);
	struct dirtier d;

	if (!inode || !iob_disk_watches(inode))
		return;
	find_dirtier(&d, inode, NULL);
	set_dirtier(&d, folio_pfn(bh->b_folio) + (bh_offset(bh) >> PAGE_SHIFT),
		    1);
	expect_event(bh->b_folio, folio_test_dirty(bh->b_folio));
}

/**
 * iob_dirty_range - the current task is about to dirty a part of a folio
 * @folio: the folio; locked by the task
 * @ifs:   iomap's state of it, which knows dirty blocks; NULL without
 * @off:   bytes from the folio's start
 * @len:   bytes
 * @regs:  as they were at the kprobe
 *
 * From a probe, inside iob_read_lock().  Without @ifs the last to dirty a page
 * of a dirty folio counts, as nobody can say who was the first.
 */
void iob_dirty_range(struct folio *folio, const void *ifs, size_t off,
		     size_t len, struct pt_regs *regs)
{
	struct inode *inode = iob_folio_host(folio);
	bool was_dirty = folio_test_dirty(folio);
	struct dirtier d;
	size_t end;

	if (!inode || !len || !folio_test_large(folio) ||
	    !iob_disk_watches(inode))
		return;
	find_dirtier(&d, inode, regs);
	end = min(off + len, folio_size(folio));
	for (off = round_down(off, PAGE_SIZE); off < end; off += PAGE_SIZE) {
		if (was_dirty && ifs && iob_iomap_dirty(ifs, inode, folio, off))
			continue;
		set_dirtier(&d, folio_pfn(folio) + (off >> PAGE_SHIFT), 1);
	}
	expect_event(folio, was_dirty);
}
#endif

/*
 * Whether iob_dirty_buffer() or iob_dirty_range() has just seen to the pages of
 * @folio.  Without them all of it becomes dirty.  What the folio's private data
 * is, buffers or something else, only its file system knows: we never look.
 */
static bool was_ranged(const struct iob_folio *folio)
{
	struct iob_task *t = iob_task_get();
	bool ranged = t && t->ranged == folio;

	/* another folio's event: the one that was to come did not */
	if (t)
		t->ranged = NULL;
	return ranged;
}

/**
 * iob_dirty_folio - the current task dirties a clean folio
 * @inode: in whose page cache it is
 * @folio: the folio; a page on kernels that have none
 *
 * From a probe, inside iob_read_lock(), interrupts off.
 */
void iob_dirty_folio(struct inode *inode, struct iob_folio *folio)
{
	unsigned long nr = iob_folio_pages(folio);
	struct dirtier d;

	if (!iob_disk_watches(inode))
		return;
	if (nr > 1 && was_ranged(folio))
		return;
	find_dirtier(&d, inode, NULL);
	set_dirtier(&d, iob_folio_pfn(folio), nr);
}
