/* SPDX-License-Identifier: GPL-2.0 */
/*
 * inflight - an IO from queue to completion
 */
#ifndef IOB_IO_BIO_H
#define IOB_IO_BIO_H

#include <linux/bio.h>
#include <linux/blkdev.h>

int iob_bios_init(void);
void iob_bios_exit(void);
int iob_bios_start(void);
void iob_bios_stop(void);

struct pt_regs;

void iob_bio_claim(struct bio *bio, struct pt_regs *regs);
void iob_bio_queue(struct bio *bio, unsigned long ip, unsigned long sp,
			unsigned long bp);
void iob_bio_split(struct bio *bio);
void iob_bio_clone(struct bio *bio, dev_t disk, u64 sector);
void iob_bio_remap(struct bio *bio, dev_t disk, u64 sector);
void iob_rq_map(struct request *rq, dev_t disk);
void iob_rq_unmap(const struct request *rq);
void iob_rq_issue(struct request *rq);
void iob_rq_done(struct request *rq, int error, unsigned int bytes);
void iob_bio_done(struct bio *bio, const struct request_queue *q);

#endif
