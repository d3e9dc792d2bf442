// SPDX-License-Identifier: GPL-2.0
#include "schedule.h"

/**
 * schedule_next - the end of the interval that is under way
 * @next:     the end of an interval
 * @interval: the length of each; not 0
 * @now:      the time, any
 *
 * Return: the first end after @now; UINT64_MAX if no time is so late.
 */
uint64_t schedule_next(uint64_t next, uint64_t interval, uint64_t now)
{
	uint64_t more;

	if (now < next)
		return next;
	more = (now - next) / interval;
	if (__builtin_add_overflow(more, 1, &more) ||
	    __builtin_mul_overflow(more, interval, &more) ||
	    __builtin_add_overflow(next, more, &next))
		return UINT64_MAX;
	return next;
}
