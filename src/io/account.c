// SPDX-License-Identifier: GPL-2.0
/*
 * The end of each IO: runs are built from shares, measured, counted and logged.
 *
 * What is measured depends on who asks.  Most counters look at the size and the total time
 * (IOB_COUNTERS_SIMPLE); the other fields are only worked out if a counter or a filter
 * uses one of them.
 */
#include <linux/math64.h>

#include <compat/compiler.h>

#include "core/intent.h"
#include "core/stats.h"
#include "account.h"
#include "log.h"
#include "sum.h"

#define DISK_SCALE	65536		/* offset and seek_dist: 0 .. DISK_SCALE - 1 */

static bool charge_first;

/**
 * iob_io_charge_first - whether one cause pays for a whole IO, as in 2011
 * @first: true: the first known cause of the IO pays; false: each cause for its bytes
 *
 * Between sessions.
 */
void iob_io_charge_first(bool first)
{
	charge_first = first;
}

static u32 scale_to_disk(const struct iob_io *io, u64 sectors)
{
	u64 all = io->gd ? get_capacity((struct gendisk *)io->gd) : io->capacity;

	if (!all)
		return 0;
	return min_t(u64, div64_u64(sectors * DISK_SCALE, all), DISK_SCALE - 1);
}

/* The total time of an IO in us. */
static u64 io_total_usecs(struct iob_io *io)
{
	if (!io->done_at)
		io->done_at = iob_clock_now();
	return iob_clock_usecs(io->first->queue_at, io->done_at);
}

/* The fields that take a time which is not known, 0, as bits. */
static u32 unknown_fields(u64 queued, u64 issued, u64 born)
{
	u32 fields = 0;

	if (unlikely(!queued))
		fields |= BIT(IOB_FIELD_WAIT_TIME) | BIT(IOB_FIELD_TOTAL_TIME);
	if (unlikely(!issued))
		fields |= BIT(IOB_FIELD_WAIT_TIME) | BIT(IOB_FIELD_IO_TIME);
	if (unlikely(!born || born == IOB_DIRTY_UNKNOWN))
		fields |= BIT(IOB_FIELD_AGE);
	return fields;
}

/* Return: the fields that are not known, as bits. */
static noinline u32 measure_run(struct iob_io *io, struct iob_fields *f)
{
	u64 queued, issued, born;

	iob_io_stamp(io);
	queued = io->queue_ns;
	issued = io->issue_ns || iob_io_issued(io) ? io->issue_ns : queued;
	born = iob_share_never_dirty(&io->run) ? queued : io->run.dirty_ns;
	f->v[IOB_FIELD_OFFSET] = scale_to_disk(io, io->run_sector);
	f->v[IOB_FIELD_SIZE] = io->run.bytes;
	f->v[IOB_FIELD_WAIT_TIME] = iob_usecs(queued, issued);
	f->v[IOB_FIELD_IO_TIME] = iob_usecs(issued, io->done_ns);
	f->v[IOB_FIELD_SEEK_DIST] = scale_to_disk(io, io->seek);
	f->v[IOB_FIELD_AGE] = iob_usecs(born, io->done_ns);
	f->v[IOB_FIELD_TOTAL_TIME] = iob_usecs(queued, io->done_ns);
	return unknown_fields(queued, issued, born);
}

/* Add the run to the sums of what is less known.  Each run is in one of them at most. */
static void charge_less(const struct iob_io *io)
{
	if (unlikely(io->less < IOB_NR_LESS))
		this_cpu_add(io->disk->sums->less[io->less], io->run.bytes);
}

/* Add the run to a sum of its act: the first run stands for the IO. */
static void sum_run_of_act(struct iob_io *io, struct iob_act *act)
{
	struct iob_sum *sum = iob_sum_of(act, io->disk, io->op, io->run.how);
	u64 usecs, ns;

	if (unlikely(io->nr_runs)) {
		iob_sum_part(sum, io->run.bytes);
	} else {
		usecs = io_total_usecs(io);
		ns = iob_clock_nsecs(io->first->queue_at, io->done_at);
		iob_sum_io(sum, io->run.bytes, ns, min_t(u64, usecs, S32_MAX));
	}
	if (unlikely(io->error))
		iob_sum_error(sum);
}

/* Add the run to the histograms of its act, of which all are simple. */
static void count_simple_run(struct iob_io *io, struct iob_act *act)
{
	u64 usecs = io_total_usecs(io);	/* (it sets .done_at) */

	if (iob_clock_knows(io->first->queue_at, io->done_at))
		iob_counters_charge_simple(act, io->op, io->run.bytes, usecs);
	else
		iob_counters_charge_size(act, io->op, io->run.bytes);
}

/* Add the run to the histograms of its act; @wanted is a part of iob_counters_wanted(). */
static void count_run_of_act(struct iob_io *io, struct iob_act *act, u32 wanted)
{
	struct iob_fields fields IOB_UNINIT;

	if (likely(!(wanted & ~IOB_COUNTERS_SIMPLE))) {
		count_simple_run(io, act);
		return;
	}
	wanted &= ~measure_run(io, &fields);
	iob_counters_charge(act, io->op, &fields, wanted);
}

