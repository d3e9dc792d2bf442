// SPDX-License-Identifier: GPL-2.0
/*
 * What btrfs compresses is written by a worker, from pages that are nobody's.
 * But just before it submits an extent the worker lets go of the file's own pages
 * that the extent holds: whose those are is noted then, for what it submits next.
 *
 * The file is btrfs' own struct, which has a struct inode somewhere in it.  Where,
 * is learnt when the flusher hands over a page: its inode is known.
 *
 * On newer kernels the extent goes the way of all others, on which btrfs may leave
 * it to yet another worker to compute checksums and submit it.  So it is noted for
 * btrfs' own struct of the bio, which has the bio in it, until the bio is met.
 */
#include <linux/bio.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include <compat/rcu.h>

#include "core/act.h"
#include "btrfs_compressed.h"
#include "blame/dirty.h"
#include "core/disk.h"
#include "stack/stack.h"
#include "core/stats.h"
#include "core/task.h"

/* btrfs compresses no more in one piece, by far */
#define MAX_BYTES	SZ_1M

/* so many extents may wait for a worker */
#define MAX_LATER	1024

/* the function that submits what was compressed */
static struct iob_code writer;
/* the one that all of btrfs' workers do their work in */
static struct iob_code worker;
/* where a struct inode is in btrfs' own, or -1 */
static long inode_at = -1;
/* where the bio is in btrfs' own, or -1 */
static long bio_at = -1;

/* an extent that was handed over to be written, whoever will do it */
struct later {
	struct list_head list;
	const void *bbio;		/* btrfs' struct of the bio */
	const struct bio_vec *vec;	/* the bio's, NULL: not known */
	struct iob_compressed what;
};

static LIST_HEAD(laters);		/* later_lock; the oldest first */
static unsigned int nr_laters;		/* later_lock, read without for a look */
static DEFINE_SPINLOCK(later_lock);

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

/**
 * iob_compressed_worker_found - where the function is that btrfs' workers run
 * @func: its address
 *
 * May sleep; probes may run.
 */
void iob_compressed_worker_found(unsigned long func)
{
	iob_code_publish(func, &worker);
}

/* Whether a call returns into that function.  Any context. */
bool iob_compressed_writer(unsigned long ret)
{
	return iob_code_has(&writer, ret);
}

static bool is_in(const struct iob_stack *stack, const struct iob_code *code)
{
	unsigned int i;

	for (i = 0; i < stack->depth; i++) {
		if (iob_code_has(code, stack->ip[i]))
			return true;
	}
	return false;
}

static void drop(struct later *e)
{
	list_del(&e->list);
	WRITE_ONCE(nr_laters, nr_laters - 1);
	iob_origin_free(&e->what.origin);
	kfree(e);
}

/*
 * The extent that is noted for a bio.  @own: it is that very bio, not a piece or a
 * copy of it for another disk, which share its array of pages and come before it.
 * Bios are allocated with btrfs' struct before them: how much that can be is known.
 */
static struct later *find_later(const struct bio *bio, bool *own)
{
	size_t room = bio->bi_pool ? bio->bi_pool->front_pad : 0;
	struct later *e, *other = NULL;

	lockdep_assert_held(&later_lock);
	list_for_each_entry(e, &laters, list) {
		size_t at = (const void *)bio - e->bbio;

		if (at && at <= room) {
			WRITE_ONCE(bio_at, at);
			*own = true;
			return e;
		}
		if (e->vec && e->vec == bio->bi_io_vec)
			other = e;
	}
	*own = false;
	return other;
}

/* What is noted for a bio; @c, if it is not NULL, gets a copy. */
static bool take_later(const struct bio *bio, struct iob_compressed *c)
{
	unsigned long flags;
	struct later *e;
	bool own;

	spin_lock_irqsave(&later_lock, flags);
	e = find_later(bio, &own);
	if (e && c) {
		c->bytes = e->what.bytes;
		c->written = e->what.written;
		iob_origin_slice(&c->origin, &e->what.origin, 0, c->bytes);
	}
	if (e && own)
		drop(e);
	spin_unlock_irqrestore(&later_lock, flags);
	return e;
}

/**
 * iob_compressed_of - whose extent a bio writes
 * @bio:   without pages of a file
 * @stack: of the current task, which submits it
 * @own:   room for what is not the task's own
 *
 * From a probe, inside iob_read_lock().
 * Return: NULL if it is none that is known; else what is @own, of which
 * iob_origin_free() gives back the origin, or the task's.
 */
const struct iob_compressed *iob_compressed_of(const struct bio *bio,
					       const struct iob_stack *stack,
					       struct iob_compressed *own)
{
	struct iob_task *t = iob_task_get();

	iob_origin_begin(&own->origin);
	if (t && t->compressed.bytes && is_in(stack, &writer)) {
		if (READ_ONCE(nr_laters))
			take_later(bio, NULL);
		return &t->compressed;
	}
	if (is_in(stack, &worker) && take_later(bio, own))
		return own;
	return NULL;
}

/* Whether iob_compressed_of() may know any of the current task's.  Any context. */
bool iob_compressed_any(const struct iob_task *t)
{
	return t->compressed.bytes || READ_ONCE(nr_laters);
}

/* Whatever was noted for this struct, which was never met: it is another bio's now. */
static void forget_later(const void *bbio)
{
	struct later *e;

	lockdep_assert_held(&later_lock);
	list_for_each_entry(e, &laters, list) {
		if (e->bbio == bbio) {
			drop(e);
			return;
		}
	}
}

static void add_later(struct later *e)
{
	lockdep_assert_held(&later_lock);
	if (nr_laters == MAX_LATER) {
		drop(list_first_entry(&laters, struct later, list));
		iob_stat_inc(owner_evicted);
	}
	list_add_tail(&e->list, &laters);
	WRITE_ONCE(nr_laters, nr_laters + 1);
}

/* The extent that the current task has just begun to submit, NULL if it has not. */
static struct later *make_later(const void *bbio)
{
	struct iob_task *t = iob_task_get();
	long at = READ_ONCE(bio_at);
	struct later *e;

	if (!t || !t->compressed.fresh)
		return NULL;
	t->compressed.fresh = false;
	e = kmalloc(sizeof(*e), GFP_NOWAIT | __GFP_NOWARN);
	if (!e) {
		iob_stat_inc(parts_nomem);
		return NULL;
	}
	e->bbio = bbio;
	e->vec = at < 0 ? NULL : ((const struct bio *)(bbio + at))->bi_io_vec;
	e->what = t->compressed;
	iob_origin_slice(&e->what.origin, &t->compressed.origin, 0,
			 t->compressed.bytes);
	return e;
}

/**
 * iob_compressed_submit - the current task hands over a bio of btrfs
 * @bbio: btrfs' own struct of the bio
 *
 * From a probe, inside iob_read_lock().  If it is the first since
 * iob_compressed_extent() it is that extent.
 */
void iob_compressed_submit(const void *bbio)
{
	struct later *e = make_later(bbio);
	unsigned long flags;

	if (!e && !READ_ONCE(nr_laters))
		return;
	spin_lock_irqsave(&later_lock, flags);
	forget_later(bbio);
	if (e)
		add_later(e);
	spin_unlock_irqrestore(&later_lock, flags);
}

/* Forget what is noted.  No probe is attached. */
void iob_compressed_stop(void)
{
	struct later *e, *next;

	list_for_each_entry_safe(e, next, &laters, list)
		drop(e);
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
	t->compressed.fresh = false;
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
	t->compressed.fresh = true;
}
