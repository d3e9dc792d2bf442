/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/iomap - which blocks of a large folio are dirty, and who ends direct writes
 *
 * Hides: struct iomap_folio_state is private to fs/iomap/buffered-io.c.  It has this layout
 * since 6.6 (4ce02c679722) brought dirty bits.  Example: a folio of 16 KiB with blocks of
 * 4 KiB has 8 bits in state; block 1 is dirty if bit 4 + 1 is set.  The mirror only gives the
 * offset of state.
 *
 * Hides: exfat and ntfs of 7.2 give iomap functions of their own that end direct writes.  No public
 * header names them: Kbuild tests for iomap_bio_submit_read_endio(), which both call there
 * (IOB_HAVE_IOMAP_READ_ENDIO).
 */
#ifndef IOB_COMPAT_IOMAP_H
#define IOB_COMPAT_IOMAP_H

#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/pagemap.h>
#include <linux/spinlock.h>

#include <compat/peek.h>

struct iob_iomap_folio_state {
	spinlock_t state_lock;	/* iomap's; ioblame never takes it */
	unsigned int read_bytes_pending;
	atomic_t write_bytes_pending;
	/* [0, blocks) uptodate, [blocks, 2 * blocks) dirty */
	unsigned long state[];
};

/*
 * Kernels with large folios and without dirty bits write a whole folio if any block of it is
 * dirty.  Kbuild tests for iomap_dirty_folio(), which came with the bits.  RHEL 9.1 to 9.4 pass
 * for such, and give their functions a page where this expects a folio: it is never compound.
 */
#if defined(IOB_HAVE_FOLIO) && !defined(IOB_HAVE_IOMAP_DIRTY)
#define IOB_IOMAP_WHOLE_FOLIOS
#endif

#ifdef IOB_HAVE_IOMAP_DIRTY
static inline bool iob_iomap_bit(const unsigned long *state, unsigned long nr)
{
	unsigned long word;

	return iob_peek(&word, &state[BIT_WORD(nr)]) && word & BIT_MASK(nr);
}

/*
 * True if the page at @off, in bytes, has a dirty block.  @state: of the folio, which the current
 * task is about to mark dirty.
 */
static inline bool iob_iomap_dirty(const void *state, const struct inode *inode,
				   struct folio *folio, size_t off)
{
	unsigned long blocks = folio_size(folio) >> inode->i_blkbits;
	unsigned long nr = blocks + (off >> inode->i_blkbits);

	if (inode->i_blkbits >= PAGE_SHIFT)
		return test_bit(nr, (const unsigned long *)state);
	blocks = nr + (PAGE_SIZE >> inode->i_blkbits);
	return find_next_bit((const unsigned long *)state, blocks, nr) < blocks;
}

/*
 * True if @state may be the state of a folio: a block that is about to be dirty is uptodate,
 * and the last word has no bit more than there are blocks.  @state may be any address.
 */
static inline bool iob_iomap_is_state(const void *state, const struct inode *inode,
				      struct folio *folio, size_t off)
{
	unsigned long bits = 2 * (folio_size(folio) >> inode->i_blkbits), last;

	if (!iob_iomap_bit(state, off >> inode->i_blkbits) ||
	    !iob_peek(&last, (const unsigned long *)state + BIT_WORD(bits - 1)))
		return false;
	return !(last & ~BITMAP_LAST_WORD_MASK(bits));
}
#endif

#endif
