/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/rcu - the read side that holds for a probe on every kernel
 *
 * Hides: tracepoint probes run with preemption off up to 6.19, under SRCU and
 * preemptible from 7.0 on.  Our own read side is the sched flavour: preemption
 * off, which also keeps per-CPU data ours, and which synchronize_rcu() waits
 * for on every kernel since 4.20.
 */
#ifndef IOB_COMPAT_RCU_H
#define IOB_COMPAT_RCU_H

#include <linux/rcupdate.h>

#ifdef CONFIG_PREEMPT_RT
#error "ioblame does not work on PREEMPT_RT: its probes take spinlocks with preemption off"
#endif

#define iob_read_lock()		rcu_read_lock_sched_notrace()
#define iob_read_unlock()	rcu_read_unlock_sched_notrace()
/* The same in a tracepoint's probe, for which the tracepoint may have done it. */
#ifdef IOB_HAVE_TRACE_PREEMPT_OFF
#define iob_probe_lock()	do { } while (0)
#define iob_probe_unlock()	do { } while (0)
#else
#define iob_probe_lock()	iob_read_lock()
#define iob_probe_unlock()	iob_read_unlock()
#endif
#define iob_read_held()		rcu_read_lock_sched_held()

#endif
