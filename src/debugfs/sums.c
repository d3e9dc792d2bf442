// SPDX-License-Identifier: GPL-2.0
/*
 * `sums_bin`: struct iob_sum_bin_record of each sum that has changed
 *
 * Any number of tasks may have it open, each with a cursor of its own.  Reads return whole
 * records, 0 ends a pass, and the next read begins the next pass: the records of what has
 * changed since.  No read waits for IO.  A buffer that has no room for a record is EINVAL.
 *
 * Example: the file is opened, and 300 sums are there.  Reads return 300 records, then 0.  dd
 * writes, a read returns dd's sum with all that it has counted, and the next read 0.
 */
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "io/session.h"
#include "io/sum_reader.h"
#include "sums.h"

enum {
	RECORD = sizeof(struct iob_sum_bin_record),
	/* records that are put together at once: a page is full */
	MOST = 4096 / RECORD,
};

struct sums_file {
	struct mutex lock;	/* the members below: threads may share the file */
	struct iob_sum_reader reader;
	size_t nr;		/* records in @rec */
	size_t taken;		/* of them, those that were copied */
	struct iob_sum_bin_record *rec;	/* MOST of them; NULL before the first read */
};

/* Get the next records.  Return: 0, also at the end of a pass, or -ENOMEM. */
static int fill_sums(struct sums_file *f)
{
	f->nr = 0;
	f->taken = 0;
	if (!f->rec)
		f->rec = kmalloc_array(MOST, RECORD, GFP_KERNEL);
	if (!f->rec)
		return -ENOMEM;
	iob_session_read_lock();
	if (iob_session_there())
		f->nr = iob_sum_reader_next(&f->reader, iob_session_seq(), f->rec, MOST);
	iob_session_read_unlock();
	return 0;
}

/* Return: bytes, 0 at the end of a pass, -EFAULT, -ENOMEM. */
static ssize_t copy_sums(struct sums_file *f, char __user *to, size_t size)
{
	size_t n, done = 0;
	int err;

	while (size - done >= RECORD) {
		/* what was put together of a session that is over */
		if (f->reader.session != iob_session_seq())
			f->taken = f->nr;
		if (f->taken == f->nr) {
			/* the next read tells of the end of the pass */
			if (done && f->reader.part == IOB_SUM_PART_END)
				break;
			err = fill_sums(f);
			if (err)
				return done ? done : err;
			if (!f->nr)
				break;
		}
		n = min(f->nr - f->taken, (size - done) / RECORD);
		if (copy_to_user(to + done, f->rec + f->taken, n * RECORD))
			return done ? done : -EFAULT;
		f->taken += n;
		done += n * RECORD;
		if (signal_pending(current))
			break;
		cond_resched();
	}
	return done;
}

static ssize_t sums_read(struct file *file, char __user *to, size_t size, loff_t *pos)
{
	struct sums_file *f = file->private_data;
	ssize_t ret;

	if (!size)
		return 0;
	if (size < RECORD)
		return -EINVAL;
	/* (what a read returns is an int) */
	size = min_t(size_t, size, INT_MAX);
	if (mutex_lock_interruptible(&f->lock))
		return -ERESTARTSYS;
	ret = copy_sums(f, to, size);
	mutex_unlock(&f->lock);
	return ret;
}

static int sums_open(struct inode *inode, struct file *file)
{
	struct sums_file *f = kzalloc(sizeof(*f), GFP_KERNEL);

	if (!f)
		return -ENOMEM;
	mutex_init(&f->lock);
	iob_sum_reader_open(&f->reader, iob_session_seq());
	file->private_data = f;
	return stream_open(inode, file);
}

static int sums_release(struct inode *inode, struct file *file)
{
	struct sums_file *f = file->private_data;

	iob_sum_reader_close(&f->reader);
	kfree(f->rec);
	kfree(f);
	return 0;
}

const struct file_operations iob_sums_bin_fops = {
	.owner = THIS_MODULE,
	.open = sums_open,
	.read = sums_read,
	.release = sums_release,
};
