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
struct iob_parent_ops;

/* where the beginning of a request is in the file, if it is not known */
#define IOB_LOOP_NOWHERE	U64_MAX

void iob_loop_queue(const struct request *rq);
void iob_loop_work(const struct request *rq, const struct iob_call *call);
void iob_loop_begin(const struct request *rq, u64 pos,
		    const struct iob_call *call);
void iob_loop_segment(const struct file *file, const struct iov_iter *iter,
		      u64 pos, const struct iob_call *call);
void iob_loop_leave(void);
void iob_loop_discard(const void *one, const void *other,
		      const struct iob_call *call);
bool iob_loop_find(struct iob_origin *o, const struct bio *bio);

extern const struct iob_parent_ops iob_loop_parent_ops;

#endif
