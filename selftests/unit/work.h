/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much the files of a unit do, in basic blocks: gcc makes each call a function of the test.
 * The unit is one of COUNTED in the Makefile.  The same work always has the same number, on
 * any machine.
 */
#ifndef UNIT_WORK_H
#define UNIT_WORK_H

#include "test.h"

static u64 work;

void __sanitizer_cov_trace_pc(void);

void __sanitizer_cov_trace_pc(void)
{
	work++;
}

/*
 * @run does work for so many disks.  Of 4 times as many it is 4 times as much, and somewhat more
 * where they are sorted; 16 times as much is disks squared.
 */
static inline void work_is_linear(const char *what, void (*run)(unsigned int disks))
{
	u64 few, many;

	work = 0;
	run(250);
	few = work;
	work = 0;
	run(1000);
	many = work;
	if (!few || many > 7 * few)
		fail("%s: %llu blocks for 250 disks, %llu for 1,000", what, few, many);
	note("%llu blocks for 250 disks, %llu for 1,000", few, many);
}

#endif
