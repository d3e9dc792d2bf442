// SPDX-License-Identifier: GPL-2.0
#include <linux/bug.h>
#include <linux/errno.h>

#include "stats.h"

DEFINE_PER_CPU(struct iob_stats, iob_stats);

static const struct {
	const char *name;
	const char *what;
} stats[] = {
#define IOB_STAT_ROW(name, what) { #name, what },
	IOB_STATS(IOB_STAT_ROW)
	IOB_EVENTS(IOB_STAT_ROW)
#undef IOB_STAT_ROW
};

/* the kinds of objects in owner_evicted, constant once the module is loaded */
static const char *part_names[IOB_MAX_STAT_PARTS];

/**
 * iob_stat_part_add - a kind of objects may be forgotten
 * @name: without blanks
 *
 * At module load.  Return: its number for iob_stat_inc_part(); -E2BIG.
 */
int iob_stat_part_add(const char *name)
{
	unsigned int nr;

	for (nr = 0; nr < IOB_MAX_STAT_PARTS; nr++) {
		if (!part_names[nr]) {
			part_names[nr] = name;
			return nr;
		}
	}
	WARN_ON(1);
	return -E2BIG;
}

/* The name of a kind, NULL behind the last one. */
const char *iob_stat_part_name(unsigned int part)
{
	return part < IOB_MAX_STAT_PARTS ? part_names[part] : NULL;
}

static u64 sum_of_cpus(const u64 __percpu *v)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(v, cpu));
	return sum;
}

/* As iob_stat_read(), of one kind. */
u64 iob_stat_part_read(unsigned int part)
{
	return sum_of_cpus(&iob_stats.part[part]);
}

/* The sum of one counter over all CPUs.  Any context; CPUs may go on counting. */
u64 iob_stat_read(enum iob_stat stat)
{
	return sum_of_cpus(&iob_stats.v[stat]);
}

/* Set all counters to 0.  No probe is attached. */
void iob_stats_reset(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(&iob_stats, cpu), 0, sizeof(struct iob_stats));
}

/* The file's name under stats/. */
const char *iob_stat_name(enum iob_stat stat)
{
	return stats[stat].name;
}

/* What was lost, in words, for `status`. */
const char *iob_stat_what(enum iob_stat stat)
{
	return stats[stat].what;
}
