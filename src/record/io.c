// SPDX-License-Identifier: GPL-2.0
#include <linux/math64.h>
#include <linux/ktime.h>

#include <compat/compiler.h>

#include "../blame/act.h"
#include "../blame/stats.h"
#include "counters.h"
#include "flight.h"
#include "io.h"
#include "iolog.h"

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

static u64 usecs(u64 from, u64 to)
{
	return from && to > from ? div_u64(to - from, NSEC_PER_USEC) : 0;
}

/* Where and when a run was done, for its fields. */
struct place {
	const struct gendisk *gd;
	u64 sector;
	u64 seek;		/* sectors from the end of the IO before */
	u64 queued;
	u64 issued;		/* or 0 */
	u64 done;
	u64 born;		/* or one of IOB_DIRTY_* */
};

static noinline void measure_rest(const struct place *p, struct iob_fields *f)
{
	u64 issued = p->issued ? p->issued : p->queued;
	u64 born = p->born == IOB_DIRTY_NEVER ? p->queued : p->born;

	f->v[IOB_FIELD_OFFSET] = scaled(p->gd, p->sector);
	f->v[IOB_FIELD_SEEK_DIST] = scaled(p->gd, p->seek);
	f->v[IOB_FIELD_WAIT_TIME] = usecs(p->queued, issued);
	f->v[IOB_FIELD_IO_TIME] = usecs(issued, p->done);
	f->v[IOB_FIELD_AGE] = usecs(born, p->done);
}

/* Fields that nearly every IO is asked for; the others are some work. */
#define PLAIN	(BIT(IOB_FIELD_SIZE) | BIT(IOB_FIELD_TOTAL_TIME))

/* Count a run in the histograms of @act; @wanted as iob_counters_wanted() says. */
static __always_inline void count(struct iob_act *act, u8 op, u32 wanted,
				  u32 bytes, struct place p)
{
	struct iob_fields fields IOB_UNINIT;

	fields.v[IOB_FIELD_SIZE] = bytes;
	fields.v[IOB_FIELD_TOTAL_TIME] = usecs(p.queued, p.done);
	if (unlikely(wanted & ~PLAIN)) {
		struct place rest = p;

		measure_rest(&rest, &fields);
	}
	/* its age is no measure then */
	if (p.born == IOB_DIRTY_UNKNOWN)
		wanted &= ~BIT(IOB_FIELD_AGE);
	iob_counters_charge(act, op, &fields, wanted);
}

/* Reclaimed while the IO was under way. */
static noinline struct iob_act *gone(void)
{
	iob_stat_inc(act_lost);
	return iob_act_id(IOB_ACT_LOST);
}

/*
 * Who pays for @run, which is now noted for him and for the disk; @how gets how
 * sure that is.
 */
static __always_inline struct iob_act *charge(const struct iob_disk *disk,
					      u8 op,
					      const struct iob_part *run,
					      enum iob_how *how)
{
	struct iob_act *act = iob_act_id(run->act);
	u32 turn = iob_pipe_turn();

	*how = run->how;
	if (unlikely(!act)) {
		act = gone();
		*how = IOB_HOW_LOST;
	}
	if (unlikely(run->act <= IOB_ACT_LOST))
		*how = IOB_HOW_LOST;
	this_cpu_add(disk->sums->bytes[op][*how], run->bytes);
	iob_act_touch(act);
	if (READ_ONCE(act->pipe) != turn)
		WRITE_ONCE(act->pipe, turn);
	return act;
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
	struct iob_act *act = charge(io->disk, op, &io->run, &how);

	io->run.how = how;
	if (!io->nr_runs)
		this_cpu_inc(io->disk->sums->ios[op]);
	if (wanted)
		count(act, op, wanted, io->run.bytes, (struct place){
			.gd = io->gd, .sector = io->run_sector,
			.seek = io->seek,
			.queued = iob_io_queued(io->first, io->done_ns),
			.issued = io->issue_ns, .done = io->done_ns,
			.born = io->run.dirty_ns,
		});
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

static noinline void log_flight(const struct iob_flight *f,
				const struct request *rq, int error, u64 now,
				const struct iob_act *act, enum iob_how how)
{
	struct iob_io io = {
		.disk = f->disk, .rq = rq, .first = &f->first, .op = f->op,
		.done_ns = now, .issue_ns = iob_rq_issued(rq, f->issue_ns),
		.error = error,
		.nr_bios = 1, .run = f->origin.part[0],
		.run_sector = f->sector,
	};

	io.run.how = how;
	iob_iolog_add(&io, act);
}

/**
 * iob_io_flight - an IO that is one flight, for which one act pays
 * @f:     the flight, on a watched disk
 * @rq:    its request
 * @error: 0 or a negative errno
 *
 * In short what iob_io_part() and iob_io_end() do: most IO is such.  Any context
 * but NMI, inside iob_read_lock().
 */
void iob_io_flight(const struct iob_flight *f, const struct request *rq,
		   int error)
{
	const struct iob_part *run = &f->origin.part[0];
	struct iob_disk *disk = f->disk;
	u8 op = f->op;
	u32 wanted = iob_counters_wanted(op);
	bool logged = iob_iolog_wanted();
	u64 now = wanted || logged ? ktime_get_ns() : 0;
	enum iob_how how;
	struct iob_act *act = charge(disk, op, run, &how);

	this_cpu_inc(disk->sums->ios[op]);
	if (wanted)
		count(act, op, wanted, f->size, (struct place){
			.gd = iob_rq_disk(rq), .sector = f->sector,
			.seek = distance(f->sector, READ_ONCE(disk->last_end)),
			.queued = iob_io_queued(&f->first, now),
			.issued = iob_rq_issued(rq, f->issue_ns), .done = now,
			.born = run->dirty_ns,
		});
	if (unlikely(logged))
		log_flight(f, rq, error, now, act, how);
	WRITE_ONCE(disk->last_end, f->sector + (f->size >> SECTOR_SHIFT));
}
