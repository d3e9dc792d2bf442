// SPDX-License-Identifier: GPL-2.0
#include <linux/math64.h>
#include <linux/ktime.h>

#include <compat/compiler.h>

#include "../blame/act.h"
#include "../blame/stats.h"
#include "counters.h"
#include "io.h"
#include "iolog.h"

#define SCALE	65536		/* offset and seek_dist: 0 .. SCALE - 1 */

static bool charge_first;

/* What 2011 did: one act pays for the whole IO.  Between sessions. */
void iob_io_charge_first(bool first)
{
	charge_first = first;
}

static u32 scaled(const struct iob_io *io, u64 sectors)
{
	u64 all = get_capacity((struct gendisk *)io->gd);

	if (!all)
		return 0;
	return min_t(u64, div64_u64(sectors * SCALE, all), SCALE - 1);
}

static u64 usecs(u64 from, u64 to)
{
	return from && to > from ? div_u64(to - from, NSEC_PER_USEC) : 0;
}

/* Only what some counter looks at: all of it is work. */
static __always_inline void measure(const struct iob_io *io, u32 wanted,
				    struct iob_fields *f)
{
	u64 queued = io->first->queue_ns;
	u64 issued = io->issue_ns ? io->issue_ns : queued;
	u64 born = io->run.dirty_ns == IOB_DIRTY_NEVER ? queued :
							 io->run.dirty_ns;

	f->v[IOB_FIELD_SIZE] = io->run.bytes;
	if (wanted & BIT(IOB_FIELD_TOTAL_TIME))
		f->v[IOB_FIELD_TOTAL_TIME] = usecs(queued, io->done_ns);
	if (!(wanted & ~(BIT(IOB_FIELD_SIZE) | BIT(IOB_FIELD_TOTAL_TIME))))
		return;
	f->v[IOB_FIELD_WAIT_TIME] = usecs(queued, issued);
	f->v[IOB_FIELD_IO_TIME] = usecs(issued, io->done_ns);
	f->v[IOB_FIELD_AGE] = usecs(born, io->done_ns);
	if (wanted & BIT(IOB_FIELD_OFFSET))
		f->v[IOB_FIELD_OFFSET] = scaled(io, io->run_sector);
	if (wanted & BIT(IOB_FIELD_SEEK_DIST))
		f->v[IOB_FIELD_SEEK_DIST] = scaled(io, io->seek);
}

/* Reclaimed while the IO was under way, or never known. */
static noinline struct iob_act *lost(struct iob_io *io)
{
	if (io->run.act > IOB_ACT_LOST)
		iob_stat_inc(act_lost);
	io->run.how = IOB_HOW_LOST;
	return iob_act_id(IOB_ACT_LOST);
}

/* The run is complete: count it, log it. */
static __always_inline void end_run(struct iob_io *io)
{
	struct iob_act *act = iob_act_id(io->run.act);
	u32 wanted, turn = iob_pipe_turn();
	u8 op = io->first->op;

	if (unlikely(!act)) {
		act = lost(io);
		if (WARN_ON_ONCE(!act))
			return;
	}
	if (io->run.act <= IOB_ACT_LOST)
		io->run.how = IOB_HOW_LOST;
	this_cpu_add(io->disk->sums->bytes[op][io->run.how], io->run.bytes);
	if (!io->nr_runs)
		this_cpu_inc(io->disk->sums->ios[op]);
	iob_act_touch(act);
	if (READ_ONCE(act->pipe) != turn)
		WRITE_ONCE(act->pipe, turn);
	wanted = iob_counters_wanted(op);
	if (wanted) {
		struct iob_fields fields IOB_UNINIT;

		measure(io, wanted, &fields);
		if (io->run.dirty_ns == IOB_DIRTY_UNKNOWN)
			wanted &= ~BIT(IOB_FIELD_AGE);
		iob_counters_charge(act, op, &fields, wanted);
	}
	iob_iolog_add(io, act);
	io->nr_runs++;
}

static __always_inline void begin(struct iob_io *io, u64 sector)
{
	u64 last = READ_ONCE(io->disk->last_end);

	io->seek = sector > last ? sector - last : last - sector;
	io->begun = true;
}

static noinline void end_one_of_several(struct iob_io *io)
{
	end_run(io);
}

/* Whether @part goes into the run that is growing. */
static bool joins(struct iob_io *io, u64 sector, const struct iob_part *part)
{
	if (charge_first) {
		/* the first dirtier found pays, whoever came before him */
		if (io->run.how > IOB_HOW_INHERITED &&
		    part->how <= IOB_HOW_INHERITED) {
			io->run.act = part->act;
			io->run.how = part->how;
			io->run.dirty_ns = part->dirty_ns;
		}
		return true;
	}
	return io->run.act == part->act && io->run.how == part->how &&
	       io->run_sector + (io->run.bytes >> SECTOR_SHIFT) == sector;
}

/**
 * iob_io_part - the next piece of an IO
 * @io:     the IO
 * @sector: where it begins on the disk
 * @part:   who pays, and how many bytes
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_io_part(struct iob_io *io, u64 sector, const struct iob_part *part)
{
	if (io->begun && joins(io, sector, part)) {
		io->run.bytes += part->bytes;
		return;
	}
	if (io->begun)
		end_one_of_several(io);
	else
		begin(io, sector);
	io->run = *part;
	io->run_sector = sector;
}

static __always_inline void note_end(const struct iob_io *io)
{
	if (io->run.bytes)
		WRITE_ONCE(io->disk->last_end, io->run_sector +
			   (io->run.bytes >> SECTOR_SHIFT));
}

/* All pieces were given. */
void iob_io_end(struct iob_io *io)
{
	if (!io->begun)
		return;
	end_one_of_several(io);
	note_end(io);
}

/**
 * iob_io_whole - an IO of one piece: iob_io_part() and iob_io_end()
 * @io:     the IO; what is filled in on the way is not set, but @io->nr_runs
 * @sector: where it begins on the disk
 * @part:   who pays, and how many bytes
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_io_whole(struct iob_io *io, u64 sector, const struct iob_part *part)
{
	begin(io, sector);
	io->run = *part;
	io->run_sector = sector;
	end_run(io);
	note_end(io);
}
