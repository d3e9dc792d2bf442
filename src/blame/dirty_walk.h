/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dirty_walk - the pages that are to be written now, and who dirtied them
 *
 * Example: dd has written 8 MiB to a file, which are to be written.  Their 2048 page frames
 * are in three parts of memory: each part has a row with dd's cause and the file.
 */
#ifndef IOB_BLAME_DIRTY_WALK_H
#define IOB_BLAME_DIRTY_WALK_H

#include "core/cause.h"
#include "core/file.h"

/* The pages of one part that one cause dirtied on one file. */
struct iob_dirty_row {
	u64 ref;		/* the cause; IOB_CAUSE_NONE if none is known */
	u64 oldest_ns;		/* CLOCK_MONOTONIC; 0: no page's time is known */
	struct iob_file file;
	u32 dirty;		/* pages to be written */
	u32 writeback;		/* pages that are being written; some are dirty again */
};

unsigned long iob_dirty_walk_end(void);
unsigned int iob_dirty_walk(unsigned long part, struct iob_dirty_row *row);

#endif
