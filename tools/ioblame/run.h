/* SPDX-License-Identifier: GPL-2.0 */
/*
 * run - what all views have in common: a session or a recording is read until
 * the end, with a picture at each interval, and what was lost comes last
 */
#ifndef IOBLAME_RUN_H
#define IOBLAME_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "filter.h"
#include "opts.h"
#include "rec.h"
#include "session.h"
#include "source.h"

struct run {
	const struct opts *opts;
	struct source source;
	struct session session;
	struct filter filter;
	struct device device[DEVICES_MAX];
	unsigned int nr_devices;
	uint64_t now_ns;	/* of the records */
	uint64_t ios, records;	/* taken by the filter: whole ones, and with parts */
	bool ended_by_others;
	bool quit;		/* a view wants to end */
};

/* What a view does; a NULL is nothing to be done */
struct view {
	bool ages;			/* needs ages of pages */
	bool unordered;			/* of several CPUs' records any may come first */
	uint64_t interval_ns;		/* if none was asked for */
	int (*begin)(struct run *run);
	void (*record)(struct run *run, const struct iob_iolog_bin_record *rec);
	void (*filled)(struct run *run);
	void (*interval)(struct run *run, uint64_t from_ns, uint64_t to_ns, bool last);
	/* waits instead of run(), for a terminal's keys */
	void (*wait)(struct run *run, uint64_t timeout_ns);
	int (*end)(struct run *run);
};

int run_view(const struct opts *opts, const struct view *view);
void run_lost(const struct run *run, char *to, unsigned int size);
void run_time(const struct run *run, uint64_t ns, char *to, unsigned int size);
uint64_t run_wall_ns(const struct run *run, uint64_t ns);

#endif
