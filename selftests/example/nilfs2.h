/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/nilfs2 - which file system a segment constructor belongs to
 *
 * Hides: that struct nilfs_sc_info is private.  Its first member is the super block, since
 * 2.6.30.
 */
#ifndef IOB_COMPAT_NILFS2_H
#define IOB_COMPAT_NILFS2_H

#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/uaccess.h>

/* The super block of a struct nilfs_sc_info, NULL if it is not as we know it. */
static inline const struct super_block *iob_nilfs_super(const void *sci)
{
	const struct super_block *sb;
	unsigned long magic;

	if (get_kernel_nofault(sb, (const struct super_block *const *)sci) ||
	    get_kernel_nofault(magic, &sb->s_magic))
		return NULL;
	return magic == NILFS_SUPER_MAGIC ? sb : NULL;
}

#endif
