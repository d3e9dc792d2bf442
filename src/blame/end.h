/* SPDX-License-Identifier: GPL-2.0 */
/*
 * end - what a bio is, told by the function that ends it
 *
 * File systems and drivers keep to themselves what a bio of theirs is for; but
 * each kind is ended by a function of its own, and bi_private then is a thing
 * of a known type.
 */
#ifndef IOB_BLAME_END_H
#define IOB_BLAME_END_H

#include <linux/bio.h>

enum iob_end {
	IOB_END_NONE,
	IOB_END_DIRECT,		/* direct IO */
	IOB_END_BUFFER,		/* bi_private: struct buffer_head */
	IOB_END_XFS_BUF,	/* bi_private: struct xfs_buf */
	IOB_END_XFS_LOG,	/* bi_private: struct xlog_in_core */
	IOB_END_BTRFS_SUPER,	/* btrfs' superblock */
	IOB_END_CRYPT,		/* bi_private: struct dm_crypt_io */
	IOB_END_STRIPE,		/* bi_private: struct stripe_head */
};

void iob_end_mark(enum iob_end kind, unsigned long func);
void iob_end_unmark(enum iob_end kind);
void iob_ends_unmark(void);
void iob_ends_init(void);
enum iob_end iob_end_of(const struct bio *bio, const struct bio **last);

#define IOB_END_BITS	6	/* functions that end bios: some 16 of 64 */

extern bio_end_io_t *iob_chain_endio;

/* Whether a bio is a piece of the one in its bi_private.  Any context. */
static inline bool iob_end_chained(const struct bio *bio)
{
	return bio->bi_end_io == iob_chain_endio;
}

/*
 * The bio that a bio of IOB_END_CRYPT is the ciphertext of: of a private struct,
 * the second pointer in each kernel that we know.
 */
static inline const struct bio *iob_crypt_base(const struct bio *bio)
{
	return ((const struct bio *const *)bio->bi_private)[1];
}

#endif
