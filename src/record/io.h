/* SPDX-License-Identifier: GPL-2.0 */
/*
 * io - one completed IO, handed part by part to counters and logs
 *
 * The pieces of an IO arrive in the order of their sectors.  Neighbours for
 * which one act pays become one run, and a run is what is counted and logged.
 */
#ifndef IOB_RECORD_IO_H
#define IOB_RECORD_IO_H

#include <compat/blkdev.h>

#include "../blame/origin.h"

/* What is kept of its first bio. */
struct iob_first {
	u64 queue_ns;		/* see iob_io_queued() */
	u32 opf;
	u32 sub_pid;
	char sub_comm[IOB_COMM_LEN];
};

struct iob_io {
	/* set by who begins it */
	struct iob_disk *disk;
	const struct gendisk *gd;
	const struct request *rq;	/* NULL: the device has none */
	const struct iob_first *first;
	u64 done_ns;
	u64 issue_ns;		/* 0: never, or the device has no requests */
	int error;
	u32 nr_bios;
	u8 op;			/* enum iob_op, of its first bio */

	/* filled in on the way */
	u64 seek;		/* sectors from the end of the one before */
	u16 nr_runs;
	bool begun;
	/* the run that is growing */
	struct iob_part run;
	u64 run_sector;
};

/*
 * When a bio was queued, of an IO that was done at @done.  Of a time that the
 * block layer has taken, only so many bits are kept: it is the last such time.
 */
static inline u64 iob_io_queued(const struct iob_first *first, u64 done)
{
	u64 since = (done - first->queue_ns) & IOB_BIO_TIME_MASK;

	if (unlikely(!first->queue_ns))
		return 0;
	/* clocks of two CPUs may differ a little */
	return likely(since <= IOB_BIO_TIME_MASK / 2) ? done - since : done;
}

void iob_io_part(struct iob_io *io, u64 sector, const struct iob_part *part);
void iob_io_end(struct iob_io *io);
struct iob_flight;
void iob_io_flight(const struct iob_flight *f, const struct request *rq,
		   int error);
void iob_io_charge_first(bool first);

#endif
