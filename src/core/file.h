/* SPDX-License-Identifier: GPL-2.0 */
/*
 * file - which file an IO is for
 *
 * Example: inode 131 of the file system on 8:1 is { .ino = 131, .dev = 8:1, .gen = its
 * generation }.  The device 8:1 itself is { .ino = 0, .dev = 8:1 }.
 */
#ifndef IOB_CORE_FILE_H
#define IOB_CORE_FILE_H

#include <linux/fs.h>
#include <linux/magic.h>

/* A file, by what ls -i shows and open_by_handle_at() takes. */
struct iob_file {
	u64 ino;
	u32 dev;	/* dev_t, major << 20 | minor */
	u32 gen;
};

/*
 * True if @inode is a block device's own inode, whose page cache holds the device's
 * content.  i_mode does not tell: a file system's internal inode may keep the mode of the
 * inode that had its memory before.
 */
static inline bool iob_is_bdev(const struct inode *inode)
{
	return inode->i_sb->s_magic == BDEVFS_MAGIC;
}

/* @file gets the file of @inode.  A block device's own inode is no file: its number is 0. */
static inline void iob_file_of(const struct inode *inode, struct iob_file *file)
{
	if (iob_is_bdev(inode)) {
		file->dev = inode->i_rdev;
		file->ino = 0;
		file->gen = 0;
	} else {
		file->dev = inode->i_sb->s_dev;
		file->ino = inode->i_ino;
		file->gen = inode->i_generation;
	}
}

static inline bool iob_file_same(const struct iob_file *a,
				 const struct iob_file *b)
{
	return a->ino == b->ino && a->dev == b->dev && a->gen == b->gen;
}

#endif
