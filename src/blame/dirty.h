/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dirty - a task dirties a folio, an inode or a journal's buffer, or gives one up
 */
#ifndef IOB_BLAME_DIRTY_H
#define IOB_BLAME_DIRTY_H

#include <linux/buffer_head.h>
#include <linux/fs.h>

#include <compat/folio.h>

#include "association.h"
#include "core/task.h"

/* How many pages a buffer lies in: from 7.2 on it may have several. */
static inline unsigned long iob_buffer_pages(const struct buffer_head *bh)
{
	return DIV_ROUND_UP(bh->b_size, PAGE_SIZE);
}

struct pt_regs;

/* A buffer that was changed in the transaction of that tid. */
extern struct iob_assoc_kind iob_assoc_logged;
extern struct iob_task_part iob_dirty_part;

void iob_dirty_expect(const struct iob_folio *folio, bool was_dirty);
void iob_dirty_folio(struct inode *inode, struct iob_folio *folio);
void iob_dirty_logged(const void *log, u32 tid, struct buffer_head *bh,
		      struct pt_regs *regs);
void iob_dirty_inode(struct inode *inode, bool waited);
void iob_dirty_times(struct inode *inode);
void iob_dirty_cancel(struct iob_folio *folio);

#endif
