/* SPDX-License-Identifier: GPL-2.0 */
/*
 * owner - who changed an object that is no page of a page cache
 */
#ifndef IOB_BLAME_ASSOCIATION_H
#define IOB_BLAME_ASSOCIATION_H

#include <linux/types.h>

/* what an object is; with its address, and a number where that is not enough */
enum iob_assoc_kind {
	IOB_ASSOC_INODE = 1,	/* struct inode */
	IOB_ASSOC_LOGGED,	/* buffer, in the transaction with that tid */
	IOB_ASSOC_LOG_BLOCK,	/* block of a journal: its copy of a buffer */
	IOB_ASSOC_BUF,		/* struct xfs_buf */
	IOB_ASSOC_XFS_INODE,	/* struct xfs_inode */
	IOB_ASSOC_XFS_TRANS,	/* struct xfs_trans */
	IOB_ASSOC_XFS_ICLOG,	/* not an act: see hooks/xfs */
	IOB_ASSOC_STRIPE,	/* not an act: see record/stripe */
	IOB_ASSOC_LOOP,		/* not an act: see record/loop */
	IOB_ASSOC_COPY,		/* not an act: see record/copy */
};

int iob_assoc_init(void);
void iob_assoc_exit(void);
void iob_assoc_set(enum iob_assoc_kind kind, const void *object, u64 sub,
		   u64 act);
void iob_assoc_forget(enum iob_assoc_kind kind, const void *object, u64 sub);
u64 iob_assoc_take(enum iob_assoc_kind kind, const void *object, u64 sub);
u64 iob_assoc_get(enum iob_assoc_kind kind, const void *object, u64 sub);
unsigned long iob_assoc_bytes(void);

#endif
