// SPDX-License-Identifier: GPL-2.0
/*
 * The slow paths of bio_end.h: hashed contexts, contexts above, and stale ones.
 */
#include "core/stats.h"
#include "account.h"
#include "bio_end.h"

/**
 * iob_bio_ctx_account - account some bytes of a context
 * @io:     the IO that completes them
 * @f:      the context
 * @pos:    their offset in it
 * @bytes:  how many
 * @sector: their first sector on the disk
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_bio_ctx_account(struct iob_io *io, const struct iob_bio_ctx *f, u32 pos,
			 u32 bytes, u64 sector)
{
	u32 left = bytes;
	unsigned int i;

	for (i = 0; i < f->origin.nr; i++) {
		struct iob_share p = iob_shares(&f->origin)[i];

		if (pos >= p.bytes && p.bytes) {
			pos -= p.bytes;
			continue;
		}
		p.bytes = min(left, p.bytes - pos);
		iob_io_share(io, sector, &p);
		sector += p.bytes >> SECTOR_SHIFT;
		left -= p.bytes;
		pos = 0;
		if (!left)
			break;
	}
}

/*
 * True if the bio never went to the device: it has REQ_NOWAIT, and would have had to wait.
 * The submitter sends it again without REQ_NOWAIT.  (Not for requests: their end comes from
 * the device.)
 */
static bool bio_was_refused(const struct iob_bio_ctx *f, int error)
{
	return error == -EAGAIN && f->first.opf & (__force u32)REQ_NOWAIT;
}

/**
 * iob_bio_ctx_record - account a context that ends as an IO of its own
 * @f:     the context
 * @pos:   the offset from which on it is accounted
 * @error: 0 or a negative errno
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_bio_ctx_record(const struct iob_bio_ctx *f, u32 pos, int error)
{
	struct iob_first first;
	struct iob_io io = {
		.nr_bios = 1, .error = error, .first = &first,
	};

	if (!f->disk)
		return;
	if (bio_was_refused(f, error)) {
		iob_stat_inc(io_refused);
		return;
	}
	iob_bio_ctx_describe(&io, &first, f);
	if (unlikely(f->hashed)) {
		/* of a child, whose bio was over before: the disk may be gone */
		io.gd = NULL;
		io.capacity = iob_hashed_ctx(f)->capacity;
	}
	iob_bio_ctx_account(&io, f, pos, f->size - pos,
			    f->sector + (pos >> SECTOR_SHIFT));
	iob_io_end(&io);
}

/**
 * iob_bio_ctx_done_hashed - the slow path of iob_bio_ctx_done()
 * @f:     the context, or NULL
 * @bytes: are done
 * @error: 0 or a negative errno
 *
 * Any context but NMI, inside iob_read_lock().
 */
noinline void iob_bio_ctx_done_hashed(struct iob_bio_ctx *f, u32 bytes, int error)
{
	while (f) {
		struct iob_bio_ctx *above = iob_bio_ctx_above(f);

		if (above && error)
			WRITE_ONCE(iob_hashed_ctx(above)->error, error);
		if (atomic_sub_and_test(max_t(u32, bytes, 1), &f->left)) {
			/* all that became of the bio on lower disks is done */
			if (f->hashed && iob_hashed_ctx(f)->passed)
				iob_bio_ctx_record(f, 0,
						   READ_ONCE(iob_hashed_ctx(f)->error));
			iob_bio_ctx_finish(f);
		}
		f = above;
	}
}

/**
 * iob_bio_ctx_lose - the end of a piece below was not seen
 * @whole: the context above it, or NULL: it and those above are not recorded
 * @bytes: of the piece
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_bio_ctx_lose(struct iob_bio_ctx *whole, u32 bytes)
{
	struct iob_bio_ctx *f;

	for (f = whole; f; f = iob_bio_ctx_above(f))
		WRITE_ONCE(f->disk, NULL);
	iob_bio_ctx_done_hashed(whole, bytes, 0);
}

/**
 * iob_bio_ctx_drop_stale - free the context of an earlier bio with the same address
 * @f: the context, of a bio whose end was not seen (counted)
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_bio_ctx_drop_stale(struct iob_bio_ctx *f)
{
	iob_stat_inc(inflight_stale);
	iob_bio_ctx_lose(iob_bio_ctx_above(f), atomic_read(&f->left));
	iob_bio_ctx_finish(f);
}

/**
 * iob_bio_ctx_begin_hashed - the slow path of iob_bio_ctx_begin()
 * @f: the context
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_bio_ctx_begin_hashed(struct iob_bio_ctx *f)
{
	struct iob_bio_ctx *old = iob_bio_ctx_insert(f);

	if (!old)
		return;
	iob_stat_inc(inflight_stale);
	iob_bio_ctx_lose(iob_bio_ctx_above(old), atomic_read(&old->left));
	iob_bio_ctx_put(old);
}
