/* SPDX-License-Identifier: GPL-2.0 */
/*
 * request - a request is made of another one, issued and done
 *
 * A request has no context: what is known of it are the contexts of its bios.
 */
#ifndef IOB_IO_REQUEST_H
#define IOB_IO_REQUEST_H

#include <linux/blkdev.h>

void iob_rq_map(struct request *rq, dev_t disk);
void iob_rq_unmap(const struct request *rq);
void iob_rq_issue(struct request *rq);
void iob_rq_done(struct request *rq, int error, unsigned int bytes);

#endif
