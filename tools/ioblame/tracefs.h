/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tracefs - the kernel's block events, from an instance of tracefs: see trace_instance.h
 */
#ifndef IOBLAME_TRACEFS_H
#define IOBLAME_TRACEFS_H

#include <stdbool.h>
#include <stdint.h>

#include "blkevent.h"
#include "ring.h"
#include "trace_instance.h"

struct tracefs {
	struct trace_instance instance;
	struct ring_format ring;
	struct blkevent_format format[NR_BLKEVENTS];
	int *fd;			/* one for each CPU */
	unsigned int nr_cpus;
	unsigned char *page;
	uint64_t broken;		/* pages that were not understood */
};

int tracefs_open(struct tracefs *t, uint32_t kinds);
void tracefs_read(struct tracefs *t, void (*one)(const struct blkevent *e, void *arg), void *arg);
void tracefs_stop(struct tracefs *t);
uint64_t tracefs_lost(const struct tracefs *t);
void tracefs_close(struct tracefs *t);

#endif
