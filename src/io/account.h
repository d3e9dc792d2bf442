/* SPDX-License-Identifier: GPL-2.0 */
/*
 * io - one completed IO, handed part by part to counters and logs
 *
 * The pieces of an IO arrive in the order of their sectors.  Neighbours for
 * which one act pays become one run, and a run is what is counted and logged.
 */
#ifndef IOB_IO_ACCOUNT_H
#define IOB_IO_ACCOUNT_H

#include <linux/math64.h>

#include <compat/blkdev.h>

#include "core/act.h"
#include "blame/origin.h"
#include "clock.h"
#include "counters.h"
#include "log.h"

/* What is kept of its first bio. */
struct iob_first {
	u64 queue_at;		/* see iob_clock_now() */
	union {
		struct {
			u32 opf;
			u32 sub_pid;
		};
		u64 what;	/* both, to be set at once */
	};
	char sub_comm[IOB_COMM_LEN];
};

struct iob_io {
	/* set by who begins it */
	struct iob_disk *disk;
	const struct gendisk *gd;
	const struct request *rq;	/* NULL: the device has none */
	const struct iob_first *first;
	u64 issue_at;		/* by iob_clock_now(), 0 if it is not known */
	int error;
	u32 nr_bios;
	u8 op;			/* enum iob_op, of its first bio */

	/* filled in on the way */
	u64 done_at;		/* by iob_clock_now(), when first asked for, or 0 */
	u64 done_ns;		/* likewise: see iob_io_stamp() */
	u64 queue_ns;		/* with it: when it was queued, or 0 if not known, */
	u64 issue_ns;		/* and issued; 0: never, or the device has no requests */
	u64 seek;		/* sectors from the end of the one before */
	u16 nr_runs;
	bool begun;
	/* the run that is growing */
	struct iob_share run;
	u64 run_sector;
};

void iob_io_stamp(struct iob_io *io);

void iob_io_share(struct iob_io *io, u64 sector, const struct iob_share *share);
void iob_io_end(struct iob_io *io);
struct iob_bio_ctx;
void iob_io_record(const struct iob_bio_ctx *f, const struct request *rq,
		   int error, struct iob_act *act, enum iob_how how,
		   u32 wanted, bool logged);
struct iob_act *iob_io_lost(void);

static __always_inline u64 iob_usecs(u64 from, u64 to)
{
	return from && to > from ? div_u64(to - from, NSEC_PER_USEC) : 0;
}

/* An act has done IO: it is in the disk's sums, and counters_pipe shows it. */
static __always_inline void iob_io_note(const struct iob_disk *disk, u8 op,
					enum iob_how how, u32 bytes,
					struct iob_act *act)
{
	u32 turn = iob_pipe_generation();

	this_cpu_add(disk->sums->bytes[op][how], bytes);
	if (READ_ONCE(act->pipe) != turn)
		WRITE_ONCE(act->pipe, turn);
}

/*
 * Who pays for @run, which is now noted for him and for the disk; @how gets how
 * sure that is.  Any context but NMI, inside iob_read_lock().
 */
static __always_inline struct iob_act *
iob_io_charge(const struct iob_disk *disk, u8 op, const struct iob_share *run,
	      enum iob_how *how)
{
	struct iob_act *act = iob_act_id(run->act);

	*how = run->how;
	if (unlikely(!act)) {
		act = iob_io_lost();
		*how = IOB_HOW_LOST;
	}
	if (unlikely(run->act <= IOB_ACT_LOST))
		*how = IOB_HOW_LOST;
	iob_io_note(disk, op, *how, run->bytes, act);
	iob_act_touch(act);
	return act;
}

void iob_io_charge_first(bool first);

#endif
