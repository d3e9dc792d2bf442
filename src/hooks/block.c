// SPDX-License-Identifier: GPL-2.0
/*
 * The block layer: an IO is queued, split, issued, done.
 *
 * Context: bio_queue and split run in the submitter's; rq_issue and rq_remap in
 * whoever runs the queue, interrupts maybe off; the completions mostly in hardirq.
 */
#include <linux/blkdev.h>

#include <compat/blkdev.h>
#include <compat/rcu.h>
#include <compat/tracepoint.h>

#include <trace/events/block.h>

#include "io/bio.h"
#include "io/fast.h"
#include "io/remap.h"
#include "io/request.h"
#include "table.h"

/*
 * Those that come with each IO are notrace: the function tracer would be called for
 * each, too.  What they do for IO that somebody watches is a function of its own: else
 * older compilers save registers before they ask whether anybody does.
 */
static notrace noinline void queue_watched(struct bio *bio)
{
	iob_fast_queue(bio);
}

/* A loop device, say, that nobody watches: its file may be on a disk that somebody does. */
static notrace noinline void queue_stacked(struct bio *bio)
{
	bool follows;

	iob_probe_lock();
	follows = iob_disk_hands_on(iob_queued_disk(bio));
	iob_probe_unlock();
	if (follows)
		queue_watched(bio);
}

static __always_inline void queue_one(struct bio *bio)
{
	const struct gendisk *gd = iob_queued_disk(bio);

	if (iob_disk_maybe(gd))
		queue_watched(bio);
	else if (iob_disk_stacks(gd))
		queue_stacked(bio);
}

/* 5.10: the queue comes first */
static notrace void __maybe_unused
bio_queue_q(void *data, struct request_queue *q, struct bio *bio)
{
	queue_one(bio);
}

static notrace void __maybe_unused bio_queue(void *data, struct bio *bio)
{
	queue_one(bio);
}

static void split_one(struct bio *bio)
{
	iob_read_lock();
	iob_bio_split(bio);
	iob_read_unlock();
}

static void __maybe_unused split_q(void *data, struct request_queue *q,
				   struct bio *bio, unsigned int sector)
{
	split_one(bio);
}

static void __maybe_unused split(void *data, struct bio *bio,
				 unsigned int sector)
{
	split_one(bio);
}

static void remap_one(struct bio *bio, dev_t disk, sector_t sector)
{
	iob_read_lock();
	iob_bio_remap(bio, disk, sector);
	iob_read_unlock();
}

static void __maybe_unused remap_q(void *data, struct request_queue *q,
				   struct bio *bio, dev_t disk, sector_t sector)
{
	remap_one(bio, disk, sector);
}

static void __maybe_unused remap(void *data, struct bio *bio, dev_t disk,
				 sector_t sector)
{
	remap_one(bio, disk, sector);
}

static void map_one(struct request *rq, dev_t disk)
{
	iob_read_lock();
	iob_rq_map(rq, disk);
	iob_read_unlock();
}

static void __maybe_unused rq_remap_q(void *data, struct request_queue *q,
				      struct request *rq, dev_t disk,
				      sector_t sector)
{
	map_one(rq, disk);
}

static void __maybe_unused rq_remap(void *data, struct request *rq, dev_t disk,
				    sector_t sector)
{
	map_one(rq, disk);
}

static notrace noinline void issue_asked(struct request *rq)
{
	if (iob_fast_has(rq))
		iob_fast_issue(rq);
}

static __always_inline void issue_one(struct request *rq)
{
	if (unlikely(iob_io_issues()))
		issue_asked(rq);
}

static notrace void __maybe_unused
rq_issue_q(void *data, struct request_queue *q, struct request *rq)
{
	issue_one(rq);
}

static notrace void __maybe_unused rq_issue(void *data, struct request *rq)
{
	issue_one(rq);
}

static notrace noinline void __maybe_unused
errno_of_watched(struct request *rq, int error, unsigned int bytes)
{
	iob_fast_rq_done(rq, error, bytes);
}

static notrace void __maybe_unused
rq_complete_errno(void *data, struct request *rq, int error,
		  unsigned int bytes)
{
	if (iob_fast_has(rq))
		errno_of_watched(rq, error, bytes);
}

static notrace noinline void __maybe_unused
status_of_watched(struct request *rq, blk_status_t error, unsigned int bytes)
{
	if (likely(!error))
		iob_fast_rq_done(rq, 0, bytes);
	else
		errno_of_watched(rq, blk_status_to_errno(error), bytes);
}

static notrace void __maybe_unused
rq_complete(void *data, struct request *rq, blk_status_t error,
	    unsigned int bytes)
{
	if (iob_fast_has(rq))
		status_of_watched(rq, error, bytes);
}

static void bio_complete(void *data, struct request_queue *q, struct bio *bio)
{
	iob_read_lock();
	iob_bio_done(bio, q);
	iob_read_unlock();
}

/* (bio): it may have to wait, and a worker queues it then */
static void throttle(struct pt_regs *regs)
{
	iob_bio_claim((void *)regs_get_kernel_argument(regs, 0), regs);
}

#define NEEDED(tp, a, b) {						\
	.name = #tp, .kind = IOB_HOOK_TRACEPOINT,			\
	.phase = IOB_HOOK_ENABLED, .needed = true,			\
	.probe = IOB_PROBE(tp, a, b), .impact = "everything",		\
}

#define DIRECT_END(func) {						\
	.name = func, .kind = IOB_HOOK_ADDRESS,				\
	.phase = IOB_HOOK_LOADED, .end = IOB_BIO_DIRECT,	\
	.impact = "direct writes whose buffer is a mapped file may be "	\
		"charged to who dirtied the buffer",			\
}

static const struct iob_hook hooks[] = {
	{
		.name = "end_bio_bh_io_sync|bh_end_write",
		.kind = IOB_HOOK_ADDRESS, .phase = IOB_HOOK_LOADED,
		.end = IOB_BIO_BUFFER,
		.impact = "whose data ext4 writes from its journal",
	}, {
		.name = "crypt_endio", .kind = IOB_HOOK_ADDRESS,
		.phase = IOB_HOOK_LOADED, .end = IOB_BIO_CRYPT,
		.module = "dm_crypt",
		.impact = "for whom dm-crypt writes",
	},
	DIRECT_END("iomap_dio_bio_end_io"),
	DIRECT_END("dio_bio_end_io"),
	DIRECT_END("dio_bio_end_aio"),
	DIRECT_END("blkdev_bio_end_io"),
	DIRECT_END("blkdev_bio_end_io_async|blkdev_bio_end_io_simple"),
	DIRECT_END("submit_bio_wait_endio|bio_wait_end_io"),
	/* ends first: of no IO is the beginning seen, and then not the end */
	NEEDED(block_bio_complete, bio_complete, bio_complete),
	NEEDED(block_rq_complete, rq_complete, rq_complete_errno),
	NEEDED(block_rq_issue, rq_issue, rq_issue_q),
	NEEDED(block_rq_remap, rq_remap, rq_remap_q),
	NEEDED(block_split, split, split_q),
	NEEDED(block_bio_remap, remap, remap_q),
	NEEDED(block_bio_queue, bio_queue, bio_queue_q),
	{
		.name = "__blk_throtl_bio|blk_throtl_bio",
		.kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,
		.entered = throttle,
		.impact = "the submitters of IO that a cgroup's io.max holds back",
	},
};

IOB_HOOK_LIST(iob_block_hooks, hooks);
