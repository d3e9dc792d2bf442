// SPDX-License-Identifier: GPL-2.0
/*
 * What the daemon itself costs, of the kernel, and what it has lost of the past.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "metrics_sum.h"
#include "recorder_lost.h"

/* Bytes of memory that this process has; 0 if that is not known */
static uint64_t resident_bytes(void)
{
	unsigned long long all, resident = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (!f)
		return 0;
	if (fscanf(f, "%llu %llu", &all, &resident) != 2)
		resident = 0;
	fclose(f);
	return resident * sysconf(_SC_PAGESIZE);
}

static uint64_t timeval_ns(struct timeval t)
{
	return t.tv_sec * 1000000000ULL + t.tv_usec * 1000ULL;
}

/* Take what the daemon costs until now. */
void metrics_measure(struct metrics *m)
{
	struct metrics_own own = { .start_ns = m->own.start_ns };
	struct rusage used;
	struct timespec now;

	/* the first call is at the daemon's begin */
	if (!own.start_ns) {
		clock_gettime(CLOCK_REALTIME, &now);
		own.start_ns = now.tv_sec * 1000000000LL + now.tv_nsec;
	}
	getrusage(RUSAGE_SELF, &used);
	own.cpu_ns = timeval_ns(used.ru_utime) + timeval_ns(used.ru_stime);
	own.resident_bytes = resident_bytes();
	own.lost_sums = recorder_lost.sums;
	own.lost_intervals = recorder_lost.intervals;
	metrics_own(m, &own);
}
