/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/rcu for one thread, for tests that include a file: a reader's section is counted, and who
 * is in one does not sleep
 */
#ifndef UNIT_FAKE_RCU_H
#define UNIT_FAKE_RCU_H

/* the real one is not read */
#define IOB_COMPAT_RCU_H

#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "test.h"

static unsigned int nr_held;

bool shim_rcu_read_held(void)
{
	return nr_held;
}

#define iob_read_lock()		((void)nr_held++)
#define iob_read_unlock()	((void)nr_held--)
#define rcu_read_lock()		iob_read_lock()
#define rcu_read_unlock()	iob_read_unlock()

#undef cond_resched
#define cond_resched() do {			\
	if (nr_held)				\
		fail("it sleeps as a reader");	\
} while (0)

#endif
