/* SPDX-License-Identifier: GPL-2.0 */
/*
 * metadata - inodes in whose pages a file system keeps its metadata
 *
 * Some file systems keep metadata in the page cache of inodes of their own, with low numbers
 * that no file of theirs has.  Each adds the last of these numbers at module load.
 *
 * Example: iob_metadata_add(MAGIC, 2).  On a file system with that magic number, pages of
 * the inodes 1 and 2 are metadata, and those of inode 3 are a file's.
 */
#ifndef IOB_CORE_METADATA_H
#define IOB_CORE_METADATA_H

#include <linux/fs.h>

/* no file system adds a higher number: the fast path asks for this one first */
#define IOB_METADATA_INO_MAX	8

int iob_metadata_add(unsigned long magic, unsigned long last);
bool iob_has_metadata(const struct super_block *sb);
bool iob_metadata_inode(const struct inode *inode);

/* True if @inode's pages are metadata.  Any context. */
static inline bool iob_is_metadata(const struct inode *inode)
{
	return unlikely(inode->i_ino <= IOB_METADATA_INO_MAX) &&
	       iob_metadata_inode(inode);
}

#endif
