/* SPDX-License-Identifier: GPL-2.0 */
/*
 * btrfs_compressed - extents that btrfs compresses before it writes them, and their dirtiers
 */
#ifndef IOB_FS_BTRFS_COMPRESSED_H
#define IOB_FS_BTRFS_COMPRESSED_H

#include <linux/types.h>

struct bio;
struct inode;
struct iob_assoc_kind;
struct iob_extent;
struct iob_stack;
struct iob_task;
struct iob_task_part;

extern struct iob_task_part iob_btrfs_part;
extern struct iob_layout iob_btrfs_inode_layout, iob_btrfs_bio_layout;
extern struct iob_assoc_kind iob_btrfs_assoc_extent;

void iob_btrfs_writer_found(unsigned long func);
void iob_btrfs_worker_found(unsigned long func);
bool iob_btrfs_is_writer(unsigned long ret);
void iob_btrfs_learn_inode(const void *binode, const struct inode *inode);
void iob_btrfs_extent_begins(const void *binode, u64 start, u64 end);
void iob_btrfs_submits(const void *bbio);
void iob_btrfs_reads(struct inode *inode);
void iob_btrfs_reads_compressed(unsigned long ret);
bool iob_btrfs_extent_any(const struct iob_task *t);
const struct iob_extent *iob_btrfs_extent(struct iob_task *t, const struct bio *bio,
					  const struct iob_stack *stack,
					  struct iob_extent *room);
void iob_btrfs_extents_stop(void);

#endif
