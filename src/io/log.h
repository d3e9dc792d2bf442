/* SPDX-License-Identifier: GPL-2.0 */
/*
 * log - iolog: each IO as it completes, for its readers
 *
 * Two streams of the same record.  A kernel ring buffer holds what the text file `iolog`
 * prints; a relay channel gives the per-CPU files iolog_bin*.  The files themselves are
 * debugfs/'s.
 */
#ifndef IOB_IO_LOG_H
#define IOB_IO_LOG_H

#include <linux/fs.h>
#include <linux/ioblame.h>
#include <linux/poll.h>

#include "core/stats.h"
#include "run.h"

struct dentry;
struct rchan_buf;

/* The readers; asked for each IO, so in one word. */
union iob_iolog_readers {
	struct {
		u32 text;	/* 0: the text log is full, and iolog is not open */
		atomic_t bin;	/* how many have iolog_bin* open */
	};
	u64 any;
};

extern union iob_iolog_readers iob_iolog_readers;

/* True if IO is logged now.  Any context. */
static inline bool iob_iolog_listened(void)
{
	return READ_ONCE(iob_iolog_readers.any);
}

/* True if an IO is to be logged; if not, that is counted.  Any context but NMI. */
static inline bool iob_iolog_wanted(void)
{
	if (iob_iolog_listened())
		return true;
	iob_stat_inc(iolog_unread);
	return false;
}

void iob_iolog_add(struct iob_io *io);

int iob_iolog_start(void);
void iob_iolog_end(void);
void iob_iolog_stop(void);
bool iob_iolog_ended(void);

/* for the text file */
void iob_iolog_open(void);
void iob_iolog_close(void);
bool iob_iolog_next(struct iob_iolog_bin_record *rec);
int iob_iolog_wait(void);
__poll_t iob_iolog_poll(struct file *file, struct poll_table_struct *pt);

/* for the binary files */
int iob_iolog_bin_init(struct dentry *dir, const struct file_operations *fops);
void iob_iolog_bin_exit(void);
void iob_iolog_bin_open(void);
void iob_iolog_bin_close(void);
bool iob_iolog_bin_ended(const struct rchan_buf *buf);
int iob_iolog_bin_wait(const struct rchan_buf *buf);
__poll_t iob_iolog_bin_poll(const struct rchan_buf *buf, struct file *file,
			    struct poll_table_struct *pt);

#endif
