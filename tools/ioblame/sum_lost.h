/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sum_lost - how many IOs of a session no pass over its sums has told of
 *
 * Pure.  The module's status counts each IO once, whether a sum has it or not.  An IO that status
 * had before a pass is in this pass or in an earlier one, or in none ever: its sum went unseen, or
 * the setting `sums` was 0.  So what status had, less what was told by the end of the pass, is
 * lost.  A pass may tell of later IOs, too: then less is known to be lost than is, and the rest is
 * known when fewer IOs end meanwhile.  Each loss is told once.
 *
 * Example: status has 100 IOs when the sums are opened, and 170 before the next pass, which tells
 * of 60: 10 are lost.  If it tells of 65, as 5 ended meanwhile, 5 are lost, and the pass after that
 * tells of the other 5.
 */
#ifndef IOBLAME_SUM_LOST_H
#define IOBLAME_SUM_LOST_H

#include <stdint.h>

struct sum_lost {
	uint64_t before;	/* IOs that status had when the first pass was to begin */
	uint64_t told;		/* IOs that passes told of since then */
	uint64_t lost;		/* that are known to be in none of these */
};

void sum_lost_begin(struct sum_lost *l, uint64_t ios);
uint64_t sum_lost_pass(struct sum_lost *l, uint64_t ios);

#endif
