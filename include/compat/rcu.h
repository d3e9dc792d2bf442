/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/rcu - one read side for all probes on all kernels
 *
 * Hides: tracepoint probes run with preemption off up to 6.19, and preemptible under SRCU
 * since 7.0.  The read side here is RCU-sched: preemption is off, so that a probe may use
 * per-CPU data, and synchronize_rcu() waits for it on each kernel since 4.20.
 */
#ifndef IOB_COMPAT_RCU_H
#define IOB_COMPAT_RCU_H

#include <linux/rcupdate.h>

#ifdef CONFIG_PREEMPT_RT
#error "ioblame does not work on PREEMPT_RT: its probes take spinlocks with preemption off"
#endif

#define iob_read_lock()		rcu_read_lock_sched_notrace()
#define iob_read_unlock()	rcu_read_unlock_sched_notrace()
/* The same in a tracepoint's probe: nothing to do if the tracepoint turns preemption off. */
#ifdef IOB_HAVE_TRACE_PREEMPT_OFF
#define iob_probe_lock()	do { } while (0)
#define iob_probe_unlock()	do { } while (0)
#else
#define iob_probe_lock()	iob_read_lock()
#define iob_probe_unlock()	iob_read_unlock()
#endif
#define iob_read_held()		rcu_read_lock_sched_held()

/* Soon: call_rcu() waits for ten seconds where CONFIG_RCU_LAZY is set. */
#ifdef IOB_HAVE_CALL_RCU_HURRY
#define iob_call_rcu(head, func)	call_rcu_hurry(head, func)
#else
#define iob_call_rcu(head, func)	call_rcu(head, func)
#endif

#endif
