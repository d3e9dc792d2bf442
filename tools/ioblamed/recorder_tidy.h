/* SPDX-License-Identifier: GPL-2.0 */
/*
 * recorder_tidy - delete originators, names and stacks that nothing has any more, a part at a time
 *
 * Nothing has an index that tells who has a name.  So a pass takes some rows of a table, goes over
 * all that may have them, marks those that something has and deletes the others; then the next
 * ones, until the table is done.  Originators come first, as those that go have names and stacks.
 *
 * A pass is done in steps, between which the recorder writes on.  It forgets all numbers when a
 * pass begins, so that what it writes then has originators and names with numbers above those that
 * the pass looks at.  Stacks are known by their hash: one that is written is marked.
 */
#ifndef IOBLAMED_RECORDER_TIDY_H
#define IOBLAMED_RECORDER_TIDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum recorder_tidy_step {
	TIDY_NONE,		/* no pass is under way */
	TIDY_TAKE, TIDY_MARK, TIDY_SWEEP,
};

struct recorder_tidy {
	enum recorder_tidy_step step;
	unsigned int table;
	int64_t top[2];		/* the highest number of each table at the beginning, but stacks */
	int64_t *key;		/* of the rows that were taken, ascending */
	bool *used;		/* of each */
	size_t nr, size, swept;
	bool last;		/* no row of the table is behind them */
	unsigned int haver;	/* of those that may have them, which is gone over */
	int64_t at;		/* the last row of it */
};

struct recorder_db;

void recorder_tidy_begin(struct recorder_db *d);
bool recorder_tidy_go_on(struct recorder_db *d, bool *over);
void recorder_tidy_keep(struct recorder_tidy *t, int64_t stack);
void recorder_tidy_end(struct recorder_tidy *t);

#endif
