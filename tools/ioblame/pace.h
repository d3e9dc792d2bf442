/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pace - a recording that passes as time does: it pauses, goes faster, and is sought in
 *
 * Records are in the order of time in a file that is only read forwards.  To go back is to
 * read it again from the beginning, without showing it.  Example: at 0:40 of a recording,
 * "back to 0:30" opens it again, skips what completed before 0:29, and shows the second
 * after that as it shows each second.
 */
#ifndef IOBLAME_PACE_H
#define IOBLAME_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct run;
struct view;

enum {
	PACE_SPEED_MOST = 10,	/* 1024 times */
	PACE_TEXT = 96,
};

struct pace {
	bool on;			/* the run is one of these */
	bool ends;			/* -d or COUNT: it does not wait at its end */
	uint64_t begin_ns, end_ns;	/* of what is replayed, on the clock of its records */
	uint64_t at_ns;			/* what completed until then has passed */
	uint64_t interval_ns;		/* between two pictures, on the clock on the wall */
	int speed;			/* a power of two: 1 is twice as fast, -1 half */
	bool paused;
	bool sought;			/* @to_ns is asked for */
	uint64_t to_ns;
};

bool pace_measure(struct pace *p, struct run *run);
bool pace_key(struct pace *p, int key);
const char *pace_text(const struct pace *p, char *to);
void pace_records(struct pace *p, struct run *run, const struct view *view);

#endif
