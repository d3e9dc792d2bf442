/* SPDX-License-Identifier: GPL-2.0 */
/*
 * reader - files whose position counts records, not bytes
 *
 * A read returns as many whole records as fit; only a record that is larger than the
 * reader's buffer is returned in pieces.  The position is the number of the record to which
 * the next byte belongs: it moves on when a record is read to its end.  A seek restarts a
 * record, and SEEK_END is the number behind the last record at that moment.  At the end of
 * the file a read returns 0; later reads return records that came since.
 *
 * Example: records 0 and 1 take 300 bytes each.  read(400) returns record 0, and the
 * position becomes 1.  read(100) returns the first 100 bytes of record 1, the position
 * stays 1; read(400) returns its other 200 bytes, and the position becomes 2.
 */
#ifndef IOB_DEBUGFS_READER_H
#define IOB_DEBUGFS_READER_H

#include <linux/fs.h>
#include <linux/module.h>

#include "text.h"

/* All are called with the session held for reading; they may sleep. */
struct iob_reader_ops {
	/* the bytes of the longest record */
	size_t (*size)(void);
	/*
	 * Put the record with the smallest number >= *@nr into @t, and set *@nr to that
	 * number.  It may also put nothing there: all numbers to *@nr have none, and it is
	 * called again.  If the record is longer than @room the reader does not get it now: it
	 * is put together anew at the next read.  Return: false if there is none.
	 */
	bool (*emit)(struct iob_text *t, u32 *nr, u32 arg, size_t room);
	/* the number behind the last record */
	u32 (*end)(void);
};

int iob_reader_open(struct file *file, const struct iob_reader_ops *ops);
void iob_reader_set_arg(struct file *file, u32 arg);
int iob_reader_release(struct inode *inode, struct file *file);
ssize_t iob_reader_read(struct file *file, char __user *to, size_t count,
			loff_t *pos);
loff_t iob_reader_llseek(struct file *file, loff_t off, int whence);

/* The operations of a file whose open handler calls iob_reader_open(). */
#define IOB_READER_FOPS(open_fn, release_fn) {				\
	.owner = THIS_MODULE,						\
	.open = open_fn,						\
	.read = iob_reader_read,					\
	.llseek = iob_reader_llseek,					\
	.release = release_fn,						\
}

#endif
