/* SPDX-License-Identifier: GPL-2.0 */
/*
 * end - what a bio is, told by the function that ends it
 *
 * File systems and drivers keep to themselves what a bio of theirs is for; but
 * each kind is ended by a function of its own, and bi_private then is a thing
 * of a known type.
 */
#ifndef IOB_BLAME_BIO_KIND_H
#define IOB_BLAME_BIO_KIND_H

#include <linux/bio.h>
#include <linux/bits.h>
#include <linux/hash.h>

enum iob_bio_kind {
	IOB_BIO_NONE,
	IOB_BIO_DIRECT,		/* direct IO */
	IOB_BIO_BUFFER,		/* bi_private: struct buffer_head */
	IOB_BIO_XFS_BUF,	/* bi_private: struct xfs_buf */
	IOB_BIO_XFS_LOG,	/* bi_private: struct xlog_in_core */
	IOB_BIO_BTRFS_SUPER,	/* btrfs' superblock */
	IOB_BIO_CRYPT,		/* bi_private: struct dm_crypt_io */
	IOB_BIO_STRIPE,		/* bi_private: struct stripe_head */
	IOB_BIO_THIN_DISCARD,	/* bi_private: struct dm_thin_new_mapping */
	/* no bios: device mapper's copies and requests, told likewise; see record/copy */
	IOB_BIO_DM_SNAP,
	IOB_BIO_DM_THIN,
	IOB_BIO_DM_MIRROR,
};

void iob_bio_kind_mark(enum iob_bio_kind kind, unsigned long func);
void iob_bio_kind_unmark(enum iob_bio_kind kind);
void iob_bio_kinds_unmark(void);
void iob_bio_kinds_init(void);

#define IOB_BIO_KIND_BITS	6	/* functions that end bios: some 22 of 64 */
#define IOB_NR_BIO_KINDS	BIT(IOB_BIO_KIND_BITS)
#define IOB_BIO_CHAIN	4

/*
 * Which functions end what: open addressing, never more than half full.  One
 * writer, under the hooks' lock, while probes may read; a place that was taken
 * once is not empty again until all are.
 */
struct iob_bio_kind_func {
	unsigned long func;	/* 0: none, 1: none any more */
	enum iob_bio_kind kind;
};

extern struct iob_bio_kind_func iob_bio_kind_funcs[IOB_NR_BIO_KINDS];

static inline unsigned int iob_bio_kind_place(unsigned long func)
{
	return hash_long(func, IOB_BIO_KIND_BITS);
}

extern bio_end_io_t *iob_chain_endio;

/* Whether a bio is a piece of the one in its bi_private.  Any context. */
static inline bool iob_bio_chained(const struct bio *bio)
{
	return bio->bi_end_io == iob_chain_endio;
}

/* What is ended by a function.  Any context, while it is under way. */
static inline enum iob_bio_kind iob_bio_kind_by(unsigned long end)
{
	unsigned int n, i = iob_bio_kind_place(end);

	for (n = 0; n < IOB_NR_BIO_KINDS; n++, i = (i + 1) % IOB_NR_BIO_KINDS) {
		/* pairs with iob_bio_kind_mark() */
		unsigned long func = smp_load_acquire(&iob_bio_kind_funcs[i].func);

		if (!func)
			break;
		if (func == end)
			return READ_ONCE(iob_bio_kind_funcs[i].kind);
	}
	return IOB_BIO_NONE;
}

/**
 * iob_bio_kind_of - what a bio is
 * @bio:  the bio
 * @last: gets the bio that it is a piece of, or @bio
 *
 * Any context, while @bio is under way.
 */
static inline enum iob_bio_kind iob_bio_kind_of(const struct bio *bio,
				      const struct bio **last)
{
	unsigned int i;

	for (i = 0; i < IOB_BIO_CHAIN && iob_bio_chained(bio); i++)
		bio = bio->bi_private;
	*last = bio;
	return iob_bio_kind_by((unsigned long)bio->bi_end_io);
}

/*
 * The bio that a bio of IOB_BIO_CRYPT is the ciphertext of: of a private struct,
 * the second pointer in each kernel that we know.
 */
static inline const struct bio *iob_crypt_base(const struct bio *bio)
{
	return ((const struct bio *const *)bio->bi_private)[1];
}

#endif
