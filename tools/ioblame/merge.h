/* SPDX-License-Identifier: GPL-2.0 */
/*
 * merge - which of many CPUs has the oldest record
 *
 * A heap of CPUs by the time of the oldest record of each: the root is the oldest of all, and of
 * equal ones that of the first CPU.  A record costs 2 * log2(CPUs) comparisons at most.  It is what
 * the module's log_merge is, which kernel C keeps apart.
 *
 * Example: CPUs 0, 1 and 2 have records of the times 30, 10 and 20.  The root is CPU 1.  Its
 * next record has the time 25: CPU 2 is the root then.
 *
 * Pure.
 */
#ifndef IOBLAME_MERGE_H
#define IOBLAME_MERGE_H

#include <stdbool.h>
#include <stdint.h>

struct merge_head {
	uint64_t at;		/* the time of the CPU's oldest record */
	unsigned int cpu;
};

struct merge {
	unsigned int nr;		/* CPUs with a record */
	struct merge_head *head;	/* the caller's, with room for all CPUs; [0] is the root */
};

static inline bool merge_is_before(const struct merge_head *a, const struct merge_head *b)
{
	return a->at < b->at || (a->at == b->at && a->cpu < b->cpu);
}

void merge_add(struct merge *m, unsigned int cpu, uint64_t at);
void merge_renew(struct merge *m, uint64_t at);
void merge_drop(struct merge *m);

#endif
