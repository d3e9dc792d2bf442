// SPDX-License-Identifier: GPL-2.0
/*
 * The probes of the block layer see a bio or request when it is queued, split, remapped,
 * issued and completed.  Example: a write of 8 KiB to a partition is queued, remapped to the
 * disk, and becomes a request or part of one, which is issued and completed.
 *
 * Context: bios are queued, split and remapped in the task that submits them.  Requests are
 * issued and remapped in the task that runs the queue; interrupts may be off.  Completions
 * come mostly in hardirq.
 *
 * A probe with _q at its end has the prototype of older kernels, where the queue comes
 * first: IOB_PROBE() takes the one that fits.
 */
#include <linux/blkdev.h>

#include <compat/blkdev.h>
#include <compat/rcu.h>
#include <compat/tracepoint.h>

#include <trace/events/block.h>

#include "blame/provider.h"
#include "io/bio.h"
#include "io/fast.h"
#include "io/remap.h"
#include "io/request.h"
#include "hook.h"

/*
 * Probes that run for each IO are notrace: otherwise the function tracer runs for each, too.
 * Keep the watched path out of line: GCC 12 otherwise spills registers before the check.
 */
static notrace noinline void bio_queue_watched(struct bio *bio)
{
	iob_fast_queue(bio);
}

/* The disk is not watched, but it stacks: a disk below may be watched. */
static notrace noinline void bio_queue_stacked(struct bio *bio)
{
	bool follows;

	iob_probe_lock();
	follows = iob_disk_hands_on(iob_queued_disk(bio));
	iob_probe_unlock();
	if (follows)
		bio_queue_watched(bio);
}

static __always_inline void bio_queue_any(struct bio *bio)
{
	const struct gendisk *gd = iob_queued_disk(bio);

	if (iob_disk_maybe(gd))
		bio_queue_watched(bio);
	else if (iob_disk_stacks(gd))
		bio_queue_stacked(bio);
}

static notrace void __maybe_unused
bio_queue_probe_q(void *data, struct request_queue *q, struct bio *bio)
{
	bio_queue_any(bio);
}

static notrace void __maybe_unused bio_queue_probe(void *data, struct bio *bio)
{
	bio_queue_any(bio);
}

static void bio_split_any(struct bio *bio)
{
	iob_read_lock();
	iob_bio_split(bio);
	iob_read_unlock();
}

static void __maybe_unused bio_split_probe_q(void *data, struct request_queue *q,
					     struct bio *bio, unsigned int sector)
{
	bio_split_any(bio);
}

static void __maybe_unused bio_split_probe(void *data, struct bio *bio, unsigned int sector)
{
	bio_split_any(bio);
}

static void bio_remap_any(struct bio *bio, dev_t disk, sector_t sector)
{
	iob_read_lock();
	iob_bio_remap(bio, disk, sector);
	iob_read_unlock();
}

static void __maybe_unused bio_remap_probe_q(void *data, struct request_queue *q,
					     struct bio *bio, dev_t disk, sector_t sector)
{
	bio_remap_any(bio, disk, sector);
}

static void __maybe_unused bio_remap_probe(void *data, struct bio *bio, dev_t disk,
					   sector_t sector)
{
	bio_remap_any(bio, disk, sector);
}

static void rq_remap_any(struct request *rq, dev_t disk)
{
	iob_read_lock();
	iob_rq_map(rq, disk);
	iob_read_unlock();
}

static void __maybe_unused rq_remap_probe_q(void *data, struct request_queue *q,
					    struct request *rq, dev_t disk,
					    sector_t sector)
{
	rq_remap_any(rq, disk);
}

static void __maybe_unused rq_remap_probe(void *data, struct request *rq, dev_t disk,
					  sector_t sector)
{
	rq_remap_any(rq, disk);
}

static notrace noinline void rq_issue_watched(struct request *rq)
{
	iob_fast_issue(rq);
}

static __always_inline void rq_issue_any(struct request *rq)
{
	if (iob_fast_has(rq))
		rq_issue_watched(rq);
}

