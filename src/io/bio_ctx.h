/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flight - one bio under way, as inflight, upper and loop share it
 *
 * Flights are found by their bio's address.  Most are kept in slots: an array,
 * in which a bio's address has one place.  To take it is one cmpxchg, to give it
 * back one store, and to find it takes no lock: a bio is only asked for by whoever
 * has it, so nobody looks for one that is being given back.  A flight whose place
 * is taken, and one on a disk that makes clones, which others may look for, goes
 * into a hash table with a lock for each bucket.
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
#include "account.h"

#define IOB_BIO_CTX_BITS	14
#define IOB_BIO_SLOT_BITS	11
#define IOB_MAX_CHAIN	4		/* bios chained to one another */

struct iob_bio_ctx {
	const struct bio *bio;		/* key; of a slot: NULL if it is free */
	struct iob_disk *disk;		/* NULL: only followed */
	u64 sector;
	u64 issue_at;			/* the request that it leads, by iob_clock_now(), or 0 */
	u32 size;
	atomic_t left;			/* bytes to come, or 1 if size is 0 */
	struct iob_first first;
	struct iob_origin origin;
	union {
		const void *private;	/* the bio's, while it is claimed */
		struct iob_act *act;	/* its one part's, in the epoch below */
	};
	union {
		struct {
			u32 epoch;	/* 0: no act; see record/quick */
			u8 op;		/* enum iob_op */
			bool claimed;	/* not queued yet */
			bool child;	/* ends with @bio, which it is chained to */
			bool hashed;	/* in the table, not in a slot */
		};
		u64 kind;		/* all of them, to be set at once */
	};
} ____cacheline_aligned;

/* One that is in the table. */
struct iob_hashed_ctx {
	struct iob_bio_ctx f;
	const struct gendisk *gd;	/* lives as long as the bio */
	struct hlist_bl_node hash;
	struct hlist_bl_node vec_hash;	/* if it is on a disk that clones */
	const struct bio_vec *vec;	/* the other key, or if there is none, */
	dev_t dev;			/* the disk on which it began */
	u32 idx, done;			/* where in @vec it began */
	const struct bio *self;		/* the bio itself, of a child */
	bool passed;			/* @bio went on to a disk below as it is: */
	struct iob_bio_ctx *above;	/* such a one, of which this is a piece */
	int error;			/* of a piece that is done */
};

static inline struct iob_hashed_ctx *iob_hashed_ctx(const struct iob_bio_ctx *f)
{
	return container_of(f, struct iob_hashed_ctx, f);
}

/* The flight of which this is a piece, and which went on below; or NULL. */
static inline struct iob_bio_ctx *iob_bio_ctx_above(const struct iob_bio_ctx *f)
{
	return f->hashed ? iob_hashed_ctx(f)->above : NULL;
}

/* The flight's disk, while its bio is under way. */
static inline const struct gendisk *iob_bio_ctx_disk(const struct iob_bio_ctx *f)
{
	/* a bio in the table may have been handed on to another disk since */
	return f->hashed ? iob_hashed_ctx(f)->gd : iob_bio_disk(f->bio);
}

extern struct iob_bio_ctx *iob_bio_ctx_slots;
extern struct hlist_bl_head *iob_bio_ctx_table;

/* Interrupts off: a completion may come in the middle. */
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

static inline struct iob_bio_ctx *iob_bio_ctx_slot(const struct bio *bio)
{
	return &iob_bio_ctx_slots[hash_ptr(bio, IOB_BIO_SLOT_BITS)];
}

static inline struct hlist_bl_head *iob_bio_ctx_bucket(const struct bio *bio)
{
	return &iob_bio_ctx_table[hash_ptr(bio, IOB_BIO_CTX_BITS)];
}

/*
 * Whether the end of this bio is not announced: 5.10 goes on to the parent
 * before it looks at what was to be traced.  (With requests it is announced.)
 */
