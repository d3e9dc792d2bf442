/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/libfs - a name in a directory of a file system without a disk
 *
 * Hides: lookup_one_len() is lookup_noperm() since 6.16.  simple_start_creating() replaces it
 * and the lock around it since 6.17.  Since 6.19 a name that stays is marked so, where a
 * reference to it was kept before; the file system's end no longer has to drop these.  Since 6.6
 * functions set an inode's ctime, and since 6.7 one function sets its three times.
 */
#ifndef IOB_COMPAT_LIBFS_H
#define IOB_COMPAT_LIBFS_H

#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/namei.h>

#ifdef IOB_HAVE_D_MAKE_PERSISTENT
#define iob_kill_super	kill_anon_super
#else
#define iob_kill_super	kill_litter_super
#endif

#ifndef IOB_HAVE_SIMPLE_START_CREATING
static inline struct dentry *iob_name_lookup(struct dentry *dir, const char *name)
{
#ifdef IOB_HAVE_LOOKUP_NOPERM
	return lookup_noperm(&QSTR(name), dir);
#else
	return lookup_one_len(name, dir, strlen(name));
#endif
}
#endif

/*
 * Begin to make a name in @dir, which stays locked until iob_name_done().
 *
 * May sleep.  Return: the name without an inode, or an error, and then nothing is locked.
 */
static inline struct dentry *iob_name_start(struct dentry *dir, const char *name)
{
#ifdef IOB_HAVE_SIMPLE_START_CREATING
	return simple_start_creating(dir, name);
#else
	struct dentry *dentry;

	inode_lock(d_inode(dir));
	dentry = iob_name_lookup(dir, name);
	if (!IS_ERR(dentry) && d_really_is_positive(dentry)) {
		dput(dentry);
		dentry = ERR_PTR(-EEXIST);
	}
	if (IS_ERR(dentry))
		inode_unlock(d_inode(dir));
	return dentry;
#endif
}

/* Unlock the directory. */
static inline void iob_name_unlock(struct dentry *dentry)
{
#ifdef IOB_HAVE_SIMPLE_DONE_CREATING
	simple_done_creating(dentry);
#else
	struct dentry *dir = dentry->d_parent;

	inode_unlock(d_inode(dir));
	dput(dentry);
#endif
}

/* The name stays until simple_recursive_removal() or the file system's end. */
static inline void iob_name_done(struct dentry *dentry, struct inode *inode)
{
#ifdef IOB_HAVE_D_MAKE_PERSISTENT
	d_make_persistent(dentry, inode);
#else
	d_instantiate(dentry, inode);
	/* iob_kill_super() drops it */
	dget(dentry);
#endif
	iob_name_unlock(dentry);
}

/* The times of a new inode: now. */
static inline void iob_inode_times(struct inode *inode)
{
#ifdef IOB_HAVE_SIMPLE_INODE_INIT_TS
	simple_inode_init_ts(inode);
#elif defined(IOB_HAVE_INODE_SET_CTIME)
	inode->i_atime = inode_set_ctime_current(inode);
	inode->i_mtime = inode->i_atime;
#else
	inode->i_atime = current_time(inode);
	inode->i_mtime = inode->i_atime;
	inode->i_ctime = inode->i_atime;
#endif
}

#endif
