/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/wb - the names of the running kernel's writeback reasons
 *
 * Hides: releases renumber enum wb_reason (7.2 has no laptop_timer, and all
 * behind it moved), so names come from the list that the kernel keeps for its
 * own tracepoints.  5.10's list lacks foreign_flush, its enum does not.
 */
#ifndef IOB_COMPAT_WB_H
#define IOB_COMPAT_WB_H

#include <linux/kernel.h>
#include <linux/writeback.h>
#include <trace/events/writeback.h>

/*
 * The header leaves the macros in which the list is written defined as
 * initialisers of { number, name }.
 *
 * Any context.  Return: NULL for a number that has no name.
 */
static inline const char *iob_wb_reason_name(u32 reason)
{
	static const struct {
		u32 nr;
		const char *name;
	} names[] = { WB_WORK_REASON };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (names[i].nr == reason)
			return names[i].name;
	}
	return reason == WB_REASON_FOREIGN_FLUSH ? "foreign_flush" : NULL;
}

#endif
