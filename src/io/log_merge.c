// SPDX-License-Identifier: GPL-2.0
/*
 * A binary heap: the children of place i are at 2i + 1 and 2i + 2, and none is older than i.
 *
 * Pure: builds in userspace too.
 */
#include <linux/kernel.h>

#include "log_merge.h"

/* Let @head sink from the root, whose place is free, to where it belongs. */
static void log_head_sink(struct iob_log_merge *m, struct iob_log_head head)
{
	u32 place = 0, child;

	for (;;) {
		child = 2 * place + 1;
		if (child >= m->nr)
			break;
		if (child + 1 < m->nr && m->head[child + 1].at < m->head[child].at)
			child++;
		if (head.at <= m->head[child].at)
			break;
		m->head[place] = m->head[child];
		place = child;
	}
	m->head[place] = head;
}

/* Add a CPU that is not there, whose oldest record has the time @at. */
void iob_log_merge_add(struct iob_log_merge *m, u32 cpu, u64 at)
{
	u32 place = m->nr++, parent;

	while (place) {
		parent = (place - 1) / 2;
		if (m->head[parent].at <= at)
			break;
		m->head[place] = m->head[parent];
		place = parent;
	}
	m->head[place].cpu = cpu;
	m->head[place].at = at;
}

/* The oldest record of the root's CPU has the time @at now.  There is a root. */
void iob_log_merge_renew(struct iob_log_merge *m, u64 at)
{
	struct iob_log_head head = { .at = at, .cpu = m->head[0].cpu };

	log_head_sink(m, head);
}

/* The root's CPU has no record any more.  There is a root. */
void iob_log_merge_drop(struct iob_log_merge *m)
{
	if (--m->nr)
		log_head_sink(m, m->head[m->nr]);
}
