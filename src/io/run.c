// SPDX-License-Identifier: GPL-2.0
/*
 * The times of an IO in ns.
 *
 * Most IOs need only their length, which the ticks of io/clock give.  The log and some
 * counters want times of CLOCK_MONOTONIC: the clock is read once, at completion, and the
 * earlier times follow from the ticks that have passed since.
 *
 * Example: with ticks of 0.5 ns an IO is queued at tick 1000 and done at tick 5000, when
 * ktime_get_ns() says 90000.  It was queued at 90000 - 4000 / 2 = 88000 ns.
 *
 * What is not known stays 0: when it was queued, if that was before the session, or the machine has
 * slept or the counter was given up since; when it was issued, if no probe was attached then.
 */
#include <linux/ktime.h>

#include "run.h"

/* When it was issued, 0: not known.  @done and @at are now. */
static u64 issue_nsecs(const struct iob_io *io, u64 done, u64 at)
{
	if (likely(io->issue_at))
		return iob_clock_knows(io->issue_at, at) ?
		       done - iob_clock_nsecs(io->issue_at, at) : 0;
	/* the block layer may have read the clock for itself */
	return io->rq && !iob_clock_slept(io->first->queue_at) ? io->rq->io_start_time_ns : 0;
}

/**
 * iob_io_stamp - set the times of an IO in ns
 * @io: the IO; it is done now
 *
 * Once for all its runs: a second call does nothing.  Any context.
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
	issued = issue_nsecs(io, done, at);
	io->issue_ns = issued;
	if (unlikely(!iob_clock_knows(io->first->queue_at, at)))
		return;
	queued = done - iob_clock_nsecs(io->first->queue_at, at);
	/* the clocks differ a little */
	io->queue_ns = issued ? min(queued, issued) : queued;
}
