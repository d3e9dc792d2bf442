/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/wb - the names of the running kernel's writeback reasons
 *
 * Hides: releases renumber enum wb_reason (7.2 dropped laptop_timer, which moved all later
 * values), so the names come from the list of the kernel's own tracepoints.  5.10's list
 * lacks foreign_flush, which its enum has.
 */
#ifndef IOB_COMPAT_WB_H
#define IOB_COMPAT_WB_H

#include <linux/kernel.h>
#include <linux/writeback.h>
#include <trace/events/writeback.h>

/*
 * The name of a writeback reason.  trace/events/writeback.h leaves the macros of the list
 * defined as initialisers { number, name }.
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
