/* SPDX-License-Identifier: GPL-2.0 */
/*
 * drvtrace - the kernel's events of SCSI or NVMe, through an instance of tracefs of our own
 *
 * Its name is ioblame-PID-drv.  Nobody else who traces notices it, and it is removed at the end.
 * One that a killed command left is removed by the next one.
 */
#ifndef IOBLAME_DRVTRACE_H
#define IOBLAME_DRVTRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "drvevent.h"

int drvtrace_open(bool nvme);
void drvtrace_read(void (*one)(const struct drvevent *e));
uint64_t drvtrace_lost(void);
uint64_t drvtrace_unknown(void);
void drvtrace_close(void);

#endif
