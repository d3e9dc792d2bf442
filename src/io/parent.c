// SPDX-License-Identifier: GPL-2.0
/*
 * How the parent of a bio is found.
 *
 * A disk that takes bios as they are passes them on as clones.  A clone shares the array
 * of pages with its parent, so the parent's context is found by the address of that array,
 * and the clone's bytes by the position in it.  Contexts on such disks exist for this also
 * if the disk is not watched; then their .disk is NULL.
 *
 * Example: a bio of 64 KiB is queued to an upper disk, with a bi_io_vec of 16 pages at
 * address V.  The driver makes two clones for two lower disks, both with bi_io_vec V: one
 * of 32 KiB with bi_idx 0, one of 32 KiB with bi_idx 8.  The second is queued: the
 * context under V is the parent's, bi_idx 8 is its byte 32768, so the clone gets the
 * parent's shares of bytes 32768 to 65535.
 *
 * Bios that discard or write zeroes have no pages.  block_bio_remap says from which sector
 * of which disk a clone of such a bio comes, and that is what is looked up.  A driver without a
 * disk of its own reports none; it may chain the new bio to the parent or to a clone of it.
 *
 * A disk that makes requests of requests clones the bios of a request into a request to
 * another disk.  These clones are never queued; block_rq_remap tells of them.
 */
#include <linux/mm.h>

#include "blame/bio_kind.h"
#include "parent.h"

#define MAX_PARENT_OPS	4

static bool reaches_unknown(const struct gendisk *gd)
{
	return true;
}

bool iob_parent_workers __read_mostly;
bool (*iob_parent_reaches)(const struct gendisk *gd) __read_mostly = reaches_unknown;
u16 iob_parent_file_at __read_mostly;

/* constant once the module is loaded */
static const struct iob_parent_ops *parent_ops[MAX_PARENT_OPS];
static unsigned int nr_parent_ops;
static const struct iob_parent_ops *file_disk_ops;

/**
 * iob_parent_ops_add - ask a driver for parents
 * @ops: constant
 *
 * At module load, before a session.  Return: 0 or -ENOSPC.
 */
int iob_parent_ops_add(const struct iob_parent_ops *ops)
{
	if (WARN_ON(nr_parent_ops == MAX_PARENT_OPS))
		return -ENOSPC;
	parent_ops[nr_parent_ops++] = ops;
	if (ops->reaches) {
		file_disk_ops = ops;
		iob_parent_reaches = ops->reaches;
	}
	return 0;
}

/* Where in the context the bytes of @bio are, which has the same array of pages. */
static bool locate_in_parent(const struct iob_hashed_ctx *t, const struct bio *bio,
			     u32 *pos)
{
	u64 at = 0;
	u32 i;

	for (i = t->idx; i < bio->bi_iter.bi_idx && at <= t->f.size + t->done; i++)
		at += t->vec[i].bv_len;
	at += iob_bio_vec_done(bio);
	if (i != bio->bi_iter.bi_idx || at < t->done ||
	    at - t->done + bio->bi_iter.bi_size > t->f.size)
		return false;
	*pos = at - t->done;
	return true;
}

/*
 * Give @o the origin of the context that has the pages of @from, the bytes of @bio.  The
 * slice is cut under the bucket's lock: a stale context can be replaced at any time, and
 * is taken out of the bucket before it is freed.
 */
