/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/inode - the state of an inode
 *
 * Hides: 6.19 gave i_state a type of its own and functions to read it.
 */
#ifndef IOB_COMPAT_INODE_H
#define IOB_COMPAT_INODE_H

#include <linux/fs.h>

/* Any context. */
static inline unsigned long iob_inode_state(struct inode *inode)
{
#ifdef IOB_HAVE_INODE_STATE
	return inode_state_read_once(inode);
#else
	return READ_ONCE(inode->i_state);
#endif
}

/* True if the inode itself, and not only its pages, must be written.  Any context. */
static inline bool iob_inode_dirty(struct inode *inode)
{
	return iob_inode_state(inode) & I_DIRTY_INODE;
}

/* True if times of the inode must be written, and not soon (lazytime).  Any context. */
static inline bool iob_inode_times_wait(struct inode *inode)
{
	return iob_inode_state(inode) & I_DIRTY_TIME;
}

/* True if nothing else of the inode must be written.  Any context. */
static inline bool iob_inode_times_only(struct inode *inode)
{
	return (iob_inode_state(inode) & I_DIRTY_ALL) == I_DIRTY_TIME;
}

#endif
