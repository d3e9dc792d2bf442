// SPDX-License-Identifier: GPL-2.0
#include <linux/buffer_head.h>
#include <linux/percpu.h>

#include <compat/compiler.h>
#include <compat/iomap.h>
#include <compat/peek.h>

#include "core/disk.h"
#include "core/metadata.h"
#include "dirtied_by.h"
#include "dirtier.h"
#include "dirty.h"
#include "dirty_range.h"
#include "provider.h"

/*
 * The current task dirties @count pages of a clean folio, from @pfn on.  What the others' entries
 * tell is of writes that are done: forget it.  As the folio's flags are those of all its pages, it
 * would be taken for that of dirty pages.
 *
 * Nothing is lost: the folio is locked, and file systems mark it as under writeback before they
 * build its bios and unlock it.  In between, writeback may put it back.  A block device's buffers
 * are written without such a mark, and the journal notes them before they are dirty; a folio of
 * journalled data has one block.  A store through a mapping makes all of the folio dirty.
 */
static void forget_others(const struct iob_dirtied_by *d, struct inode *inode,
			  struct iob_folio *f, unsigned long pfn, unsigned long count)
{
	unsigned long first = iob_folio_pfn(f), end = first + iob_folio_pages(f);

	if (d->again || d->stored || iob_folio_writeback(f) || iob_is_bdev(inode) ||
	    iob_is_metadata(inode))
		return;
	iob_dirtier_clear(first, pfn - first);
	iob_dirtier_clear(pfn + count, end - pfn - count);
}

#ifdef IOB_HAVE_FOLIO
/**
 * iob_dirty_mkwrite - the current task begins to store into a mapped page
 * @vmf:  its fault, about which the file system has not been told yet
 * @regs: as they were at the function's entry
 *
 * The first such store makes all of a large folio dirty, in an event that comes before the
 * fault is dealt with: from the function that makes the page writable, or after it (with
 * delayed allocation off).  A task that stores into another page of the folio later is that
 * page's dirtier nevertheless.  If a part of the folio was dirty, the rest becomes dirty without an
 * event: pages of which no cause is known are the task's.  From a probe, inside iob_read_lock().
 */
void iob_dirty_mkwrite(const struct vm_fault *vmf, struct pt_regs *regs)
{
	struct page *page = vmf->page;
	struct iob_task *t = iob_task_peek(current);
	struct iob_dirtied_by d IOB_UNINIT;
	struct inode *inode;
	struct folio *folio;

	if (!page)
		return;
	folio = page_folio(page);
	inode = iob_folio_host(folio);
	/* what an earlier fault has left */
	if (t)
		iob_dirtied_by_store(t, 0);
	if (!inode || !folio_test_large(folio) || !iob_disk_watches(inode))
		return;
	t = iob_task_get();
	if (t)
		iob_dirtied_by_store(t, page_to_pfn(page));
	/* the event of a clean folio says the rest */
	if (!folio_test_dirty(folio))
		return;
	iob_dirtied_by_find(&d, inode, regs);
	iob_dirtied_by_set(&d, folio, folio_pfn(folio), folio_nr_pages(folio), page_to_pfn(page),
			   page_to_pfn(page) + 1);
}

#ifdef IOB_IOMAP_WHOLE_FOLIOS
/**
 * iob_dirty_whole - the current task is about to write into a folio
 * @folio: the folio; locked by the task
 * @off:   where, in bytes from the folio's start
 * @len:   how many bytes
 * @regs:  as they were at the function's entry
 *
 * For kernels whose iomap has no dirty bits: all of a folio is written if any of it is
 * dirty.  From a probe, inside iob_read_lock().
 */
void iob_dirty_whole(struct folio *folio, size_t off, size_t len,
		     struct pt_regs *regs)
{
	struct inode *inode = iob_folio_host(folio);
	bool was_dirty = folio_test_dirty(folio);
	struct iob_dirtied_by d IOB_UNINIT;
	unsigned long pfn, first, end;

	if (!inode || !len || !folio_test_large(folio) ||
	    !iob_disk_watches(inode))
		return;
	iob_dirtied_by_find(&d, inode, regs);
	pfn = folio_pfn(folio);
	first = pfn + (off >> PAGE_SHIFT);
	end = pfn + DIV_ROUND_UP(min(off + len, folio_size(folio)), PAGE_SIZE);
	if (was_dirty)
		iob_dirtied_by_set(&d, folio, first, end - first, first, end);
	else
		iob_dirtied_by_set(&d, folio, pfn, folio_nr_pages(folio), first, end);
	iob_dirty_expect(folio, was_dirty);
}
#endif
#endif

/* The buffer that became dirty last on this CPU: a hint, as it may be freed */
static DEFINE_PER_CPU(struct buffer_head *, dirty_buffer_last);

