/* SPDX-License-Identifier: GPL-2.0 */
/*
 * reader - files whose position counts records, not bytes
 *
 * A read returns whole records, as many as fit; only one that is larger than
 * the reader's buffer is given piece by piece.  The position is the number of
 * the record to which the next byte belongs, so it moves on when a record was
 * read to its end.  Seeking begins a record anew, and SEEK_END is the number
 * behind the last record there is at that moment.  At the end of the file a
 * read returns 0, and more when there are more.
 */
#ifndef IOB_DEBUGFS_READER_H
#define IOB_DEBUGFS_READER_H

#include <linux/fs.h>

#include "text.h"

/* All are called with the session held for reading, and may sleep. */
struct iob_reader_ops {
	/* bytes that the longest record takes */
	size_t (*size)(void);
	/*
	 * Put the record with the smallest number >= *@nr into @t and set *@nr
	 * to its number.  Return: false if there is none.
	 */
	bool (*emit)(struct iob_text *t, u32 *nr, u32 arg);
	/* the number behind the last record */
	u32 (*end)(void);
};

int iob_reader_open(struct file *file, const struct iob_reader_ops *ops);
void iob_reader_set_arg(struct file *file, u32 arg);
int iob_reader_release(struct inode *inode, struct file *file);
ssize_t iob_reader_read(struct file *file, char __user *to, size_t count,
			loff_t *pos);
loff_t iob_reader_llseek(struct file *file, loff_t off, int whence);

#endif
