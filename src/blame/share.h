/* SPDX-License-Identifier: GPL-2.0 */
/*
 * share - the origin of a bio: which cause pays for which of its bytes, on which file
 *
 * An origin is a list of shares in the order of the bio's bytes.  Most origins have one
 * share, which needs no allocation.
 *
 * Example: a bio of 12 KiB carries two pages that cause 7 dirtied and one of cause 9.  Its
 * origin is { cause 7, 8192 bytes }, { cause 9, 4096 bytes }, both on the pages' file.
 */
#ifndef IOB_BLAME_SHARE_H
#define IOB_BLAME_SHARE_H

#include <linux/ioblame.h>
#include <linux/slab.h>
#include <linux/types.h>

#include "core/cause.h"

/* Consecutive bytes of a bio for which one cause pays. */
struct iob_share {
	u64 cause;		/* its id: without a tag, not inherited */
	struct iob_file file;
	union {
		u64 dirty_ns;	/* when the first page was dirtied, or a value below */
		struct iob_act *act;	/* io/fast's: IOB_DIRTY_NEVER by iob_share_never_dirty() */
	};
	u32 bytes;
	u8 how;			/* enum iob_how */
};

/* iob_share.dirty_ns of what was never dirty (a read): its age begins with the IO. */
#define IOB_DIRTY_NEVER		0ULL
/* iob_share.dirty_ns of what was dirtied at an unknown time. */
#define IOB_DIRTY_UNKNOWN	1ULL

/*
 * True if a share was never dirty: IOB_DIRTY_NEVER, or io/fast keeps an address there.  No time
 * has the top bit, its addresses have it.
 */
static inline bool iob_share_never_dirty(const struct iob_share *s)
{
	return (s64)s->dirty_ns <= 0;
}

/* of one bio */
#define IOB_MAX_SHARES	2048

struct iob_origin {
	union {
		struct iob_share one;	/* .room is 1 or 0 */
		struct iob_share *many;	/* an array of .room, owned */
	};
	union {
		struct {
			u16 nr;
			u16 room;
		};
		u32 shape;	/* both, to be compared at once */
	};
};

/* iob_origin.shape of an origin that is @one, as most are */
#define IOB_ORIGIN_ONE	(1 | 1 << 16)

void iob_origin_put(struct iob_origin *o, u64 ref, const struct iob_file *file,
		    enum iob_how how, u32 bytes, u64 dirty_ns);
void iob_origin_add(struct iob_origin *o, u64 ref, const struct iob_file *file,
		    u32 bytes, u32 modifier);
void iob_origin_add_page(struct iob_origin *o, u64 ref, const struct iob_file *file,
			 u32 bytes, u64 dirty_ns);
void iob_origin_add_lost(struct iob_origin *o, u32 bytes);
bool iob_origin_append(struct iob_origin *to, const struct iob_origin *from,
		       u32 pos, u32 bytes);
bool iob_origin_slice(struct iob_origin *to, const struct iob_origin *from,
		      u32 pos, u32 bytes);
u64 iob_origin_at(const struct iob_origin *o, u64 pos);
void iob_origin_stretch(struct iob_origin *o, u32 bytes);
void iob_origin_inherit(struct iob_origin *o);

/* The shares of @o.  Any context. */
static __always_inline struct iob_share *iob_shares(const struct iob_origin *o)
{
	return likely(o->room <= 1) ? (struct iob_share *)&o->one : o->many;
}

/* Make @o empty; it must own no array.  Any context. */
static inline void iob_origin_begin(struct iob_origin *o)
{
	o->nr = 0;
	o->room = 1;
}

/* Give back the array of @o, which is empty then.  Any context; a zeroed @o is fine. */
static inline void iob_origin_free(struct iob_origin *o)
{
	if (unlikely(o->room > 1))
		kfree(o->many);
	iob_origin_begin(o);
}

#endif
