/* SPDX-License-Identifier: GPL-2.0 */
/* Work that the test calls itself, once it was queued. */
#ifndef SHIM_LINUX_IRQ_WORK_H
#define SHIM_LINUX_IRQ_WORK_H

#include <linux/types.h>

struct irq_work {
	void (*func)(struct irq_work *work);
	bool queued;
};

#define init_irq_work(w, f)	(*(w) = (struct irq_work){ .func = (f) })
#define irq_work_queue(w)	((w)->queued = true)
#define irq_work_sync(w)	((void)(w))

#endif
