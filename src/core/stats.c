// SPDX-License-Identifier: GPL-2.0
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

/* The sum of one counter over all CPUs.  Any context; CPUs may go on counting. */
u64 iob_stat_read(enum iob_stat stat)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(iob_stats, cpu).v[stat]);
	return sum;
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
