/* SPDX-License-Identifier: GPL-2.0 */
/*
 * association - object -> the act that changed it, for what is no page of a page cache
 *
 * Inodes, buffers of a journal, transactions and the like have no page frame to be noted
 * under.  They are noted here by their address.
 *
 * Example: dd (act 7) makes inode 0xffff9a3e0142c8f8 dirty: { inode, that address, 0 } ->
 * 7.  The flusher writes the inode 5 s later, asks, and charges what that changes to 7.
 */
#ifndef IOB_BLAME_ASSOCIATION_H
#define IOB_BLAME_ASSOCIATION_H

#include <linux/types.h>

/*
 * What an object is.  One static struct for each kind; the address of an object may be
 * noted under several kinds.
 */
struct iob_assoc_kind {
	const char *name;	/* without blanks: a part of a statistic's name */
	u32 life;		/* jiffies that an entry is of use; 0: five minutes */
	u32 nr;			/* not 0 once iob_assoc_kind_add() was called */
	u32 stat;		/* of iob_stat_part_add() */
};

extern struct iob_assoc_kind iob_assoc_inode;	/* struct inode */

int iob_assoc_kind_add(struct iob_assoc_kind *kind);
int iob_assoc_init(void);
void iob_assoc_exit(void);
int iob_assoc_pool_init(void);
void iob_assoc_pool_exit(void);
void iob_assoc_set(const struct iob_assoc_kind *kind, const void *object, u64 sub,
		   u64 act);
void iob_assoc_forget(const struct iob_assoc_kind *kind, const void *object, u64 sub);
bool iob_assoc_mark(unsigned long *causes, bool is_room, const bool *stop);
u64 iob_assoc_take(const struct iob_assoc_kind *kind, const void *object, u64 sub);
u64 iob_assoc_get(const struct iob_assoc_kind *kind, const void *object, u64 sub);
u64 iob_assoc_get_last(const struct iob_assoc_kind *kind, const void *object, u64 sub);
void iob_assoc_count_evicted(const struct iob_assoc_kind *kind);
unsigned long iob_assoc_bytes(void);

#endif
