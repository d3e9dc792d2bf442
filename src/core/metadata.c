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

/* The slow path of iob_is_metadata(). */
bool iob_metadata_inode(const struct inode *inode)
{
	unsigned int i;

	for (i = 0; i < nr_metadata; i++) {
		if (inode->i_sb->s_magic == metadata[i].magic)
			return inode->i_ino <= metadata[i].last;
	}
	return false;
}
