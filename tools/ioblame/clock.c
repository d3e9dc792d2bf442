// SPDX-License-Identifier: GPL-2.0
#include <time.h>

#include "clock.h"

static uint64_t clock_of(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

uint64_t clock_ns(void)
{
	return clock_of(CLOCK_MONOTONIC);
}

uint64_t clock_boot_ns(void)
{
	return clock_of(CLOCK_BOOTTIME);
}
