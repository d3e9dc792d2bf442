/* SPDX-License-Identifier: GPL-2.0 */
/*
 * origin - a bio -> the acts that pay for it, and why we believe so
 */
#ifndef IOB_BLAME_ORIGIN_H
#define IOB_BLAME_ORIGIN_H

#include <linux/bio.h>
#include <linux/ioblame.h>
#include <linux/slab.h>

#include "core/disk.h"

/* consecutive bytes of a bio for which one act pays */
struct iob_share {
	u64 act;		/* id */
	/* when the first page was dirtied, or one of the two below */
	u64 dirty_ns;
	u32 bytes;
	u8 how;			/* enum iob_how */
};

/* iob_share.dirty_ns: its age begins with the IO; when it began is not known */
#define IOB_DIRTY_NEVER		0ULL
#define IOB_DIRTY_UNKNOWN	1ULL

struct iob_origin {
	struct iob_share *share;	/* &one or an array of its own */
	union {
		struct {
			u16 nr;
			u16 room;
		};
		u32 shape;	/* both, to be compared at once */
	};
	struct iob_share one;
};

/* of an origin that is @one: most are */
#define IOB_ORIGIN_ONE	(1 | 1 << 16)

/* The operation as iolog names it, or -1: not an IO that is accounted. */
static inline int iob_op_of(const struct bio *bio)
{
	switch (bio_op(bio)) {
	case REQ_OP_READ:
		return bio->bi_opf & REQ_RAHEAD ? IOB_OP_AHEAD : IOB_OP_READ;
	case REQ_OP_WRITE:
	case REQ_OP_ZONE_APPEND:
		/* an empty write is there for its flush */
		return bio->bi_iter.bi_size ? IOB_OP_WRITE : IOB_OP_FLUSH;
	case REQ_OP_DISCARD:
	case REQ_OP_SECURE_ERASE:
	case REQ_OP_WRITE_ZEROES:
		return IOB_OP_DISCARD;
	case REQ_OP_FLUSH:
		return IOB_OP_FLUSH;
	default:
		return -1;
	}
}

struct pt_regs;
struct iob_frame;
bool iob_origin_find(struct iob_origin *o, struct bio *bio, enum iob_op op,
		     const struct iob_frame *at, struct pt_regs *regs);
void iob_origin_find_late(struct iob_origin *o, struct bio *bio,
			  enum iob_op op);
struct iob_file;
void iob_origin_put(struct iob_origin *o, u64 act, enum iob_how how, u32 bytes,
		    u64 dirty_ns);
void iob_origin_add(struct iob_origin *o, u64 id, const struct iob_file *file,
		    u32 bytes, u32 modifier);
void iob_origin_add_page(struct iob_origin *o, u64 id, u32 bytes, u64 dirty_ns);
void iob_origin_lost(struct iob_origin *o, u32 bytes);
bool iob_origin_append(struct iob_origin *to, const struct iob_origin *from,
		       u32 pos, u32 bytes);
void iob_origin_add_lost(struct iob_origin *o, u32 bytes);
u64 iob_origin_at(const struct iob_origin *o, u64 pos);
void iob_origin_stretch(struct iob_origin *o, u32 bytes);
void iob_origin_inherit(struct iob_origin *o);
bool iob_origin_slice(struct iob_origin *to, const struct iob_origin *from,
		      u32 pos, u32 bytes);

/* Nobody pays for anything yet.  Any context. */
static inline void iob_origin_begin(struct iob_origin *o)
{
	o->share = &o->one;
	o->nr = 0;
	o->room = 1;
}

/* Give back what an origin took.  Any context. */
static inline void iob_origin_free(struct iob_origin *o)
{
	if (unlikely(o->share != &o->one))
		kfree(o->share);
	o->share = &o->one;
	o->room = 1;
}

#endif
