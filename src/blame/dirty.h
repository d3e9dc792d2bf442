/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dirty - what happens when somebody dirties pages
 */
#ifndef IOB_BLAME_DIRTY_H
#define IOB_BLAME_DIRTY_H

#include <linux/buffer_head.h>
#include <linux/fs.h>

#include <compat/folio.h>

struct iob_call;
struct iob_behalf;
struct iob_task;
struct pt_regs;

void iob_dirty_folio(struct inode *inode, struct iob_folio *folio);
void iob_dirty_range(struct iob_folio *folio, const void *ifs, size_t off,
		     size_t len, struct pt_regs *regs);
void iob_dirty_mapped(struct page *page, struct pt_regs *regs);
void iob_dirty_fault_found(unsigned long func);
void iob_dirty_again(struct iob_folio *folio, size_t off, size_t len,
		     struct pt_regs *regs);
void iob_dirty_logged(const void *log, u32 tid, struct buffer_head *bh,
		      struct pt_regs *regs);
u64 iob_dirty_act(struct pt_regs *regs);
bool iob_dirty_known(struct pt_regs *regs);
bool iob_dirty_in_common(struct pt_regs *regs);
u64 iob_dirty_of_page(struct inode *inode, unsigned long index, u64 *dirty_ns);
void iob_dirty_inode(struct inode *inode);
void iob_dirty_cancel(struct iob_folio *folio);
void iob_behalf_pages(struct inode *inode, unsigned long index,
		     unsigned long last, bool dirty,
		     const struct iob_call *call);
void iob_behalf_backing(u64 pos, const struct iob_call *call);
void iob_behalf_common(bool last, const struct iob_call *call);
void iob_behalf_nothing(void);
void iob_behalf_end_transaction(struct iob_task *t, struct iob_behalf *scope, const void *key);
void iob_behalf_inode(struct inode *inode);
void iob_dirty_buffer(struct buffer_head *bh);

#endif
