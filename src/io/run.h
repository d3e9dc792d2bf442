/* SPDX-License-Identifier: GPL-2.0 */
/*
 * run - one completed IO while it is counted and logged
 *
 * An IO is a request, or a bio on a disk that takes no requests.  Consecutive sectors for
 * which one act pays form a run; counters and iolog get one run after the other.  The
 * struct holds what all runs of the IO share, and the run that is growing.
 */
#ifndef IOB_IO_RUN_H
#define IOB_IO_RUN_H

#include <linux/ioblame.h>
#include <linux/math64.h>

#include <compat/blkdev.h>

#include "blame/origin.h"
#include "core/disk.h"
#include "clock.h"

/* What is kept of the IO's first bio. */
struct iob_first {
	u64 queue_at;		/* in ticks, see iob_clock_now() */
	union {
		struct {
			u32 opf;
			u32 sub_pid;
		};
		u64 what;	/* both, for one store */
	};
	char sub_comm[IOB_COMM_LEN];
};

struct iob_io {
	/* set by the caller */
	struct iob_disk *disk;
	const struct gendisk *gd;	/* NULL: it may be gone, .capacity is kept of it */
	const struct request *rq;	/* NULL: the disk takes no requests */
	const struct iob_first *first;
	u64 issue_at;		/* in ticks, 0: not known */
	int error;
	u32 nr_bios;
	u8 op;			/* enum iob_op, of the first bio */
	u64 capacity;		/* in sectors, if .gd is NULL */

	/* set by iob_io_share() and iob_io_stamp() */
	u64 done_at;		/* in ticks, 0: the clock is not read yet */
	u64 done_ns;		/* likewise in ns */
	u64 queue_ns;		/* when it was queued, 0: not known */
	u64 issue_ns;		/* when it was issued, 0: not known, or not iob_io_issued() */
	u64 seek;		/* sectors from the end of the previous IO */
	u16 nr_runs;
	bool begun;
	u8 less;		/* enum iob_less of the run; IOB_NR_LESS: all is known */
	struct iob_share run;	/* the growing run */
	u64 run_sector;
};

void iob_io_stamp(struct iob_io *io);

/*
 * True if an IO goes to its device by block_rq_issue.  Not where the disk has no requests, nor for
 * a flush without data, which the block layer gathers with others: all of their time is the
 * device's.
 */
static inline bool iob_io_issued(const struct iob_io *io)
{
	return io->rq && io->op != IOB_OP_FLUSH;
}

/* From @from to @to in us, 0 if either is unknown or they are out of order. */
static __always_inline u64 iob_usecs(u64 from, u64 to)
{
	return from && to > from ? div_u64(to - from, NSEC_PER_USEC) : 0;
}

#endif
