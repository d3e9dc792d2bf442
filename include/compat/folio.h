/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/folio - pages and their folios
 *
 * Hides: 5.16 (7b230db3b8d3) brought struct folio.  Before, the head of a compound page has
 * the mapping and the flags: struct iob_folio is struct page then.  6.18 (53fbef56e07d) made a
 * struct of the flags.
 */
#ifndef IOB_COMPAT_FOLIO_H
#define IOB_COMPAT_FOLIO_H

#include <linux/mm.h>
#include <linux/pagemap.h>

#ifdef IOB_HAVE_FOLIO
#define iob_folio		folio
#define iob_folio_of(page)	page_folio(page)
#define iob_folio_pfn(f)	folio_pfn(f)
#define iob_folio_pages(f)	folio_nr_pages(f)
#define iob_folio_writeback(f)	folio_test_writeback(f)
#define iob_folio_locked(f)	folio_test_locked(f)
#define iob_folio_mapping(f)	folio_mapping(f)
#define iob_folio_dirty(f)	folio_test_dirty(f)
#define iob_folio_has_private(f) folio_test_private(f)
#define iob_folio_private(f)	folio_get_private(f)
#define iob_folio_anon(f)	folio_test_anon(f)
#define iob_folio_try_get(f)	folio_try_get(f)
#define iob_folio_put(f)	folio_put(f)
#else
#define iob_folio		page
#define iob_folio_of(page)	compound_head(page)
#define iob_folio_pfn(f)	page_to_pfn(f)
#define iob_folio_pages(f)	compound_nr(f)
#define iob_folio_writeback(f)	PageWriteback(f)
#define iob_folio_locked(f)	PageLocked(f)
#define iob_folio_mapping(f)	page_mapping(f)
#define iob_folio_dirty(f)	PageDirty(f)
#define iob_folio_has_private(f) PagePrivate(f)
#define iob_folio_private(f)	((void *)page_private(f))
#define iob_folio_anon(f)	PageAnon(f)
#define iob_folio_try_get(f)	get_page_unless_zero(f)
#define iob_folio_put(f)	put_page(f)
#endif

/* All flags of a folio at one moment.  The folio may be another one's by now. */
static inline unsigned long iob_folio_flags(const struct iob_folio *f)
{
#ifdef IOB_HAVE_PAGE_FLAGS_STRUCT
	return READ_ONCE(f->flags.f);
#else
	return READ_ONCE(f->flags);
#endif
}

#ifdef SECTION_IN_PAGE_FLAGS
/* The number of the section of memory that @page is in, by its flags. */
static inline unsigned long iob_page_section(const struct page *page)
{
#ifdef IOB_HAVE_PAGE_FLAGS_STRUCT
	return memdesc_section(page->flags);
#else
	return page_to_section(page);
#endif
}
#endif

/*
 * The inode whose page cache has a folio.  Return: NULL for anonymous pages, for swap, and for
 * slabs (jbd2 writes from them; their ->mapping is something else).  The caller holds
 * rcu_read_lock(); the folio's lock or writeback keeps it in the page cache.
 */
static inline struct inode *iob_folio_host(struct iob_folio *f)
{
	struct address_space *mapping = iob_folio_mapping(f);

	return mapping ? READ_ONCE(mapping->host) : NULL;
}

#endif
