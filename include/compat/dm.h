/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/dm - the contexts that device mapper's targets pass to kcopyd
 *
 * Hides: these structs are private.  They are the same in 5.10 to 7.2.  Users check that the
 * callback of the context is the target's own function before they read it.
 */
#ifndef IOB_COMPAT_DM_H
#define IOB_COMPAT_DM_H

#include <linux/bio.h>
#include <linux/dm-io.h>
#include <linux/list_bl.h>
#include <linux/rbtree.h>

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
 * The bio whose data dm-crypt encrypts into @bio.  It is the second pointer in bi_private's
 * struct dm_crypt_io.
 */
static inline const struct bio *iob_dm_crypt_base(const struct bio *bio)
{
	return ((const struct bio *const *)bio->bi_private)[1];
}

#endif
