/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compressed - what btrfs compresses before it is written -> whose it is
 */
#ifndef IOB_FS_BTRFS_COMPRESSED_H
#define IOB_FS_BTRFS_COMPRESSED_H

#include <linux/types.h>

struct bio;
struct inode;
struct iob_compressed;
struct iob_stack;
struct iob_task;

void iob_compressed_found(unsigned long func);
void iob_compressed_worker_found(unsigned long func);
bool iob_compressed_writer(unsigned long ret);
const struct iob_compressed *iob_compressed_of(const struct bio *bio,
					       const struct iob_stack *stack,
					       struct iob_compressed *own);
bool iob_compressed_any(const struct iob_task *t);
void iob_compressed_submit(const void *bbio);
void iob_compressed_stop(void);
void iob_compressed_learn(const void *binode, const struct inode *inode);
void iob_compressed_extent(const void *binode, u64 start, u64 end);

#endif
