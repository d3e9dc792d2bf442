/* SPDX-License-Identifier: GPL-2.0 */
/*
 * bio_ctx - a bio's context: what is noted of a bio from queue to completion
 *
 * A context is found by the address of its bio.  It lies in one of two places:
 *
 *  - in a slot, the memory that belongs to the bio's address (io/place).  A slot is claimed
 *    by a store, released by a store-release, and looked up without a lock.  That is safe
 *    because only the owner of a bio asks for its context: no lookup races with the
 *    release.
 *  - in a hash table with a lock for each bucket, allocated.  Contexts on disks that make
 *    clones go there, as others look them up, and contexts for which there is no slot
 *    (counted as inflight_hashed).
 *
 * Those on disks that make clones are hashed a second time, by the bio's array of pages:
 * see io/parent.
 *
 * A completion owns the context through the bytes that it completes: it subtracts them
 * from .left, and frees the context when they were the last ones.
 *
 * Example: a write of 8 KiB at sector 100 is queued: slot 17 gets { bio A, sector 100,
 * size 8192, left 8192 }.  The block layer splits it: bio B becomes the front of 4 KiB,
 * chained to A, which keeps the rest from sector 108.  B gets a context of its own, { bio
 * B, sector 100, size 4096, left 4096 }, with the first half of A's shares, and A's .left
 * falls to 4096.  Two requests complete: each subtracts 4096, so each frees one context.
 * If A and B are merged into one request again, that request completes both, bio by bio.
 */
#ifndef IOB_IO_BIO_CTX_H
#define IOB_IO_BIO_CTX_H

#include <linux/cache.h>
#include <linux/hash.h>
#include <linux/list_bl.h>
#include <linux/sched.h>
#include <linux/string.h>

#include <compat/blkdev.h>

#include "blame/bio_kind.h"
#include "blame/origin.h"
#include "core/disk.h"
#include "place.h"
#include "run.h"

#define IOB_BIO_CTX_BITS	14
#define IOB_MAX_CHAIN	4		/* bios chained to one another */

struct iob_bio_ctx {
	const struct bio *bio;		/* key; NULL: the slot is free */
	struct iob_disk *disk;		/* NULL: followed for its clones only */
	u64 sector;
	union {
		u64 issue_at;		/* of the request that it leads, in ticks, or 0 */
		const void *private;	/* bi_private, while .claimed */
	};
	u32 size;
	atomic_t left;			/* bytes to complete, or 1 if size is 0 */
	struct iob_first first;
	struct iob_origin origin;
	union {
		struct {
			u32 epoch;	/* not 0: io/fast began it */
			u8 op;		/* enum iob_op */
			bool claimed;	/* not queued yet */
			bool child;	/* ends together with @bio, the parent */
			bool hashed;	/* in the table, not in a slot */
		};
		u64 kind;		/* all of them, for one store */
	};
} __aligned(IOB_PLACE_SIZE);

/* A context in the table. */
struct iob_hashed_ctx {
	struct iob_bio_ctx f;
	/*
	 * Compared only, unless the caller has the bio and that is on this disk.  The end of a
	 * bio may not be seen; and one that comes back from a path to a disk may wait while the
	 * path is removed.  What is asked for later is in .devt, .capacity and .bio_based.
	 */
	const struct gendisk *gd;
	u64 capacity;			/* of .gd, in sectors */
	struct hlist_bl_node hash;
	struct hlist_bl_node vec_hash;	/* if the disk makes clones */
	const struct bio_vec *vec;	/* key of vec_hash; NULL: the key is */
	dev_t dev;			/* the disk where it was queued */
	dev_t devt;			/* of .gd */
	u32 idx, done;			/* where in @vec it began */
	const struct bio *self;		/* the bio itself, if .child */
	bool passed;			/* @bio itself was sent to a lower disk */
	bool bio_based;			/* .gd takes bios as they are */
	u64 nr;				/* no other context has it; 0: nobody asked */
	const struct bio *above_bio;	/* the key of the passed context that this is a piece of */
	u64 above_nr;			/* and its number; 0: there is none */
	int error;			/* of a piece that is done */
};

extern struct hlist_bl_head *iob_bio_ctx_table;
extern struct hlist_bl_head *iob_bio_ctx_by_vec;
/* iob_bio_ctx_by_vec has had a context in this session: written once, read by each bio */
extern bool iob_has_parents;

static inline struct iob_hashed_ctx *iob_hashed_ctx(const struct iob_bio_ctx *f)
{
	return container_of(f, struct iob_hashed_ctx, f);
}

