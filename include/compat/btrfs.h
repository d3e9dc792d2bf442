/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/btrfs - which extent btrfs_free_extent(trans, ref) drops
 *
 * Hides: the layout of two private structs.  struct btrfs_trans_handle has had fs_info right
 * before new_bgs in all releases.  new_bgs is a list, which points to itself while it is
 * empty: this test finds fs_info at offset 80 (5.10 and 6.1) or 96 (6.12 and later).
 *
 * struct btrfs_ref begins with its type and action, two ints or, from 6.9 on, two bytes, and
 * a flag.  The extent follows: { start, bytes }.  With REF_VERIFY, and before 5.16 (Kbuild
 * tests for folios), the number of a root stands between.  Example: on 6.12 the reference that
 * drops 4 KiB of data at 1 MiB has the bytes 1, 2 and, from offset 8, the words 0x100000 and
 * 0x1000.
 *
 * Hides also what happens to data that compression does not shrink.  Up to 6.5
 * compress_file_range() marks its pages dirty anew: IOB_BTRFS_REDIRTY.  Since 6.4 (Kbuild
 * tests for b_folio, which 6.3 has) it is submitted like any other extent: IOB_BTRFS_LATER.
 */
#ifndef IOB_COMPAT_BTRFS_H
#define IOB_COMPAT_BTRFS_H

#include <linux/kernel.h>
#include <linux/ptrace.h>

#include <compat/peek.h>

#ifndef IOB_HAVE_BH_FOLIO
#define IOB_BTRFS_REDIRTY
#else
#define IOB_BTRFS_LATER
#endif

#define IOB_BTRFS_REF_DATA	1	/* BTRFS_REF_DATA */
#define IOB_BTRFS_REF_DROP	2	/* BTRFS_DROP_DELAYED_REF */

#if !defined(IOB_HAVE_FOLIO) || defined(CONFIG_BTRFS_FS_REF_VERIFY)
#define IOB_BTRFS_REF_ROOT	1
#else
#define IOB_BTRFS_REF_ROOT	0
#endif

/* The fs_info of a transaction's handle, or NULL if the layout is unknown.  Any context. */
static inline const void *iob_btrfs_of_trans(const void *trans)
{
	static const u8 places[] = { 80, 96 };
	unsigned int i;

	for (i = 0; i < sizeof(places); i++) {
		const void *const *fs_info = trans + places[i];
		const void *word[3];

		if (iob_peek(&word, fs_info) && word[1] == &fs_info[1] &&
		    word[2] == &fs_info[1])
			return word[0];
	}
	return NULL;
}

/*
 * True if @ref drops a plausible extent of data.  @extent gets its start and its length, both
 * in bytes.  Any context.
 */
static inline bool iob_btrfs_drops(const void *ref, u64 extent[2])
{
	u64 begin[4 + IOB_BTRFS_REF_ROOT], *words = begin;
	const u8 *bytes = (const u8 *)begin;
	const u32 *ints = (const u32 *)begin;

	if (!iob_peek(&begin, ref))
		return false;
	if (bytes[0] == IOB_BTRFS_REF_DATA && bytes[1] == IOB_BTRFS_REF_DROP)
		words += 1 + IOB_BTRFS_REF_ROOT;
	else if (ints[0] == IOB_BTRFS_REF_DATA && ints[1] == IOB_BTRFS_REF_DROP)
		words += 2 + IOB_BTRFS_REF_ROOT;
	else
		return false;
	extent[0] = words[0];
	extent[1] = words[1];
	return extent[1] && IS_ALIGNED(extent[0] | extent[1], 512);
}

#endif
