// SPDX-License-Identifier: GPL-2.0
/*
 * A disk that takes bios as they are (device mapper, md, ...) passes them on as
 * clones, which share the array of pages with the bio that they are made from:
 * so a bio whose array belongs to a flight on such a disk is paid for by who
 * pays for those bytes of that flight.  Flights on such disks are followed for
 * this also where nobody watches the disk; then they have no disk.
 *
 * What discards or zeroes has no pages.  Where a clone of such a bio goes is told
 * by block_bio_remap, with the disk and the sector that it comes from.
 *
 * Device mapper's multipath takes requests, and makes a request to another disk of
 * each: of clones of its bios.  Nobody queues those, but block_rq_remap tells.
 */
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/sched.h>

#include <compat/blkdev.h>

#include "blame/bio_kind.h"
#include "stacked/dm.h"
#include "stacked/loop.h"
#include "stacked/raid5.h"
#include "parent.h"

static struct hlist_bl_head *by_vec;
atomic_t iob_nr_parents;		/* flights in by_vec */

static struct hlist_bl_head *vec_bucket(const struct bio_vec *vec)
{
	return &by_vec[hash_ptr(vec, IOB_BIO_CTX_BITS)];
}

static struct hlist_bl_head *dev_bucket(dev_t dev)
{
	return &by_vec[hash_32(dev, IOB_BIO_CTX_BITS)];
}

static struct hlist_bl_head *bucket_of(const struct iob_hashed_ctx *t)
{
	return t->vec ? vec_bucket(t->vec) : dev_bucket(t->dev);
}

/* Clones of its bio, in the table, may come.  Any context but NMI. */
void iob_parent_begin(struct iob_bio_ctx *f)
{
	struct iob_hashed_ctx *t = iob_hashed_ctx(f);
	struct hlist_bl_head *b;
	unsigned long flags;

	if ((!t->vec && !f->size) || !iob_disk_clones(t->gd))
		return;
	t->dev = MKDEV(t->gd->major, t->gd->first_minor);
	b = bucket_of(t);
	flags = iob_bio_ctxs_lock(b);
	hlist_bl_add_head(&t->vec_hash, b);
	iob_bio_ctxs_unlock(b, flags);
	atomic_inc(&iob_nr_parents);
}

/* No more of them.  Any context but NMI. */
void iob_parent_end(struct iob_bio_ctx *f)
{
	struct iob_hashed_ctx *t = iob_hashed_ctx(f);
	struct hlist_bl_head *b;
	unsigned long flags;

	if (hlist_bl_unhashed(&t->vec_hash))
		return;
	b = bucket_of(t);
	flags = iob_bio_ctxs_lock(b);
	hlist_bl_del(&t->vec_hash);
	iob_bio_ctxs_unlock(b, flags);
	atomic_dec(&iob_nr_parents);
}

/* Where in flight @t the bytes of @bio are, which has the same array of pages. */
static bool place_in(const struct iob_hashed_ctx *t, const struct bio *bio, u32 *pos)
{
	u64 at = 0;
	u32 i;

	for (i = t->idx; i < bio->bi_iter.bi_idx && at <= t->f.size + t->done; i++)
		at += t->vec[i].bv_len;
	at += bio->bi_iter.bi_bvec_done;
	if (i != bio->bi_iter.bi_idx || at < t->done ||
	    at - t->done + bio->bi_iter.bi_size > t->f.size)
		return false;
	*pos = at - t->done;
	return true;
}

/*
 * Give @o the origin of the flight that @bio is made from, if there is one.  The
 * slice is cut under the bucket's lock: one whose end was never seen can be
 * replaced at any time, and is taken out of the bucket before it is freed.
 */
static bool find_shared(struct iob_origin *o, const struct bio *bio,
			const struct bio *from)
{
	struct iob_hashed_ctx *t;
	struct hlist_bl_node *node;
	struct hlist_bl_head *b;
	unsigned long flags;
	bool found = false;
	u32 pos = 0;

	if (!from->bi_io_vec || from->bi_iter.bi_size != bio->bi_iter.bi_size)
		return false;
	b = vec_bucket(from->bi_io_vec);
	flags = iob_bio_ctxs_lock(b);
	hlist_bl_for_each_entry(t, node, b, vec_hash) {
		/* the last one is the nearest: its own origin is an upper's */
		if (t->vec == from->bi_io_vec && t->f.bio != bio &&
		    place_in(t, from, &pos)) {
			found = iob_origin_slice(o, &t->f.origin, pos,
						 bio->bi_iter.bi_size);
			if (!found)
				iob_origin_free(o);
			break;
		}
	}
	iob_bio_ctxs_unlock(b, flags);
	return found;
}

/* The same of a bio that is queued. */
static bool find_clone(struct iob_origin *o, const struct bio *bio,
		       const struct bio *from)
{
	/* drivers make clones while they are given a bio, or in a thread */
	return bio_has_data((struct bio *)bio) &&
	       (current->bio_list || current->flags & PF_KTHREAD) &&
	       find_shared(o, bio, from);
}

/**
 * iob_parent_without_pages - who pays for a bio that discards or zeroes
 * @o:      begun; gets the origin
 * @bio:    a clone, on its way to a disk below
 * @disk:   the disk that it is from
 * @sector: and where on that
 *
 * Any context but NMI, inside iob_read_lock().  Return: false if no flight there
 * is known.
 */
