/* SPDX-License-Identifier: GPL-2.0 */
/*
 * loop - for whom a loop device's worker reads and writes its file
 */
#ifndef IOB_STACKED_LOOP_H
#define IOB_STACKED_LOOP_H

#include <linux/blk-mq.h>
#include <linux/sched.h>
#include <linux/uio.h>

#include <compat/loop.h>

#include "loop_file.h"
#include "blame/origin.h"

struct file;
struct iob_call;

/* where the beginning of a request is in the file, if it is not known */
#define IOB_LOOP_NOWHERE	U64_MAX

void iob_loops_start(void);
void iob_loop_queue(const struct request *rq);
void iob_loop_work(const struct request *rq, const struct iob_call *call);
void iob_loop_begin(const struct request *rq, u64 pos,
		    const struct iob_call *call);
void iob_loop_segment(const struct file *file, const struct iov_iter *iter,
		      u64 pos, const struct iob_call *call);
void iob_loop_leave(void);
void iob_loop_discard(const void *one, const void *other,
		      const struct iob_call *call);
bool iob_loop_look(struct iob_origin *o, const struct bio *bio);

/* some IO is followed, in this session: else nobody works for a request */
extern bool iob_loop_any;

/* Whether requests are to be told to iob_loop_queue(): set before the first is made. */
static __always_inline bool iob_loop_issues(void)
{
#ifdef IOB_LOOP_LIST
	return READ_ONCE(iob_loop_any);
#else
	return false;
#endif
}

/*
 * Whether a request to this disk is to be told to iob_loop_queue() when it is issued.
 * Any context, inside iob_read_lock().
 */
static inline bool iob_loop_follows(const struct gendisk *gd)
{
#ifdef IOB_LOOP_LIST
	return gd && iob_disk_is_file(gd) && iob_loop_file_disk_reaches(gd);
#else
	return false;
#endif
}

/**
 * iob_loop_find - who pays for a bio that a worker of a loop device submits
 * @o:   gets the parts; iob_origin_free() it in the end
 * @bio: as it is queued
 *
 * For direct IO of the file, which has the request's own pages.  Any context
 * but NMI, inside iob_read_lock().  Return: false if it is none; @o is not set.
 */
static inline bool iob_loop_find(struct iob_origin *o, const struct bio *bio)
{
	return READ_ONCE(iob_loop_any) && current->flags & PF_KTHREAD &&
	       iob_loop_look(o, bio);
}

#endif
