// SPDX-License-Identifier: GPL-2.0
#include <linux/errno.h>

#include "worker.h"

struct workqueue_struct *iob_long_work __read_mostly;

/* Module load, before any unit that has work.  Return: 0 or -ENOMEM. */
int iob_workers_init(void)
{
	iob_long_work = alloc_workqueue("ioblame", WQ_UNBOUND, 0);
	return iob_long_work ? 0 : -ENOMEM;
}

/* Module unload: each unit has cancelled its work.  May sleep. */
void iob_workers_exit(void)
{
	if (iob_long_work)
		destroy_workqueue(iob_long_work);
	iob_long_work = NULL;
}
