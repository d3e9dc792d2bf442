/* SPDX-License-Identifier: GPL-2.0 */
/*
 * bio_end - bytes of a bio are done: record them, and free the context after the last one
 *
 * io/bio, io/request and io/remap use this when a context begins or ends.  A new context
 * may find the stale context of an earlier bio, whose end was never seen; it drops that
 * one.
 *
 * Example: a bio of 8 KiB on an upper disk was passed on to two lower disks, 4 KiB each.
 * The lower contexts name the upper one (.above_nr).  When the first 4 KiB are done, the
 * first lower context is freed and .left of the upper one falls to 4096; after the second
 * 4 KiB the upper context is recorded as one IO of 8 KiB and freed.
 */
#ifndef IOB_IO_BIO_END_H
#define IOB_IO_BIO_END_H

#include "bio_ctx.h"

void iob_bio_ctx_done_hashed(struct iob_bio_ctx *f, u32 bytes, int error);
void iob_bio_ctx_begin_hashed(struct iob_bio_ctx *f);
void iob_bio_ctx_lose(struct iob_bio_ctx *whole, u32 bytes);
void iob_bio_ctx_drop_stale(struct iob_bio_ctx *f);
void iob_bio_ctx_account(struct iob_io *io, const struct iob_bio_ctx *f, u32 pos,
			 u32 bytes, u64 sector);
void iob_bio_ctx_record(const struct iob_bio_ctx *f, u32 pos, int error);

/* A complete context: the owner of the bio finds it from now on. */
static __always_inline void iob_bio_ctx_begin(struct iob_bio_ctx *f)
{
	/* a slot is found since it was claimed */
	if (unlikely(f->hashed))
		iob_bio_ctx_begin_hashed(f);
}

/* Take a context out of the tables and free it. */
static __always_inline void iob_bio_ctx_finish(struct iob_bio_ctx *f)
{
	if (unlikely(f->hashed))
		iob_bio_ctx_remove(f);
	iob_bio_ctx_put(f);
}

/*
 * @bytes of a context are done, and so are these bytes of each context above that it is a
 * piece of.  The CPU that completes the last bytes frees the context.
 */
static __always_inline void iob_bio_ctx_done(struct iob_bio_ctx *f, u32 bytes,
					     int error)
{
	u32 n = max_t(u32, bytes, 1);

	if (unlikely(f->hashed))
		iob_bio_ctx_done_hashed(f, bytes, error);
	/* all that is left: no other CPU completes bytes of it */
	else if (atomic_read_acquire(&f->left) == n ||
		 atomic_sub_and_test(n, &f->left))
		iob_bio_ctx_finish(f);
}

/* @io begins with the bio of @f; @first gets a copy, as @f may end before @io does. */
static inline void iob_bio_ctx_describe(struct iob_io *io, struct iob_first *first,
					const struct iob_bio_ctx *f)
{
	if (f->disk) {
		io->disk = f->disk;
		io->gd = iob_bio_ctx_disk(f);
	}
	io->op = f->op;
	/* (one that waited for a cgroup's limit, and whose queueing was not seen, has .private) */
	io->issue_at = f->claimed ? 0 : READ_ONCE(f->issue_at);
	*first = f->first;
}

#endif
