/* SPDX-License-Identifier: GPL-2.0 */
/*
 * bio - a bio is held back, queued, cloned, split and done
 *
 * The functions behind the probes of the block layer that see single bios.  Requests are
 * io/request's.
 */
#ifndef IOB_IO_BIO_H
#define IOB_IO_BIO_H

#include "bio_ctx.h"

struct pt_regs;

struct iob_bio_ctx *iob_bio_follow(struct bio *bio, const struct gendisk *gd,
				   bool lone);
void iob_bio_claim(struct bio *bio, struct pt_regs *regs);
struct iob_bio_ctx *iob_bio_queue(struct bio *bio, unsigned long ip,
				  unsigned long sp, unsigned long bp);
void iob_bio_clone(struct bio *bio, dev_t disk, u64 sector);
void iob_bio_split(struct bio *bio);
void iob_bio_done(struct bio *bio, const struct request_queue *q);

#endif
