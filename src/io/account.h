/* SPDX-License-Identifier: GPL-2.0 */
/*
 * account - the shares of a completed IO become runs, which are counted and logged
 *
 * The shares of an IO arrive in the order of their sectors.  Adjacent shares of one act
 * are joined to a run.
 *
 * Example: a request of 16 KiB at sector 800 consists of two bios.  The shares are
 *	sector 800  8 KiB  act 7
 *	sector 816  4 KiB  act 7	joins the run before
 *	sector 824  4 KiB  act 9
 * The runs are 12 KiB at sector 800 for act 7 and 4 KiB at sector 824 for act 9: each is
 * added to the histograms of its act, and iolog gets two entries, the second with part=1.
 * The disk's sums get one IO and 16 KiB.
 */
#ifndef IOB_IO_ACCOUNT_H
#define IOB_IO_ACCOUNT_H

#include "core/act.h"
#include "core/disk.h"
#include "counters.h"
#include "run.h"

void iob_io_charge_first(bool first);
void iob_io_share(struct iob_io *io, u64 sector, const struct iob_share *share);
void iob_io_end(struct iob_io *io);
void iob_io_record(struct iob_io *io, struct iob_act *act, u32 wanted,
		   bool logged);
struct iob_act *iob_io_lost(void);

/* @act has done IO: add @bytes to the disk's sums, and let counters_pipe show the act. */
static __always_inline void iob_io_note(const struct iob_disk *disk, u8 op,
					enum iob_how how, u32 bytes,
					struct iob_act *act)
{
	u32 generation = iob_pipe_generation();

	this_cpu_add(disk->sums->bytes[op][how], bytes);
	if (READ_ONCE(act->pipe) != generation)
		WRITE_ONCE(act->pipe, generation);
}

/*
 * The act that pays for @run.  It and the disk are charged; @how gets how sure the blame
 * is.  Any context but NMI, inside iob_read_lock().
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

#endif
