/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cached_page - the cause that dirtied a page, by the page's place in its file
 */
#ifndef IOB_BLAME_CACHED_PAGE_H
#define IOB_BLAME_CACHED_PAGE_H

#include <linux/fs.h>
#include <linux/xarray.h>

#include "core/cause.h"
#include "core/disk.h"

/* What the tags of references about @inode hold now.  Inside iob_read_lock(). */
static inline u32 iob_inode_hash(struct inode *inode)
{
	struct iob_file file;

	iob_file_of(inode, &file);
	return iob_file_hash(&file, iob_disk_epoch(inode));
}

u64 iob_cause_of_inode(u64 ref, struct inode *inode);
u64 iob_cause_of_pages(struct inode *inode, unsigned long index, unsigned long last,
		       xa_mark_t mark, u64 *dirty_ns);

/**
 * iob_cause_of_page - the cause that dirtied a page that is being written
 * @inode:    the file
 * @index:    the page's index in it
 * @dirty_ns: gets when that was, 0 if it is not known
 *
 * From a probe, inside iob_read_lock(), which keeps the entries of the page cache readable.
 * Return: a reference; IOB_CAUSE_LOST or less if no cause is known.
 */
static inline u64 iob_cause_of_page(struct inode *inode, unsigned long index, u64 *dirty_ns)
{
	return iob_cause_of_pages(inode, index, index, XA_PRESENT, dirty_ns);
}

#endif
