// SPDX-License-Identifier: GPL-2.0
/*
 * One list of nodes, which debugfs shows and, while it is mounted, our own file system.
 * debugfs comes first.  A kernel that is locked down does not open most files there, and one with
 * debugfs=off has none.
 */
#define pr_fmt(fmt) "ioblame: " fmt

#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "tree.h"

/* Taken inside the session's lock, and inside the superblock's while that comes or goes. */
static DEFINE_MUTEX(tree_mutex);
static LIST_HEAD(tree_nodes);		/* a directory comes before what it has */
static bool tree_in_debugfs;
static const struct iob_tree_view *tree_view;

static struct iob_tree_node *find_node(struct iob_tree_node *dir, const char *name)
{
	struct iob_tree_node *node;

	list_for_each_entry(node, &tree_nodes, all) {
		if (node->dir == dir && !strcmp(node->name, name))
			return node;
	}
	return NULL;
}

static struct iob_tree_node *node_alloc(struct iob_tree_node *dir, const char *name)
{
	struct iob_tree_node *node = kzalloc(sizeof(*node), GFP_KERNEL);

	if (!node)
		return NULL;
	node->dir = dir;
	strscpy(node->name, name, sizeof(node->name));
	init_rwsem(&node->handlers);
	list_add_tail(&node->all, &tree_nodes);
	return node;
}

/* Return: 0, also if debugfs is not there at all. */
static int create_in_debugfs(struct iob_tree_node *node)
{
	struct dentry *dir = node->dir ? node->dir->debugfs : NULL;
	struct dentry *dentry;

	if (!tree_in_debugfs)
		return 0;
	if (node->fops)
		dentry = debugfs_create_file(node->name, node->mode, dir, node->data, node->fops);
	else
		dentry = debugfs_create_dir(node->name, dir);
	if (IS_ERR(dentry))
		return PTR_ERR(dentry);
	if (!node->fops)
		d_inode(dentry)->i_mode = node->mode;
	node->debugfs = dentry;
	return 0;
}

/*
 * Show a node in both views.  Its handlers in our file system are refused until both have it, so
 * this waits for none: a handler may take hooks_mutex, and a CPU that comes adds nodes while
 * another task holds that mutex.  tree_mutex is held.
 */
static int show_node(struct iob_tree_node *node)
{
	int err;

	err = tree_view->add(node);
	if (!err)
		err = create_in_debugfs(node);
	if (err) {
		tree_view->remove(node);
		return err;
	}
	/* pairs with handler_begin() in mount.c */
	smp_store_release(&node->there, true);
	return 0;
}

static struct iob_tree_node *add_node(const struct iob_tree_node *from)
{
	struct iob_tree_node *node;
	int err = -ENOMEM;

	mutex_lock(&tree_mutex);
	node = find_node(from->dir, from->name);
	if (!node)
		node = node_alloc(from->dir, from->name);
	if (node) {
		node->mode = from->mode;
		node->data = from->data;
		node->fops = from->fops;
		node->removable = from->removable;
		err = show_node(node);
	}
	mutex_unlock(&tree_mutex);
	return err ? ERR_PTR(err) : node;
}

static struct iob_tree_node *add_file(struct iob_tree_node *from, const char *name)
{
	if (strscpy(from->name, name, sizeof(from->name)) < 0)
		return ERR_PTR(-ENAMETOOLONG);
	return add_node(from);
}

/**
 * iob_tree_dir - make a directory
 * @dir:  in this one, NULL for the top
 * @name: its name
 *
 * May sleep.  Return: the directory, or an error.
 */
struct iob_tree_node *iob_tree_dir(struct iob_tree_node *dir, const char *name)
{
	struct iob_tree_node from = { .dir = dir, .mode = S_IFDIR | 0700 };

	return add_file(&from, name);
}

/**
 * iob_tree_file - make a file that stays until the module goes
 * @dir:  its directory
 * @name: its name
 * @mode: 0400 or 0600
 * @data: ->i_private of its inodes
 * @fops: open, read, write, llseek, poll and release; others are not called
 *
 * May sleep.  Return: the file, or an error.
 */
struct iob_tree_node *iob_tree_file(struct iob_tree_node *dir, const char *name, umode_t mode,
				    void *data, const struct file_operations *fops)
{
	struct iob_tree_node from = { .dir = dir, .mode = mode, .data = data, .fops = fops };

	return add_file(&from, name);
}

/**
 * iob_tree_removable - make a file that iob_tree_remove() may remove
 * @dir:  its directory
 * @name: its name
 * @mode: 0400 or 0600
 * @data: ->i_private of its inodes; no handler but release uses it after the removal
 * @fops: as for iob_tree_file(); none takes a lock that is held at the removal
 *
 * May sleep.  Return: the file, or an error.
 */
struct iob_tree_node *iob_tree_removable(struct iob_tree_node *dir, const char *name, umode_t mode,
					 void *data, const struct file_operations *fops)
{
	struct iob_tree_node from = {
		.dir = dir, .mode = mode, .data = data, .fops = fops, .removable = true,
	};

	return add_file(&from, name);
}

/* Remove a file.  Waits for its handlers but release, which may run later.  NULL is no file. */
void iob_tree_remove(struct iob_tree_node *node)
{
	struct dentry *dentry;

	if (!node)
		return;
	mutex_lock(&tree_mutex);
	tree_view->remove(node);
	WRITE_ONCE(node->there, false);
	dentry = node->debugfs;
	node->debugfs = NULL;
	mutex_unlock(&tree_mutex);
	debugfs_remove(dentry);
	/* those that run in our file system go on to the end; others see that it is not there */
	down_write(&node->handlers);
	up_write(&node->handlers);
}

/* While it is held nothing comes or goes.  May sleep. */
void iob_tree_lock(void)
{
	mutex_lock(&tree_mutex);
}

void iob_tree_unlock(void)
{
	mutex_unlock(&tree_mutex);
}

/* Call @fn for all that is there, directories first.  Return: its first error, or 0. */
int iob_tree_each(int (*fn)(struct iob_tree_node *node))
{
	struct iob_tree_node *node;
	int err = 0;

	list_for_each_entry(node, &tree_nodes, all) {
		err = node->there ? fn(node) : 0;
		if (err)
			break;
	}
	return err;
}

/**
 * iob_tree_init - find out where files can be shown
 * @view: where else than in debugfs; constant
 *
 * May sleep.  Return: 0 or a negative errno, which is reported in dmesg.
 */
int iob_tree_init(const struct iob_tree_view *view)
{
	int err = security_locked_down(LOCKDOWN_TRACEFS);

	if (err) {
		pr_err("the kernel is locked down for confidentiality: not even root may see what it does\n");
		return err;
	}
	tree_view = view;
	tree_in_debugfs = debugfs_initialized();
	return 0;
}

/* Remove all.  Nothing is mounted.  A file is open only if a load fails, and needs no node. */
void iob_tree_exit(void)
{
	struct iob_tree_node *node, *next;

	list_for_each_entry(node, &tree_nodes, all) {
		if (!node->dir)
			debugfs_remove(node->debugfs);
	}
	list_for_each_entry_safe(node, next, &tree_nodes, all) {
		list_del(&node->all);
		kfree(node);
	}
}
