// SPDX-License-Identifier: GPL-2.0
/*
 * The file system: mount -t ioblame none /sys/fs/ioblame
 *
 * Under Secure Boot most kernels lock themselves down ("integrity"): debugfs opens no file
 * that can be written, and the module's files are for root alone, whom lockdown does not
 * trust with hardware.  These files reach none.  So the module shows them here, too.  At
 * "confidentiality" even root may not see what the kernel does: nothing opens here then.
 *
 * There is one superblock, filled when it is mounted.  It pins the module.
 */
#define pr_fmt(fmt) "ioblame: " fmt

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/fs_context.h>
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include <compat/libfs.h>

#include "mount.h"
#include "tree.h"

enum {
	MOUNT_MAGIC = 0x696f626c,	/* "iobl" */
};

static struct super_block *mounted;	/* iob_tree_lock() */
static bool mount_offered;		/* module load and unload */

/*
 * Handlers.  Each looks whether the file is still there, and the removal of a removable
 * file waits for the handlers.
 */

static struct iob_tree_node *handler_begin(struct file *file)
{
	struct dentry *dentry = file->f_path.dentry;
	struct iob_tree_node *node = dentry->d_fsdata;

	if (!node->removable)
		return node;
	down_read(&node->handlers);
	/* the name may be of the file's life before this one */
	if (smp_load_acquire(&node->there) && READ_ONCE(node->mounted) == dentry)
		return node;
	up_read(&node->handlers);
	return NULL;
}

static void handler_end(struct iob_tree_node *node)
{
	if (node->removable)
		up_read(&node->handlers);
}

static int mounted_open(struct inode *inode, struct file *file)
{
	struct iob_tree_node *node;
	int err;

	/* what it shows is what tracefs shows */
	err = security_locked_down(LOCKDOWN_TRACEFS);
	if (err)
		return err;
	node = handler_begin(file);
	if (!node)
		return -ENOENT;
	err = node->fops->open(inode, file);
	handler_end(node);
	return err;
}

static ssize_t mounted_read(struct file *file, char __user *to, size_t count, loff_t *pos)
{
	struct iob_tree_node *node = handler_begin(file);
	ssize_t ret;

	if (!node)
		return -EIO;
	ret = node->fops->read(file, to, count, pos);
	handler_end(node);
	return ret;
}

static ssize_t mounted_write(struct file *file, const char __user *from, size_t count,
			     loff_t *pos)
{
	struct iob_tree_node *node = handler_begin(file);
	ssize_t ret = -EINVAL;

	if (!node)
		return -EIO;
	if (node->fops->write)
		ret = node->fops->write(file, from, count, pos);
	handler_end(node);
	return ret;
}

static loff_t mounted_llseek(struct file *file, loff_t off, int whence)
{
	struct iob_tree_node *node = handler_begin(file);
	loff_t ret = -ESPIPE;

	if (!node)
		return -EIO;
	if (node->fops->llseek)
		ret = node->fops->llseek(file, off, whence);
	handler_end(node);
	return ret;
}

static __poll_t mounted_poll(struct file *file, struct poll_table_struct *pt)
{
	struct iob_tree_node *node = handler_begin(file);
	__poll_t ret = DEFAULT_POLLMASK;

	if (!node)
		return EPOLLHUP;
	if (node->fops->poll)
		ret = node->fops->poll(file, pt);
	handler_end(node);
	return ret;
}

/* What was opened is released, whether the file is there or not. */
static int mounted_release(struct inode *inode, struct file *file)
{
	const struct iob_tree_node *node = file->f_path.dentry->d_fsdata;

	return node->fops->release(inode, file);
}

static const struct file_operations mounted_fops = {
	.owner = THIS_MODULE,
	.open = mounted_open,
	.read = mounted_read,
	.write = mounted_write,
	.llseek = mounted_llseek,
	.poll = mounted_poll,
	.release = mounted_release,
};

static struct inode *mounted_inode(struct super_block *sb, umode_t mode)
{
	struct inode *inode = new_inode(sb);

	if (!inode)
		return NULL;
	inode->i_ino = get_next_ino();
	inode->i_mode = mode;
	iob_inode_times(inode);
	if (!S_ISDIR(mode)) {
		inode->i_fop = &mounted_fops;
		return inode;
	}
	inode->i_op = &simple_dir_inode_operations;
	inode->i_fop = &simple_dir_operations;
	/* the name "." */
	inc_nlink(inode);
	return inode;
}

