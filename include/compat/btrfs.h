/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/btrfs - which extent btrfs_free_extent(trans, ref) drops
 *
 * Hides: both structs are private.  The file system has always been the member
 * before new_bgs in a transaction's handle, a list that points to itself as long
 * as it is empty: that is how it is told (5.10 and 6.1; 6.12 and later).  A
 * reference begins with its type and what is done, two ints or, from 6.9 on, two
 * bytes, and a flag; then comes the extent, or first a root's number, with
 * REF_VERIFY and before 5.16 (for which folios stand).
 *
 * And that up to 6.5 what turns out not to shrink when it is compressed is marked
 * dirty anew inside compress_file_range(): IOB_BTRFS_REDIRTY.  Since 6.4 (for which
 * buffers' folios of 6.3 stand) such an extent is submitted as others are:
 * IOB_BTRFS_LATER.
 */
#ifndef IOB_COMPAT_BTRFS_H
#define IOB_COMPAT_BTRFS_H

#include <linux/kernel.h>
#include <linux/ptrace.h>

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

/* The file system of a transaction's handle, or NULL: it looks otherwise. */
static inline const void *iob_btrfs_of_trans(const void *trans)
{
	static const u8 places[] = { 80, 96 };
	unsigned int i;

	for (i = 0; i < sizeof(places); i++) {
		const void *const *fs_info = trans + places[i];

		if (fs_info[1] == &fs_info[1] && fs_info[2] == &fs_info[1])
			return *fs_info;
	}
	return NULL;
}

/*
 * Whether it is data that is dropped, at a place that can be: @extent gets where
 * it begins and its bytes.
 */
static inline bool iob_btrfs_drops(const void *ref, u64 extent[2])
{
	const u64 *words = ref;
	const u8 *bytes = ref;
	const u32 *ints = ref;

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
