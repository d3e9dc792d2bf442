/* SPDX-License-Identifier: GPL-2.0 */
/*
 * run - the state of a run: its session or recording, and what is printed before
 * and after a view
 */
#ifndef IOBLAME_RUN_H
#define IOBLAME_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "filter.h"
#include "opts.h"
#include "pace.h"
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
	uint64_t now_ns;	/* on the clock of the records */
	uint64_t since_ns;	/* when the interval that is under way began */
	uint64_t ios, records;	/* that pass the filter; records count each part of an IO */
	uint64_t bytes[IOB_NR_HOWS];	/* of these records */
	bool ended_by_others;	/* another process switched ioblame off */
	bool cut;		/* a part of a recording is shown */
	bool quit;		/* the view ends the run */
	struct pace pace;	/* of a recording in the live view */
	uint64_t asked;		/* @records when run_took() was asked */
};

bool run_took(struct run *run);
void run_print_head(const struct run *run);
void run_print_end(const struct run *run);
void run_lost(const struct run *run, char *to, unsigned int size);
void run_time(const struct run *run, uint64_t ns, char *to, unsigned int size);
uint64_t run_wall_ns(const struct run *run, uint64_t ns);

#endif
