/* SPDX-License-Identifier: GPL-2.0 */
/*
 * share - the origin of a bio: which act pays for which of its bytes
 *
 * An origin is a list of shares in the order of the bio's bytes.  Most origins have one
 * share, which needs no allocation.
 *
 * Example: a bio of 12 KiB carries two pages that act 7 dirtied and one of act 9.  Its
 * origin is { act 7, 8192 bytes }, { act 9, 4096 bytes }.
 */
#ifndef IOB_BLAME_SHARE_H
#define IOB_BLAME_SHARE_H

#include <linux/ioblame.h>
#include <linux/slab.h>
#include <linux/types.h>

struct iob_file;

/* Consecutive bytes of a bio for which one act pays. */
struct iob_share {
	u64 act;		/* id */
	u64 dirty_ns;		/* when the first page was dirtied, or a value below */
	u32 bytes;
	u8 how;			/* enum iob_how */
};

/* iob_share.dirty_ns of what was never dirty (a read): its age begins with the IO. */
#define IOB_DIRTY_NEVER		0ULL
/* iob_share.dirty_ns of what was dirtied at an unknown time. */
#define IOB_DIRTY_UNKNOWN	1ULL

struct iob_origin {
	struct iob_share *share;	/* &one, or an array of its own */
	union {
		struct {
			u16 nr;
			u16 room;
		};
		u32 shape;	/* both, to be compared at once */
	};
	struct iob_share one;
};

/* iob_origin.shape of an origin that is @one, as most are */
#define IOB_ORIGIN_ONE	(1 | 1 << 16)

void iob_origin_put(struct iob_origin *o, u64 act, enum iob_how how, u32 bytes,
		    u64 dirty_ns);
void iob_origin_add(struct iob_origin *o, u64 id, const struct iob_file *file,
		    u32 bytes, u32 modifier);
void iob_origin_add_page(struct iob_origin *o, u64 id, u32 bytes, u64 dirty_ns);
void iob_origin_add_lost(struct iob_origin *o, u32 bytes);
bool iob_origin_append(struct iob_origin *to, const struct iob_origin *from,
		       u32 pos, u32 bytes);
bool iob_origin_slice(struct iob_origin *to, const struct iob_origin *from,
		      u32 pos, u32 bytes);
u64 iob_origin_at(const struct iob_origin *o, u64 pos);
void iob_origin_stretch(struct iob_origin *o, u32 bytes);
void iob_origin_inherit(struct iob_origin *o);

/* Make @o empty; it must own no array.  Any context. */
static inline void iob_origin_begin(struct iob_origin *o)
{
	o->share = &o->one;
	o->nr = 0;
	o->room = 1;
}

/* Give back the array of @o.  Any context; a zeroed @o is fine. */
static inline void iob_origin_free(struct iob_origin *o)
{
	if (unlikely(o->share != &o->one))
		kfree(o->share);
	o->share = &o->one;
	o->room = 1;
}

#endif
