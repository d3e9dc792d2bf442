/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/loop - which request a loop device's worker is at
 *
 * Hides: 5.14 87579e9b7d8d: before, each request is a kthread_work of its own;
 * since then a worker takes them off a list and calls nothing of its own that
 * would tell which one.  (Told by blk_alloc_disk(), which came with 5.14.)
 */
#ifndef IOB_COMPAT_LOOP_H
#define IOB_COMPAT_LOOP_H

#include <linux/blk-mq.h>
#include <linux/ptrace.h>

#ifdef IOB_HAVE_BLK_ALLOC_DISK
/* which request a worker is at must be found out */
#define IOB_LOOP_LIST	1
/* (worker, list, device) */
#define IOB_LOOP_WORK	"loop_process_work"

static inline const struct request *iob_loop_rq(struct pt_regs *regs)
{
	return NULL;
}

static inline const void *iob_loop_device(struct pt_regs *regs)
{
	return (const void *)regs_get_kernel_argument(regs, 2);
}
#else
/* (kthread_work), the first member of the request's struct loop_cmd */
#define IOB_LOOP_WORK	"loop_queue_work"

static inline const struct request *iob_loop_rq(struct pt_regs *regs)
{
	return blk_mq_rq_from_pdu((void *)regs_get_kernel_argument(regs, 0));
}

static inline const void *iob_loop_device(struct pt_regs *regs)
{
	return iob_loop_rq(regs)->q->queuedata;
}
#endif

#endif