/* Add the run to the sums and histograms of its act; @wanted is iob_counters_wanted(). */
static void count_run(struct iob_io *io, u32 wanted)
{
	struct iob_act *act = iob_act_of(io->run.cause, &io->run.file);

	/* (acts of no role have no file either) */
	if (unlikely(act->role > IOB_CAUSE_LOST &&
		     !iob_file_same(&act->file, &io->run.file)))
		io->less = IOB_LESS_FILE;
	if (wanted & IOB_COUNTERS_SUMS)
		sum_run_of_act(io, act);
	if (wanted & ~IOB_COUNTERS_SUMS)
		count_run_of_act(io, act, wanted & ~IOB_COUNTERS_SUMS);
	iob_act_touch(act);
}

/* The run is complete: its cause may have been reclaimed during the IO. */
static void check_cause(struct iob_io *io)
{
	const struct iob_cause *cause = iob_cause_of(io->run.cause);

	io->less = IOB_NR_LESS;
	if (unlikely(!cause)) {
		/* (of what was never known there is nothing to lose) */
		if (io->run.cause != IOB_CAUSE_NONE)
			iob_stat_inc(act_lost);
		io->run.cause = IOB_CAUSE_LOST;
		io->run.how = IOB_HOW_LOST;
	} else if (unlikely(io->run.cause == IOB_CAUSE_NOMEM)) {
		io->less = IOB_LESS_ROLE;
	} else if (unlikely(cause->intent == IOB_INTENT_NOMEM)) {
		io->less = IOB_LESS_INTENT;
	}
}

static u64 sector_distance(u64 a, u64 b)
{
	return a > b ? a - b : b - a;
}

/* The run is complete: count it and log it. */
static void end_io_run(struct iob_io *io)
{
	u8 op = io->op;
	u32 wanted = iob_counters_wanted(op);

	check_cause(io);
	iob_io_charge(io->disk, op, io->run.how, io->run.bytes);
	if (!io->nr_runs)
		this_cpu_inc(io->disk->sums->ios[op]);
	if (wanted)
		count_run(io, wanted);
	charge_less(io);
	if (iob_iolog_wanted())
		iob_iolog_add(io);
	io->nr_runs++;
}

static void begin_runs(struct iob_io *io, u64 sector)
{
	io->seek = 0;
	if (iob_counters_wanted(io->op) & IOB_COUNTERS_SEEK)
		io->seek = sector_distance(sector, READ_ONCE(io->disk->last_end));
	io->begun = true;
}

/* True if @share continues the growing run. */
static bool share_joins_run(struct iob_io *io, u64 sector,
			    const struct iob_share *share)
{
	if (charge_first) {
		/* the first known dirtier pays, also for the bytes before its own */
		if (io->run.how > IOB_HOW_INHERITED &&
		    share->how <= IOB_HOW_INHERITED) {
			io->run.cause = share->cause;
			io->run.file = share->file;
			io->run.how = share->how;
			io->run.dirty_ns = share->dirty_ns;
		}
		return true;
	}
	return io->run.cause == share->cause && io->run.how == share->how &&
	       iob_file_same(&io->run.file, &share->file) &&
	       io->run_sector + (io->run.bytes >> SECTOR_SHIFT) == sector;
}

/**
 * iob_io_share - the next share of an IO
 * @io:     the IO
 * @sector: the share's first sector on the disk
 * @share:  who pays, and for how many bytes
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_io_share(struct iob_io *io, u64 sector, const struct iob_share *share)
{
	if (io->begun && share_joins_run(io, sector, share)) {
		io->run.bytes += share->bytes;
		return;
	}
	if (io->begun)
		end_io_run(io);
	else
		begin_runs(io, sector);
	io->run = *share;
	io->run_sector = sector;
}

/**
 * iob_io_end - the IO has no further shares
 * @io: the IO; nothing happens if it had none
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_io_end(struct iob_io *io)
{
	if (!io->begun)
		return;
	end_io_run(io);
	if (io->run.bytes && iob_counters_wanted(io->op) & IOB_COUNTERS_SEEK)
		WRITE_ONCE(io->disk->last_end, io->run_sector +
			   (io->run.bytes >> SECTOR_SHIFT));
}

/**
 * iob_io_record - count and log an IO of one run
 * @io:     the IO; .run and .run_sector are set
 * @wanted: iob_counters_wanted(); 0: do not count
 * @logged: iob_iolog_wanted()
 *
 * For callers that have charged the sums themselves: iob_io_share() and iob_io_end()
 * without iob_io_charge().  Any context but NMI, inside iob_read_lock().
 */
void iob_io_record(struct iob_io *io, u32 wanted, bool logged)
{
	begin_runs(io, io->run_sector);
	io->less = IOB_NR_LESS;
	if (wanted)
		count_run(io, wanted);
	charge_less(io);
	if (logged)
		iob_iolog_add(io);
}
