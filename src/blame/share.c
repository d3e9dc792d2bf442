// SPDX-License-Identifier: GPL-2.0
/*
 * The parts of an origin: consecutive bytes of a bio, and who pays for them.  Most
 * have one, which needs no memory.
 */
#include <linux/slab.h>

#include "core/act.h"
#include "origin.h"
#include "core/stats.h"

#define MAX_PARTS	2048

static bool grow(struct iob_origin *o)
{
	u16 room = o->room == 1 ? 8 : o->room * 4;
	struct iob_share *more;

	/* that many dirtiers in one bio are no longer worth the memory */
	if (o->room >= MAX_PARTS)
		return false;
	more = kmalloc_array(room, sizeof(*more), GFP_NOWAIT | __GFP_NOWARN);
	if (!more)
		return false;
	memcpy(more, o->share, o->nr * sizeof(*more));
	iob_origin_free(o);
	o->share = more;
	o->room = room;
	return true;
}

/**
 * iob_origin_put - @bytes more, for which an act pays
 * @o:     being put together
 * @act:   its id
 * @how:   how sure that is
 * @bytes: how many
 * @dirty_ns: when the first of them was dirtied, see struct iob_share
 *
 * Any context but NMI.
 */
void iob_origin_put(struct iob_origin *o, u64 act, enum iob_how how, u32 bytes,
		    u64 dirty_ns)
{
	struct iob_share *last = o->nr ? &o->share[o->nr - 1] : NULL;

	if (last && last->act == act && last->how == how) {
		last->bytes += bytes;
		return;
	}
	if (o->nr == o->room && !grow(o)) {
		/* better nobody than the wrong one */
		iob_stat_inc(parts_nomem);
		last->act = IOB_ACT_NOMEM;
		last->how = IOB_HOW_LOST;
		last->bytes += bytes;
		return;
	}
	last = &o->share[o->nr++];
	last->act = act;
	last->how = how;
	last->bytes = bytes;
	last->dirty_ns = dirty_ns;
}

/**
 * iob_origin_add - @bytes more, which @id pays for together with others
 * @o:     being put together
 * @id:    an act; here on @file, under @modifier
 * @file:  the file
 * @bytes: how many
 * @modifier: see IOB_MODIFIER_*
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_origin_add(struct iob_origin *o, u64 id, const struct iob_file *file,
		    u32 bytes, u32 modifier)
{
	id = iob_act_modified(iob_act_on(id, file, true), modifier);
	iob_origin_put(o, id, IOB_HOW_INHERITED, bytes, IOB_DIRTY_UNKNOWN);
}

/**
 * iob_origin_add_page - @bytes more of a page, or of what is made of it
 * @o:     being put together
 * @id:    who dirtied it
 * @bytes: how many
 * @dirty_ns: when that was, 0 if it is not known
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_origin_add_page(struct iob_origin *o, u64 id, u32 bytes, u64 dirty_ns)
{
	const struct iob_act *act = iob_act_id(id);

	iob_origin_put(o, id, act ? iob_act_how(act) : IOB_HOW_LOST, bytes,
		       dirty_ns ? dirty_ns : IOB_DIRTY_UNKNOWN);
}

/* Nobody is known to pay for @bytes.  Any context. */
void iob_origin_lost(struct iob_origin *o, u32 bytes)
{
	iob_origin_begin(o);
	iob_origin_add_lost(o, bytes);
}

/**
 * iob_origin_append - the origin of one more piece of a bio
 * @to:    begun; gets the parts; iob_origin_free() it in the end
 * @from:  the whole bio's origin
 * @pos:   where the piece begins, in bytes
 * @bytes: its size
 *
 * Any context but NMI.  Return: false if @from has less than that.
 */
bool iob_origin_append(struct iob_origin *to, const struct iob_origin *from,
		       u32 pos, u32 bytes)
{
	unsigned int i;

	/* a flush has no bytes, but somebody pays */
	if (!bytes && from->nr)
		iob_origin_put(to, from->share[0].act, from->share[0].how, 0,
			       from->share[0].dirty_ns);
	for (i = 0; i < from->nr && bytes; i++) {
		const struct iob_share *p = &from->share[i];
		u32 piece;

		if (pos >= p->bytes) {
			pos -= p->bytes;
			continue;
		}
		piece = min(bytes, p->bytes - pos);
		iob_origin_put(to, p->act, p->how, piece, p->dirty_ns);
		bytes -= piece;
		pos = 0;
	}
	return !bytes;
}

/* Nobody is known to pay for @bytes more.  Any context. */
void iob_origin_add_lost(struct iob_origin *o, u32 bytes)
{
	iob_origin_put(o, IOB_ACT_LOST, IOB_HOW_LOST, bytes, IOB_DIRTY_UNKNOWN);
}

/* Who pays for the byte at @pos, the first if there is none.  Any context. */
u64 iob_origin_at(const struct iob_origin *o, u64 pos)
{
	u64 end = 0;
	unsigned int i;

	for (i = 0; i < o->nr; i++) {
		end += o->share[i].bytes;
		if (pos < end)
			return o->share[i].act;
	}
	return o->nr ? o->share[0].act : IOB_ACT_NONE;
}

/* The last part is @bytes longer.  There is one.  Any context. */
void iob_origin_stretch(struct iob_origin *o, u32 bytes)
{
	o->share[o->nr - 1].bytes += bytes;
}

/* What is done is not the parts' own data, but needed for it.  Any context. */
void iob_origin_inherit(struct iob_origin *o)
{
	unsigned int i;

	for (i = 0; i < o->nr; i++) {
		if (o->share[i].how == IOB_HOW_EXACT)
			o->share[i].how = IOB_HOW_INHERITED;
	}
}

/* As iob_origin_append(), but @to has nothing yet. */
bool iob_origin_slice(struct iob_origin *to, const struct iob_origin *from,
		      u32 pos, u32 bytes)
{
	iob_origin_begin(to);
	return iob_origin_append(to, from, pos, bytes);
}
