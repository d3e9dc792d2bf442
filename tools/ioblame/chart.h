/* SPDX-License-Identifier: GPL-2.0 */
/*
 * chart - IO by time: sums by originator, latencies, and places on the disks
 *
 * Pure.  Nobody knows at the beginning how long a run takes, nor how large a disk is.  So
 * each axis has a fixed number of bins, and when a value lies behind the last, two bins
 * become one until it fits.  Example: 480 bins of 1 ms reach 480 ms; the first IO after that
 * makes them 2 ms wide, and a day ends with bins of 262 s.  Memory and the size of a page
 * do not depend on the number of IOs.
 */
#ifndef IOBLAME_CHART_H
#define IOBLAME_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agg.h"
#include "hist.h"
#include "map.h"
#include "rec.h"

enum {
	CHART_BINS = 480,
	CHART_TRACKS = 1024,		/* originators; what more do is known as a sum only */
	CHART_DISKS = 16,		/* with a map of places */
	CHART_FORGOTTEN = 4096,		/* further disks; those behind them are nowhere */
	/* cells of a map; a cell is as wide as three bins of time */
	CHART_TIMES = CHART_BINS / 3,
	CHART_PLACES = 64,
};

struct chart_bin {
	uint64_t read, written, ios;
	uint64_t timed, total_ns, max_ns;	/* of the IOs whose time is known */
};

/* Who: the pivot "process", as a key */
struct chart_who {
	uint64_t cgroup;
	uint32_t kind, nr;
};

struct chart_track {
	struct chart_who who;
	uint64_t weight, ios;
	struct chart_bin bin[CHART_BINS];
};

struct chart_cell {
	uint64_t ios, bytes;
	uint64_t timed, total_ns;	/* as in a bin */
};

/* All IO of a disk: one that is forgotten gets no map again, which would have a part of it. */
struct chart_disk {
	uint32_t disk;
	uint64_t ios;			/* flushes, too, which have no place */
	uint64_t step;			/* sectors of a place */
	struct chart_cell cell[CHART_TIMES][CHART_PLACES];
};

struct chart {
	uint64_t begin_ns, width_ns;
	unsigned int used;		/* bins up to the last with IO */
	struct chart_bin all[CHART_BINS];
	uint64_t latency[CHART_BINS][HIST_SLOTS];	/* of the IOs whose time is known */
	struct map tracks;
	struct chart_disk *disk[CHART_DISKS];
	unsigned int nr_disks;
	struct map forgotten;		/* numbers of further disks */
};

struct chart *chart_new(uint64_t begin_ns);
void chart_add(struct chart *c, const struct iob_iolog_bin_record *rec);
const struct chart_track *chart_track(const struct chart *c, const struct atom *a);
void chart_free(struct chart *c);

#endif
