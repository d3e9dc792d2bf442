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
 * @mark; 0 if there is none.
 */
static unsigned long cached_pfn(struct address_space *mapping, unsigned long index,
				unsigned long last, xa_mark_t mark)
{
	struct iob_folio *f;
	unsigned long pfn, first;
	/* data_race: others mark pages meanwhile; which is found then is as good */
	void *entry = data_race(xa_find(&mapping->i_pages, &index, last, mark));

	if (!entry || xa_is_value(entry))
		return 0;
	f = iob_folio_of((struct page *)entry);
	pfn = iob_folio_pfn(f);
	first = READ_ONCE(f->index);
	/* data_race: nothing holds the folio, and its pages may be split or freed meanwhile */
	if (index > first && index - first < data_race(iob_folio_pages(f)))
		pfn += index - first;
	return pfn;
}

/**
 * iob_cause_of_pages - the cause that dirtied the first of some pages
 * @inode:    the file
 * @index:    the first page's index in it
 * @last:     the last one's
 * @mark:     the page has this mark: PAGECACHE_TAG_DIRTY, or XA_PRESENT for any
 * @dirty_ns: gets when that was, 0 if it is not known
 *
 * From a probe, inside iob_read_lock(), which keeps the entries of the page cache readable.
 * If the page is another file's by now, its entry has that file's tag and is ignored.
 * Return: a reference; IOB_CAUSE_LOST or less if no cause is known.
 */
u64 iob_cause_of_pages(struct inode *inode, unsigned long index, unsigned long last,
		       xa_mark_t mark, u64 *dirty_ns)
{
	unsigned long pfn = cached_pfn(inode->i_mapping, index, last, mark);
	u32 entry = pfn ? iob_dirtier_get(pfn) : 0;
	u64 ref = entry ? iob_cause_of_entry(entry, iob_inode_hash(inode)) : IOB_CAUSE_NONE;

	*dirty_ns = ref > IOB_CAUSE_LOST ? iob_dirty_time_get(pfn) : 0;
	return ref;
}
