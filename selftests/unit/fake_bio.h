/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What src/io/bio.c and bio_end.c use of their neighbours, for test_bio.c, which includes them
 *
 * The kernel is one like 5.10, where the end of a chained bio is not announced.  All disks are
 * watched.  All contexts are hashed, in one bucket; slots are always taken.  Disks and bios come
 * from malloc(): a sanitizer sees who follows one that is freed.
 */
#ifndef UNIT_FAKE_BIO_H
#define UNIT_FAKE_BIO_H

/* the real ones are not read */
#define IOB_COMPAT_COMPILER_H
#define IOB_COMPAT_RCU_H
#define IOB_CORE_STATS_H
#define IOB_STACK_STACK_H
#define IOB_BLAME_ASYNC_H
#define IOB_BLAME_BIO_KIND_H
#define IOB_IO_ACCOUNT_H
#define IOB_IO_BIO_CTX_H
#define IOB_IO_PARENT_H

#include <linux/atomic.h>
#include <linux/blkdev.h>
#include <linux/compiler.h>

#include "test.h"

#define atomic_read_acquire(a)		((u32)__atomic_load_n(&(a)->counter, __ATOMIC_ACQUIRE))
#define atomic_sub_and_test(v, a)	(!__atomic_sub_fetch(&(a)->counter, v, __ATOMIC_SEQ_CST))

/* --- the kernel's */

struct pt_regs;

struct request_queue {
	int id;
};

struct gendisk {
	bool bio_based;
	u64 capacity;
	struct request_queue *queue;
	struct request_queue own;
};

struct bio {
	struct {
		u64 bi_sector;
		u32 bi_size;
	} bi_iter;
	u32 bi_opf;
	u8 bi_status;
	bool chained;		/* to .bi_private */
	bool ciphertext;	/* of .bi_private */
	bool is_parent;		/* BIO_CHAIN */
	bool announced;		/* BIO_TRACE_COMPLETION */
	void *bi_private;
	struct gendisk *disk;
	u64 partition;		/* where the one begins that it is sent to, until it is queued */
};

#define __force
#define REQ_NOWAIT		1u
#define REQ_OP_DISCARD		3
#define BIO_CHAIN		1
#define BIO_TRACE_COMPLETION	2
#define SECTOR_SHIFT		9

#define bio_op(bio)			((void)(bio), 0)
#define bio_flagged(bio, flag)		((flag) == BIO_CHAIN ? (bio)->is_parent : (bio)->announced)
#define blk_status_to_errno(status)	(-(int)(status))

/* --- core/stats, core/disk, blame, stack, io/parent */

static unsigned int nr_stale, nr_refused;

#define inflight_stale		(&nr_stale)
#define io_refused		(&nr_refused)
#define iob_stat_inc(name)	((void)++*(name))

struct iob_disk {
	int id;
};

static struct iob_disk watched;

#define iob_bio_disk(bio)		((const struct gendisk *)(bio)->disk)
#define iob_disk_of(gd, sector, bytes)	((void)(gd), (void)(sector), (void)(bytes), &watched)
#define iob_disk_any()			true
#define iob_disk_bio_based(gd)		((gd)->bio_based)
#define iob_disk_hands_on(gd)		((gd)->bio_based)
#define iob_disk_passes_silently(gd)	((void)(gd), false)
#define iob_disk_is_file(gd)		((void)(gd), false)
#define iob_disk_discards(gd)		((void)(gd), true)
#define iob_disks_maybe_all()		((void)0)
#define iob_disk_maybe_from_now(gd)	((void)(gd))
#define IOB_OP_WRITE			1
static int op_now;	/* of all bios */
#define iob_op_of(bio)			((void)(bio), op_now)
#define iob_clock_now()			1
#define iob_parent_expect_workers()	((void)0)
#define iob_parent_find(o, bio)		((void)(o), (void)(bio), false)
#define iob_bio_disk_sector(bio)	((bio)->bi_iter.bi_sector + (bio)->partition)

struct iob_frame {
	unsigned long ip, sp, bp;
};

struct iob_share {
	u32 bytes;
	u64 cause;
};

struct iob_origin {
	unsigned int nr;
	struct iob_share one;
};

#define iob_shares(o)		(&(o)->one)
#define iob_origin_at(o, pos)	((void)(pos), (o)->one.cause)
#define iob_origin_begin(o)	((void)((o)->nr = 0))

static unsigned int nr_submitters;	/* how often the submitter was asked for */

static inline bool iob_origin_find(struct iob_origin *o, const struct bio *bio, int op,
				   struct iob_frame *at, struct pt_regs *regs)
{
	(void)op;
	(void)at;
	(void)regs;
	nr_submitters++;
	o->nr = 1;
	o->one.bytes = bio->bi_iter.bi_size;
	o->one.cause = 7;
	return true;
}

static unsigned int nr_told;	/* of how many writes is it told who pays? */

static inline void iob_async_bio(const struct bio *bio, u64 cause, const struct iob_frame *at,
				 struct pt_regs *regs)
{
	(void)bio;
	(void)at;
	(void)regs;
	nr_told += cause == 7;
}

static bool parent_known;	/* of a bio without pages */

static inline bool iob_parent_without_pages(struct iob_origin *o, const struct bio *bio,
					    dev_t disk, u64 sector)
{
	(void)disk;
	(void)sector;
	o->nr = parent_known;
	o->one.bytes = bio->bi_iter.bi_size;
	return parent_known;
}

struct iob_bio_kind {
	bool when_queued;
};

