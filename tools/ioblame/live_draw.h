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
#include "rows.h"
#include "run.h"

enum {
	LIVE_TEXT = 64,
	LIVE_HEAD = 2,		/* lines above the table or the detail */
};

enum live_mode {
	LIVE_TABLE,
	LIVE_DETAIL,		/* one row */
	LIVE_TYPING,		/* a filter, or columns */
	LIVE_HELP,
};

struct live_state {
	const struct run *run;
	enum live_mode mode;
	enum pivot by;
	enum sort sort;
	bool accumulate, submitter, iowait, paused;
	bool on;		/* the terminal is in use */
	char filter[LIVE_TEXT];
	char columns_typed[LIVE_TEXT];
	char *typing;		/* which of these two */
	const char *spec;	/* columns, as of -o; NULL: the usual ones */
	char note[256];		/* shown until the next key */
	unsigned int sideways;	/* cells that are scrolled away at the left; 0: what fits */
	unsigned int down;	/* lines of the detail or the help that are scrolled away */
	unsigned int need[ROWS_COLUMNS];	/* widths that columns had: they do not shrink */
	bool seen[ROWS_COLUMNS];	/* columns that had a value but 0 */
	struct agg agg;		/* of the interval that runs, which is not shown yet */
	struct agg shown;	/* of the last whole interval */
	struct agg all;		/* of all intervals since @begun_ns, while they accumulate */
	const struct agg *sums;	/* which of the two is on the screen */
	uint64_t begun_ns, from_ns, to_ns;
	uint64_t since_ns;	/* when @sums began */
	bool held;		/* a pause keeps intervals back: */
	uint64_t held_ns;	/* the first of them began then */
	struct row *rows;	/* of @sums, filtered */
	size_t nr, selected, top;
	struct atom chosen;	/* of the row that stays selected */
	bool has_chosen;
	char lost[1024];
	unsigned int line;	/* which live_line() writes next */
};

void live_draw(struct live_state *v);
void live_put(int y, int x, int width, const char *text);
void live_line(const char *text, void *state);
void live_detail(struct live_state *v);
void live_help(struct live_state *v);

#endif
