/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compressed - what btrfs compresses before it is written -> whose it is
 */
#ifndef IOB_BLAME_COMPRESSED_H
#define IOB_BLAME_COMPRESSED_H

#include <linux/types.h>

struct inode;
struct iob_stack;

void iob_compressed_found(unsigned long func);
bool iob_compressed_writer(unsigned long ret);
bool iob_compressed_writes(const struct iob_stack *stack);
void iob_compressed_learn(const void *binode, const struct inode *inode);
void iob_compressed_extent(const void *binode, u64 start, u64 end);

#endif
