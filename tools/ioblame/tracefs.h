/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tracefs - the kernel's block events, through an instance of tracefs that is ours alone
 *
 * The instance is named ioblame-PID.  It has buffers and events of its own, so nobody else who
 * traces notices, and it is removed at the end, by the keeper if the command is killed.
 */
#ifndef IOBLAME_TRACEFS_H
#define IOBLAME_TRACEFS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "blkevent.h"
#include "ring.h"

struct tracefs {
	char folder[300];		/* "" if there is none */
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
void tracefs_remove(pid_t pid);

#endif
