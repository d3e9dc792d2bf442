/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tree - the module's directories and files, which two file systems show
 */
#ifndef IOB_DEBUGFS_TREE_H
#define IOB_DEBUGFS_TREE_H

#include <linux/fs.h>
#include <linux/list.h>
#include <linux/rwsem.h>

/*
 * A directory or a file.  It lives until the module goes: who has found its name may open it
 * after it was removed.  A file of the same name takes it again.
 */
struct iob_tree_node {
	struct list_head all;		/* in the order in which they came */
	struct iob_tree_node *dir;		/* NULL: the top */
	char name[48];
	umode_t mode;
	bool removable;
	const struct file_operations *fops;	/* NULL: a directory */
	void *data;			/* ->i_private */
	bool there;			/* in all views; tree_mutex, read without */
	struct dentry *debugfs;		/* its name in debugfs, NULL without */
	struct dentry *mounted;		/* its name in our file system; tree_mutex */
	/*
	 * Of a removable file: its handlers in our file system hold it for reading.  So its removal
	 * waits for them, as debugfs's does.
	 */
	struct rw_semaphore handlers;
};

/* Where else than in debugfs the tree is shown.  May sleep; iob_tree_lock() is held. */
struct iob_tree_view {
	int (*add)(struct iob_tree_node *node);	/* 0 or a negative errno */
	void (*remove)(struct iob_tree_node *node);
};

struct iob_tree_node *iob_tree_dir(struct iob_tree_node *dir, const char *name);
struct iob_tree_node *iob_tree_file(struct iob_tree_node *dir, const char *name, umode_t mode,
				    void *data, const struct file_operations *fops);
struct iob_tree_node *iob_tree_removable(struct iob_tree_node *dir, const char *name, umode_t mode,
					 void *data, const struct file_operations *fops);
void iob_tree_remove(struct iob_tree_node *node);

void iob_tree_lock(void);
void iob_tree_unlock(void);
int iob_tree_each(int (*fn)(struct iob_tree_node *node));

int iob_tree_init(const struct iob_tree_view *view);
void iob_tree_exit(void);

#endif