static notrace void __maybe_unused
rq_issue_probe_q(void *data, struct request_queue *q, struct request *rq)
{
	rq_issue_any(rq);
}

static notrace void __maybe_unused rq_issue_probe(void *data, struct request *rq)
{
	rq_issue_any(rq);
}

static notrace noinline void __maybe_unused
rq_complete_watched_errno(struct request *rq, int error, unsigned int bytes)
{
	iob_fast_rq_done(rq, error, bytes);
}

static notrace void __maybe_unused
rq_complete_probe_errno(void *data, struct request *rq, int error, unsigned int bytes)
{
	if (iob_fast_has(rq))
		rq_complete_watched_errno(rq, error, bytes);
}

/* A call of its own, and no more arguments: nothing is kept across calls, no register saved. */
static notrace noinline void __maybe_unused
rq_complete_watched(struct request *rq, unsigned int bytes)
{
	iob_fast_rq_done(rq, 0, bytes);
}

static notrace noinline void __maybe_unused
rq_complete_failed(struct request *rq, blk_status_t error, unsigned int bytes)
{
	rq_complete_watched_errno(rq, blk_status_to_errno(error), bytes);
}

static notrace void __maybe_unused
rq_complete_probe(void *data, struct request *rq, blk_status_t error, unsigned int bytes)
{
	if (!iob_fast_has(rq))
		return;
	if (likely(!error))
		rq_complete_watched(rq, bytes);
	else
		rq_complete_failed(rq, error, bytes);
}

static void bio_complete_probe(void *data, struct request_queue *q, struct bio *bio)
{
	iob_read_lock();
	iob_bio_done(bio, q);
	iob_read_unlock();
}

/* (bio, ...): a bio waits here, and a worker queues it later */
static void bio_waits_entered(struct pt_regs *regs)
{
	iob_bio_claim(iob_arg_ptr(regs, 0), regs);
}

#define BLOCK_HOOK(tp, a, b) {						\
	.name = #tp, .kind = IOB_HOOK_TRACEPOINT,			\
	.phase = IOB_HOOK_ENABLED, .needed = true,			\
	.probe = IOB_PROBE(tp, a, b), .impact = "everything",		\
}

static const struct iob_hook block_table[] = {
	/* completions first: every IO whose beginning is seen has its end seen */
	BLOCK_HOOK(block_bio_complete, bio_complete_probe, bio_complete_probe),
	BLOCK_HOOK(block_rq_complete, rq_complete_probe, rq_complete_probe_errno),
	{
		.name = "block_rq_issue", .kind = IOB_HOOK_TRACEPOINT,
		.phase = IOB_HOOK_ENABLED, .needed = true,
		.probe = IOB_PROBE(block_rq_issue, rq_issue_probe, rq_issue_probe_q),
		.wanted = iob_io_issues,
		.impact = "everything",
	},
	BLOCK_HOOK(block_rq_remap, rq_remap_probe, rq_remap_probe_q),
	BLOCK_HOOK(block_split, bio_split_probe, bio_split_probe_q),
	BLOCK_HOOK(block_bio_remap, bio_remap_probe, bio_remap_probe_q),
	BLOCK_HOOK(block_bio_queue, bio_queue_probe, bio_queue_probe_q),
	{
		/* only bios that wait; the others' names: each bio, on 5.10 without a limit, too */
		.name = "throtl_add_bio_tg|__blk_throtl_bio|blk_throtl_bio",
		.called_in = "__blk_throtl_bio|blk_throtl_bio",
		.kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,
		.entered = bio_waits_entered,
		.impact = "the submitters of IO that a cgroup's io.max delays",
	},
	{
		/* of a cgroup that has a share of the disk: for that its own worker may wait */
		.name = "__blkcg_punt_bio_submit|blkcg_punt_bio_submit",
		.kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,
		.entered = bio_waits_entered,
		.impact = "the dirtiers of what is compressed for a cgroup's io controller",
	},
};

static IOB_HOOK_LIST(block_hooks, block_table);

IOB_PROVIDER(block) = {
	.hooks = &block_hooks,
};
