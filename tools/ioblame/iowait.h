/* SPDX-License-Identifier: GPL-2.0 */
/*
 * iowait - how much of an interval tasks waited for IO, as pidstat's iodelay and iotop's IO>
 *
 * From the kernel's delay accounting, in /proc/PID/task/TID/stat.  All tasks are read at the end of
 * each interval: what a task waited before it is seen must be known.  A task that ends within the
 * interval takes its number along.  What the kernel says and cannot be is not shown.
 */
#ifndef IOBLAME_IOWAIT_H
#define IOBLAME_IOWAIT_H

#include <stdbool.h>
#include <stdint.h>

void iowait_begin(bool accumulate);
void iowait_turn(void);
bool iowait_share(uint32_t id, bool thread, double *percent);
void iowait_end(void);

#endif
