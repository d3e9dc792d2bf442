// SPDX-License-Identifier: GPL-2.0
#include "sum_lost.h"

/* Begin to count: what status has, @ios, no pass is to tell of.  Of a new session that is 0. */
void sum_lost_begin(struct sum_lost *l, uint64_t ios)
{
	*l = (struct sum_lost){ .before = ios };
}

/**
 * sum_lost_pass - a pass is over, and .told has what it told
 * @l:   the session's
 * @ios: IOs that status had before the pass began
 *
 * Return: IOs that are lost, beside those of earlier passes.
 */
uint64_t sum_lost_pass(struct sum_lost *l, uint64_t ios)
{
	uint64_t told = l->before + l->told, more;

	if (ios <= told || ios - told <= l->lost)
		return 0;
	more = ios - told - l->lost;
	l->lost += more;
	return more;
}
