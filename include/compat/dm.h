/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/dm - the contexts that device mapper's targets pass to kcopyd
 *
 * Hides: these structs are private.  They are the same in 5.10 to 7.2.  Users check that the
 * callback of the context is the target's own function before they read it, and read it by
 * iob_peek().
 */
#ifndef IOB_COMPAT_DM_H
#define IOB_COMPAT_DM_H

#include <linux/bio.h>
#include <linux/dm-io.h>
#include <linux/list_bl.h>
#include <linux/rbtree.h>

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

/*
 * Copy the bio whose data dm-crypt encrypts into @bio to *@base.  It is the second pointer in
 * bi_private's struct dm_crypt_io.  Return: false if that cannot be read.
 */
static inline bool iob_dm_crypt_base(const struct bio *bio, struct bio *base)
{
	const struct bio *const *io = bio->bi_private, *at;

	return iob_peek(&at, &io[1]) && iob_peek(base, at);
}

#endif
