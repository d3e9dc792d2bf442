// SPDX-License-Identifier: GPL-2.0
/*
 * What btrfs compresses is written by a worker, from pages that are nobody's.
 * But just before it submits an extent the worker lets go of the file's own pages
 * that the extent holds: whose those are is noted then, for what it submits next.
 *
 * The file is btrfs' own struct, which has a struct inode somewhere in it.  Where,
 * is learnt when the flusher hands over a page: its inode is known.
 */
#include <linux/fs.h>
#include <linux/sizes.h>

#include <compat/rcu.h>

#include "act.h"
#include "compressed.h"
#include "dirty.h"
#include "disk.h"
#include "stack.h"
#include "task.h"

/* btrfs compresses no more in one piece, by far */
#define MAX_BYTES	SZ_1M

/* the function that submits what was compressed */
static struct iob_code writer;
/* where a struct inode is in btrfs' own, or -1 */
static long inode_at = -1;

/**
 * iob_compressed_found - where the function is that submits what was compressed
 * @func: its address
 *
 * May sleep; probes may run.
 */
void iob_compressed_found(unsigned long func)
{
	iob_code_publish(func, &writer);
}

/* Whether a call returns into that function.  Any context. */
bool iob_compressed_writer(unsigned long ret)
{
	return iob_code_has(&writer, ret);
}

/* Whether that function submits.  Any context. */
bool iob_compressed_writes(const struct iob_stack *stack)
{
	unsigned int i;

	for (i = 0; i < stack->depth; i++) {
		if (iob_compressed_writer(stack->ip[i]))
			return true;
	}
	return false;
}

/**
 * iob_compressed_learn - btrfs is about to write an inode's pages
 * @binode: its own struct
 * @inode:  the inode
 *
 * From a probe.
 */
void iob_compressed_learn(const void *binode, const struct inode *inode)
{
	unsigned long at = (unsigned long)inode - (unsigned long)binode;

	if (at < PAGE_SIZE && READ_ONCE(inode_at) != (long)at)
		WRITE_ONCE(inode_at, at);
}

/**
 * iob_compressed_extent - the current task is about to write an extent
 * @binode: btrfs' own struct of the file
 * @start:  where the extent begins in the file, in bytes
 * @end:    its last byte
 *
 * From a probe, inside iob_read_lock(); the pages are still locked.
 */
void iob_compressed_extent(const void *binode, u64 start, u64 end)
{
	struct iob_task *t = iob_task_get();
	long at = READ_ONCE(inode_at);
	struct inode *inode;
	unsigned long index;

	if (!t)
		return;
	t->compressed.bytes = 0;
	iob_origin_free(&t->compressed.origin);
	iob_origin_begin(&t->compressed.origin);
	if (at < 0 || end < start || end - start >= MAX_BYTES)
		return;
	inode = (struct inode *)(binode + at);
	if (!iob_disk_watches(inode))
		return;
	iob_file_of(inode, &t->compressed.written);
	for (index = start >> PAGE_SHIFT; index <= end >> PAGE_SHIFT; index++) {
		u64 dirty_ns;
		u64 id = iob_dirty_of_page(inode, index, &dirty_ns);

		/* (also if it is nobody's who is known) */
		iob_origin_add_page(&t->compressed.origin, id, PAGE_SIZE,
				    dirty_ns);
		t->compressed.bytes += PAGE_SIZE;
	}
}
