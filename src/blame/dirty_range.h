/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dirty_range - a task dirties a part of a folio
 *
 * Pages are charged, not folios.  The kernel's event says only that a folio of, say, 64
 * KiB becomes dirty; these functions say which of its 16 pages.
 */
#ifndef IOB_BLAME_DIRTY_RANGE_H
#define IOB_BLAME_DIRTY_RANGE_H

#include <linux/buffer_head.h>

#include <compat/folio.h>

/* The folio in which a buffer is. */
static inline struct iob_folio *iob_buffer_folio(const struct buffer_head *bh)
{
#ifdef IOB_HAVE_BH_FOLIO
	return bh->b_folio;
#else
	return iob_folio_of(bh->b_page);
#endif
}

struct pt_regs;

void iob_dirty_mkwrite(const struct vm_fault *vmf, struct pt_regs *regs);
void iob_dirty_whole(struct iob_folio *folio, size_t off, size_t len,
		     struct pt_regs *regs);
void iob_dirty_buffer(struct buffer_head *bh);
void iob_dirty_range(struct iob_folio *folio, const void *state, size_t off,
		     size_t len, struct pt_regs *regs);

#endif
