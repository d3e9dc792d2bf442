// SPDX-License-Identifier: GPL-2.0
/*
 * A worker writes compressed extents, from pages that belong to no file.  Just before it
 * submits an extent, the worker unlocks the file's own pages that the extent holds.  A hook
 * notes the dirtiers of these pages then, for the bio that the worker submits next.
 *
 * The hook gets btrfs' private inode, which contains a struct inode.  The offset is learnt
 * when the flusher hands over a page, whose struct inode is known.
 *
 * On newer kernels (IOB_BTRFS_LATER) a compressed extent is submitted like any other: btrfs
 * may leave checksums and submission to another worker.  So the extent is noted under btrfs'
 * private struct of the bio, which contains the bio, until this bio is queued.
 *
 * Example: dd (act 7) writes 128 KiB of text.  A worker compresses them to 12 KiB and calls
 * extent_clear_unlock_delalloc() for the 32 pages: 128 KiB of act 7 are noted.  The bio of
 * 12 KiB that comes next is charged to act 7.
 */
#include <linux/bio.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/list.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include <compat/peek.h>

#include "blame/association.h"
#include "blame/cached_page.h"
#include "blame/provider.h"
#include "btrfs_compressed.h"
#include "core/code.h"
#include "core/disk.h"
#include "core/layout.h"
#include "core/stats.h"
#include "core/task.h"
#include "stack/stack.h"

/* btrfs compresses far less in one piece */
#define MAX_BYTES	SZ_1M

/* extents that may wait for a worker */
#define MAX_WAITING	4096

/* What a task is doing in btrfs. */
struct btrfs_state {
	struct iob_extent extent;	/* the worker's last one */
	bool fresh;		/* it has not been submitted yet */
	struct iob_file reading;	/* the task last began to read this file */
};

static void btrfs_state_free(void *part)
{
	struct btrfs_state *b = part;

	iob_origin_free(&b->extent.origin);
}

struct iob_task_part iob_btrfs_part = {
	.name = "btrfs",
	.size = sizeof(struct btrfs_state),
	.free = btrfs_state_free,
};

/* the function that submits what was compressed */
static struct iob_code writer_code;
/* the function in which all of btrfs' workers do their work */
static struct iob_code worker_code;

static const struct iob_layout_member inode_members[] = {
	{ .name = "vfs_inode", .size = sizeof(struct inode) },
};

/* Where a struct inode is in btrfs' own: learnt from a folio whose inode is known. */
struct iob_layout iob_btrfs_inode_layout = {
	.type = "btrfs_inode", IOB_LAYOUT_IN("btrfs", CONFIG_BTRFS_FS),
	IOB_LAYOUT_OF(inode_members), .cost = "the dirtiers of extents that btrfs compresses",
};

static const struct iob_layout_member bio_members[] = {
	{ .name = "bio", .size = sizeof(struct bio) },
};

/* Where the bio is in btrfs' own: learnt from the first one that is queued. */
struct iob_layout iob_btrfs_bio_layout = {
	.type = "btrfs_bio", IOB_LAYOUT_IN("btrfs", CONFIG_BTRFS_FS),
	IOB_LAYOUT_OF(bio_members),
	.cost = "the dirtiers of extents that btrfs compresses and checksums",
};

/* An offset, or -1 if it is not known. */
static long learnt_offset(const struct iob_layout *l)
{
	return iob_layout_is_learnt(l) ? READ_ONCE(l->at[0]) : -1;
}

/* An extent that was handed over to be written, by whichever task. */
struct waiting_extent {
	struct list_head list;
	struct hlist_node by_bbio;
	struct hlist_node by_vec;	/* only if .vec is known */
	const void *bbio;		/* btrfs' struct of the bio */
	const struct bio_vec *vec;	/* the bio's; NULL: not known */
	struct iob_extent extent;
};

/* only to count those that are forgotten */
struct iob_assoc_kind iob_btrfs_assoc_extent = { .name = "compressed_extent" };

/*
 * Some wait for ever: their bios go to disks that are not watched.  So nothing looks at all
 * of them, once it is known where the bio is in btrfs' own struct; and who finds an empty bucket
 * takes no lock.
 */
#define WAITING_BITS	9

static LIST_HEAD(waiting_extents);	/* waiting_lock; the oldest first */
/* waiting_lock, read without for a look */
static struct hlist_head waiting_by_bbio[1 << WAITING_BITS];
static struct hlist_head waiting_by_vec[1 << WAITING_BITS];	/* waiting_lock */
static unsigned int nr_waiting;		/* waiting_lock, read without for a look */
static DEFINE_SPINLOCK(waiting_lock);

static struct btrfs_state *btrfs_state_of(const struct iob_task *t)
{
	return iob_task_part_of(t, &iob_btrfs_part);
}

/**
 * iob_btrfs_writer_found - where the function is that submits what was compressed
 * @func: its address
 *
 * May sleep; probes may run.
 */
void iob_btrfs_writer_found(unsigned long func)
{
	iob_code_publish(func, &writer_code);
}

