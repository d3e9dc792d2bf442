/* SPDX-License-Identifier: GPL-2.0 */
/* What the programs of the bench count by: the guest's instructions, and its rest. */
#ifndef BENCH_COUNT_H
#define BENCH_COUNT_H

#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* For QEMU's plugins (../qemu.h) */
#define mark_begin() asm volatile(".byte 0x0f,0x1f,0x80,0x01,0xb1,0x0b,0x10" ::: "memory")
#define mark_end()   asm volatile(".byte 0x0f,0x1f,0x80,0x02,0xb1,0x0b,0x10" ::: "memory")
#define mark_arm()   asm volatile(".byte 0x0f,0x1f,0x80,0x03,0xb1,0x0b,0x10" ::: "memory")

static unsigned long number(const char *s)
{
	char *end;
	unsigned long n = strtoul(s, &end, 0);

	if (!*s || *end)
		errx(2, "not a number: %s", s);
	return n;
}

static inline uint64_t ticks(void)
{
	uint32_t low, high;

	asm volatile("lfence; rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

static inline uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000UL + ts.tv_nsec;
}

/* ns that the CPUs have idled; 0 where the kernel does not tell */
static inline uint64_t idled(void)
{
	char line[256];
	uint64_t sum = 0;
	double n;
	FILE *f = fopen("/proc/timer_list", "r");

	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, " .idle_sleeptime : %lf", &n) == 1)
			sum += n;
	}
	fclose(f);
	return sum;
}

#endif
