/* SPDX-License-Identifier: GPL-2.0 */
/*
 * bio_kind - what a bio is for, told by the function that ends it
 *
 * File systems and drivers keep to themselves what a bio of theirs is for.  But each kind
 * is ended by a function of its own, and then bi_private points to a thing of a known type.
 *
 * Example: a bio whose bi_end_io is iomap_dio_bio_end_io() is direct IO.
 */
#ifndef IOB_BLAME_BIO_KIND_H
#define IOB_BLAME_BIO_KIND_H

#include <linux/bio.h>
#include <linux/bits.h>
#include <linux/hash.h>
#include <linux/sched.h>

#include "core/stats.h"

struct iob_origin;
struct iob_task;

/*
 * One kind, a static const object of the file system or driver that has it.  All
 * functions are called from probes, inside iob_read_lock(), while the bio is under way;
 * NULL: there is nothing to ask.
 */
struct iob_bio_kind {
	const char *name;
	/* The act that changed what the bio carries, IOB_CAUSE_NONE if it is not known. */
	u64 (*changed_by)(const struct bio *whole);
	/* Whether the bio is part of the log that the task writes. */
	bool (*is_log)(const struct iob_task *t);
	/*
	 * The origin of @bio, a piece of @whole, from the bios of a disk above; false: not
	 * known, and @o is not set.
	 */
	bool (*find_parent)(struct iob_origin *o, const struct bio *bio,
			    const struct bio *whole);
	/* Its parent is asked for when the bio is queued, not when it is remapped. */
	bool when_queued;
};

/* Direct IO: its pages say nothing about who pays. */
extern const struct iob_bio_kind iob_bio_direct;
/* A buffer, bi_private: struct buffer_head.  Its page is not under writeback. */
extern const struct iob_bio_kind iob_bio_buffer;
/* Has the ciphertext of the bio in bi_private, which was queued and waits. */
extern const struct iob_bio_kind iob_bio_ciphertext;

void iob_bio_kind_mark(const struct iob_bio_kind *kind, unsigned long func);
void iob_bio_kind_unmark(unsigned long func);
void iob_bio_kinds_unmark(void);
void iob_bio_kinds_init(void);

#define IOB_BIO_KIND_BITS	6	/* of 64 places some 24 are taken */
#define IOB_NR_BIO_KINDS	BIT(IOB_BIO_KIND_BITS)
#define IOB_BIO_CHAIN		4	/* bios chained to one another */

/*
 * The table of functions: open addressing, at most half full.  One writer, under the
 * hooks' lock, while probes may read; a place that was taken once is not empty again until
 * all are.
 */
struct iob_bio_kind_func {
	unsigned long func;	/* 0: never taken; 1: no function any more */
	const struct iob_bio_kind *kind;
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

/* The kind of what @func ends, or NULL.  Any context, while that is under way. */
static inline const struct iob_bio_kind *iob_bio_kind_by(unsigned long func)
{
	unsigned int n, i = iob_bio_kind_place(func);

	for (n = 0; n < IOB_NR_BIO_KINDS; n++, i = (i + 1) % IOB_NR_BIO_KINDS) {
		/* pairs with iob_bio_kind_mark() */
		unsigned long at = smp_load_acquire(&iob_bio_kind_funcs[i].func);

		if (!at)
			break;
		if (at == func)
			return READ_ONCE(iob_bio_kind_funcs[i].kind);
	}
	return NULL;
}

/*
 * Whether a bio has ciphertext of the one in its bi_private.  Any context, while it is under way.
 */
static inline bool iob_bio_is_ciphertext(const struct bio *bio)
{
	return iob_bio_kind_by((unsigned long)bio->bi_end_io) == &iob_bio_ciphertext;
}

/*
 * Whether a bio that is queued may be the rest of one with ciphertext, which a device's limits
 * have split: only while its task submits another bio, or in a thread if the bio was held back.
 */
static inline bool iob_bio_may_be_rest_of_ciphertext(const struct bio *bio)
{
	return IS_ENABLED(CONFIG_BLK_INLINE_ENCRYPTION_FALLBACK) &&
	       unlikely(current->bio_list || current->flags & PF_KTHREAD) &&
	       iob_bio_is_ciphertext(bio);
}

/*
 * Whether a bio without a context may be done for the bio in its bi_private: as a piece of
 * it, or with its ciphertext.  Any context, while it is under way.
 */
static inline bool iob_bio_stands_in(const struct bio *bio)
{
	return iob_bio_chained(bio) || iob_bio_is_ciphertext(bio);
}

/**
 * iob_bio_kind_of - what a bio is for
 * @bio:   the bio
 * @whole: gets the bio that it is a piece of, or @bio
 *
 * Any context, while @bio is under way.  Return: its kind, or NULL.
 */
static inline const struct iob_bio_kind *iob_bio_kind_of(const struct bio *bio,
							 const struct bio **whole)
{
	unsigned int i;

	for (i = 0; i < IOB_BIO_CHAIN && iob_bio_chained(bio); i++)
		bio = bio->bi_private;
	if (unlikely(i == IOB_BIO_CHAIN && iob_bio_chained(bio)))
		iob_stat_inc(chain_cut);
	*whole = bio;
	return iob_bio_kind_by((unsigned long)bio->bi_end_io);
}

#endif
