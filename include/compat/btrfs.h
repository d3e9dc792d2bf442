/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/btrfs - which extent btrfs_add_delayed_data_ref(trans, ref, ...) drops
 *
 * Hides: the layout of two private structs.  Where the kernel's BTF has it, that is used.
 * Elsewhere it is guessed: struct btrfs_trans_handle has had fs_info right before new_bgs in
 * all releases.  new_bgs is a list, which points to itself while it is empty: this test finds
 * fs_info at offset 80 (5.10 and 6.1), 88 (5.15 and 5.16) or 96 (6.12 and later).
 *
 * struct btrfs_ref begins with its type and action, two ints or, from 6.7 on, two bytes, and
 * a flag.  The extent follows: { start, bytes }.  With REF_VERIFY (no more on 6.18), and before
 * 5.16 (Kbuild tests for folios), the number of a root stands between.  Example: on 6.12 the
 * reference that drops 4 KiB of data at 1 MiB has the bytes 1, 2 and, from offset 8, the words
 * 0x100000 and 0x1000.
 *
 * Hides also what happens to data that compression does not shrink.  Up to 6.5
 * compress_file_range() marks its pages dirty anew: IOB_BTRFS_REDIRTY (Kbuild tests for
 * iomap_dirty_folio(), which came with 6.6).  Since 6.3 (b_folio) a worker may submit any extent:
 * IOB_BTRFS_LATER.  btrfs_submit_bio() gets btrfs' own struct since 6.4 (Kbuild tests for
 * class_create() with nothing but a name): IOB_BTRFS_SUBMIT_BIO.  On 6.3 it gets the bio.
 *
 * Since 5.18 a task may write an extent that is compressed already: IOB_BTRFS_ENCODED.
 */
#ifndef IOB_COMPAT_BTRFS_H
#define IOB_COMPAT_BTRFS_H

#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <uapi/linux/btrfs.h>

#include <compat/peek.h>

#ifndef IOB_HAVE_IOMAP_DIRTY
#define IOB_BTRFS_REDIRTY
#endif

#ifdef IOB_HAVE_BH_FOLIO
#define IOB_BTRFS_LATER
#endif

#ifdef IOB_HAVE_CLASS_CREATE_NAME
#define IOB_BTRFS_SUBMIT_BIO
#endif

#ifdef BTRFS_IOC_ENCODED_WRITE
#define IOB_BTRFS_ENCODED
#endif

#define IOB_BTRFS_REF_DATA	1	/* BTRFS_REF_DATA */
#define IOB_BTRFS_REF_ADD	1	/* BTRFS_ADD_DELAYED_REF */
#define IOB_BTRFS_REF_DROP	2	/* BTRFS_DROP_DELAYED_REF */
#define IOB_BTRFS_REF_EXTENT	3	/* BTRFS_ADD_DELAYED_EXTENT */

#if !defined(IOB_HAVE_FOLIO) || defined(CONFIG_BTRFS_FS_REF_VERIFY)
#define IOB_BTRFS_REF_ROOT	1
#else
#define IOB_BTRFS_REF_ROOT	0
#endif

#define IOB_BTRFS_FS_INFO	80	/* in struct btrfs_trans_handle, at first */

/* Members of struct btrfs_ref, in the order of a table of offsets. */
enum iob_btrfs_ref_member {
	IOB_BTRFS_REF_TYPE,
	IOB_BTRFS_REF_ACTION,
	IOB_BTRFS_REF_START,
	IOB_BTRFS_REF_BYTES,
};

/*
 * The fs_info of a transaction's handle, or NULL if the layout is unknown.  It is searched from
 * @first on.  Any context.
 */
static inline const void *iob_btrfs_of_trans(const void *trans, unsigned int first)
{
	unsigned int at;

	for (at = first; at <= first + 16; at += 8) {
		const void *const *fs_info = trans + at;
		const void *word[3];

		if (iob_peek(&word, fs_info) && word[1] == &fs_info[1] &&
		    word[2] == &fs_info[1])
			return word[0];
	}
	return NULL;
}

/* As iob_btrfs_drops(), if the offsets @at are those of the kernel. */
static inline bool iob_btrfs_drops_at(const void *ref, const u16 *at, u64 extent[2])
{
	const char *r = ref;
	u8 type, action;

	/* (of ints the byte that comes first has all that is in them) */
	return iob_peek(&type, (const u8 *)(r + at[IOB_BTRFS_REF_TYPE])) &&
	       iob_peek(&action, (const u8 *)(r + at[IOB_BTRFS_REF_ACTION])) &&
	       type == IOB_BTRFS_REF_DATA && action == IOB_BTRFS_REF_DROP &&
	       iob_peek(&extent[0], (const u64 *)(r + at[IOB_BTRFS_REF_START])) &&
	       iob_peek(&extent[1], (const u64 *)(r + at[IOB_BTRFS_REF_BYTES])) &&
	       extent[1] && IS_ALIGNED(extent[0] | extent[1], 512);
}

/* What happens to a reference to data; IOB_BTRFS_NO_REF: it is none. */
enum iob_btrfs_dropped {
	IOB_BTRFS_NO_REF,
	IOB_BTRFS_ADDED,
	IOB_BTRFS_DROPPED,
};

static inline bool iob_btrfs_is_action(u32 action)
{
	return action >= IOB_BTRFS_REF_ADD && action <= IOB_BTRFS_REF_EXTENT;
}

/* What happens to @ref.  @extent gets its start and its length in bytes.  Any context. */
static inline enum iob_btrfs_dropped iob_btrfs_drops(const void *ref, u64 extent[2])
{
	u64 begin[4 + IOB_BTRFS_REF_ROOT], *words = begin;
	const u8 *bytes = (const u8 *)begin;
	const u32 *ints = (const u32 *)begin;
	u32 type, action;

	if (!iob_peek(&begin, ref))
		return IOB_BTRFS_NO_REF;
	if (iob_btrfs_is_action(bytes[1])) {
		type = bytes[0];
		action = bytes[1];
		words += 1 + IOB_BTRFS_REF_ROOT;
	} else {
		type = ints[0];
		action = ints[1];
		words += 2 + IOB_BTRFS_REF_ROOT;
	}
	extent[0] = words[0];
	extent[1] = words[1];
	if (type != IOB_BTRFS_REF_DATA || !iob_btrfs_is_action(action) || !extent[1] ||
	    !IS_ALIGNED(extent[0] | extent[1], 512))
		return IOB_BTRFS_NO_REF;
	return action == IOB_BTRFS_REF_DROP ? IOB_BTRFS_DROPPED : IOB_BTRFS_ADDED;
}

#endif
