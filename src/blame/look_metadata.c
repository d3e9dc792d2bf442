// SPDX-License-Identifier: GPL-2.0
#include <linux/blkdev.h>
#include <linux/math64.h>

#include <compat/compiler.h>

#include "association.h"
#include "behalf.h"
#include "core/stats.h"
#include "freed_extent.h"
#include "look.h"
#include "look_metadata.h"
#include "stack/stack.h"
#include "transaction.h"

/*
 * The cause that changed what the bio carries pays, on the file whose pages these are, or
 * else on the device.  Return: false if it is not known.
 */
static bool add_changed_by(struct iob_look *l, u64 ref)
{
	const struct iob_cause *cause = iob_cause_of(ref);
	struct iob_file file;

	if (ref <= IOB_CAUSE_LOST)
		return false;
	if (unlikely(!cause)) {
		iob_stat_inc(act_lost);
		return false;
	}
	if (l->meta_host)
		iob_file_of(l->meta_host, &file);
	else
		iob_look_device(l->bio, &file);
	iob_origin_put(l->o, iob_cause_modified(ref, l->modifier), &file,
		       iob_cause_how(ref, cause), l->bio->bi_iter.bi_size, IOB_DIRTY_UNKNOWN);
	return true;
}

/* The number in iob_assoc_log_block of the block that the bio writes, if it is one. */
static bool log_block_of(const struct iob_look *l, const struct iob_transaction_write *w,
			 u64 *nr)
{
	u64 sector = l->bio->bi_iter.bi_sector;

	if (!l->bio->bi_iter.bi_size || !w->log_id || !w->gd ||
	    w->gd != iob_bio_disk(l->bio) || sector < w->start)
		return false;
	*nr = iob_transaction_block(w->first, (sector - w->start) >> w->shift);
	return true;
}

/* What a task writes to a log: a buffer's copy, or what serves the whole transaction. */
static bool look_at_log(struct iob_look *l)
{
	const struct iob_transaction_write *w;
	struct iob_file file;
	bool is_log;
	u64 nr;

	/* a task may have to write out memory anywhere: REQ_SWAP */
	if (!l->task || l->late || l->bio->bi_opf & REQ_SWAP)
		return false;
	w = iob_transaction_writes(l->task);
	/* it is the log's whoever has taken part, as what is written at an unmount */
	is_log = l->kind && l->kind->is_log && l->kind->is_log(l->task);
	if (is_log || (w->key && w->always))
		l->modifier = IOB_MODIFIER_JOURNAL;
	if (!w->key || (!w->always && !is_log))
		return false;
	if (log_block_of(l, w, &nr) &&
	    add_changed_by(l, iob_assoc_get_last(&iob_assoc_log_block, w->log_id, nr)))
		return true;
	iob_look_device(l->bio, &file);
	return iob_transaction_split(l->o, w, &file, l->bio->bi_iter.bi_size);
}

/**
 * iob_look_at_metadata - the origin of a write of metadata
 * @l: the bio
 *
 * Return: false if no act is known; the origin is as it was.
 */
bool iob_look_at_metadata(struct iob_look *l)
{
	if (l->kind && l->kind->changed_by)
		return add_changed_by(l, l->kind->changed_by(l->whole));
	return look_at_log(l);
}

static const struct iob_extent *extent_of(const struct iob_look *l, struct iob_extent *room)
{
	struct iob_stack stack IOB_UNINIT;
	const struct iob_provider **p;
	const struct iob_extent *e;
	bool any = false;

	iob_for_each_provider(p, &iob_providers_extent)
		any |= (*p)->extent_any(l->task);
	if (!any)
		return NULL;
	iob_look_stack(l, &stack);
	iob_for_each_provider(p, &iob_providers_extent) {
		e = (*p)->extent(l->task, l->bio, &stack, room);
		if (e)
			return e;
	}
	return NULL;
}

/**
 * iob_look_at_extent - the origin of an extent that is written from no file's pages
 * @l: the bio
 *
 * Which bytes came of which page is not known: each dirtier pays by its part of the pages.
 * Return: false if it is none; the origin is as it was.
 */
noinline_for_stack bool iob_look_at_extent(struct iob_look *l)
{
	u64 size = l->bio->bi_iter.bi_size, sum = 0, done = 0, end;
	const struct iob_extent *e;
	struct iob_extent room;
	unsigned int i;

	/* (the task that writes an extent may need memory, and swap for it) */
	if (!l->task || l->late || l->bio->bi_opf & REQ_SWAP)
		return false;
	iob_origin_begin(&room.origin);
	e = extent_of(l, &room);
	if (!e)
		return false;
	l->file = &e->file;
	for (i = 0; i < e->origin.nr; i++) {
		struct iob_share share = iob_shares(&e->origin)[i];

		sum += share.bytes;
		end = sum < e->bytes ? round_down(div64_u64(size * sum, e->bytes),
						  SECTOR_SIZE) : size;
		if (end == done)
			continue;
		share.bytes = end - done;
		iob_look_add_share(l, NULL, &share, e->origin.nr > 1);
		done = end;
	}
	l->file = NULL;
	iob_origin_free(&room.origin);
	return done;
}

/* Of one bio: each look takes a lock, and other tasks of the CPU wait meanwhile. */
#define MAX_FREED_LOOKS		(4 * IOB_MAX_SHARES)

/*
 * The act that freed what a call discards next.  The call's bios cover a range of the file
 * system's own addresses in order, once for each copy.  @bytes: in, how many are asked for;
 * out, for how many the answer holds.
 */
