/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/dm - what device mapper's targets give to kcopyd as their context
 *
 * Hides: these structs are private.  They are the same in 5.10 to 7.2; each is
 * believed only if the target's own function is to be called with it.
 */
#ifndef IOB_COMPAT_DM_H
#define IOB_COMPAT_DM_H

#include <linux/bio.h>
#include <linux/dm-io.h>
#include <linux/list_bl.h>
#include <linux/rbtree.h>

/* dm-snapshot's copy_callback(): a chunk is copied out before it is written */
struct iob_dm_pending {
	struct hlist_bl_node hash;
	u64 old_chunk, new_chunk;
	struct bio_list origin_bios;	/* who waits for that, */
	struct bio_list snapshot_bios;	/* on either of the two */
};

/*
 * dm-thin's copy_complete(): a block is copied or zeroed before it is written; and
 * what a bio has in bi_private that its passdown_endio() ends: blocks are discarded
 */
struct iob_dm_cell {
	struct list_head list;
	struct rb_node node;
	int virtual;
	u64 dev, begin, end;
	struct bio *holder;		/* who waits for that first */
};

struct iob_dm_mapping {
	struct list_head list;
	bool flags;
	atomic_t actions;
	blk_status_t status;
	void *thin;
	u64 begin, end, block;
	struct iob_dm_cell *cell;
	struct bio *bio;		/* the one that discards them */
};

/*
 * The bio that a bio of dm-crypt's is the ciphertext of: in bi_private's struct
 * dm_crypt_io, the second pointer.
 */
static inline const struct bio *iob_dm_crypt_base(const struct bio *bio)
{
	return ((const struct bio *const *)bio->bi_private)[1];
}

#endif
