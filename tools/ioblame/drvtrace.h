/* SPDX-License-Identifier: GPL-2.0 */
/*
 * drvtrace - the kernel's events of SCSI or NVMe, from an instance of tracefs: see trace_instance.h
 */
#ifndef IOBLAME_DRVTRACE_H
#define IOBLAME_DRVTRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "drvevent.h"

enum drvtrace {
	DRVTRACE_SCSI,
	DRVTRACE_NVME,
	DRVTRACE_SCSI_FAILED,		/* only the ends of commands of SCSI that failed */
};

bool drvtrace_has_scsi(void);
int drvtrace_open(enum drvtrace what);
void drvtrace_read(void (*one)(const struct drvevent *e));
uint64_t drvtrace_lost(void);
uint64_t drvtrace_unknown(void);
void drvtrace_close(void);

#endif
