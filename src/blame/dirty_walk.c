// SPDX-License-Identifier: GPL-2.0
/*
 * An entry of the dirtier table stays when its page is written.  So the table alone does not
 * tell what is dirty: the page's own flags do.  The walk looks at each page frame of memory,
 * also where the table has no entry: what was dirtied before the session has no dirtier, and is
 * still to be written.
 *
 * A frame may have another page at any moment.  What makes it safe to look:
 *
 *  - Memory stays (iob_planes_keep_memory()): a frame that is online keeps its struct page.
 *  - A reference to the folio: it is not freed and used for something else, whose ->mapping may
 *    be no mapping.  A folio without users is not touched.
 *  - RCU: inodes are freed after a grace period, so ->mapping can be locked.
 *  - The mapping's lock: a folio that is in the page cache under it cannot leave it, so the
 *    inode and its super block are there, too.
 *
 * The tracepoint by which an entry is set comes a moment after the page's flag.  In that
 * moment the page has the entry of whoever dirtied it the time before.
 */
#include <linux/backing-dev.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/pagemap.h>

#include <compat/folio.h>
#include <compat/rcu.h>

#include "cached_page.h"
#include "core/disk.h"
#include "dirtier.h"
#include "dirty_time.h"
#include "dirty_walk.h"

/* The last rows that a page is compared with: neighbours mostly are of a few files. */
#define LAST_ROWS	8

struct walk {
	struct iob_dirty_row *row;
	unsigned int nr;
};

static bool folio_waits(struct iob_folio *f)
{
	return iob_folio_dirty(f) || iob_folio_writeback(f);
}

static struct iob_dirty_row *row_of(struct walk *w, u64 ref, const struct iob_file *file)
{
	struct iob_dirty_row *row;
	unsigned int i;

	for (i = 1; i <= min_t(unsigned int, w->nr, LAST_ROWS); i++) {
		row = &w->row[w->nr - i];
		if (row->ref == ref && iob_file_same(&row->file, file))
			return row;
	}
	row = &w->row[w->nr++];
	*row = (struct iob_dirty_row){ .ref = ref, .file = *file };
	return row;
}

/* @nr pages of a folio that is in the page cache of @inode, whose lock is held. */
static void walk_pages(struct walk *w, struct iob_folio *f, struct inode *inode,
		       unsigned long pfn, unsigned long nr)
{
	bool dirty = iob_folio_dirty(f), writeback = iob_folio_writeback(f);
	struct iob_dirty_row *row;
	struct iob_file file;
	u64 ref, when;
	u32 hash;

	iob_file_of(inode, &file);
	hash = iob_file_hash(&file, iob_disk_epoch(inode));
	for (; nr; nr--, pfn++) {
		ref = iob_cause_of_entry(iob_dirtier_get(pfn), hash);
		row = row_of(w, ref == IOB_CAUSE_NONE ? ref : ref & ~IOB_CAUSE_TAG, &file);
		row->dirty += dirty;
		row->writeback += writeback;
		when = ref == IOB_CAUSE_NONE ? 0 : iob_dirty_time_get(pfn);
		if (when && (!row->oldest_ns || when < row->oldest_ns))
			row->oldest_ns = when;
	}
}

/* @f is referenced.  Pages that are no file's, or never written to a disk, do not count. */
static void walk_folio(struct walk *w, struct iob_folio *f, unsigned long pfn, unsigned long nr)
{
	/* (it may be cut off at this moment: so it is read again under the lock) */
	struct address_space *mapping = data_race(iob_folio_mapping(f));
	unsigned long flags;

	/* (that of swap has no inode) */
	if (!mapping || !READ_ONCE(mapping->host))
		return;
	xa_lock_irqsave(&mapping->i_pages, flags);
	/* data_race: it does not leave this mapping now; or it has left, and is in another one */
	if (data_race(iob_folio_mapping(f)) == mapping && mapping_can_writeback(mapping) &&
	    iob_disk_watches(mapping->host) && folio_waits(f))
		walk_pages(w, f, mapping->host, pfn, nr);
	xa_unlock_irqrestore(&mapping->i_pages, flags);
}

/*
 * What is at @pfn.  Inside iob_read_lock(), which is given up for a moment.  Return: how many page
 * frames that was, up to @max.
 */
static unsigned long walk_frame(struct walk *w, unsigned long pfn, unsigned long max)
{
	/* (memory that is offline, or a device's, has none) */
	struct page *page = pfn_to_online_page(pfn);
	unsigned long nr = 1;
	struct iob_folio *f;

	if (!page)
		return 1;
	f = iob_folio_of(page);
	/* (what is no file's is left alone: a reference would be in the way of who moves it) */
	if (!folio_waits(f) || data_race(iob_folio_anon(f)) || !iob_folio_try_get(f))
		return 1;
	/* it was not split before it was referenced */
	if (iob_folio_of(page) == f) {
		nr = min(max, iob_folio_pages(f) - (pfn - iob_folio_pfn(f)));
		walk_folio(w, f, pfn, nr);
	}
	/* the last reference may sleep: that of a huge page of CMA, up to 5.12 */
	iob_read_unlock();
	iob_folio_put(f);
	iob_read_lock();
	return nr;
}

/* How many parts there are to be walked.  May sleep. */
unsigned long iob_dirty_walk_end(void)
{
	return iob_plane_parts(&iob_dirtiers);
}

/**
 * iob_dirty_walk - find the pages of one part of memory that are to be written
 * @part: its number: of page frames from @part << IOB_PART_BITS on
 * @row:  room for IOB_PART_FRAMES rows
 *
 * Pages that may be written to watched disks.  May sleep; the caller holds the session, which
 * is enabled.  Return: the number of rows.
 */
unsigned int iob_dirty_walk(unsigned long part, struct iob_dirty_row *row)
{
	unsigned long pfn = part << IOB_PART_BITS, end = pfn + IOB_PART_FRAMES;
	struct walk w = { .row = row };

	iob_planes_keep_memory();
	iob_read_lock();
	while (pfn < end)
		pfn += walk_frame(&w, pfn, end - pfn);
	iob_read_unlock();
	iob_planes_free_memory();
	return w.nr;
}