/*
 * Show a directory or file, if the file system is mounted.  Its directory is shown already.
 * Return: 0 or -ENOMEM.
 */
static int mount_add(struct iob_tree_node *node)
{
	struct dentry *dir, *dentry;
	struct inode *inode;

	if (!mounted)
		return 0;
	dir = node->dir ? node->dir->mounted : mounted->s_root;
	/* the top is the file system's root */
	if (!node->dir) {
		node->mounted = dir;
		return 0;
	}
	inode = mounted_inode(mounted, node->fops ? S_IFREG | node->mode : node->mode);
	if (!inode)
		return -ENOMEM;
	inode->i_private = node->data;
	dentry = iob_name_start(dir, node->name);
	if (IS_ERR(dentry)) {
		iput(inode);
		return PTR_ERR(dentry);
	}
	dentry->d_fsdata = node;
	if (!node->fops)
		inc_nlink(d_inode(dir));
	iob_name_done(dentry, inode);
	WRITE_ONCE(node->mounted, dentry);
	return 0;
}

/* Show it no more. */
static void mount_remove(struct iob_tree_node *node)
{
	struct dentry *dentry = node->mounted;

	if (!dentry || !node->dir)
		return;
	simple_recursive_removal(dentry, NULL);
	/* handlers that run go on to the end; iob_tree_remove() waits for them */
	WRITE_ONCE(node->mounted, NULL);
}

const struct iob_tree_view iob_mount_view = {
	.add = mount_add,
	.remove = mount_remove,
};

static const struct super_operations mounted_super_ops = {
	.statfs = simple_statfs,
};

/* Return: 0 or -ENOMEM, and mounted_kill() follows. */
static int show_tree(struct super_block *sb)
{
	int err;

	iob_tree_lock();
	mounted = sb;
	err = iob_tree_each(mount_add);
	iob_tree_unlock();
	return err;
}

static int mounted_fill(struct super_block *sb, struct fs_context *fc)
{
	struct inode *inode;

	sb->s_blocksize = PAGE_SIZE;
	sb->s_blocksize_bits = PAGE_SHIFT;
	sb->s_magic = MOUNT_MAGIC;
	sb->s_op = &mounted_super_ops;
	sb->s_time_gran = 1;
	/* what is stacked on it would open files by a name of its own */
	sb->s_stack_depth = FILESYSTEM_MAX_STACK_DEPTH;
	inode = mounted_inode(sb, S_IFDIR | 0700);
	if (!inode)
		return -ENOMEM;
	sb->s_root = d_make_root(inode);
	if (!sb->s_root)
		return -ENOMEM;
	return show_tree(sb);
}

static int mounted_get_tree(struct fs_context *fc)
{
	int err = security_locked_down(LOCKDOWN_TRACEFS);

	return err ? err : get_tree_single(fc, mounted_fill);
}

static const struct fs_context_operations mounted_context_ops = {
	.get_tree = mounted_get_tree,
};

static int mounted_init_context(struct fs_context *fc)
{
	fc->ops = &mounted_context_ops;
	return 0;
}

static int forget_name(struct iob_tree_node *node)
{
	node->mounted = NULL;
	return 0;
}

/* The last mount and the last file are gone. */
static void mounted_kill(struct super_block *sb)
{
	iob_tree_lock();
	if (mounted == sb) {
		iob_tree_each(forget_name);
		mounted = NULL;
	}
	iob_tree_unlock();
	iob_kill_super(sb);
}

static struct file_system_type mounted_type = {
	.owner = THIS_MODULE,
	.name = "ioblame",
	.init_fs_context = mounted_init_context,
	.kill_sb = mounted_kill,
};

/* Offer the file system.  May sleep.  Return: 0 or a negative errno. */
int iob_mount_init(void)
{
	int err;

	err = sysfs_create_mount_point(fs_kobj, "ioblame");
	if (err)
		return err;
	err = register_filesystem(&mounted_type);
	if (err)
		sysfs_remove_mount_point(fs_kobj, "ioblame");
	mount_offered = !err;
	return err;
}

/* It is not mounted: a mount pins the module. */
void iob_mount_exit(void)
{
	if (!mount_offered)
		return;
	unregister_filesystem(&mounted_type);
	sysfs_remove_mount_point(fs_kobj, "ioblame");
	mount_offered = false;
}
