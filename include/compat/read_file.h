/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/read_file - read all of a small file
 *
 * Hides: file_open_root() has taken a path since 5.13 (Kbuild looks).  Up to 7.2 init_task shares
 * the root of the first process, in 7.3 it has an empty one.
 *
 * kernel_read_file() would do, but it wants one of a few purposes, each with a security policy
 * of its own, and for any other the security module IPE (6.12) warns.
 */
#ifndef IOB_COMPAT_READ_FILE_H
#define IOB_COMPAT_READ_FILE_H

#include <linux/err.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/limits.h>
#include <linux/path.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched/task.h>
#include <linux/vmalloc.h>

/* The root of the first process, for path_put().  Return: false if there is none. */
static inline bool iob_first_root(struct path *root)
{
	struct task_struct *first;
	bool found = false;

	rcu_read_lock();
	first = pid_task(find_pid_ns(1, &init_pid_ns), PIDTYPE_PID);
	if (first) {
		task_lock(first);
		found = first->fs;
		if (found)
			get_fs_root(first->fs, root);
		task_unlock(first);
	}
	rcu_read_unlock();
	return found;
}

/* Open the file at @path for reading, as the first process sees it. */
static inline struct file *iob_open_file(const char *path)
{
	struct file *file;
	struct path root;

	if (!iob_first_root(&root))
		return ERR_PTR(-ESRCH);
#ifdef IOB_HAVE_OPEN_ROOT_PATH
	file = file_open_root(&root, path, O_RDONLY, 0);
#else
	file = file_open_root(root.dentry, root.mnt, path, O_RDONLY, 0);
#endif
	path_put(&root);
	return file;
}

/* Read @size bytes, or to the end of the file.  Return: how many, or a negative errno. */
static inline ssize_t iob_read_from(struct file *file, void *data, size_t size)
{
	loff_t pos = 0;
	ssize_t got;

	while (pos < size) {
		got = kernel_read(file, data + pos, size - pos, &pos);
		if (got < 0)
			return got;
		if (!got)
			break;
	}
	return pos;
}

/*
 * Read the file at @path, as the first process sees it, and not the one that happens to ask.
 * May sleep.  Return: 0, and *@data is to be freed by vfree(); or a negative errno.
 */
static inline int iob_read_file(const char *path, void **data, size_t *size)
{
	struct file *file = iob_open_file(path);
	ssize_t got = -EFBIG;
	loff_t len;

	*data = NULL;
	if (IS_ERR(file))
		return PTR_ERR(file);
	len = i_size_read(file_inode(file));
	if (len > 0 && len <= INT_MAX) {
		*data = vmalloc(len);
		got = *data ? iob_read_from(file, *data, len) : -ENOMEM;
	}
	fput(file);
	if (got < 0) {
		vfree(*data);
		*data = NULL;
		return got;
	}
	*size = got;
	return 0;
}

#endif
