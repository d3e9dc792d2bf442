// SPDX-License-Identifier: GPL-2.0
/*
 * `devs`: the watched disks and partitions
 *
 * A write adds its words and removes those behind a '!', all of them or none.  O_TRUNC
 * clears the list when the first valid write comes, or at the close if there was no write:
 * `echo typo > devs` changes nothing.
 */
#define pr_fmt(fmt) "ioblame: " fmt

#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "core/disk.h"
#include "devices.h"
#include "input.h"

struct devs {
	unsigned int nr;
	struct iob_dev dev[IOB_MAX_DEVS];
};

/* A file that is open for writing. */
struct devs_opener {
	bool clear;		/* the next valid write replaces the list */
	bool wrote;		/* tried to write */
};

static DEFINE_MUTEX(write_mutex);	/* one read-change-set at a time */

static void drop_dev(struct devs *devs, unsigned int i)
{
	devs->nr--;
	memmove(&devs->dev[i], &devs->dev[i + 1],
		(devs->nr - i) * sizeof(devs->dev[0]));
}

/* A device that is gone can be removed by the name or number that `devs` prints. */
static bool drop_shown_dev(struct devs *devs, const char *word)
{
	char number[24];
	unsigned int i;

	for (i = 0; i < devs->nr; i++) {
		const struct iob_dev *d = &devs->dev[i];

		snprintf(number, sizeof(number), "%u:%u", MAJOR(d->dev),
			 MINOR(d->dev));
		if (!strcmp(word, d->name) || !strcmp(word, number)) {
			drop_dev(devs, i);
			return true;
		}
	}
	return false;
}

static int find_dev(const struct devs *devs, dev_t dev)
{
	unsigned int i;

	for (i = 0; i < devs->nr; i++) {
		if (devs->dev[i].dev == dev)
			return i;
	}
	return -1;
}

static int change_dev(struct devs *devs, const char *word)
{
	bool add = *word != '!';
	struct iob_dev dev;
	int i, err;

	word += !add;
	if (!*word)
		return -EINVAL;
	if (!add && drop_shown_dev(devs, word))
		return 0;
	err = iob_dev_lookup(word, &dev);
	if (err) {
		pr_debug("devs: no block device is called %s\n", word);
		return err;
	}
	i = find_dev(devs, dev.dev);
	if (!add) {
		if (i >= 0)
			drop_dev(devs, i);
		return 0;
	}
	if (i < 0) {
		if (devs->nr == IOB_MAX_DEVS)
			return -ENOSPC;
		i = devs->nr++;
	}
	/* also if it is listed: another device may have that number by now */
	devs->dev[i] = dev;
	return 0;
}

static int change_devs(struct devs_opener *o, char *text)
{
	struct devs *devs = kvzalloc(sizeof(*devs), GFP_KERNEL);
	char *word;
	int err = 0;

	if (!devs)
		return -ENOMEM;
	mutex_lock(&write_mutex);
	o->wrote = true;
	if (!o->clear)
		devs->nr = iob_devs_get(devs->dev, IOB_MAX_DEVS);
	while (!err && (word = strsep(&text, " \t\n\v\f\r"))) {
		if (*word)
			err = change_dev(devs, word);
	}
	if (!err)
		err = iob_devs_set(devs->dev, devs->nr);
	if (!err)
		o->clear = false;
	mutex_unlock(&write_mutex);
	kvfree(devs);
	return err;
}

static ssize_t devs_write(struct file *file, const char __user *from,
			  size_t count, loff_t *pos)
{
	struct seq_file *m = file->private_data;
	char *text = iob_input_text(from, count);
	struct devs_opener *o = m->private;
	int err;

	if (IS_ERR(text)) {
		o->wrote = true;
		return PTR_ERR(text);
	}
	err = change_devs(o, text);
	kfree(text);
	return err ? err : count;
}

static int devs_show(struct seq_file *m, void *v)
{
	struct devs *devs = kvzalloc(sizeof(*devs), GFP_KERNEL);
	unsigned int i;

	if (!devs)
		return -ENOMEM;
	devs->nr = iob_devs_get(devs->dev, IOB_MAX_DEVS);
	for (i = 0; i < devs->nr; i++)
		seq_printf(m, "%u:%u %s\n", MAJOR(devs->dev[i].dev),
			   MINOR(devs->dev[i].dev), devs->dev[i].name);
	kvfree(devs);
	return 0;
}

static int devs_open(struct inode *inode, struct file *file)
{
	struct devs_opener *o = kzalloc(sizeof(*o), GFP_KERNEL);
	int err;

	if (!o)
		return -ENOMEM;
	o->clear = (file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC);
	err = single_open(file, devs_show, o);
	if (err)
		kfree(o);
	return err;
}

static int devs_release(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;
	struct devs_opener *o = m->private;

	if (o->clear && !o->wrote) {
		mutex_lock(&write_mutex);
		iob_devs_set(NULL, 0);
		mutex_unlock(&write_mutex);
	}
	kfree(o);
	return single_release(inode, file);
}

const struct file_operations iob_devs_fops = {
	.owner = THIS_MODULE,
	.open = devs_open,
	.read = seq_read,
	.write = devs_write,
	.llseek = seq_lseek,
	.release = devs_release,
};
