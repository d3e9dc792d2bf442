// SPDX-License-Identifier: GPL-2.0
#include "merge.h"

/* Let @head sink from the root, whose place is free, to where it belongs. */
static void sink(struct merge *m, struct merge_head head)
{
	unsigned int place = 0, child;

	for (;;) {
		/* the children of place i are at 2i + 1 and 2i + 2, and none is before i */
		child = 2 * place + 1;
		if (child >= m->nr)
			break;
		if (child + 1 < m->nr && merge_is_before(&m->head[child + 1], &m->head[child]))
			child++;
		if (!merge_is_before(&m->head[child], &head))
			break;
		m->head[place] = m->head[child];
		place = child;
	}
	m->head[place] = head;
}

/* Add a CPU that is not there, whose oldest record has the time @at. */
void merge_add(struct merge *m, unsigned int cpu, uint64_t at)
{
	struct merge_head head = { .at = at, .cpu = cpu };
	unsigned int place = m->nr++, parent;

	while (place) {
		parent = (place - 1) / 2;
		if (!merge_is_before(&head, &m->head[parent]))
			break;
		m->head[place] = m->head[parent];
		place = parent;
	}
	m->head[place] = head;
}

/* The oldest record of the root's CPU has the time @at now.  There is a root. */
void merge_renew(struct merge *m, uint64_t at)
{
	struct merge_head head = { .at = at, .cpu = m->head[0].cpu };

	sink(m, head);
}

/* The root's CPU has no record any more.  There is a root. */
void merge_drop(struct merge *m)
{
	if (--m->nr)
		sink(m, m->head[m->nr]);
}
