/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/wb_work - the reason of a writeback work
 *
 * Hides: struct wb_writeback_work is private to fs/fs-writeback.c; it begins like this
 * since 4.15.  The mirror only gives the offset of reason.  Hides also that 5.18
 * (203a31516616) renamed writeback_dirty_page to writeback_dirty_folio.
 */
#ifndef IOB_COMPAT_WB_WORK_H
#define IOB_COMPAT_WB_WORK_H

#include <linux/types.h>
#include <linux/writeback.h>

#include <compat/peek.h>

struct iob_wb_work {
	long nr_pages;
	struct super_block *sb;
	enum writeback_sync_modes sync_mode;
	unsigned int flags;
	enum wb_reason reason;
};

/*
 * The reason of a struct wb_writeback_work, which is at @at; WB_REASON_MAX if it is none.  Any
 * context.
 */
static inline u32 iob_wb_work_reason(const void *at)
{
	enum wb_reason reason;

	if (!iob_peek(&reason, (const enum wb_reason *)at) || (u32)reason >= WB_REASON_MAX)
		return WB_REASON_MAX;
	return reason;
}

#ifdef IOB_HAVE_DIRTY_FOLIO
#define check_trace_callback_type_IOB_WRITEBACK_DIRTY			\
	check_trace_callback_type_writeback_dirty_folio
#else
#define check_trace_callback_type_IOB_WRITEBACK_DIRTY			\
	check_trace_callback_type_writeback_dirty_page
#endif

#endif
