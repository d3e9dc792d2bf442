/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mark - functions whose presence in a stack trace says something about the IO
 *
 * Example: a page becomes dirty by folio_redirty_for_writepage() <- do_writepages().  Both are
 * marked: the trace has IOB_INTENT_REDIRTY and IOB_INTENT_WRITEBACK.
 */
#ifndef IOB_CORE_MARK_H
#define IOB_CORE_MARK_H

#include <linux/types.h>

/* what a trace says */
#define IOB_INTENT_REDIRTY	1	/* writeback puts a page back */
#define IOB_INTENT_WRITEBACK	2	/* inside writeback of a file */
#define IOB_INTENT_MOVE		4	/* inside that, what is clean is moved, of any file */

enum iob_mark {
	IOB_MARK_WRITEBACK,
	IOB_MARK_REDIRTY,
	IOB_MARK_REDIRTY_FS,	/* the same, a file system's own function */
	IOB_MARK_MOVE_FS,	/* a file system's own function that makes room: moves data */
	IOB_NR_MARKS,
};

void iob_mark_set(unsigned long func, enum iob_mark which);
void iob_marks_clear(void);
u16 iob_marks_of(const unsigned long *trace, unsigned int depth);

#endif
