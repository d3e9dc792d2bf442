/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/dm - the contexts that device mapper's targets pass to kcopyd
 *
 * Hides: these structs are private.  They are the same in 5.10 to 7.2; the mirrors below only
 * give offsets.  Users check that the callback of the context is the target's own function
 * before they read it, and read it by iob_dm_bio(), which follows nothing.
 */
#ifndef IOB_COMPAT_DM_H
#define IOB_COMPAT_DM_H

#include <linux/bio.h>
#include <linux/dm-io.h>
#include <linux/list_bl.h>
#include <linux/rbtree.h>

#include <compat/blkdev.h>
#include <compat/peek.h>

/* Of dm-snapshot's copy_callback(): a chunk is copied before it is overwritten. */
struct iob_dm_pending {
	struct hlist_bl_node hash;
	u64 old_chunk, new_chunk;
	struct bio_list origin_bios;	/* bios to the origin that wait for the copy */
	struct bio_list snapshot_bios;	/* bios to the snapshot that do */
};

/*
 * Of dm-thin's copy_complete(): a block is copied or zeroed before it is written.  Also the
 * bi_private of bios that dm-thin's passdown_endio() ends: they discard blocks.
 */
struct iob_dm_cell {
	struct list_head list;
	struct rb_node node;
	int virtual;
	u64 dev, begin, end;
	struct bio *holder;		/* the first bio that waits */
};

struct iob_dm_mapping {
	struct list_head list;
	bool flags;
	atomic_t actions;
	blk_status_t status;
	void *thin;
	u64 begin, end, block;
	struct iob_dm_cell *cell;
	struct bio *bio;		/* the one that asked for the discard */
};

/* Of dm-crypt: bi_private of a bio that is encrypted. */
struct iob_dm_crypt_io {
	void *config;
	struct bio *base;		/* the one whose data that is */
};

/*
 * Get the pointer that is at offset @at of a struct, which may be any address.  Return: false
 * if it cannot be read.
 */
static inline bool iob_dm_pointer(const void *object, unsigned int at, const void **to)
{
	return iob_peek(to, (const void **)((const char *)object + at));
}

/* The same of a pointer to a bio that can be read, or NULL.  Example: *to is NULL: none waits. */
static inline bool iob_dm_bio(const void *object, unsigned int at, const struct bio **to)
{
	return iob_peek(to, (const struct bio **)((const char *)object + at)) &&
	       (!*to || iob_bio_readable(*to));
}

/*
 * The same of the first bio of a struct bio_list, of which both ends or none must be there: what
 * follows another list's last bio is no list.
 */
static inline bool iob_dm_first_bio(const void *object, unsigned int at, const struct bio **to)
{
	struct bio_list list;

	if (!iob_peek(&list, (const struct bio_list *)((const char *)object + at)) ||
	    !list.head != !list.tail)
		return false;
	*to = list.head;
	return !list.head || iob_bio_readable(list.head);
}

#endif
