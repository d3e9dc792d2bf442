// SPDX-License-Identifier: GPL-2.0
#include <linux/string.h>

#include "code.h"
#include "mark.h"

/* set by hooks, read by probes: see iob_code_publish() */
static struct iob_code marks[IOB_NR_MARKS];

static const u16 mark_flags[IOB_NR_MARKS] = {
	[IOB_MARK_WRITEBACK] = IOB_INTENT_WRITEBACK,
	[IOB_MARK_REDIRTY] = IOB_INTENT_REDIRTY,
	[IOB_MARK_REDIRTY_FS] = IOB_INTENT_REDIRTY,
};

/**
 * iob_mark_set - name a function whose presence in a trace sets flags
 * @func:  an address inside it
 * @which: the mark, which one function has at a time
 *
 * May sleep.  No code of the function's module has run yet.
 */
void iob_mark_set(unsigned long func, enum iob_mark which)
{
	iob_code_publish(func, &marks[which]);
}

/* Undo all calls of iob_mark_set().  No probe is attached. */
void iob_marks_clear(void)
{
	memset(marks, 0, sizeof(marks));
}

/**
 * iob_marks_of - what a trace says
 * @trace: return addresses, innermost first
 * @depth: how many
 *
 * Writeback may have to make room first: what is moved for that is clean, and is not put back.
 * But room may be made by writing files, which is writeback again, inside it.  Any context.
 * Return: IOB_INTENT_*
 */
u16 iob_marks_of(const unsigned long *trace, unsigned int depth)
{
	unsigned int i, j;
	bool moves = false;
	u16 flags = 0;

	for (i = 0; i < depth; i++) {
		for (j = 0; j < IOB_NR_MARKS; j++) {
			if (!iob_code_has(&marks[j], trace[i]))
				continue;
			moves |= j == IOB_MARK_MOVE_FS;
			if (moves && j == IOB_MARK_WRITEBACK)
				flags |= IOB_INTENT_MOVE;
			else
				flags |= mark_flags[j];
		}
	}
	return flags;
}
