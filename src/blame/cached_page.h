/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cached_page - the act that dirtied a page, by the page's place in its file
 */
#ifndef IOB_BLAME_CACHED_PAGE_H
#define IOB_BLAME_CACHED_PAGE_H

#include <linux/fs.h>
#include <linux/xarray.h>

u64 iob_act_of_inode(u64 id, const struct inode *inode);
u64 iob_act_of_pages(struct inode *inode, unsigned long index, unsigned long last,
		     xa_mark_t mark, u64 *dirty_ns);

/**
 * iob_act_of_page - the act that dirtied a page that is being written
 * @inode:    the file
 * @index:    the page's index in it
 * @dirty_ns: gets when that was, 0 if it is not known
 *
 * From a probe, inside iob_read_lock(), which keeps the entries of the page cache readable.
 * Return: an act's id; IOB_ACT_LOST or less if no act is known.
 */
static inline u64 iob_act_of_page(struct inode *inode, unsigned long index, u64 *dirty_ns)
{
	return iob_act_of_pages(inode, index, index, XA_PRESENT, dirty_ns);
}

#endif
