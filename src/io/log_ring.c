// SPDX-License-Identifier: GPL-2.0
/*
 * The memory of rings.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/topology.h>

#include <compat/rcu.h>

#include "log_ring.h"

/**
 * iob_log_ring_alloc - an empty ring
 * @bytes: of its records, about; 2 records at least
 * @cpu:   the CPU that writes it
 *
 * May sleep.  No task is killed for the memory.  Return: NULL if there is none.
 */
struct iob_log_ring *iob_log_ring_alloc(unsigned long bytes, int cpu)
{
	u32 nr = max_t(unsigned long, bytes / sizeof(struct iob_iolog_bin_record), 2);
	struct iob_log_ring *ring;

	ring = kvmalloc_node(struct_size(ring, rec, nr), GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN,
			     cpu_to_node(cpu));
	if (ring)
		iob_log_ring_reset(ring, nr);
	return ring;
}

static void ring_free_rcu(struct rcu_head *head)
{
	kvfree(container_of(head, struct iob_log_ring, rcu));
}

/*
 * Free a ring, or NULL, after a grace period: probes may be writing.  May sleep.
 *
 * kvfree_rcu() would keep it for up to five seconds more, to free many at once.  The rings of
 * a reader that opens and closes again and again would pile up: 1 MiB for each CPU and open.
 * iob_tasks_exit() waits for the last one.
 */
void iob_log_ring_free(struct iob_log_ring *ring)
{
	if (ring)
		iob_call_rcu(&ring->rcu, ring_free_rcu);
}
