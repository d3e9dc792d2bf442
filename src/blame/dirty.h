/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dirty - what happens when somebody dirties pages
 */
#ifndef IOB_BLAME_DIRTY_H
#define IOB_BLAME_DIRTY_H

#include <linux/buffer_head.h>
#include <linux/fs.h>

#include <compat/folio.h>

struct pt_regs;

void iob_dirty_folio(struct inode *inode, struct iob_folio *folio);
void iob_dirty_range(struct iob_folio *folio, const void *ifs, size_t off,
		     size_t len, struct pt_regs *regs);
void iob_dirty_mapped(struct page *page, struct pt_regs *regs);
void iob_dirty_again(struct iob_folio *folio, size_t off, size_t len,
		     struct pt_regs *regs);
void iob_dirty_buffer(struct buffer_head *bh);

#endif
