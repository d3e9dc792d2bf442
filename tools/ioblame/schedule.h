/* SPDX-License-Identifier: GPL-2.0 */
/*
 * schedule - when intervals end
 *
 * Pure.  Those that have passed meanwhile are not made up for.
 */
#ifndef IOBLAME_SCHEDULE_H
#define IOBLAME_SCHEDULE_H

#include <stdint.h>

uint64_t schedule_next(uint64_t next, uint64_t interval, uint64_t now);

#endif
