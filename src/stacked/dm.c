// SPDX-License-Identifier: GPL-2.0
/*
 * Some targets of device mapper make no clones.  They give a bio, or memory, to
 * dm_io(), which submits new bios before it returns: in that call these are for
 * whoever pays for the bio.  Or they have kcopyd copy or zero a whole chunk, of
 * which a bio that waits for it wants to write a part (dm-snapshot, dm-thin): that is
 * paid for by who pays for the bio.  The target's context says which bio it is; that
 * is noted for the place, until kcopyd's worker calls dm_io() for it.  Discards that
 * dm-thin passes down are new bios, too, and end with one that names the upper one.
 *
 * What is noted counts only while the waiting bio has its flight.
 */
#include <linux/blkdev.h>

#include "blame/bio_kind.h"
#include "blame/association.h"
#include "stack/stack.h"
#include "dm.h"
#include "io/parent.h"

/* of IOB_ASSOC_COPY's sub, in its lowest bit: in place of an act, */
enum {
	WAITS_BIO,		/* the bio that has the flight */
	WAITS_SECTOR,		/* and which of its sectors */
};

/* kcopyd copies piece by piece, unless told otherwise; of so many we take note */
#define PIECE		1024
#define MAX_PIECES	32

static void note(const struct dm_io_region *r, const struct bio *whole,
		 u64 sector)
{
	unsigned int i;

	for (i = 0; i < MAX_PIECES && i * PIECE < r->count; i++) {
		u64 sub = (r->sector + i * PIECE) << 1;

		if (!whole) {
			iob_assoc_forget(IOB_ASSOC_COPY, r->bdev,
					 sub + WAITS_BIO);
			continue;
		}
		iob_assoc_set(IOB_ASSOC_COPY, r->bdev, sub + WAITS_BIO,
			      (unsigned long)whole);
		iob_assoc_set(IOB_ASSOC_COPY, r->bdev, sub + WAITS_SECTOR,
			      sector);
	}
}

/* The bio for which a target wants a copy, NULL: none, or nobody can tell. */
static const struct bio *waiting(unsigned long fn, const void *context)
{
	const struct iob_dm_pending *pending = context;
	const struct iob_dm_mapping *mapping = context;

	if (!context)
		return NULL;
	switch (iob_bio_kind_by(fn)) {
	case IOB_BIO_DM_SNAP:
		return READ_ONCE(pending->origin_bios.head) ?:
		       READ_ONCE(pending->snapshot_bios.head);
	case IOB_BIO_DM_THIN:
		return mapping->cell ? mapping->cell->holder : NULL;
	default:
		return NULL;
	}
}

/**
 * iob_dm_begin - kcopyd is given something to copy
 * @from:    from here; NULL: zeroes
 * @nr:      to so many places
 * @to:      these
 * @fn:      is called in the end, with
 * @context: this
 *
 * From a probe, inside iob_read_lock(): any task.
 */
void iob_dm_begin(const struct dm_io_region *from, unsigned int nr,
		    const struct dm_io_region *to, unsigned long fn,
		    const void *context)
{
	const struct bio *whole = NULL, *bio = waiting(fn, context);
	u64 shift, sector = 0;
	unsigned int i;

	if (bio)
		whole = iob_parent_whole(bio, &shift);
	if (whole)
		sector = bio->bi_iter.bi_sector + shift;
	if (from)
		note(from, whole, sector);
	for (i = 0; i < nr; i++)
		note(&to[i], whole, sector);
}

/* What was noted for a place, once. */
static u64 noted(const struct dm_io_region *r, unsigned int what)
{
	return iob_assoc_take(IOB_ASSOC_COPY, r->bdev, (r->sector << 1) + what);
}

/* Who waits for what is copied pays for all of it. */
static u32 find_waiting(struct iob_origin *o, const struct dm_io_region *r)
{
	const struct bio *bio = (void *)(unsigned long)noted(r, WAITS_BIO);
	u32 got;

	if (!bio)
		return 0;
	got = iob_bio_ctx_slice(o, bio, noted(r, WAITS_SECTOR), SECTOR_SIZE);
	if (!got)
		return 0;
	iob_origin_inherit(o);
	iob_origin_stretch(o, (r->count << SECTOR_SHIFT) - got);
	return r->count << SECTOR_SHIFT;
}

/* The bytes of a bio that a target has. */
static u32 find_bio(struct iob_origin *o, const struct bio *bio)
{
	u64 shift;
	const struct bio *whole = iob_parent_whole(bio, &shift);

	return whole ? iob_bio_ctx_slice(o, whole,
					bio->bi_iter.bi_sector + shift,
					bio->bi_iter.bi_size) : 0;
}

