// SPDX-License-Identifier: GPL-2.0
/*
 * Not always are a file's own pages written.  fscrypt encrypts each into a bounce
 * page, which has no mapping and points to the file's; f2fs compresses a cluster
 * of them into pages that have the file's mapping, but are not in its cache.  The
 * file's pages are under writeback meanwhile.
 *
 * Whoever asks has a page that it knows nothing of, and what it points to may be
 * anything.  So nothing is followed before it is known to be memory of that kind,
 * and nothing is believed unless all agrees: the flags, the file and, for f2fs,
 * what it keeps beside.
 */
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/uaccess.h>

#include <compat/f2fs.h>
#include <compat/folio.h>

#include "bounce.h"

/* The page's page frame is one whose struct page is at that address. */
static bool is_page(const struct page *page)
{
#if defined(CONFIG_SPARSEMEM_VMEMMAP) || defined(CONFIG_FLATMEM)
	unsigned long pfn;

	if (!IS_ALIGNED((unsigned long)page, sizeof(void *)))
		return false;
	pfn = page_to_pfn(page);
	return pfn_valid(pfn) && pfn_to_page(pfn) == page;
#else
	/* asking would read what is there */
	return false;
#endif
}

/* The file that a page of f2fs' own is compressed from, or NULL. */
static struct inode *compressed_host(struct iob_folio *f)
{
	struct inode *host;

	if (!iob_folio_locked(f) || iob_folio_writeback(f) ||
	    !iob_folio_has_private(f))
		return NULL;
	host = iob_folio_host(f);
	if (!host || !S_ISREG(host->i_mode) ||
	    host->i_sb->s_magic != F2FS_SUPER_MAGIC)
		return NULL;
	return host;
}

/**
 * iob_bounce_for - the page that a bounce page is the ciphertext of
 * @page: a page that is being written
 *
 * From a probe, inside iob_read_lock().
 * Return: that page, kept by its own writeback; @page if it is no bounce page.
 */
struct page *iob_bounce_for(struct page *page)
{
	struct page *own;
	struct inode *host;

	if (READ_ONCE(page->mapping) || PageCompound(page) ||
	    !PagePrivate(page))
		return page;
	own = (struct page *)page_private(page);
	if (!is_page(own) || PageCompound(own))
		return page;
	/* (f2fs encrypts what it has compressed) */
	if (iob_folio_writeback(iob_folio_of(own)))
		host = iob_folio_host(iob_folio_of(own));
	else
		host = compressed_host(iob_folio_of(own));
	return host && S_ISREG(host->i_mode) && IS_ENCRYPTED(host) ? own : page;
}

/**
 * iob_bounce_cluster - the pages of a file that a page was compressed from
 * @page: a page that is being written, not a bounce page
 * @c:    gets them
 *
 * From a probe, inside iob_read_lock().  They are under writeback.
 * Return: false if it is none that f2fs has compressed.
 */
bool iob_bounce_cluster(struct page *page, struct iob_cluster *c)
{
	struct inode *host = compressed_host(iob_folio_of(page));
	struct iob_f2fs_cluster notes;
	unsigned long index;

	c->host = NULL;
	if (!host || PageCompound(page) ||
	    copy_from_kernel_nofault(&notes, (void *)page_private(page),
				     sizeof(notes)))
		return false;
	if (notes.magic != IOB_F2FS_CLUSTER_MAGIC || notes.inode != host ||
	    !is_power_of_2(notes.nr) || notes.nr > IOB_F2FS_CLUSTER_MAX)
		return false;
	index = READ_ONCE(iob_folio_of(page)->index);
	c->host = host;
	c->nr = notes.nr;
	c->first = round_down(index, notes.nr);
	/* the cluster's first block says that it is one */
	c->share = index - c->first - 1;
	return true;
}