static u64 freed_by_address(struct iob_discard_call *d, u64 *bytes)
{
	u64 act, end;

	if (d->pos >= d->end)
		d->pos = d->start;
	end = min(d->pos + *bytes, d->end);
	act = iob_freed_extent_by(d->space, d->pos, &end, false);
	*bytes = end - d->pos;
	d->pos = end;
	return act;
}

/* The bio has @bytes more that are not looked at: what the call discards next lies behind them. */
static void freed_pass(struct iob_discard_call *d, u64 bytes)
{
	if (d)
		d->pos += bytes;
}

/* The act that freed the disk's sectors, @done bytes into the bio. */
static u64 freed_by_sector(const struct iob_look *l, u64 done, u64 *bytes, bool forget)
{
	u64 pos = l->bio->bi_iter.bi_sector + (done >> SECTOR_SHIFT);
	u64 end = pos + (*bytes >> SECTOR_SHIFT);
	u64 act = iob_freed_extent_by(iob_bio_disk(l->bio), pos, &end, forget);

	*bytes = (end - pos) << SECTOR_SHIFT;
	return act;
}

/* @act, or IOB_CAUSE_LOST if it is gone: then to charge nobody is better than somebody else. */
static u64 freed_by_act(u64 act)
{
	if (likely(iob_cause_of(act)))
		return act;
	iob_stat_inc(act_lost);
	return IOB_CAUSE_LOST;
}

/*
 * The act that freed a range pays for its discard.  A discard may cover more than was freed:
 * a journal's thread adds the free space behind the range, and a disk has a granularity.  The
 * same act pays for this gap.  A range that was freed behind a gap gets a discard of its own
 * later, so it stays noted.  A range whose act is gone is no gap: it is charged to `lost`.
 * Return: false if nothing is noted of any byte.
 *
 * Example: act 7 freed sectors 0 to 7, act 9 sectors 16 to 23.  A discard of sectors 0 to 15
 * is charged to act 7.
 */
static bool look_at_freed(struct iob_look *l, struct iob_discard_call *d)
{
	u64 all = l->bio->bi_iter.bi_size, done, act, bytes;
	u64 last = IOB_CAUSE_NONE, now, unknown = 0;
	unsigned int shares = 0, looks = 0;
	struct iob_file file;
	bool noted, gap = false;

	noted = iob_freed_extent_discards(d ? d->space : iob_bio_disk(l->bio));
	iob_look_device(l->bio, &file);
	for (done = 0; done < all; done += bytes) {
		bytes = all - done;
		act = d ? freed_by_address(d, &bytes) :
			  freed_by_sector(l, done, &bytes, !gap);
		now = act == IOB_CAUSE_NONE ? last : freed_by_act(act);
		/* ranges of one act are one share, and so are the gaps between them */
		shares += now != last;
		/* the last share of an origin: nobody pays for the rest, not somebody else */
		if (unlikely(shares >= IOB_MAX_SHARES || ++looks >= MAX_FREED_LOOKS)) {
			freed_pass(d, all - done - bytes);
			iob_stat_inc(parts_nomem);
			iob_origin_put(l->o, IOB_CAUSE_NOMEM, &file, IOB_HOW_LOST,
				       unknown + all - done, IOB_DIRTY_UNKNOWN);
			return true;
		}
		if (!bytes) {
			bytes = all - done;
			freed_pass(d, bytes);
		}
		gap |= act == IOB_CAUSE_NONE && last != IOB_CAUSE_NONE;
		last = now;
		unknown += bytes;
		if (last == IOB_CAUSE_NONE)
			continue;
		iob_origin_add(l->o, last, &file, unknown, IOB_MODIFIER_DISCARD);
		unknown = 0;
	}
	/* (kernel threads discard what is no file system's, too) */
	if (last == IOB_CAUSE_NONE && (d || noted || l->not_own))
		iob_stat_inc(freed_unknown);
	return last != IOB_CAUSE_NONE;
}

/* The task itself discards sectors. */
static void forget_freed(const struct iob_look *l)
{
	u64 start = l->bio->bi_iter.bi_sector;

	iob_freed_extent_forget(iob_bio_disk(l->bio), start,
				start + (l->bio->bi_iter.bi_size >> SECTOR_SHIFT));
}

/**
 * iob_look_at_discard - the origin of a discard on others' behalf
 * @l: the bio
 *
 * Return: false if it is the submitter's own, or no act is known.
 */
noinline_for_stack bool iob_look_at_discard(struct iob_look *l)
{
	struct iob_transaction_write what;
	struct iob_stack stack IOB_UNINIT;
	const struct iob_provider **p;
	struct iob_discard_call *d;
	struct iob_file file;

	if (!l->task || l->late)
		return false;
	iob_look_stack(l, &stack);
	d = iob_discard_call_of(l->task);
	if (d->call.ret && iob_stack_has(&stack, d->call.ret)) {
		l->not_own = !d->own;
		return !d->own && look_at_freed(l, d->space ? d : NULL);
	}
	iob_for_each_provider(p, &iob_providers_discard) {
		if (!(*p)->discards(l->task, &stack, &what))
			continue;
		iob_look_device(l->bio, &file);
		if (iob_transaction_split(l->o, &what, &file, l->bio->bi_iter.bi_size))
			return true;
		iob_stat_inc(freed_unknown);
		return false;
	}
	if (current->flags & PF_KTHREAD)
		return look_at_freed(l, NULL);
	/* a task that asks for a discard is known */
	forget_freed(l);
	return false;
}