bool iob_parent_without_pages(struct iob_origin *o, const struct bio *bio,
			     dev_t disk, u64 sector)
{
	struct hlist_bl_head *b = dev_bucket(disk);
	struct iob_hashed_ctx *t;
	struct hlist_bl_node *node;
	unsigned long flags;
	bool found = false;

	flags = iob_bio_ctxs_lock(b);
	hlist_bl_for_each_entry(t, node, b, vec_hash) {
		u64 pos = (sector - t->f.sector) << SECTOR_SHIFT;
		u32 size = bio->bi_iter.bi_size;

		if (t->vec || t->dev != disk || t->f.bio == bio ||
		    sector < t->f.sector || pos >= t->f.size)
			continue;
		/* a stripe's worth may be rounded */
		found = iob_origin_slice(o, &t->f.origin, pos,
					 min_t(u64, size, t->f.size - pos));
		if (found && size > t->f.size - pos)
			iob_origin_stretch(o, size - (t->f.size - pos));
		break;
	}
	iob_bio_ctxs_unlock(b, flags);
	return found;
}

/**
 * iob_parent_mapped - who pays for a bio of a request that is made from another one
 * @o:    gets the origin
 * @bio:  a clone, which keeps the sector that it is from
 * @disk: the disk of that other request
 *
 * Any context but NMI, inside iob_read_lock().  Return: false if no flight there
 * is known; @o is begun, and empty.
 */
bool iob_parent_mapped(struct iob_origin *o, const struct bio *bio, dev_t disk)
{
	iob_origin_begin(o);
	if (!bio_has_data((struct bio *)bio))
		return iob_parent_without_pages(o, bio, disk,
					       bio->bi_iter.bi_sector);
	return find_shared(o, bio, bio);
}

/* Of iob_parent_whole(), for a bio without pages, which may be an unannounced clone. */
static const struct bio *find_place(const struct bio *bio)
{
	const struct gendisk *gd = iob_bio_disk(bio);
	struct hlist_bl_head *b = dev_bucket(MKDEV(gd->major, gd->first_minor));
	u64 sector = bio->bi_iter.bi_sector;
	const struct bio *whole = NULL;
	struct iob_hashed_ctx *t;
	struct hlist_bl_node *node;
	unsigned long flags;

	flags = iob_bio_ctxs_lock(b);
	hlist_bl_for_each_entry(t, node, b, vec_hash) {
		if (!t->vec && t->gd == gd && sector >= t->f.sector &&
		    bio_end_sector(bio) <=
		    t->f.sector + (t->f.size >> SECTOR_SHIFT)) {
			whole = t->f.bio;
			break;
		}
	}
	iob_bio_ctxs_unlock(b, flags);
	return whole;
}

/**
 * iob_parent_whole - the flight that a driver has a bio from
 * @bio:   that the driver holds: an upper disk's, a piece or a clone of one
 * @shift: gets what to add to a sector of @bio to have one of the flight's disk
 *
 * Any context but NMI, inside iob_read_lock(), while @bio is under way.
 * Return: the bio that has the flight, not to be followed; or NULL.
 */
const struct bio *iob_parent_whole(const struct bio *bio, u64 *shift)
{
	const struct bio *whole = iob_bio_ctx_bio(bio);
	struct iob_hashed_ctx *t;
	struct hlist_bl_node *node;
	struct hlist_bl_head *b;
	unsigned long flags;
	u32 pos;

	*shift = 0;
	if (whole)
		return whole;
	if (!bio_has_data((struct bio *)bio))
		return bio->bi_iter.bi_size ? find_place(bio) : NULL;
	if (!bio->bi_io_vec)
		return NULL;
	b = vec_bucket(bio->bi_io_vec);
	flags = iob_bio_ctxs_lock(b);
	hlist_bl_for_each_entry(t, node, b, vec_hash) {
		if (t->vec == bio->bi_io_vec && place_in(t, bio, &pos)) {
			whole = t->f.bio;
			*shift = t->f.sector + (pos >> SECTOR_SHIFT) -
				 bio->bi_iter.bi_sector;
			break;
		}
	}
	iob_bio_ctxs_unlock(b, flags);
	return whole;
}

/* Of iob_parent_find(): there are upper disks. */
bool iob_parent_look(struct iob_origin *o, const struct bio *bio)
{
	const struct bio *last;

	switch (iob_bio_kind_of(bio, &last)) {
	case IOB_BIO_STRIPE:
		return last == bio && iob_raid5_find(o, bio);
	case IOB_BIO_CRYPT:
		/* it has pages of its own; it knows which ones they are for */
		return find_clone(o, bio, iob_crypt_base(last));
	case IOB_BIO_THIN_DISCARD:
		return iob_dm_discards(o, bio, last);
	default:
		return find_clone(o, bio, bio) || iob_dm_find(o, bio);
	}
}

/* A session begins.  May sleep.  Return: 0 or -ENOMEM. */
int iob_parents_start(void)
{
	unsigned int i;

	by_vec = kvmalloc_array(1 << IOB_BIO_CTX_BITS, sizeof(*by_vec),
				GFP_KERNEL);
	if (!by_vec)
		return -ENOMEM;
	for (i = 0; i < 1 << IOB_BIO_CTX_BITS; i++)
		INIT_HLIST_BL_HEAD(&by_vec[i]);
	atomic_set(&iob_nr_parents, 0);
	iob_loops_start();
	return 0;
}

/* The session ends: no probe is attached, and no flight is left. */
void iob_parents_stop(void)
{
	kvfree(by_vec);
	by_vec = NULL;
}
