// SPDX-License-Identifier: GPL-2.0
/*
 * fscrypt encrypts each page into a bounce page.  The bounce page has no mapping, and its
 * private points to the file's own page, which is under writeback or is a page of a
 * compressed cluster.
 *
 * fscrypt_bounced() gets any page, so private may have any value.  It follows private only if
 * that is the address of a struct page, and believes it only if the page belongs to an
 * encrypted file.
 */
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>

#include <compat/folio.h>
#include <compat/peek.h>

#include "blame/provider.h"

/* True if @page is the address of a page frame's struct page, of memory that is online. */
static bool points_to_page(const struct page *page)
{
#if defined(CONFIG_SPARSEMEM_VMEMMAP) || defined(CONFIG_FLATMEM)
	return IS_ALIGNED((unsigned long)page, sizeof(void *)) &&
	       pfn_to_online_page(page_to_pfn(page)) == page;
#elif defined(SECTION_IN_PAGE_FLAGS)
	/* its flags say in which section of memory it is, and that has the first one's address */
	struct mem_section *section;
	struct page copy;
	unsigned long off;

	if (!IS_ALIGNED((unsigned long)page, sizeof(void *)) || !iob_peek(&copy, page))
		return false;
	section = __nr_to_section(iob_page_section(&copy));
	if (!section)
		return false;
	off = (unsigned long)page - (unsigned long)__section_mem_map_addr(section);
	return pfn_to_online_page(off / sizeof(copy)) == page;
#else
	/* other memory models cannot tell without a read of *page */
	return false;
#endif
}

static struct page *fscrypt_bounced(struct page *page)
{
	struct inode *host = NULL;
	struct iob_cluster c;
	struct page *own;

	if (READ_ONCE(page->mapping) || PageCompound(page) ||
	    !PagePrivate(page))
		return page;
	own = (struct page *)page_private(page);
	if (!points_to_page(own) || PageCompound(own))
		return page;
	/* a compressed cluster may be encrypted, too */
	if (iob_folio_writeback(iob_folio_of(own)))
		host = iob_folio_host(iob_folio_of(own));
	else if (iob_provider_cluster(own, &c))
		host = c.host;
	return host && S_ISREG(READ_ONCE(host->i_mode)) && IS_ENCRYPTED(host) ? own : page;
}

IOB_PROVIDER(fscrypt) = {
	.bounced = fscrypt_bounced,
};