#define iob_bio_kind_of(bio, whole)	((void)(bio), (void)(whole), (const struct iob_bio_kind *)NULL)

/* --- io/run, io/account */

struct iob_first {
	u64 queue_at;
	u32 opf;
};

struct iob_io {
	struct iob_disk *disk;
	const struct gendisk *gd;
	const struct iob_first *first;
	u64 issue_at;
	int error;
	u32 nr_bios;
	u8 op;
	u64 capacity;
};

static u64 done_bytes;		/* of all that ended */
static u64 done_capacity;	/* the sum of those of their disks */
static unsigned int nr_done;
static u64 done_issue_at;	/* of the last one */

static inline void iob_io_share(struct iob_io *io, u64 sector, const struct iob_share *share)
{
	(void)io;
	(void)sector;
	done_bytes += share->bytes;
}

static inline void iob_io_end(struct iob_io *io)
{
	nr_done++;
	done_issue_at = io->issue_at;
	done_capacity += io->gd ? io->gd->capacity : io->capacity;
}

/* --- io/bio_ctx */

struct iob_bio_ctx {
	const struct bio *bio;
	struct iob_disk *disk;
	u64 sector;
	union {
		u64 issue_at;
		const void *private;
	};
	u32 size;
	atomic_t left;
	struct iob_first first;
	struct iob_origin origin;
	u8 op;
	bool claimed, child, hashed;
};

struct iob_hashed_ctx {
	struct iob_bio_ctx f;
	struct iob_hashed_ctx *next;
	const struct gendisk *gd;
	u64 capacity;
	const struct bio *self;
	bool passed, bio_based;
	int error;
};

struct hlist_bl_head {
	struct iob_hashed_ctx *first;
};

static struct hlist_bl_head iob_bio_ctx_table;
static struct iob_bio_ctx slot_taken;
static bool iob_has_parents;

#define IOB_CHAINED_END_SILENT		1
#define iob_bio_chained(bio)		((bio)->chained)
#define iob_bio_may_be_rest_of_ciphertext(bio)	((bio)->ciphertext)
#define iob_bio_ends_with_parent(bio)	((bio)->chained && (bio)->disk->bio_based)
#define iob_hashed_ctx(f)		((struct iob_hashed_ctx *)(f))
#define iob_bio_ctx_disk(f)		(((const struct iob_hashed_ctx *)(f))->gd)
#define iob_bio_ctx_bio_based(f)	(((const struct iob_hashed_ctx *)(f))->bio_based)
#define iob_bio_ctx_above(f)		((void)(f), (struct iob_bio_ctx *)NULL)
#define iob_bio_ctx_slot(bio)		((void)(bio), &slot_taken)
#define iob_bio_ctx_bucket(bio)		((void)(bio), &iob_bio_ctx_table)
#define hlist_bl_empty(b)		(!(b)->first)
#define iob_bio_ctx_find(bio)		iob_bio_ctx_hashed(bio, false)
#define iob_bio_ctx_put(f)		free(f)

static inline struct iob_bio_ctx *iob_bio_ctx_hashed(const struct bio *bio, bool child)
{
	struct iob_hashed_ctx *t;

	for (t = iob_bio_ctx_table.first; t; t = t->next) {
		if (t->f.bio == bio && t->f.child == child && !t->passed)
			return &t->f;
	}
	return NULL;
}

static inline struct iob_bio_ctx *iob_bio_ctx_make(struct bio *bio, const struct gendisk *gd,
						   struct iob_disk *disk, int op, bool lone)
{
	struct iob_hashed_ctx *t = calloc(1, sizeof(*t));

	(void)lone;
	t->gd = gd;
	t->capacity = gd->capacity;
	t->bio_based = gd->bio_based;
	t->f = (struct iob_bio_ctx){
		.bio = bio, .disk = disk, .sector = bio->bi_iter.bi_sector,
		.size = bio->bi_iter.bi_size, .op = op, .hashed = true,
	};
	atomic_set(&t->f.left, t->f.size);
	return &t->f;
}

static inline struct iob_bio_ctx *iob_bio_ctx_chain(const struct bio *from,
						    const struct bio *bio, u32 *pos)
{
	struct iob_bio_ctx *f = iob_bio_ctx_find(from);

	if (!f && (from->chained || from->ciphertext))
		f = iob_bio_ctx_find(from->bi_private);
	if (f && from != bio && iob_bio_ctx_disk(f) != iob_bio_disk(bio))
		return NULL;
	*pos = f ? (bio->bi_iter.bi_sector - f->sector) << SECTOR_SHIFT : 0;
	return f;
}

#define iob_bio_ctx_piece(whole, bio, pos, hashed) \
	((void)(pos), iob_bio_ctx_make(bio, iob_bio_ctx_disk(whole), (whole)->disk, 0, !(hashed)))

static inline void iob_bio_ctx_remove(struct iob_bio_ctx *f)
{
	struct iob_hashed_ctx **at = &iob_bio_ctx_table.first;

	while (*at != iob_hashed_ctx(f))
		at = &(*at)->next;
	*at = (*at)->next;
}

static inline struct iob_bio_ctx *iob_bio_ctx_insert(struct iob_bio_ctx *f)
{
	/* several children may be chained to one bio */
	struct iob_bio_ctx *old = f->child ? NULL : iob_bio_ctx_hashed(f->bio, false);

	if (old)
		iob_bio_ctx_remove(old);
	iob_hashed_ctx(f)->next = iob_bio_ctx_table.first;
	iob_bio_ctx_table.first = iob_hashed_ctx(f);
	return old;
}

#endif