/**
 * iob_btrfs_worker_found - where the function is that btrfs' workers run
 * @func: its address
 *
 * May sleep; probes may run.
 */
void iob_btrfs_worker_found(unsigned long func)
{
	iob_code_publish(func, &worker_code);
}

/* Whether a call returns into the function that submits.  Any context. */
bool iob_btrfs_is_writer(unsigned long ret)
{
	return iob_code_has(&writer_code, ret);
}

static void waiting_drop(struct waiting_extent *e)
{
	list_del(&e->list);
	hlist_del(&e->by_bbio);
	if (e->vec)
		hlist_del(&e->by_vec);
	WRITE_ONCE(nr_waiting, nr_waiting - 1);
	iob_origin_free(&e->extent.origin);
	kfree(e);
}

static struct hlist_head *waiting_bucket(const void *bbio)
{
	return &waiting_by_bbio[hash_ptr(bbio, WAITING_BITS)];
}

static struct waiting_extent *waiting_of(const void *bbio)
{
	struct waiting_extent *e;

	lockdep_assert_held(&waiting_lock);
	hlist_for_each_entry(e, waiting_bucket(bbio), by_bbio) {
		if (e->bbio == bbio)
			return e;
	}
	return NULL;
}

/*
 * The extent whose struct contains the bio: learns where.  Bios are allocated with btrfs'
 * struct in front of them, whose size is bounded by the pool's front_pad.
 */
static struct waiting_extent *waiting_around(const struct bio *bio)
{
	size_t room = bio->bi_pool ? bio->bi_pool->front_pad : 0;
	struct waiting_extent *e;

	list_for_each_entry(e, &waiting_extents, list) {
		size_t offset = (const void *)bio - e->bbio;

		if (offset && offset <= room) {
			iob_layout_learn(&iob_btrfs_bio_layout, 0, offset);
			return e;
		}
	}
	return NULL;
}

/*
 * The extent that waits for a bio.  @own: it is that very bio, not a piece or a copy of it
 * for another disk, which share its array of pages and come before it.
 */
static struct waiting_extent *waiting_find(const struct bio *bio, bool *own)
{
	struct waiting_extent *e;
	long offset = learnt_offset(&iob_btrfs_bio_layout);

	e = offset < 0 ? waiting_around(bio) : waiting_of((const void *)bio - offset);
	*own = e;
	if (e)
		return e;
	/* the newest comes first */
	hlist_for_each_entry(e, &waiting_by_vec[hash_ptr(bio->bi_io_vec, WAITING_BITS)], by_vec) {
		if (e->vec == bio->bi_io_vec)
			return e;
	}
	return NULL;
}

/* Whether an extent waits for a bio; @copy, if it is not NULL, gets a copy of it. */
static bool waiting_take(const struct bio *bio, struct iob_extent *copy)
{
	struct waiting_extent *e;
	unsigned long flags;
	bool own;

	spin_lock_irqsave(&waiting_lock, flags);
	e = waiting_find(bio, &own);
	if (e && copy) {
		copy->bytes = e->extent.bytes;
		copy->file = e->extent.file;
		iob_origin_slice(&copy->origin, &e->extent.origin, 0, copy->bytes);
	}
	if (e && own)
		waiting_drop(e);
	spin_unlock_irqrestore(&waiting_lock, flags);
	return e;
}

/* struct iob_provider.extent_any */
bool iob_btrfs_extent_any(const struct iob_task *t)
{
	return btrfs_state_of(t)->extent.bytes || READ_ONCE(nr_waiting);
}

/* struct iob_provider.extent */
const struct iob_extent *iob_btrfs_extent(struct iob_task *t, const struct bio *bio,
					  const struct iob_stack *stack,
					  struct iob_extent *room)
{
	struct btrfs_state *b = btrfs_state_of(t);

	if (b->extent.bytes && iob_stack_in(stack, &writer_code)) {
		if (READ_ONCE(nr_waiting))
			waiting_take(bio, NULL);
		return &b->extent;
	}
	if (iob_stack_in(stack, &worker_code) && waiting_take(bio, room))
		return room;
	return NULL;
}

/* Forget a note for @bbio: its bio was never queued, and the struct is another bio's now. */
static void waiting_forget(const void *bbio)
{
	struct waiting_extent *e = waiting_of(bbio);

	if (e)
		waiting_drop(e);
}

static void waiting_add(struct waiting_extent *e)
{
	lockdep_assert_held(&waiting_lock);
	if (nr_waiting == MAX_WAITING) {
		waiting_drop(list_first_entry(&waiting_extents, struct waiting_extent, list));
		iob_assoc_count_evicted(&iob_btrfs_assoc_extent);
	}
	list_add_tail(&e->list, &waiting_extents);
	hlist_add_head(&e->by_bbio, waiting_bucket(e->bbio));
	if (e->vec)
		hlist_add_head(&e->by_vec, &waiting_by_vec[hash_ptr(e->vec, WAITING_BITS)]);
	WRITE_ONCE(nr_waiting, nr_waiting + 1);
}

