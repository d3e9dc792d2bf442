/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/iomap - which blocks of a large folio are dirty
 *
 * Hides: struct iomap_folio_state is private to fs/iomap/buffered-io.c; its
 * layout has been this one since dirty bits came with 6.6 (4ce02c679722).
 */
#ifndef IOB_COMPAT_IOMAP_H
#define IOB_COMPAT_IOMAP_H

#include <linux/bitops.h>
#include <linux/pagemap.h>
#include <linux/spinlock.h>

struct iob_iomap_folio_state {
	spinlock_t state_lock;	/* iomap's: never taken here */
	unsigned int read_bytes_pending;
	atomic_t write_bytes_pending;
	/* [0, blocks) uptodate, [blocks, 2 * blocks) dirty */
	unsigned long state[];
};

/*
 * Kernels with large folios but without dirty bits write all of a folio if any
 * of it is dirty.  (Buffers got their folio in between, with 6.5.)
 */
#if defined(IOB_HAVE_FOLIO) && !defined(IOB_HAVE_BH_FOLIO)
#define IOB_IOMAP_WHOLE_FOLIOS
#endif

#ifdef IOB_HAVE_BH_FOLIO
/* Whether the block at @off is dirty.  The caller is in who set the bits. */
static inline bool iob_iomap_dirty(const void *ifs, const struct inode *inode,
				   struct folio *folio, size_t off)
{
	const struct iob_iomap_folio_state *s = ifs;
	unsigned long blocks = folio_size(folio) >> inode->i_blkbits;

	return test_bit(blocks + (off >> inode->i_blkbits), s->state);
}
#endif

#endif