/* The bio whose bytes, sector by sector, a request to dm_io() is about; or NULL. */
static const struct bio *bio_of(const struct dm_io_request *rq)
{
	if (rq->mem.type == DM_IO_BIO)
		return rq->mem.ptr.bio;
	/* what it discards has no memory */
	if (iob_bio_kind_by((unsigned long)rq->notify.fn) == IOB_BIO_DM_MIRROR)
		return rq->notify.context;
	return NULL;
}

/**
 * iob_dm_io - the current task calls dm_io()
 * @rq:    what it wants
 * @nr:    in so many places
 * @where: these
 * @call:  until it returns; all that is submitted is submitted until then
 *
 * From a probe, inside iob_read_lock().
 */
void iob_dm_io(const struct dm_io_request *rq, unsigned int nr,
		 const struct dm_io_region *where, const struct iob_call *call)
{
	struct iob_task *t = iob_task_get();
	const struct bio *bio;
	struct iob_copy *c;

	if (!t)
		return;
	c = &t->copy;
	c->call.ret = 0;
	if (!nr || !where->count || !atomic_read(&iob_nr_parents))
		return;
	iob_origin_free(&c->origin);
	iob_origin_begin(&c->origin);
	bio = bio_of(rq);
	c->bytes = bio ? find_bio(&c->origin, bio) :
			 find_waiting(&c->origin, where);
	if (!c->bytes)
		return;
	c->where = where;
	c->nr = nr;
	c->call = *call;
}

/**
 * iob_dm_discards - who pays for a bio with which dm-thin discards
 * @o:      gets the parts; iob_origin_free() it in the end
 * @bio:    as it is queued
 * @parent: that it is a piece of, an IOB_BIO_THIN_DISCARD
 *
 * As iob_dm_find().
 */
bool iob_dm_discards(struct iob_origin *o, const struct bio *bio,
		       const struct bio *parent)
{
	const struct iob_dm_mapping *mapping = parent->bi_private;
	const struct bio *whole, *by = mapping->bio;
	u64 shift;
	u32 got;

	whole = by ? iob_parent_whole(by, &shift) : NULL;
	if (!whole || bio->bi_iter.bi_size < SECTOR_SIZE)
		return false;
	iob_origin_begin(o);
	got = iob_bio_ctx_slice(o, whole, by->bi_iter.bi_sector + shift,
			       SECTOR_SIZE);
	if (got)
		iob_origin_stretch(o, bio->bi_iter.bi_size - got);
	else
		iob_origin_free(o);
	return got;
}

/* Where in a region a bio is, in bytes; false if it is not in it. */
static bool place_in(const struct dm_io_region *r, const struct bio *bio,
		     u64 *pos)
{
	u64 at = bio->bi_iter.bi_sector - r->sector - get_start_sect(r->bdev);

	*pos = at << SECTOR_SHIFT;
	return r->bdev->bd_disk == iob_bio_disk(bio) && at < r->count;
}

/* Whether the call has not returned; the regions are there as long as that. */
static noinline_for_stack bool is_calling(struct iob_task *t)
{
	struct iob_stack stack IOB_UNINIT;

	/* (it was in another session) */
	if (!t->copy.call.ret)
		return false;
	iob_stack_get(&stack, NULL);
	if (iob_stack_has(&stack, t->copy.call.ret))
		return true;
	t->copy.call.ret = 0;
	return false;
}

/**
 * iob_dm_find - who pays for a bio that dm_io() submits
 * @o:   gets the parts; iob_origin_free() it in the end
 * @bio: as it is queued
 *
 * Any context but NMI, inside iob_read_lock(), in the context of whoever
 * submits.  Return: false if it is none, or nobody is known; @o is not set.
 */
bool iob_dm_find(struct iob_origin *o, const struct bio *bio)
{
	struct iob_task *t = in_task() ? iob_task_peek(current) : NULL;
	u32 size = bio->bi_iter.bi_size;
	const struct iob_copy *c;
	unsigned int i;
	u64 pos;

	if (!t || !t->copy.call.ret || !size || !is_calling(iob_task_get()))
		return false;
	c = &t->copy;
	for (i = 0; i < c->nr; i++) {
		if (!place_in(&c->where[i], bio, &pos) ||
		    pos + size > c->bytes)
			continue;
		if (iob_origin_slice(o, &c->origin, pos, size))
			return true;
		iob_origin_free(o);
	}
	return false;
}

const struct iob_parent_ops iob_dm_parent_ops = { .find = iob_dm_find };