static bool find_parent_by_vec(struct iob_origin *o, const struct bio *bio,
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
	b = iob_bio_ctx_vec_bucket(from->bi_io_vec);
	/* a parent was there before the bio was made of it */
	if (hlist_bl_empty(b))
		return false;
	flags = iob_bio_ctxs_lock(b);
	hlist_bl_for_each_entry(t, node, b, vec_hash) {
		/* the newest is the nearest: its origin is its own parent's */
		if (t->vec == from->bi_io_vec && t->f.bio != bio &&
		    locate_in_parent(t, from, &pos)) {
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

/**
 * iob_parent_clone - which acts pay for a bio that is queued, if it is a clone's
 * @o:    gets the shares; iob_origin_free() it in the end
 * @bio:  the bio
 * @from: the bio whose array of pages tells the parent: @bio, or one that it is made from
 *
 * Any context but NMI, inside iob_read_lock(), in the submitter's context.  Return: false
 * if no parent is known; @o is not set.
 */
bool iob_parent_clone(struct iob_origin *o, const struct bio *bio, const struct bio *from)
{
	/* drivers make clones while they are given a bio, or in a thread */
	return bio_has_data((struct bio *)bio) &&
	       (current->bio_list || current->flags & PF_KTHREAD) &&
	       find_parent_by_vec(o, bio, from);
}

/**
 * iob_parent_without_pages - who pays for a bio that discards or zeroes
 * @o:      begun; gets the origin
 * @bio:    a clone, on its way to a disk below
 * @disk:   the disk that it comes from
 * @sector: the sector there
 *
 * Any context but NMI, inside iob_read_lock().  Return: false if no context there is
 * known.
 */
bool iob_parent_without_pages(struct iob_origin *o, const struct bio *bio,
			      dev_t disk, u64 sector)
{
	struct hlist_bl_head *b = iob_bio_ctx_dev_bucket(disk);
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
		/* a driver may round up to its own unit */
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
 * iob_parent_mapped - who pays for a bio of a request that is made from another request
 * @o:    gets the origin
 * @bio:  a clone; it still has its parent's sector
 * @disk: the disk of the other request
 *
 * Any context but NMI, inside iob_read_lock().  Return: false if no context there is
 * known; @o is begun, and empty.
 */
bool iob_parent_mapped(struct iob_origin *o, const struct bio *bio, dev_t disk)
{
	iob_origin_begin(o);
	if (!bio_has_data((struct bio *)bio))
		return iob_parent_without_pages(o, bio, disk,
					       bio->bi_iter.bi_sector);
	return find_parent_by_vec(o, bio, bio);
}

/*
 * The same of a bio that no block_bio_remap announced: what it is chained to is the bio of a disk
 * above, or a clone that still has its disk and sector.  That one does not end before @bio.
 *
 * Example: 1 MiB of a disk is discarded from sector 2048 on, a half on each of two disks below.
 * Both bios are chained to a clone that is on the disk at sector 2048: the context there pays.
 */
static bool find_parent_by_chain(struct iob_origin *o, const struct bio *bio)
{
	const struct bio *parent = bio->bi_private;
	const struct gendisk *gd;

	/* a file system may chain discards of several disks: no driver is given a bio then */
	if (!current->bio_list || bio_has_data((struct bio *)bio) || !bio->bi_iter.bi_size ||
	    !iob_bio_chained(bio))
		return false;
	/* a long discard is several bios of one disk, each chained to the next */
	gd = iob_bio_disk(parent);
	if (!gd || gd == iob_bio_disk(bio) || bio_op(parent) != bio_op(bio))
		return false;
	iob_origin_begin(o);
	if (iob_parent_without_pages(o, bio, MKDEV(gd->major, gd->first_minor),
				     iob_bio_disk_sector(parent)))
		return true;
	iob_origin_free(o);
	return false;
}

/* For iob_parent_whole(): a bio without pages, which may be an unannounced clone. */
static const struct bio *find_whole_by_sector(const struct bio *bio)
{
	const struct gendisk *gd = iob_bio_disk(bio);
	struct hlist_bl_head *b =
		iob_bio_ctx_dev_bucket(MKDEV(gd->major, gd->first_minor));
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
 * iob_parent_whole - the bio under whose address the context of a driver's bio is hashed
 * @bio:   a bio that the driver holds: an upper disk's, or a piece or a clone of one
 * @shift: gets what to add to a sector of @bio to get a sector of the context's disk
 *
 * Any context but NMI, inside iob_read_lock(), while @bio is under way.
 * Return: a key for iob_bio_ctx_slice(), not to be dereferenced; or NULL.
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
		return bio->bi_iter.bi_size ? find_whole_by_sector(bio) : NULL;
	if (!bio->bi_io_vec)
		return NULL;
	b = iob_bio_ctx_vec_bucket(bio->bi_io_vec);
	flags = iob_bio_ctxs_lock(b);
	hlist_bl_for_each_entry(t, node, b, vec_hash) {
		if (t->vec == bio->bi_io_vec && locate_in_parent(t, bio, &pos)) {
			whole = t->f.bio;
			*shift = t->f.sector + (pos >> SECTOR_SHIFT) -
				 bio->bi_iter.bi_sector;
			break;
		}
	}
	iob_bio_ctxs_unlock(b, flags);
	return whole;
}

/* Ask the drivers, in the order in which they were added. */
static bool ask_drivers(struct iob_origin *o, const struct bio *bio)
{
	unsigned int i;

	for (i = 0; i < nr_parent_ops; i++) {
		if (parent_ops[i]->find && parent_ops[i]->find(o, bio))
			return true;
	}
	return false;
}

/**
 * iob_parent_look - the slow path of iob_parent_find(): there are upper disks
 * @o:   gets the shares
 * @bio: as it is queued
 */
bool iob_parent_look(struct iob_origin *o, const struct bio *bio)
{
	const struct iob_bio_kind *kind;
	const struct bio *whole;

	kind = iob_bio_kind_of(bio, &whole);
	if (kind && kind->find_parent)
		return kind->find_parent(o, bio, whole);
	return iob_parent_clone(o, bio, bio) || find_parent_by_chain(o, bio) ||
	       ask_drivers(o, bio);
}

/**
 * iob_parent_look_worker - the same for a kernel thread that may work for a disk above
 * @o:   gets the shares
 * @bio: as it is queued
 */
bool iob_parent_look_worker(struct iob_origin *o, const struct bio *bio)
{
	unsigned int i;

	for (i = 0; i < nr_parent_ops; i++) {
		if (parent_ops[i]->find_worker && parent_ops[i]->find_worker(o, bio))
			return true;
	}
	return false;
}

/**
 * iob_parent_file_of_now - the file of a disk from which nothing reaches a watched disk
 * @gd: a disk whose content is a file
 *
 * Any context, inside iob_read_lock().  Return: for comparison by iob_file_disk_has(), in
 * this epoch; NULL if the content may reach a watched disk, or may become another file
 * without notice.
 */
const struct file *iob_parent_file_of_now(const struct gendisk *gd)
{
	return file_disk_ops ? file_disk_ops->file_of_now(gd) : NULL;
}

/* A session begins: no task works for a disk above yet. */
void iob_parents_start(void)
{
	WRITE_ONCE(iob_parent_workers, false);
}
