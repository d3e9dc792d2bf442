/* SPDX-License-Identifier: GPL-2.0 */
/*
 * clock - CLOCK_MONOTONIC in nanoseconds, the clock of the module's records; boot: CLOCK_BOOTTIME
 */
#ifndef IOBLAME_CLOCK_H
#define IOBLAME_CLOCK_H

#include <stdint.h>

uint64_t clock_ns(void);
uint64_t clock_boot_ns(void);

#endif
