/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/inode - the state of an inode
 *
 * Hides: 6.19 made i_state a type of its own, with functions to read it.
 */
#ifndef IOB_COMPAT_INODE_H
#define IOB_COMPAT_INODE_H

#include <linux/fs.h>

/* Whether the inode itself, not only its pages, is to be written. */
static inline bool iob_inode_dirty(struct inode *inode)
{
#ifdef IOB_HAVE_INODE_STATE
	return inode_state_read_once(inode) & I_DIRTY_INODE;
#else
	return READ_ONCE(inode->i_state) & I_DIRTY_INODE;
#endif
}

#endif
