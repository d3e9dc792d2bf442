// SPDX-License-Identifier: GPL-2.0
/*
 * fscrypt: it encrypts each page into a bounce page, which has no mapping and points to the
 * file's own page.  That is under writeback meanwhile, or is one that was compressed.
 *
 * Nothing is known of the page that is asked about, and what it points to may be anything:
 * it is followed only if it is the address of a struct page, and believed only if that
 * page belongs to an encrypted file.
 */
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>

#include <compat/folio.h>

#include "blame/provider.h"

/* Whether a pointer is the address of a page frame's struct page. */
static bool points_to_page(const struct page *page)
{
#if defined(CONFIG_SPARSEMEM_VMEMMAP) || defined(CONFIG_FLATMEM)
	unsigned long pfn;

	if (!IS_ALIGNED((unsigned long)page, sizeof(void *)))
		return false;
	pfn = page_to_pfn(page);
	return pfn_valid(pfn) && pfn_to_page(pfn) == page;
#else
	/* to find out would be to read what is there */
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
	/* (what was compressed may be encrypted, too) */
	if (iob_folio_writeback(iob_folio_of(own)))
		host = iob_folio_host(iob_folio_of(own));
	else if (iob_provider_cluster(own, &c))
		host = c.host;
	return host && S_ISREG(host->i_mode) && IS_ENCRYPTED(host) ? own : page;
}

IOB_PROVIDER(fscrypt) = {
	.bounced = fscrypt_bounced,
};
