// SPDX-License-Identifier: GPL-2.0
#include <linux/bug.h>
#include <linux/errno.h>

#include "metadata.h"

#define MAX_FILE_SYSTEMS	8

/* Set at module load, constant once a probe is attached. */
static struct {
	unsigned long magic;
	unsigned long last;
} metadata[MAX_FILE_SYSTEMS];
static unsigned int nr_metadata;

/**
 * iob_metadata_add - a file system keeps metadata in pages of its first inodes
 * @magic: the file system's magic number
 * @last:  the last of these inodes' numbers, at most IOB_METADATA_INO_MAX
 *
 * At module load.  Return: 0, -EINVAL or -E2BIG.
 */
int iob_metadata_add(unsigned long magic, unsigned long last)
{
	if (WARN_ON(last > IOB_METADATA_INO_MAX))
		return -EINVAL;
	if (WARN_ON(nr_metadata == MAX_FILE_SYSTEMS))
		return -E2BIG;
	metadata[nr_metadata].magic = magic;
	metadata[nr_metadata].last = last;
	nr_metadata++;
	return 0;
}

/* The last inode of @sb whose pages are metadata, or 0. */
static unsigned long metadata_last(const struct super_block *sb)
{
	unsigned int i;

	for (i = 0; i < nr_metadata; i++) {
		if (sb->s_magic == metadata[i].magic)
			return metadata[i].last;
	}
	return 0;
}

/* True if the file system keeps metadata in pages of inodes of its own.  Any context. */
bool iob_has_metadata(const struct super_block *sb)
{
	return metadata_last(sb);
}

/* The slow path of iob_is_metadata(). */
bool iob_metadata_inode(const struct inode *inode)
{
	unsigned long last = metadata_last(inode->i_sb);

	return last && inode->i_ino <= last;
}
