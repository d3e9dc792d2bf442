// SPDX-License-Identifier: GPL-2.0
#include <linux/math64.h>
#include <linux/ktime.h>

#include <compat/compiler.h>

#include "core/act.h"
#include "core/stats.h"
#include "counters.h"
#include "bio_ctx.h"
#include "account.h"
#include "log.h"

#define SCALE	65536		/* offset and seek_dist: 0 .. SCALE - 1 */

static bool charge_first;

/* What 2011 did: one act pays for the whole IO.  Between sessions. */
void iob_io_charge_first(bool first)
{
	charge_first = first;
}

static u32 scaled(const struct gendisk *gd, u64 sectors)
{
	u64 all = get_capacity((struct gendisk *)gd);

	if (!all)
		return 0;
	return min_t(u64, div64_u64(sectors * SCALE, all), SCALE - 1);
}

/*
 * Ask the clock, if it was not: @io is done, and when it was queued and issued is found
 * from that in ns.  Once for all runs.
 */
void iob_io_stamp(struct iob_io *io)
{
	u64 done, at, queued, issued;

	if (io->done_ns)
		return;
	done = ktime_get_ns();
	at = iob_clock_now();
	io->done_ns = done;
	io->done_at = at;
	if (likely(io->issue_at))
		issued = done - iob_clock_nsecs(io->issue_at, at);
	else	/* the block layer may have asked the clock for itself */
		issued = io->rq ? io->rq->io_start_time_ns : 0;
	io->issue_ns = issued;
	if (unlikely(io->first->queue_at == IOB_TICKS_UNKNOWN))
		return;
	queued = done - iob_clock_nsecs(io->first->queue_at, at);
	/* clocks differ a little */
	io->queue_ns = issued ? min(queued, issued) : queued;
}

/* How long it took, in us. */
static u64 took_usecs(struct iob_io *io)
{
	if (!io->done_at)
		io->done_at = iob_clock_now();
	return iob_clock_usecs(io->first->queue_at, io->done_at);
}

/* All fields of a run. */
static noinline void measure(struct iob_io *io, struct iob_fields *f)
{
	u64 queued, issued, born;

	iob_io_stamp(io);
	queued = io->queue_ns;
	issued = io->issue_ns ? io->issue_ns : queued;
	born = io->run.dirty_ns == IOB_DIRTY_NEVER ? queued : io->run.dirty_ns;
	f->v[IOB_FIELD_OFFSET] = scaled(io->gd, io->run_sector);
	f->v[IOB_FIELD_SIZE] = io->run.bytes;
	f->v[IOB_FIELD_WAIT_TIME] = iob_usecs(queued, issued);
	f->v[IOB_FIELD_IO_TIME] = iob_usecs(issued, io->done_ns);
	f->v[IOB_FIELD_SEEK_DIST] = scaled(io->gd, io->seek);
	f->v[IOB_FIELD_AGE] = iob_usecs(born, io->done_ns);
	f->v[IOB_FIELD_TOTAL_TIME] = iob_usecs(queued, io->done_ns);
}

/* Count a run in the histograms of @act; @wanted as iob_counters_wanted() says. */
static void count(struct iob_io *io, struct iob_act *act, u32 wanted)
{
	struct iob_fields fields IOB_UNINIT;

	if (likely(!(wanted & ~IOB_COUNTERS_SIMPLE))) {
		iob_counters_charge_simple(act, io->op, io->run.bytes,
					  took_usecs(io));
		return;
	}
	measure(io, &fields);
	/* its age is no measure then */
	if (io->run.dirty_ns == IOB_DIRTY_UNKNOWN)
		wanted &= ~BIT(IOB_FIELD_AGE);
	iob_counters_charge(act, io->op, &fields, wanted);
}

/* Of iob_io_charge(): it was reclaimed while the IO was under way. */
noinline struct iob_act *iob_io_lost(void)
{
	iob_stat_inc(act_lost);
	return iob_act_id(IOB_ACT_LOST);
}

static u64 distance(u64 a, u64 b)
{
	return a > b ? a - b : b - a;
}

/* The run is complete: count it, log it. */
static void end_run(struct iob_io *io)
{
	u8 op = io->op;
	u32 wanted = iob_counters_wanted(op);
	enum iob_how how;
	struct iob_act *act = iob_io_charge(io->disk, op, &io->run, &how);

	io->run.how = how;
	if (!io->nr_runs)
		this_cpu_inc(io->disk->sums->ios[op]);
	if (wanted)
		count(io, act, wanted);
	if (iob_iolog_wanted())
		iob_iolog_add(io, act);
	io->nr_runs++;
}

static void begin(struct iob_io *io, u64 sector)
{
	io->seek = distance(sector, READ_ONCE(io->disk->last_end));
	io->begun = true;
}

/* Whether @part goes into the run that is growing. */
static bool joins(struct iob_io *io, u64 sector, const struct iob_share *share)
{
	if (charge_first) {
		/* the first dirtier found pays, whoever came before him */
		if (io->run.how > IOB_HOW_INHERITED &&
		    share->how <= IOB_HOW_INHERITED) {
			io->run.act = share->act;
			io->run.how = share->how;
			io->run.dirty_ns = share->dirty_ns;
		}
		return true;
	}
	return io->run.act == share->act && io->run.how == share->how &&
	       io->run_sector + (io->run.bytes >> SECTOR_SHIFT) == sector;
}

/**
 * iob_io_share - the next piece of an IO
 * @io:     the IO
 * @sector: where it begins on the disk
 * @share:  who pays, and how many bytes
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_io_share(struct iob_io *io, u64 sector, const struct iob_share *share)
{
	if (io->begun && joins(io, sector, share)) {
		io->run.bytes += share->bytes;
		return;
	}
	if (io->begun)
		end_run(io);
	else
		begin(io, sector);
	io->run = *share;
	io->run_sector = sector;
}

/* All pieces were given. */
void iob_io_end(struct iob_io *io)
{
	if (!io->begun)
		return;
	end_run(io);
	if (io->run.bytes)
		WRITE_ONCE(io->disk->last_end, io->run_sector +
			   (io->run.bytes >> SECTOR_SHIFT));
}

/**
 * iob_io_record - an IO that is one flight, for which one act pays
 * @f:      the flight, on a watched disk
 * @rq:     its request
 * @error:  0 or a negative errno
 * @act:    pays
 * @how:    as iob_io_charge() says
 * @wanted: the fields to be counted, or 0
 * @logged: it is wanted in the log
 *
 * What iob_io_share() and iob_io_end() do beyond sums.  Any context but NMI, inside
 * iob_read_lock().
 */
void iob_io_record(const struct iob_bio_ctx *f, const struct request *rq,
		   int error, struct iob_act *act, enum iob_how how,
		   u32 wanted, bool logged)
{
	struct iob_io io IOB_UNINIT;

	/* member by member: to clear it all first would take as long again */
	io.disk = f->disk;
	io.gd = iob_rq_disk(rq);
	io.rq = rq;
	io.first = &f->first;
	io.issue_at = f->issue_at;
	io.error = error;
	io.nr_bios = 1;
	io.op = f->op;
	io.done_at = 0;
	io.done_ns = 0;
	io.queue_ns = 0;
	io.issue_ns = 0;
	io.seek = distance(f->sector, READ_ONCE(f->disk->last_end));
	io.nr_runs = 0;
	io.begun = true;
	io.run = f->origin.share[0];
	io.run.how = how;
	io.run_sector = f->sector;
	if (wanted)
		count(&io, act, wanted);
	if (logged)
		iob_iolog_add(&io, act);
}