struct iob_bio_ctx *iob_bio_ctx_numbered(const struct bio *bio, u64 nr);
void iob_bio_ctx_set_above(struct iob_bio_ctx *f, struct iob_bio_ctx *above);

/*
 * The context of an upper disk that @f is a piece of, or NULL.  It stays as long as @f, which
 * is a part of it.  If the end of a piece was not seen, it may be gone before: the number tells.
 */
static inline struct iob_bio_ctx *iob_bio_ctx_above(const struct iob_bio_ctx *f)
{
	const struct iob_hashed_ctx *t = iob_hashed_ctx(f);

	return f->hashed && t->above_nr ? iob_bio_ctx_numbered(t->above_bio, t->above_nr) : NULL;
}

/* The disk of a context.  While its bio is under way. */
static inline const struct gendisk *iob_bio_ctx_disk(const struct iob_bio_ctx *f)
{
	/* the bio of a hashed context may be on another disk by now */
	return f->hashed ? iob_hashed_ctx(f)->gd : iob_bio_disk(f->bio);
}

/* Lock a bucket.  Interrupts go off: a completion takes the lock, too. */
static inline unsigned long iob_bio_ctxs_lock(struct hlist_bl_head *b)
	__acquires(bitlock)
{
	unsigned long flags;

	local_irq_save(flags);
	hlist_bl_lock(b);
	return flags;
}

static inline void iob_bio_ctxs_unlock(struct hlist_bl_head *b,
				       unsigned long flags)
	__releases(bitlock)
{
	hlist_bl_unlock(b);
	local_irq_restore(flags);
}

/* True if the bio was queued to append to a zone: .sector is the zone's first. */
static inline bool iob_bio_ctx_appends(const struct iob_bio_ctx *f)
{
	return (f->first.opf & (__force u32)REQ_OP_MASK) == (__force u32)REQ_OP_ZONE_APPEND;
}

/* The slot of a bio; one that is always taken if the bio has none. */
static __always_inline struct iob_bio_ctx *iob_bio_ctx_slot(const struct bio *bio)
{
	return (struct iob_bio_ctx *)iob_place_of(READ_ONCE(iob_place_map), bio);
}

/* Take a free slot of iob_bio_ctx_slot(). */
static __always_inline bool iob_bio_ctx_claim(struct iob_bio_ctx *f, const struct bio *bio)
{
	return iob_place_claim((const void **)&f->bio, bio);
}

static inline struct hlist_bl_head *iob_bio_ctx_bucket(const struct bio *bio)
{
	return &iob_bio_ctx_table[hash_ptr(bio, IOB_BIO_CTX_BITS)];
}

static inline struct hlist_bl_head *
iob_bio_ctx_vec_bucket(const struct bio_vec *vec)
{
	return &iob_bio_ctx_by_vec[hash_ptr(vec, IOB_BIO_CTX_BITS)];
}

static inline struct hlist_bl_head *iob_bio_ctx_dev_bucket(dev_t dev)
{
	return &iob_bio_ctx_by_vec[hash_32(dev, IOB_BIO_CTX_BITS)];
}

/*
 * True if the end of this bio is not announced: 5.10 goes on to the parent before it looks
 * whether the end is to be traced.  (On disks with requests it is announced.)
 */
static inline bool iob_bio_ends_with_parent(const struct bio *bio)
{
	return IOB_CHAINED_END_SILENT && iob_bio_chained(bio) &&
	       iob_disk_bio_based(iob_bio_disk(bio));
}

/* A hashed context is on this disk from now on.  Its bio is under way there. */
static inline void iob_hashed_ctx_set_disk(struct iob_hashed_ctx *t, const struct gendisk *gd)
{
	t->gd = gd;
	t->capacity = get_capacity((struct gendisk *)gd);
	t->devt = MKDEV(gd->major, gd->first_minor);
	t->bio_based = iob_disk_bio_based(gd);
}

/* True if the disk of a context takes bios as they are.  While its bio is under way. */
static inline bool iob_bio_ctx_bio_based(const struct iob_bio_ctx *f)
{
	return f->hashed ? iob_hashed_ctx(f)->bio_based :
			   iob_disk_bio_based(iob_bio_disk(f->bio));
}

struct iob_bio_ctx *iob_bio_ctx_hashed(const struct bio *bio, bool child);
struct iob_bio_ctx *iob_bio_ctx_on(const struct bio *bio, dev_t disk);
struct iob_bio_ctx *iob_bio_ctx_alloc(const struct bio *bio, bool lone);
void iob_bio_ctx_free_hashed(struct iob_bio_ctx *f);

/*
 * The context of a bio, or NULL.  Any context but NMI, inside iob_read_lock(); the caller
 * owns the bio.
 */
