/* SPDX-License-Identifier: GPL-2.0 */
/*
 * events - block events, in order, each with the record of the log to which it belongs
 *
 * The log has a record when the IO is complete.  So an event is held until its record comes, or
 * until the IO has been complete for a moment and the log has no record of it; at most for
 * EVENTS_WAIT_NS: an IO that takes longer has events without an originator.
 */
#ifndef IOBLAME_EVENTS_H
#define IOBLAME_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "blkevent.h"
#include "device.h"
#include "map.h"
#include "origins.h"
#include "tracefs.h"

#define EVENTS_WAIT_NS	3000000000ULL

enum {
	EVENTS_FLUSHERS = 32,		/* a power of two */
};

struct events {
	struct tracefs trace;
	struct origins origins;
	uint64_t order;			/* of the next event */
	struct blkevent *held;
	size_t first, nr, size;		/* those before the first are given out */
	uint64_t horizon_ns;		/* all events up to then are here */
	uint64_t before_ns;		/* the same of the reading before */
	uint64_t forgot_ns;
	struct iob_iolog_bin_record flusher[EVENTS_FLUSHERS];	/* the last ones */
	unsigned int nr_flushers;
	const struct device *device;	/* only events of these */
	unsigned int nr_devices;
	struct map disks;		/* of the numbers that events have */
};

typedef void (*events_fn)(const struct blkevent *e, const struct origins_found *found, void *arg);

int events_begin(struct events *ev, uint32_t kinds, const struct device *device, unsigned int nr);
void events_record(struct events *ev, const struct iob_iolog_bin_record *rec);
void events_fill(struct events *ev);
void events_release(struct events *ev, bool all, events_fn one, void *arg);
uint32_t events_disk(struct events *ev, uint32_t dev);
const char *events_number(struct events *ev, uint32_t dev);
void events_end(struct events *ev);

#endif
