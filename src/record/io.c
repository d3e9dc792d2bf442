// SPDX-License-Identifier: GPL-2.0
#include <linux/math64.h>
#include <linux/ktime.h>

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

static void measure(const struct iob_io *io, struct iob_fields *f)
{
	u64 issued = io->issue_ns ? io->issue_ns : io->queue_ns;
	u64 born = io->run.dirty_ns == IOB_DIRTY_NEVER ? io->queue_ns :
							 io->run.dirty_ns;

	f->v[IOB_FIELD_OFFSET] = scaled(io, io->run_sector);
	f->v[IOB_FIELD_SIZE] = io->run.bytes;
	f->v[IOB_FIELD_WAIT_TIME] = usecs(io->queue_ns, issued);
	f->v[IOB_FIELD_IO_TIME] = usecs(issued, io->done_ns);
	f->v[IOB_FIELD_SEEK_DIST] = io->seek_dist;
	f->v[IOB_FIELD_AGE] = usecs(born, io->done_ns);
	f->v[IOB_FIELD_TOTAL_TIME] = usecs(io->queue_ns, io->done_ns);
}

/* The run is complete: count it, log it. */
static void end_run(struct iob_io *io)
{
	struct iob_act *act = iob_act_id(io->run.act);
	struct iob_fields fields;

	if (!act) {
		/* reclaimed while the IO was under way */
		iob_stat_inc(act_lost);
		io->run.how = IOB_HOW_LOST;
		act = iob_act_id(IOB_ACT_LOST);
		if (WARN_ON_ONCE(!act))
			return;
	}
	if (io->run.act <= IOB_ACT_LOST)
		io->run.how = IOB_HOW_LOST;
	this_cpu_add(io->disk->sums->bytes[io->op][io->run.how],
		     io->run.bytes);
	if (!io->nr_runs)
		this_cpu_inc(io->disk->sums->ios[io->op]);
	iob_act_touch(act);
	if (READ_ONCE(act->pipe) != iob_pipe_turn())
		WRITE_ONCE(act->pipe, iob_pipe_turn());
	if (iob_counters_wanted(io->op)) {
		measure(io, &fields);
		iob_counters_charge(act, io->op, &fields,
				    io->run.dirty_ns != IOB_DIRTY_UNKNOWN);
	}
	iob_iolog_add(io, act);
	io->nr_runs++;
}

static void begin(struct iob_io *io, u64 sector)
{
	u64 last = READ_ONCE(io->disk->last_end);

	io->seek_dist = scaled(io, sector > last ? sector - last :
						   last - sector);
	io->begun = true;
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
		end_run(io);
	else
		begin(io, sector);
	io->run = *part;
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