static __always_inline struct iob_bio_ctx *iob_bio_ctx_find(const struct bio *bio)
{
	struct iob_bio_ctx *f = iob_bio_ctx_slot(bio);

	if (READ_ONCE(f->bio) == bio)
		return f;
	/* almost always empty */
	if (likely(hlist_bl_empty(iob_bio_ctx_bucket(bio))))
		return NULL;
	return iob_bio_ctx_hashed(bio, false);
}

/*
 * A context for a bio that has none; @lone: only the bio's owner looks it up.  All members
 * but the key are undefined.  Any context but NMI, inside iob_read_lock().  Return: NULL
 * without memory (counted).
 */
static __always_inline struct iob_bio_ctx *iob_bio_ctx_get(const struct bio *bio,
							   bool lone)
{
	struct iob_bio_ctx *f = iob_bio_ctx_slot(bio);

	if (likely(lone) && iob_bio_ctx_claim(f, bio))
		return f;
	return iob_bio_ctx_alloc(bio, lone);
}

/* Release a slot whose context owns no memory. */
static __always_inline void iob_bio_ctx_release(struct iob_bio_ctx *f)
{
	/* after all reads of the context: see iob_place_claim() */
	smp_store_release(&f->bio, NULL);
}

/* Give back a context that is in no table, and what it owns. */
static __always_inline void iob_bio_ctx_put(struct iob_bio_ctx *f)
{
	iob_origin_free(&f->origin);
	if (unlikely(f->hashed)) {
		iob_bio_ctx_free_hashed(f);
		return;
	}
	iob_bio_ctx_release(f);
}

/* Note the submitter: the current task, or an interrupt if @task is false. */
static __always_inline void iob_note_submitter(struct iob_first *first,
					       bool task)
{
	if (likely(task)) {
		first->sub_pid = current->pid;
		/* data_race: a thread of the process may rename this one; 16 bytes are copied */
		data_race(memcpy(first->sub_comm, current->comm, sizeof(first->sub_comm)));
	} else {
		first->sub_pid = 0;
		memset(first->sub_comm, 0, sizeof(first->sub_comm));
		strscpy(first->sub_comm, "interrupt", sizeof(first->sub_comm));
	}
}

/* Set what a new context of @bio, of @size bytes, has from the bio itself. */
static __always_inline void iob_bio_ctx_of(struct iob_bio_ctx *f, struct bio *bio,
					   u32 size, struct iob_disk *disk)
{
	f->disk = disk;
	f->sector = bio->bi_iter.bi_sector;
	f->issue_at = 0;
	f->size = size;
	atomic_set(&f->left, max_t(u32, size, 1));
}

/*
 * A context of @bio, submitted by the current task; its origin and .queue_at are left to
 * the caller.  Arguments, context and result as iob_bio_ctx_get().
 */
static __always_inline struct iob_bio_ctx *
iob_bio_ctx_make(struct bio *bio, const struct gendisk *gd, struct iob_disk *disk,
		 int op, bool lone)
{
	struct iob_bio_ctx *f = iob_bio_ctx_get(bio, lone);

	if (!f)
		return NULL;
	if (unlikely(f->hashed)) {
		struct iob_hashed_ctx *t = iob_hashed_ctx(f);

		iob_hashed_ctx_set_disk(t, gd);
		t->vec = bio->bi_io_vec;
		t->idx = bio->bi_iter.bi_idx;
		t->done = iob_bio_vec_done(bio);
	}
	iob_bio_ctx_of(f, bio, bio->bi_iter.bi_size, disk);
	f->claimed = false;
	f->child = false;
	f->epoch = 0;
	f->op = op;
	f->first.opf = (__force u32)bio->bi_opf;
	iob_note_submitter(&f->first, in_task());
	return f;
}

struct iob_bio_ctx *iob_bio_ctx_insert(struct iob_bio_ctx *f);
void iob_bio_ctx_remove(struct iob_bio_ctx *f);

struct iob_bio_ctx *iob_bio_ctx_piece(const struct iob_bio_ctx *whole,
				      struct bio *bio, u32 pos, bool hashed);
struct iob_bio_ctx *iob_bio_ctx_chain(const struct bio *from,
				      const struct bio *bio, u32 *pos);
const struct bio *iob_bio_ctx_bio(const struct bio *bio);
u32 iob_bio_ctx_slice(struct iob_origin *o, const struct bio *bio, u64 sector,
		      u32 bytes);

unsigned int iob_bio_ctxs_count(void);
int iob_bio_ctxs_start(void);
void iob_bio_ctxs_stop(void);
int iob_bio_ctxs_init(void);
void iob_bio_ctxs_exit(void);

#endif