/* True if @bh comes behind @last, which may be any address, and that is dirty. */
static bool dirty_buffer_follows(struct buffer_head *last, struct buffer_head *bh)
{
	struct buffer_head *next;
	unsigned long state;

	return iob_peek(&next, &last->b_this_page) && next == bh &&
	       iob_peek(&state, &last->b_state) && state & BIT(BH_Dirty);
}

/*
 * True if another block of @bh's page is dirty.  The buffers of a folio are a ring in the order of
 * their blocks, which stays: the caller has the folio locked, or a reference to @bh.  As a folio
 * may have 2,048 of them, and a write dirties one after the other, the one before @bh is tried
 * first.
 */
static bool dirty_buffer_has_others(struct buffer_head *bh)
{
	struct buffer_head *last = this_cpu_read(dirty_buffer_last), *b;
	size_t off = bh_offset(bh), page = round_down(off, PAGE_SIZE);
	size_t nr = off / bh->b_size;

	this_cpu_write(dirty_buffer_last, bh);
	if (off > page && dirty_buffer_follows(last, bh))
		return true;
	for (b = bh->b_this_page; b && bh_offset(b) > off && bh_offset(b) < page + PAGE_SIZE;
	     b = b->b_this_page) {
		if (buffer_dirty(b))
			return true;
	}
	if (off == page)
		return false;
	for (b = iob_folio_private(iob_buffer_folio(bh)); b && nr; b = b->b_this_page, nr--) {
		if (bh_offset(b) >= page && b != bh && buffer_dirty(b))
			return true;
	}
	return false;
}

/**
 * iob_dirty_buffer - the current task dirties a clean buffer
 * @bh: the buffer, of a large folio, or of a small one that is dirty and has no other dirty one
 *
 * If its page has several, the task whose buffer was the first stays the page's dirtier.  A buffer
 * of several pages is written as a whole, so all of them are the task's.  From a probe, inside
 * iob_read_lock().
 */
void iob_dirty_buffer(struct buffer_head *bh)
{
	struct iob_folio *f = iob_buffer_folio(bh);
	struct inode *inode = iob_folio_host(f);
	bool was_dirty = iob_folio_dirty(f);
	unsigned long pfn = iob_folio_pfn(f) + (bh_offset(bh) >> PAGE_SHIFT);
	struct iob_dirtied_by d IOB_UNINIT;

	if (!inode || !iob_disk_watches(inode))
		return;
	if (iob_folio_pages(f) == 1) {
		/* (a large folio's pages may lack entries that only this gives) */
		if (iob_provider_logs(bh))
			return;
	} else if (bh->b_size < PAGE_SIZE && was_dirty && dirty_buffer_has_others(bh)) {
		return;
	}
	iob_dirtied_by_find(&d, inode, NULL);
	if (!was_dirty)
		forget_others(&d, inode, f, pfn, iob_buffer_pages(bh));
	iob_dirtied_by_set_changed(&d, f, pfn, iob_buffer_pages(bh));
	iob_dirty_expect(f, was_dirty);
}

#ifdef IOB_HAVE_IOMAP_DIRTY
/**
 * iob_dirty_range - the current task is about to dirty a part of a folio
 * @folio: the folio; locked by the task
 * @state: iomap's of its blocks, which has dirty bits; NULL without
 * @off:   where, in bytes from the folio's start
 * @len:   how many bytes
 * @regs:  as they were at the function's entry
 *
 * Blocks are written as a whole, also those of several pages.  From a probe, inside
 * iob_read_lock().  Without @state the last task to dirty a page of a dirty folio counts: nothing
 * tells which was the first.
 */
void iob_dirty_range(struct folio *folio, const void *state, size_t off,
		     size_t len, struct pt_regs *regs)
{
	struct inode *inode = iob_folio_host(folio);
	bool was_dirty = folio_test_dirty(folio);
	struct iob_dirtied_by d IOB_UNINIT;
	unsigned long pfn, nr;
	size_t end, unit;

	if (!inode || !len || !folio_test_large(folio) ||
	    !iob_disk_watches(inode))
		return;
	iob_dirtied_by_find(&d, inode, regs);
	unit = max_t(size_t, PAGE_SIZE, i_blocksize(inode));
	end = min(round_up(off + len, unit), folio_size(folio));
	off = round_down(off, unit);
	if (off >= end)
		return;
	pfn = folio_pfn(folio) + (off >> PAGE_SHIFT);
	if (!was_dirty)
		forget_others(&d, inode, folio, pfn, (end - off) >> PAGE_SHIFT);
	/* runs of @nr pages that were clean, from @pfn on */
	for (nr = 0; off < end; off += PAGE_SIZE) {
		if (!was_dirty || !state ||
		    !iob_iomap_dirty(state, inode, folio, off)) {
			nr++;
			continue;
		}
		if (nr)
			iob_dirtied_by_set_changed(&d, folio, pfn, nr);
		pfn += nr + 1;
		nr = 0;
	}
	if (nr)
		iob_dirtied_by_set_changed(&d, folio, pfn, nr);
	iob_dirty_expect(folio, was_dirty);
}
#endif