/* The array of pages of the bio in @bbio, which may be any address; NULL: unknown. */
static const struct bio_vec *waiting_vec(const void *bbio)
{
	long offset = learnt_offset(&iob_btrfs_bio_layout);
	const struct bio *bio = bbio + offset;
	struct bio_vec *vec;

	return offset >= 0 && iob_peek(&vec, &bio->bi_io_vec) ? vec : NULL;
}

/* The extent that the current task has just begun to submit; NULL: it has not. */
static struct waiting_extent *waiting_make(const void *bbio)
{
	struct iob_task *t = iob_task_get();
	struct waiting_extent *e;
	struct btrfs_state *b;

	b = t ? btrfs_state_of(t) : NULL;
	if (!b || !b->fresh)
		return NULL;
	b->fresh = false;
	e = kmalloc(sizeof(*e), GFP_NOWAIT | __GFP_NOWARN);
	if (!e) {
		iob_stat_inc(parts_nomem);
		return NULL;
	}
	e->bbio = bbio;
	e->vec = waiting_vec(bbio);
	e->extent.bytes = b->extent.bytes;
	e->extent.file = b->extent.file;
	iob_origin_slice(&e->extent.origin, &b->extent.origin, 0, b->extent.bytes);
	return e;
}

/**
 * iob_btrfs_submits - the current task hands over a bio of btrfs
 * @bbio: btrfs' own struct of the bio
 *
 * The first bio after iob_btrfs_extent_begins() is that extent.  From a probe, inside
 * iob_read_lock().
 */
void iob_btrfs_submits(const void *bbio)
{
	struct waiting_extent *e = waiting_make(bbio);
	unsigned long flags;

	/*
	 * A note for this address was added by whoever had its memory before.  That was freed, and
	 * given out again, since: in this order, on all CPUs.  So the bucket is not seen as it was
	 * before the note.  The note itself may go at any time.
	 */
	if (!e && hlist_empty(waiting_bucket(bbio)))
		return;
	spin_lock_irqsave(&waiting_lock, flags);
	waiting_forget(bbio);
	if (e)
		waiting_add(e);
	spin_unlock_irqrestore(&waiting_lock, flags);
}

/* The session ends: forget what waits.  No probe is attached. */
void iob_btrfs_extents_stop(void)
{
	struct waiting_extent *e, *next;

	list_for_each_entry_safe(e, next, &waiting_extents, list)
		waiting_drop(e);
}

/**
 * iob_btrfs_learn_inode - btrfs is about to write an inode's pages
 * @binode: its own struct
 * @inode:  the inode
 *
 * From a probe.
 */
void iob_btrfs_learn_inode(const void *binode, const struct inode *inode)
{
	unsigned long offset = (unsigned long)inode - (unsigned long)binode;

	if (offset < PAGE_SIZE)
		iob_layout_learn(&iob_btrfs_inode_layout, 0, offset);
}

/**
 * iob_btrfs_extent_begins - the current task is about to write an extent
 * @binode: btrfs' own struct of the file
 * @start:  where the extent begins in the file, in bytes
 * @end:    its last byte
 *
 * From a probe, inside iob_read_lock(); the pages are still locked.
 */
void iob_btrfs_extent_begins(const void *binode, u64 start, u64 end)
{
	struct iob_task *t = iob_task_get();
	long offset = learnt_offset(&iob_btrfs_inode_layout);
	struct iob_extent *e;
	struct inode *inode;
	u64 next;

	if (!t)
		return;
	e = &btrfs_state_of(t)->extent;
	e->bytes = 0;
	btrfs_state_of(t)->fresh = false;
	iob_origin_free(&e->origin);
	iob_origin_begin(&e->origin);
	if (offset < 0 || end < start || end - start >= MAX_BYTES)
		return;
	inode = (struct inode *)(binode + offset);
	if (!iob_disk_watches(inode))
		return;
	iob_file_of(inode, &e->file);
	/* where pages are larger than sectors, an extent may begin and end inside of one */
	for (; start <= end; start = next) {
		u64 dirty_ns;
		u64 id = iob_cause_of_page(inode, start >> PAGE_SHIFT, &dirty_ns);
		u32 bytes;

		next = min_t(u64, (start | ~PAGE_MASK), end) + 1;
		bytes = next - start;
		/* (also if no act is known) */
		iob_origin_add_page(&e->origin, id, &e->file, bytes, dirty_ns);
		e->bytes += bytes;
	}
	btrfs_state_of(t)->fresh = true;
}

/* The current task begins to read a file: compressed data is read to pages of no file. */
void iob_btrfs_reads(struct inode *inode)
{
	struct iob_task *t;

	t = inode && iob_disk_watches(inode) ? iob_task_get() : NULL;
	if (t)
		iob_file_of(inode, &btrfs_state_of(t)->reading);
}

/* A compressed extent of that file is read, in a call that returns to @ret. */
void iob_btrfs_reads_compressed(unsigned long ret)
{
	struct iob_task *t = iob_task_get();
	const struct iob_file *reading;

	if (!t)
		return;
	reading = &btrfs_state_of(t)->reading;
	if (reading->dev) {
		t->file = *reading;
		t->direct = ret;
	}
}
