/* SPDX-License-Identifier: GPL-2.0 */
/*
 * view - read a session or a recording until its end, and call the view
 */
#ifndef IOBLAME_VIEW_H
#define IOBLAME_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "opts.h"
#include "run.h"

/* The functions of a view; any may be NULL, but for @record */
struct view {
	bool ages;			/* needs ages of pages */
	bool arrays;			/* without -D, arrays of md are watched, too */
	bool all;			/* gets also records that the filters do not take */
	bool unordered;			/* takes the records of several CPUs in any order */
	uint64_t interval_ns;		/* if the command line has none */
	int (*begin)(struct run *run);
	void (*record)(struct run *run, const struct iob_iolog_bin_record *rec);
	/* after each batch of records */
	void (*filled)(struct run *run);
	/* at the end of each interval and of the run */
	void (*interval)(struct run *run, uint64_t from_ns, uint64_t to_ns, bool last);
	/* after the last record that is shown in time: what follows are messages, and the end */
	void (*ending)(struct run *run);
	/* before ioblame is switched off at the end of a live run */
	void (*stopping)(struct run *run);
	/* wait at most @timeout_ns, for records or for the keys of a terminal */
	void (*wait)(struct run *run, uint64_t timeout_ns);
	/* a recording goes on from another time */
	void (*jumped)(struct run *run);
	int (*end)(struct run *run);
};

void view_pass(struct run *run, const struct view *view, const struct iob_iolog_bin_record *rec);
int view_run(const struct opts *opts, const struct view *view);

#endif
