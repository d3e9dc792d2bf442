// SPDX-License-Identifier: GPL-2.0
#include <linux/pagemap.h>

#include <compat/folio.h>

#include "cached_page.h"
#include "core/act.h"
#include "dirtier.h"
#include "dirty_time.h"

/**
 * iob_act_of_inode - an act, if it is one on this very inode
 * @id:    the act
 * @inode: the inode
 *
 * An act that was noted for an earlier inode at the same address is on another file.
 * Inside iob_read_lock().  Return: @id or IOB_ACT_NONE.
 */
u64 iob_act_of_inode(u64 id, const struct inode *inode)
{
	const struct iob_act *act = iob_act_id(id);
	struct iob_file file;

	iob_file_of(inode, &file);
	return act && iob_file_same(&act->file, &file) ? id : IOB_ACT_NONE;
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
	void *entry = xa_find(&mapping->i_pages, &index, last, mark);

	if (!entry || xa_is_value(entry))
		return 0;
	f = iob_folio_of((struct page *)entry);
	pfn = iob_folio_pfn(f);
	first = READ_ONCE(f->index);
	if (index > first && index - first < iob_folio_pages(f))
		pfn += index - first;
	return pfn;
}

/**
 * iob_act_of_pages - the act that dirtied the first of some pages
 * @inode:    the file
 * @index:    the first page's index in it
 * @last:     the last one's
 * @mark:     the page has this mark: PAGECACHE_TAG_DIRTY, or XA_PRESENT for any
 * @dirty_ns: gets when that was, 0 if it is not known
 *
 * From a probe, inside iob_read_lock(), which keeps the entries of the page cache readable.
 * If the page is another file's by now, its entry names an act on that file and is ignored.
 * Return: an act's id; IOB_ACT_LOST or less if no act is known.
 */
u64 iob_act_of_pages(struct inode *inode, unsigned long index, unsigned long last,
		     xa_mark_t mark, u64 *dirty_ns)
{
	unsigned long pfn = cached_pfn(inode->i_mapping, index, last, mark);
	const struct iob_act *act = NULL;
	u64 id = IOB_ACT_NONE;

	if (pfn)
		act = iob_act_nr(iob_dirtier_get(pfn));
	if (act)
		id = iob_act_of_inode(act->node.id, inode);
	*dirty_ns = id > IOB_ACT_LOST ? iob_dirty_time_get(pfn) : 0;
	return id;
}
