/* SPDX-License-Identifier: GPL-2.0 */
/*
 * account - the shares of a completed IO become runs, which are counted and logged
 *
 * The shares of an IO arrive in the order of their sectors.  Adjacent shares of one
 * cause and file are joined to a run.
 *
 * Example: a request of 16 KiB at sector 800 consists of two bios.  The shares are
 *	sector 800  8 KiB  cause 7
 *	sector 816  4 KiB  cause 7	joins the run before
 *	sector 824  4 KiB  cause 9
 * The runs are 12 KiB at sector 800 for cause 7 and 4 KiB at sector 824 for cause 9: each is
 * added to the histograms of its act (cause and file), and iolog gets two entries, the
 * second with part=1.  The disk's sums get one IO and 16 KiB.
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
void iob_io_record(struct iob_io *io, u32 wanted, bool logged);

/* Add a run to the disk's sums. */
static __always_inline void iob_io_charge(const struct iob_disk *disk, u8 op,
					  enum iob_how how, u32 bytes)
{
	this_cpu_add(disk->sums->bytes[op][how], bytes);
}

#endif
