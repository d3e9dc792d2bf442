/* SPDX-License-Identifier: GPL-2.0 */
/*
 * worker - the workqueue for what takes long
 *
 * The system's own workqueue runs one item at a time on each CPU.  A worker that walks a table
 * of a large host would hold up all others there, the ends of direct IO among them.  So such
 * work has an unbound workqueue.
 */
#ifndef IOB_CORE_WORKER_H
#define IOB_CORE_WORKER_H

#include <linux/workqueue.h>

extern struct workqueue_struct *iob_long_work;

int iob_workers_init(void);
void iob_workers_exit(void);

/* As schedule_work() and schedule_delayed_work().  Any context but NMI. */
static inline void iob_work_queue(struct work_struct *work)
{
	queue_work(iob_long_work, work);
}

static inline void iob_work_queue_delayed(struct delayed_work *work, unsigned long jiffies_later)
{
	queue_delayed_work(iob_long_work, work, jiffies_later);
}

#endif
