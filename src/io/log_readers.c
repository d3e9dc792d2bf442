// SPDX-License-Identifier: GPL-2.0
/*
 * One announcement serves all readers: they are woken together and look for themselves.
 */
#include <linux/irq_work.h>
#include <linux/workqueue.h>

#include "log_readers.h"

enum {
	/* from the first record to the wake-up; the smallest ring has room for 1,637 */
	WAKE_MSECS = 10,
};

union iob_iolog_readers iob_iolog_readers;
DECLARE_WAIT_QUEUE_HEAD(iob_log_wait);

static bool log_on;		/* false once disabled */
static atomic_t log_waiting;
static struct irq_work wake_soon;

static void wake_log_readers(struct work_struct *work)
{
	wake_up_all(&iob_log_wait);
}

static DECLARE_DELAYED_WORK(wake_work, wake_log_readers);

static void plan_to_wake(struct irq_work *work)
{
	schedule_delayed_work(&wake_work, msecs_to_jiffies(WAKE_MSECS));
}

/* Module load. */
void iob_log_readers_init(void)
{
	init_irq_work(&wake_soon, plan_to_wake);
}

/* No wake-up is on its way when this returns.  No probe is attached.  May sleep. */
void iob_log_readers_stop(void)
{
	/* the first schedules the second */
	irq_work_sync(&wake_soon);
	cancel_delayed_work_sync(&wake_work);
}

/* A record is written.  Any context but NMI. */
void iob_log_written(void)
{
	/* first the record, then the question who waits: pairs with iob_log_announce() */
	smp_mb();
	if (atomic_read(&log_waiting) && atomic_xchg(&log_waiting, 0))
		irq_work_queue(&wake_soon);
}

/* The caller is about to wait on iob_log_wait: it looks for records after this. */
void iob_log_announce(void)
{
	atomic_set(&log_waiting, 1);
	/* pairs with the barrier in iob_log_written() */
	smp_mb();
}

/* Records may come from now on. */
void iob_log_begin(void)
{
	WRITE_ONCE(log_on, true);
}

/* No record will come: readers get the rest and then the end.  May sleep. */
void iob_iolog_end(void)
{
	WRITE_ONCE(log_on, false);
	wake_up_all(&iob_log_wait);
}

/* True if no record will come: disabled, or never enabled. */
bool iob_iolog_ended(void)
{
	return !READ_ONCE(log_on);
}
