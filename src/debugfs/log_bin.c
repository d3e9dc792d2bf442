// SPDX-License-Identifier: GPL-2.0
/*
 * iolog_bin*: struct iob_iolog_bin_record as it was logged
 *
 * Readers wait as those of `iolog` do: a read blocks while there is nothing, and returns 0
 * at the session's end.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/poll.h>

#include "io/log_bin.h"
#include "io/log_readers.h"
#include "io/session.h"
#include "log_bin.h"

static int log_bin_open(struct inode *inode, struct file *file)
{
	struct iob_log_bin_reader *reader = iob_log_bin_open(inode->i_private);

	if (IS_ERR(reader))
		return PTR_ERR(reader);
	iob_session_renew();
	file->private_data = reader;
	return stream_open(inode, file);
}

static int log_bin_release(struct inode *inode, struct file *file)
{
	iob_log_bin_close(file->private_data);
	iob_session_renew();
	return 0;
}

static ssize_t log_bin_read(struct file *file, char __user *to, size_t size,
			    loff_t *pos)
{
	struct iob_log_bin_reader *reader = file->private_data;
	ssize_t got;
	bool ended;

	for (;;) {
		/* asked first: records from before the end are read then */
		ended = iob_iolog_ended();
		got = iob_log_bin_read(reader, to, size);
		if (got || ended || !size)
			return got;
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		/* another reader may take the record first */
		if (iob_log_bin_wait(reader))
			return -ERESTARTSYS;
	}
}

static __poll_t log_bin_poll(struct file *file, struct poll_table_struct *pt)
{
	return iob_log_bin_poll(file->private_data, file, pt);
}

const struct file_operations iob_iolog_bin_fops = {
	.owner = THIS_MODULE,
	.open = log_bin_open,
	.release = log_bin_release,
	.read = log_bin_read,
	.poll = log_bin_poll,
};
