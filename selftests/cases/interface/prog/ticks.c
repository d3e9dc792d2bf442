// SPDX-License-Identifier: GPL-2.0
/*
 * What the time stamp counter says, and what CLOCK_MONOTONIC says just before: a line each ten
 * milliseconds, until it is killed.  For cases that ask whether the two go on together.
 */
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#ifdef __x86_64__
#include <x86intrin.h>
#else
#define __rdtsc() 0ULL
#endif

int main(void)
{
	struct timespec t;
	unsigned long long ticks;

	for (;;) {
		clock_gettime(CLOCK_MONOTONIC, &t);
		ticks = __rdtsc();
		printf("%llu %llu\n", ticks, t.tv_sec * 1000000000ULL + t.tv_nsec);
		if (fflush(stdout))
			return 1;
		usleep(10000);
	}
}
