/* SPDX-License-Identifier: GPL-2.0 */
/*
 * io - one completed IO, handed part by part to counters and logs
 *
 * The pieces of an IO arrive in the order of their sectors.  Neighbours for
 * which one act pays become one run, and a run is what is counted and logged.
 */
#ifndef IOB_RECORD_IO_H
#define IOB_RECORD_IO_H

#include "../blame/origin.h"

/* What is kept of its first bio. */
struct iob_first {
	u64 queue_ns;
	u32 opf;
	u32 sub_pid;
	char sub_comm[IOB_COMM_LEN];
	u8 op;			/* enum iob_op */
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

	/* filled in on the way */
	u64 seek;		/* sectors from the end of the one before */
	u16 nr_runs;
	bool begun;
	/* the run that is growing */
	struct iob_part run;
	u64 run_sector;
};

void iob_io_whole(struct iob_io *io, u64 sector, const struct iob_part *part);
void iob_io_part(struct iob_io *io, u64 sector, const struct iob_part *part);
void iob_io_end(struct iob_io *io);
void iob_io_charge_first(bool first);

#endif
