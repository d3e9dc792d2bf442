/* SPDX-License-Identifier: GPL-2.0 */
/*
 * live_draw - the screen of the live view
 */
#ifndef IOBLAME_LIVE_DRAW_H
#define IOBLAME_LIVE_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agg.h"
#include "choice.h"
#include "group.h"
#include "run.h"

enum {
	LIVE_FILTER = 64,
};

enum live_mode {
	LIVE_TABLE,
	LIVE_DETAIL,		/* one row */
	LIVE_TYPING,		/* a filter */
	LIVE_HELP,
};

struct live_state {
	const struct run *run;
	enum live_mode mode;
	enum pivot by;
	enum sort sort;
	bool accumulate, submitter, paused;
	bool on;		/* the terminal is in use */
	char filter[LIVE_FILTER];
	struct agg agg;		/* of the interval that runs, or since the beginning */
	struct agg shown;	/* of the last whole interval */
	const struct agg *sums;	/* which of them is on the screen */
	uint64_t begun_ns, from_ns, to_ns;
	uint64_t since_ns;	/* when @sums began */
	struct row *rows;	/* of @sums, filtered */
	size_t nr, selected, top;
	struct atom chosen;	/* of the row that stays selected */
	bool has_chosen;
	char lost[1024];
	unsigned int line;	/* where draw_line() writes */
};

void live_draw(struct live_state *v);

#endif
