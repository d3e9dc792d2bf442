/* SPDX-License-Identifier: GPL-2.0 */
/*
 * owner - who changed an object that is no page of a page cache
 */
#ifndef IOB_BLAME_OWNER_H
#define IOB_BLAME_OWNER_H

#include <linux/types.h>

/* what an object is; with its address, and a number where that is not enough */
enum iob_owner_kind {
	IOB_OWNER_INODE = 1,	/* struct inode */
	IOB_OWNER_LOGGED,	/* buffer, in the transaction with that tid */
	IOB_OWNER_LOG_BLOCK,	/* block of a journal: its copy of a buffer */
	IOB_OWNER_BUF,		/* struct xfs_buf */
	IOB_OWNER_XFS_INODE,	/* struct xfs_inode */
	IOB_OWNER_XFS_TRANS,	/* struct xfs_trans */
	IOB_OWNER_XFS_ICLOG,	/* not an act: see hooks/xfs */
	IOB_OWNER_STRIPE,	/* not an act: see record/stripe */
	IOB_OWNER_LOOP,		/* not an act: see record/loop */
	IOB_OWNER_COPY,		/* not an act: see record/copy */
};

int iob_owner_init(void);
void iob_owner_exit(void);
void iob_owner_set(enum iob_owner_kind kind, const void *object, u64 sub,
		   u64 act);
void iob_owner_forget(enum iob_owner_kind kind, const void *object, u64 sub);
u64 iob_owner_take(enum iob_owner_kind kind, const void *object, u64 sub);
u64 iob_owner_get(enum iob_owner_kind kind, const void *object, u64 sub);
unsigned long iob_owner_bytes(void);

#endif
