// SPDX-License-Identifier: GPL-2.0
/*
 * iolog_bin*: struct iob_iolog_bin_record as relay hands it out
 *
 * The operations are relay's own, but readers are counted, and they wait as readers of
 * `iolog` do: a read blocks while there is nothing, and returns 0 at the session's end.
 */
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/relay.h>
#include <linux/sched/signal.h>

#include "io/log.h"
#include "log_bin.h"

static int log_bin_open(struct inode *inode, struct file *file)
{
	int err = relay_file_operations.open(inode, file);

	if (!err)
		iob_iolog_bin_open();
	return err;
}

static int log_bin_release(struct inode *inode, struct file *file)
{
	iob_iolog_bin_close();
	return relay_file_operations.release(inode, file);
}

static ssize_t log_bin_read(struct file *file, char __user *to, size_t size,
			    loff_t *pos)
{
	const struct rchan_buf *buf = file->private_data;
	ssize_t got;
	bool ended;

	for (;;) {
		/* asked first: records from before the end are read then */
		ended = iob_iolog_bin_ended(buf);
		got = relay_file_operations.read(file, to, size, pos);
		if (got || ended || !size)
			return got;
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		/* relay returns 0 for a bad address, too: do not try for ever */
		if (signal_pending(current))
			return -ERESTARTSYS;
		cond_resched();
		if (iob_iolog_bin_wait(buf))
			return -ERESTARTSYS;
	}
}

static __poll_t log_bin_poll(struct file *file, struct poll_table_struct *pt)
{
	return iob_iolog_bin_poll(file->private_data, file, pt);
}

const struct file_operations iob_iolog_bin_fops = {
	.owner = THIS_MODULE,
	.open = log_bin_open,
	.release = log_bin_release,
	.read = log_bin_read,
	.poll = log_bin_poll,
};
