/* SPDX-License-Identifier: GPL-2.0 */
/*
 * inflight - an IO from queue to completion
 */
#ifndef IOB_RECORD_INFLIGHT_H
#define IOB_RECORD_INFLIGHT_H

#include <linux/bio.h>
#include <linux/blkdev.h>

int iob_inflight_init(void);
void iob_inflight_exit(void);
int iob_inflight_start(void);
void iob_inflight_stop(void);

struct pt_regs;

void iob_inflight_claim(struct bio *bio, struct pt_regs *regs);
void iob_inflight_queue(struct bio *bio, unsigned long ip, unsigned long sp,
			unsigned long bp);
void iob_inflight_split(struct bio *bio);
void iob_inflight_clone(struct bio *bio, dev_t disk, u64 sector);
void iob_inflight_remap(struct bio *bio, dev_t disk, u64 sector);
void iob_inflight_map(struct request *rq, dev_t disk);
void iob_inflight_unmap(const struct request *rq);
void iob_inflight_issue(struct request *rq);
void iob_inflight_rq_done(struct request *rq, int error, unsigned int bytes);
void iob_inflight_bio_done(struct bio *bio, const struct request_queue *q);

#endif
