// SPDX-License-Identifier: GPL-2.0
#include <linux/slab.h>

#include "core/act.h"
#include "core/stats.h"
#include "share.h"

#define MAX_SHARES	2048

/* Make room for more shares: 1, 8, 32, 128, 512, 2048. */
static bool grow_origin(struct iob_origin *o)
{
	u16 room = o->room == 1 ? 8 : o->room * 4;
	struct iob_share *more;

	/* more dirtiers than that in one bio are not worth the memory */
	if (o->room >= MAX_SHARES)
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
 * iob_origin_put - an act pays for the next bytes
 * @o:     being put together
 * @act:   its id
 * @how:   how sure that is
 * @bytes: how many
 * @dirty_ns: when the first of them was dirtied, see struct iob_share
 *
 * Bytes of the same act and certainty extend the last share.  Without memory for another
 * share the last one becomes lost, which is counted.  Any context but NMI.
 */
void iob_origin_put(struct iob_origin *o, u64 act, enum iob_how how, u32 bytes,
		    u64 dirty_ns)
{
	struct iob_share *last = o->nr ? &o->share[o->nr - 1] : NULL;

	if (last && last->act == act && last->how == how) {
		last->bytes += bytes;
		return;
	}
	if (o->nr == o->room && !grow_origin(o)) {
		/* charging no act is better than charging the wrong one */
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
 * iob_origin_add - an act pays for the next bytes, as one of several
 * @o:     being put together
 * @id:    the act; charged on @file, under @modifier
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
 * iob_origin_add_page - the dirtier of a page pays for the next bytes
 * @o:     being put together
 * @id:    the act that dirtied the page
 * @bytes: how many bytes, of the page or of what was made of it
 * @dirty_ns: when it was dirtied, 0 if that is not known
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_origin_add_page(struct iob_origin *o, u64 id, u32 bytes, u64 dirty_ns)
{
	const struct iob_act *act = iob_act_id(id);

	iob_origin_put(o, id, act ? iob_act_how(act) : IOB_HOW_LOST, bytes,
		       dirty_ns ? dirty_ns : IOB_DIRTY_UNKNOWN);
}

/* No act is known for the next bytes.  Any context. */
void iob_origin_add_lost(struct iob_origin *o, u32 bytes)
{
	iob_origin_put(o, IOB_ACT_LOST, IOB_HOW_LOST, bytes, IOB_DIRTY_UNKNOWN);
}

/**
 * iob_origin_append - add the origin of a piece of another bio
 * @to:    begun; gets the shares; iob_origin_free() it in the end
 * @from:  the other bio's origin
 * @pos:   where the piece begins in it, in bytes
 * @bytes: size of the piece
 *
 * Any context but NMI.  Return: false if @from ends before the piece does.
 */
bool iob_origin_append(struct iob_origin *to, const struct iob_origin *from,
		       u32 pos, u32 bytes)
{
	unsigned int i;

	/* a flush has no bytes, but an act pays for it */
	if (!bytes && from->nr)
		iob_origin_put(to, from->share[0].act, from->share[0].how, 0,
			       from->share[0].dirty_ns);
	for (i = 0; i < from->nr && bytes; i++) {
		const struct iob_share *s = &from->share[i];
		u32 piece;

		if (pos >= s->bytes) {
			pos -= s->bytes;
			continue;
		}
		piece = min(bytes, s->bytes - pos);
		iob_origin_put(to, s->act, s->how, piece, s->dirty_ns);
		bytes -= piece;
		pos = 0;
	}
	return !bytes;
}

/* As iob_origin_append(), to an @to that is not begun yet. */
bool iob_origin_slice(struct iob_origin *to, const struct iob_origin *from,
		      u32 pos, u32 bytes)
{
	iob_origin_begin(to);
	return iob_origin_append(to, from, pos, bytes);
}

/*
 * The act that pays for the byte at @pos; the first share's act if @pos is beyond the
 * end; IOB_ACT_NONE if there is no share.  Any context.
 */
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

/* Make the last share @bytes longer.  @o has at least one.  Any context. */
void iob_origin_stretch(struct iob_origin *o, u32 bytes)
{
	o->share[o->nr - 1].bytes += bytes;
}

/*
 * The IO is not the shares' own data but needed for it, as parity is: exact becomes
 * inherited.  Any context.
 */
void iob_origin_inherit(struct iob_origin *o)
{
	unsigned int i;

	for (i = 0; i < o->nr; i++) {
		if (o->share[i].how == IOB_HOW_EXACT)
			o->share[i].how = IOB_HOW_INHERITED;
	}
}
