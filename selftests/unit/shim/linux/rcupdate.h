/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_RCUPDATE_H
#define SHIM_LINUX_RCUPDATE_H

#include <stdbool.h>
#include <stdlib.h>

#include <linux/compiler.h>

#define __rcu
#define RCU_INITIALIZER(p)		(p)
#define rcu_assign_pointer(p, v)	smp_store_release(&(p), v)

/* Whether the test is in a reader's section, to be defined by a test in which one begins. */
bool shim_rcu_read_held(void);

#define rcu_dereference_check(p, c)	__extension__ ({	\
	if (!(c))						\
		abort();					\
	READ_ONCE(p);						\
})
#define rcu_dereference(p)		rcu_dereference_check(p, shim_rcu_read_held())
#define rcu_dereference_sched(p)	rcu_dereference(p)

struct rcu_head {
	void *word[2];
};

#endif
