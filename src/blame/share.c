// SPDX-License-Identifier: GPL-2.0
#include <linux/slab.h>

#include "core/stats.h"
#include "share.h"

/* Make room for more shares: 1, 8, 32, 128, 512, 2048. */
static bool grow_origin(struct iob_origin *o)
{
	u16 room = o->room == 1 ? 8 : o->room * 4;
	struct iob_share *more;

	/* more dirtiers than that in one bio are not worth the memory */
	if (o->room >= IOB_MAX_SHARES)
		return false;
	more = kmalloc_array(room, sizeof(*more), GFP_NOWAIT | __GFP_NOWARN);
	if (!more)
		return false;
	memcpy(more, iob_shares(o), o->nr * sizeof(*more));
	if (o->room > 1)
		kfree(o->many);
	o->many = more;
	o->room = room;
	return true;
}

/* Whether it is known who caused it. */
static bool has_role(u64 ref)
{
	const struct iob_cause *cause = iob_cause_of(ref);

	return cause && cause->role > IOB_CAUSE_LOST;
}

/**
 * iob_origin_put - a cause pays for the next bytes
 * @o:     being put together
 * @ref:   a reference to the cause
 * @file:  the file
 * @how:   how sure that is, if the cause's role is known
 * @bytes: how many
 * @dirty_ns: when the first of them was dirtied, see struct iob_share
 *
 * This is where blame ends, so no share of an unknown role is ever more than lost.  Bytes of
 * the same cause, file and certainty extend the last share.  Without memory for another
 * share the last one becomes lost, which is counted.  Any context but NMI, inside
 * iob_read_lock().
 */
void iob_origin_put(struct iob_origin *o, u64 ref, const struct iob_file *file,
		    enum iob_how how, u32 bytes, u64 dirty_ns)
{
	struct iob_share *last = o->nr ? &iob_shares(o)[o->nr - 1] : NULL;
	u64 cause = iob_cause_id(ref);

	if (unlikely(!has_role(cause)))
		how = IOB_HOW_LOST;
	if (last && last->cause == cause && last->how == how &&
	    iob_file_same(&last->file, file)) {
		last->bytes += bytes;
		return;
	}
	if (o->nr == o->room && !grow_origin(o)) {
		/* charging no cause is better than charging the wrong one */
		iob_stat_inc(parts_nomem);
		last->cause = IOB_CAUSE_NOMEM;
		last->how = IOB_HOW_LOST;
		last->bytes += bytes;
		return;
	}
	last = &iob_shares(o)[o->nr++];
	last->cause = cause;
	last->file = *file;
	last->how = how;
	last->bytes = bytes;
	last->dirty_ns = dirty_ns;
}

/**
 * iob_origin_add - a cause pays for the next bytes, as one of several
 * @o:     being put together
 * @ref:   a reference to the cause; pays on @file, under @modifier
 * @file:  the file
 * @bytes: how many
 * @modifier: see IOB_MODIFIER_*
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_origin_add(struct iob_origin *o, u64 ref, const struct iob_file *file,
		    u32 bytes, u32 modifier)
{
	const struct iob_cause *cause = iob_cause_of(ref);

	if (!cause) {
		iob_stat_inc(act_lost);
		ref = IOB_CAUSE_LOST;
	}
	iob_origin_put(o, iob_cause_modified(ref, modifier), file,
		       iob_cause_how(ref | IOB_CAUSE_INHERITED, cause), bytes, IOB_DIRTY_UNKNOWN);
}

/**
 * iob_origin_add_page - the dirtier of a page pays for the next bytes
 * @o:     being put together
 * @ref:   a reference to the cause that dirtied the page
 * @file:  the page's
 * @bytes: how many bytes, of the page or of what was made of it
 * @dirty_ns: when it was dirtied, 0 if that is not known
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_origin_add_page(struct iob_origin *o, u64 ref, const struct iob_file *file,
			 u32 bytes, u64 dirty_ns)
{
	iob_origin_put(o, ref, file, iob_cause_how(ref, iob_cause_of(ref)), bytes,
		       dirty_ns ? dirty_ns : IOB_DIRTY_UNKNOWN);
}

/* No cause is known for the next bytes.  Any context. */
void iob_origin_add_lost(struct iob_origin *o, u32 bytes)
{
	static const struct iob_file none;

	iob_origin_put(o, IOB_CAUSE_LOST, &none, IOB_HOW_LOST, bytes, IOB_DIRTY_UNKNOWN);
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
	const struct iob_share *s = iob_shares(from);
	unsigned int i;

	/* a flush has no bytes, but a cause pays for it */
	if (!bytes && from->nr)
		iob_origin_put(to, s->cause, &s->file, s->how, 0, s->dirty_ns);
	for (i = 0; i < from->nr && bytes; i++, s++) {
		u32 piece;

		if (pos >= s->bytes) {
			pos -= s->bytes;
			continue;
		}
		piece = min(bytes, s->bytes - pos);
		iob_origin_put(to, s->cause, &s->file, s->how, piece, s->dirty_ns);
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
 * The cause that pays for the byte at @pos; the first share's if @pos is beyond the end;
 * IOB_CAUSE_NONE if there is no share.  Any context.
 */
u64 iob_origin_at(const struct iob_origin *o, u64 pos)
{
	const struct iob_share *s = iob_shares(o);
	u64 end = 0;
	unsigned int i;

	for (i = 0; i < o->nr; i++) {
		end += s[i].bytes;
		if (pos < end)
			return s[i].cause;
	}
	return o->nr ? s->cause : IOB_CAUSE_NONE;
}

/* Make the last share @bytes longer.  @o has at least one.  Any context. */
void iob_origin_stretch(struct iob_origin *o, u32 bytes)
{
	iob_shares(o)[o->nr - 1].bytes += bytes;
}

/*
 * The IO is not the shares' own data but needed for it, as parity is: exact becomes
 * inherited.  Any context.
 */
void iob_origin_inherit(struct iob_origin *o)
{
	struct iob_share *s = iob_shares(o);
	unsigned int i;

	for (i = 0; i < o->nr; i++) {
		if (s[i].how == IOB_HOW_EXACT)
			s[i].how = IOB_HOW_INHERITED;
	}
}
