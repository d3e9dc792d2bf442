/* SPDX-License-Identifier: GPL-2.0 */
/*
 * log_readers - whether the logs have readers, and how they wait
 *
 * A reader that waits announces it, and looks again.  A writer looks for the announcement
 * after it has written: one of the two finds the other.  The next record has the reader
 * woken a little later, so that it finds many records and is not woken for each.  The
 * wake-up goes by way of irq_work, as records are written in hardirq and under locks of
 * others.
 *
 * Example: a disk does 20000 IOs a second, and `cat iolog` waits.  The first record raises
 * an irq_work, which schedules the wake-up in 10 ms; the reader then finds 200 records.
 */
#ifndef IOB_IO_LOG_READERS_H
#define IOB_IO_LOG_READERS_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/types.h>
#include <linux/wait.h>

#include "core/stats.h"

/* What the text log does with an entry. */
enum iob_log_text {
	IOB_LOG_TEXT_OFF,	/* no program asks for it */
	IOB_LOG_TEXT_ON,	/* keeps it */
	IOB_LOG_TEXT_FULL,	/* counts it: log_at_enable is 1, and iolog is not open */
};

/* Asked for each IO, so in one word. */
union iob_iolog_readers {
	struct {
		u32 text;	/* enum iob_log_text */
		atomic_t bin;	/* how many have iolog_bin* open */
	};
	u64 any;
};

extern union iob_iolog_readers iob_iolog_readers;
extern wait_queue_head_t iob_log_wait;

/* True if the log is to hear of IO.  Any context. */
static inline bool iob_iolog_listened(void)
{
	return READ_ONCE(iob_iolog_readers.any);
}

/* True if an IO is to be logged; if the log is full, the IO is counted.  Any context but NMI. */
static inline bool iob_iolog_wanted(void)
{
	if (likely(!iob_iolog_listened()))
		return false;
	if (READ_ONCE(iob_iolog_readers.text) != IOB_LOG_TEXT_FULL ||
	    atomic_read(&iob_iolog_readers.bin))
		return true;
	iob_stat_inc(iolog_unread);
	return false;
}

void iob_log_readers_init(void);
void iob_log_readers_stop(void);
void iob_log_written(void);
void iob_log_announce(void);
void iob_log_begin(void);
void iob_iolog_end(void);
bool iob_iolog_ended(void);

#endif
