/* SPDX-License-Identifier: GPL-2.0 */
/*
 * times - who changed an inode's times where they wait to be written (lazytime)
 *
 * Example: cat (act 7) reads a file.  The new time of access waits in memory for 12 hours,
 * or for a sync.  When it is written then, the node of the inode is charged to act 7.  So it is if
 * another task has the file dropped from memory before, which makes its inode dirty.
 */
#ifndef IOB_BLAME_TIMES_H
#define IOB_BLAME_TIMES_H

#include <linux/fs.h>

#include "association.h"
#include "core/task.h"

extern struct iob_assoc_kind iob_assoc_times;	/* struct inode whose times wait */
extern struct iob_task_part iob_times_part;

void iob_times_note(struct inode *inode, u64 ref);
u64 iob_times_take(struct inode *inode, bool needed);
void iob_times_set_due(const struct inode *inode);
bool iob_times_are_due(const struct inode *inode);

#endif
