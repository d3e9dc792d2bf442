/* SPDX-License-Identifier: GPL-2.0 */
/*
 * times - who changed an inode's times where they wait to be written (lazytime)
 *
 * Example: cat (act 7) reads a file.  The new time of access waits in memory for 12 hours,
 * or for a sync.  When it is written then, the node of the inode is charged to act 7.
 */
#ifndef IOB_BLAME_TIMES_H
#define IOB_BLAME_TIMES_H

#include <linux/fs.h>

#include "association.h"

extern struct iob_assoc_kind iob_assoc_times;	/* struct inode whose times wait */

void iob_times_note(struct inode *inode, u64 ref);
u64 iob_times_take(struct inode *inode);

#endif
