// SPDX-License-Identifier: GPL-2.0
/*
 * counters/NR and counters/NR_filter
 *
 * They come and go as nr_counters changes, under the session's lock.  The removal of
 * a file waits for the file's handlers: so no handler here, nor what it calls, may take
 * that lock.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "io/counter_spec.h"
#include "io/counters.h"
#include "io/filter.h"
#include "io/session.h"
#include "counter_dir.h"
#include "input.h"
#include "tree.h"

enum {
	SPEC,
	FILTER,
	NR_KINDS,
};

/* ->i_private of each file is one of these */
static struct counter_file {
	u32 nr;
	u8 kind;
	struct iob_tree_node *node;	/* changed while disabled only */
} files[IOB_MAX_COUNTERS][NR_KINDS];

static struct iob_tree_node *counters;

static int counter_show(struct seq_file *m, void *v)
{
	const struct counter_file *f = m->private;
	size_t size = max_t(size_t, IOB_COUNTER_SPEC_SIZE,
			    iob_filter_explain_size(IOB_INPUT_MAX));
	char *text = kmalloc(size, GFP_KERNEL);
	ssize_t len;

	if (!text)
		return -ENOMEM;
	len = f->kind == SPEC ? iob_counter_show_spec(f->nr, text, size) :
				iob_counter_show_filter(f->nr, text, size);
	if (len >= 0)
		seq_printf(m, "%s\n", text);
	kfree(text);
	return len < 0 ? len : 0;
}

/*
 * Other files take the session's lock inside of their seq_file's, and these are removed inside of
 * the session's.  Their seq_file's lock has a class of its own: lockdep takes it for no other.
 */
static struct lock_class_key counter_seq_key;

static int counter_open(struct inode *inode, struct file *file)
{
	int err = single_open(file, counter_show, inode->i_private);

	if (!err)
		lockdep_set_class(&((struct seq_file *)file->private_data)->lock, &counter_seq_key);
	return err;
}

static ssize_t counter_write(struct file *file, const char __user *from,
			     size_t count, loff_t *pos)
{
	const struct counter_file *f = file_inode(file)->i_private;
	char *text = iob_input_text(from, count);
	int err;

	if (IS_ERR(text))
		return PTR_ERR(text);
	err = f->kind == SPEC ? iob_counter_set_spec(f->nr, text) :
				iob_counter_set_filter(f->nr, text);
	kfree(text);
	if (err)
		return err;
	iob_session_renew();
	return count;
}

static const struct file_operations counter_fops = {
	.owner = THIS_MODULE,
	.open = counter_open,
	.read = seq_read,
	.write = counter_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static void remove_counter_files(u32 from, u32 to)
{
	u32 nr, kind;

	for (nr = from; nr < to; nr++) {
		for (kind = 0; kind < NR_KINDS; kind++) {
			iob_tree_remove(files[nr][kind].node);
			files[nr][kind].node = NULL;
		}
	}
}

static int create_counter_file(u32 nr, u32 kind)
{
	struct counter_file *f = &files[nr][kind];
	struct iob_tree_node *node;
	char name[24];

	f->nr = nr;
	f->kind = kind;
	snprintf(name, sizeof(name), kind == SPEC ? "%u" : "%u_filter", nr);
	node = iob_tree_removable(counters, name, 0600, f, &counter_fops);
	if (IS_ERR(node))
		return PTR_ERR(node);
	f->node = node;
	return 0;
}

static int create_counter_files(u32 from, u32 to)
{
	u32 nr, kind;
	int err;

	for (nr = from; nr < to; nr++) {
		for (kind = 0; kind < NR_KINDS; kind++) {
			err = create_counter_file(nr, kind);
			if (err) {
				remove_counter_files(from, nr + 1);
				return err;
			}
		}
	}
	return 0;
}

/**
 * iob_counter_dir_set_nr - have this many counters and their files
 * @nr: how many, at most IOB_MAX_COUNTERS
 *
 * All counter settings are cleared.  May sleep; inside iob_session_change().
 * Return: 0 or a negative errno, and nothing has changed.
 */
int iob_counter_dir_set_nr(u32 nr)
{
	u32 old = iob_counters_nr();
	int err = create_counter_files(old, nr);

	if (err)
		return err;
	err = iob_counters_set_nr(nr);
	if (err)
		remove_counter_files(old, nr);
	else
		remove_counter_files(nr, old);
	return err;
}

/* Make counters/ in @dir, with the counters that are configured. */
int iob_counter_dir_init(struct iob_tree_node *dir)
{
	counters = iob_tree_dir(dir, "counters");
	if (IS_ERR(counters))
		return PTR_ERR(counters);
	return create_counter_files(0, iob_counters_nr());
}
