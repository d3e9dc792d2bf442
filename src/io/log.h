/* SPDX-License-Identifier: GPL-2.0 */
/*
 * iolog - each IO as it completes, for those who read along
 *
 * Two streams of the same record: the kernel's ring buffer holds what the text
 * file `iolog` prints, relay gives the per-CPU files iolog_bin*.
 */
#ifndef IOB_IO_LOG_H
#define IOB_IO_LOG_H

#include <linux/ioblame.h>
#include <linux/poll.h>

#include "core/act.h"
#include "core/stats.h"
struct dentry;
struct iob_io;

/* Who reads along; asked for each IO, so in one word. */
union iob_iolog_readers {
	struct {
		u32 text;	/* 0: the text log is full, nobody has it open */
		atomic_t bin;	/* so many have iolog_bin* open */
	};
	u64 any;
};

extern union iob_iolog_readers iob_iolog_readers;

/* Whether IO is logged now.  Any context. */
static inline bool iob_iolog_listened(void)
{
	return READ_ONCE(iob_iolog_readers.any);
}

/* Whether an IO is to be logged; if not, that is counted.  Any context but NMI. */
static inline bool iob_iolog_wanted(void)
{
	if (iob_iolog_listened())
		return true;
	iob_stat_inc(iolog_unread);
	return false;
}

void iob_iolog_add(struct iob_io *io, const struct iob_act *act);

int iob_iolog_start(void);
void iob_iolog_end(void);
void iob_iolog_stop(void);

/* the text file's side */
void iob_iolog_open(void);
void iob_iolog_close(void);
bool iob_iolog_next(struct iob_iolog_bin_record *rec);
int iob_iolog_wait(void);
__poll_t iob_iolog_poll(struct file *file, struct poll_table_struct *pt);
bool iob_iolog_ended(void);

int iob_iolog_bin_init(struct dentry *dir);
void iob_iolog_bin_exit(void);

#endif
