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
#ifdef __aarch64__
#define mark(n)	     asm volatile("movz xzr, #0xb100 + " #n ::: "memory")
#else
#define mark(n)	     asm volatile(".byte 0x0f,0x1f,0x80," #n ",0xb1,0x0b,0x10" ::: "memory")
#endif
#define mark_begin() mark(1)
#define mark_end()   mark(2)
#define mark_arm()   mark(3)

static unsigned long number(const char *s)
{
	char *end;
	unsigned long n = strtoul(s, &end, 0);

	if (!*s || *end)
		errx(2, "not a number: %s", s);
	return n;
}

#ifdef __aarch64__
/* ns: the counter has 1 GHz (../host.sh) */
static inline uint64_t ticks(void)
{
	uint64_t now, hz;

	asm volatile("isb; mrs %0, cntvct_el0; mrs %1, cntfrq_el0" : "=r"(now), "=r"(hz) : : "memory");
	if (hz != 1000000000)
		errx(1, "the counter has %lu Hz: it does not count instructions", hz);
	return now;
}
#else
static inline uint64_t ticks(void)
{
	uint32_t low, high;

	asm volatile("lfence; rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}
#endif

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