static inline bool iob_bio_ends_with_parent(const struct bio *bio)
{
	return IOB_CHAINED_END_SILENT && iob_bio_chained(bio) &&
	       iob_disk_bio_based(iob_bio_disk(bio));
}

static inline bool iob_disk_is(const struct gendisk *gd, dev_t disk)
{
	return gd->major == MAJOR(disk) && gd->first_minor == MINOR(disk);
}

struct iob_bio_ctx *iob_bio_ctx_hashed(const struct bio *bio, bool child);
struct iob_bio_ctx *iob_bio_ctx_on(const struct bio *bio, dev_t disk);

/*
 * The flight of a bio, or NULL.  Any context but NMI, inside iob_read_lock(), by
 * who has the bio.
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

struct iob_bio_ctx *iob_bio_ctx_alloc(const struct bio *bio);

/*
 * A flight for a bio that has none; @lone: nobody else looks for it.  Any content
 * but for the key.  Any context but NMI, inside iob_read_lock().  Return: NULL
 * without memory (counted).
 */
static __always_inline struct iob_bio_ctx *iob_bio_ctx_get(const struct bio *bio,
							 bool lone)
{
	struct iob_bio_ctx *f = iob_bio_ctx_slot(bio);

	if (likely(lone) && !READ_ONCE(f->bio) && !cmpxchg(&f->bio, NULL, bio))
		return f;
	return iob_bio_ctx_alloc(bio);
}

void iob_bio_ctx_free_hashed(struct iob_bio_ctx *f);

/* A slot's flight, which has nothing else, is over: the slot is free. */
static __always_inline void iob_bio_ctx_release(struct iob_bio_ctx *f)
{
	/* after all that we have read of it: see iob_bio_ctx_get(); its parts are its own */
	smp_store_release(&f->bio, NULL);
}

/* It is in no table; what it has is given back. */
static __always_inline void iob_bio_ctx_put(struct iob_bio_ctx *f)
{
	iob_origin_free(&f->origin);
	if (unlikely(f->hashed)) {
		iob_bio_ctx_free_hashed(f);
		return;
	}
	iob_bio_ctx_release(f);
}

/* The current task submits, or @task says that it is an interrupt. */
static __always_inline void iob_note_submitter(struct iob_first *first,
					       bool task)
{
	if (likely(task)) {
		first->sub_pid = current->pid;
		memcpy(first->sub_comm, current->comm, sizeof(first->sub_comm));
	} else {
		first->sub_pid = 0;
		memset(first->sub_comm, 0, sizeof(first->sub_comm));
		strscpy(first->sub_comm, "interrupt", sizeof(first->sub_comm));
	}
}

/* A new flight is @bio's, of @size bytes.  The rest is left to the caller. */
static __always_inline void iob_bio_ctx_of(struct iob_bio_ctx *f, struct bio *bio,
					  u32 size, struct iob_disk *disk)
{
	f->disk = disk;
	f->sector = bio->bi_iter.bi_sector;
	f->issue_at = 0;
	f->size = size;
	atomic_set(&f->left, max_t(u32, size, 1));
}

struct iob_bio_ctx *iob_bio_ctx_insert(struct iob_bio_ctx *f);
void iob_bio_ctx_remove(struct iob_bio_ctx *f);

struct iob_bio_ctx *iob_bio_ctx_piece(const struct iob_bio_ctx *whole,
				    struct bio *bio, u32 pos, bool hashed);
void iob_bio_ctx_begin(struct iob_bio_ctx *f);
void iob_bio_ctx_lose(struct iob_bio_ctx *whole, u32 bytes);
const struct bio *iob_bio_ctx_bio(const struct bio *bio);
u32 iob_bio_ctx_slice(struct iob_origin *o, const struct bio *bio, u64 sector,
		     u32 bytes);

unsigned int iob_bio_ctxs_count(void);
int iob_bio_ctxs_start(void);
void iob_bio_ctxs_stop(void);
int iob_bio_ctxs_init(void);
void iob_bio_ctxs_exit(void);

#endif
