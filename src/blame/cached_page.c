// SPDX-License-Identifier: GPL-2.0
#include <linux/pagemap.h>

#include <compat/folio.h>

#include "cached_page.h"
#include "dirtier.h"
#include "dirty_time.h"

/**
 * iob_cause_of_inode - a reference, if it is about this very inode
 * @ref:   the reference
 * @inode: the inode
 *
 * A cause that was noted for an earlier inode at the same address has another file's tag.
 * Inside iob_read_lock().  Return: @ref or IOB_CAUSE_NONE.
 */
u64 iob_cause_of_inode(u64 ref, struct inode *inode)
{
	return iob_cause_of(ref) && iob_cause_is_about(ref, iob_inode_hash(inode)) ?
	       ref : IOB_CAUSE_NONE;
}

/*
 * The page frame of the first page from @index to @last that is in the cache and has
 * @mark; 0 if there is none.  @nr gets how many pages of its folio there are from it to @last.
 */
static unsigned long cached_pfn(struct address_space *mapping, unsigned long index,
				unsigned long last, xa_mark_t mark, unsigned long *nr)
{
	struct iob_folio *f;
	unsigned long at = index, first, pages;
	/* data_race: others mark pages meanwhile; which is found then is as good */
	void *entry = data_race(xa_find(&mapping->i_pages, &at, last, mark));

	if (!entry || xa_is_value(entry))
		return 0;
	f = iob_folio_of((struct page *)entry);
	first = READ_ONCE(f->index);
	/* data_race: nothing holds the folio, and its pages may be split or freed meanwhile */
	pages = data_race(iob_folio_pages(f));
	/* a mark is the folio's: it is found at the first page, also from one behind that */
	index = max(index, at);
	if (index < first || index - first >= pages)
		index = first;
	*nr = min(pages - (index - first) - 1, last - index) + 1;
	return iob_folio_pfn(f) + (index - first);
}

/**
 * iob_cause_of_pages - the cause that dirtied the first of some pages
 * @inode:    the file
 * @index:    the first page's index in it
 * @last:     the last one's
 * @mark:     the page has this mark: PAGECACHE_TAG_DIRTY, or XA_PRESENT for any
 * @dirty_ns: gets when that was, 0 if it is not known
 *
 * A mark is that of all pages of a large folio, of which one may be dirty: with a mark, the first
 * page of the folio whose cause is known counts.
 *
 * From a probe, inside iob_read_lock(), which keeps the entries of the page cache readable.
 * If the page is another file's by now, its entry has that file's tag and is ignored.
 * Return: a reference; IOB_CAUSE_LOST or less if no cause is known.
 */
u64 iob_cause_of_pages(struct inode *inode, unsigned long index, unsigned long last,
		       xa_mark_t mark, u64 *dirty_ns)
{
	unsigned long nr = 0, pfn = cached_pfn(inode->i_mapping, index, last, mark, &nr);
	u32 hash = pfn ? iob_inode_hash(inode) : 0, entry;
	u64 ref = IOB_CAUSE_NONE;

	*dirty_ns = 0;
	if (!pfn)
		return ref;
	/* without a mark that page is meant, and no other */
	nr = mark == XA_PRESENT ? 1 : min(nr, IOB_LEAF_PAGES);
	for (; nr; nr--, pfn++) {
		entry = iob_dirtier_get(pfn);
		if (entry)
			ref = iob_cause_of_entry(entry, hash);
		if (ref > IOB_CAUSE_LOST) {
			*dirty_ns = iob_dirty_time_get(pfn);
			break;
		}
	}
	return ref;
}
