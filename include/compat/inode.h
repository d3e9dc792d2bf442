/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/inode - the state of an inode, and what ->setattr() changes
 *
 * Hides: 6.19 gave i_state a type of its own and functions to read it.  5.12 put the mount's ids
 * before the other arguments of ->setattr().
 */
#ifndef IOB_COMPAT_INODE_H
#define IOB_COMPAT_INODE_H

#include <linux/fs.h>

/* Which argument of ->setattr(), from 0, is the dentry */
#ifdef IOB_HAVE_SETATTR_IDMAP
#define IOB_SETATTR_DENTRY	1
#else
#define IOB_SETATTR_DENTRY	0
#endif

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
