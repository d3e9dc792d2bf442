// SPDX-License-Identifier: GPL-2.0
/*
 * A file system that discards what was freed does so when the transaction is on the disk:
 * in a journal's thread or in a worker, much later.  So the act that frees blocks is noted
 * with the range.  A range lies in a space: the sectors of a disk, or a file system's own
 * addresses.  A range that is freed anew or discarded replaces what was noted before.
 *
 * Ranges are a cache of fixed size: the oldest gives way, which is counted.  A discard of
 * which nothing is noted is charged to its submitter.
 *
 * F: freed_lock, innermost.
 */
#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>

#include <compat/slab.h>

#include "behalf.h"
#include "core/cause.h"
#include "core/stats.h"
#include "freed_extent.h"
#include "share.h"
#include "transaction.h"

#define MAX_RANGES	16384
#define MAX_PIECE	SZ_1G

struct freed_range {
	struct rb_node node;	/* F: by space and start; ranges do not overlap */
	struct list_head age;	/* F: the oldest first */
	const void *space;	/* F: compared, never followed */
	u64 start, end;		/* F: [start, end) */
	u64 act;		/* F: id */
};

struct iob_task_part iob_discard_call_part = {
	.name = "discard call",
	.size = sizeof(struct iob_discard_call),
};

static struct kmem_cache *freed_cache;
static struct rb_root freed_ranges = RB_ROOT;	/* F */
static LIST_HEAD(freed_ages);			/* F */
static unsigned int nr_freed_ranges;		/* F, read without for a look */
static DEFINE_SPINLOCK(freed_lock);

static bool range_is_before(const struct freed_range *r, const void *space, u64 pos)
{
	return r->space < space || (r->space == space && r->end <= pos);
}

/* The first range of @space that ends behind @pos, or NULL. */
static struct freed_range *range_find(const void *space, u64 pos)
{
	struct rb_node *node = freed_ranges.rb_node;
	struct freed_range *found = NULL;

	while (node) {
		struct freed_range *r = rb_entry(node, struct freed_range, node);

		if (range_is_before(r, space, pos)) {
			node = node->rb_right;
		} else {
			found = r;
			node = node->rb_left;
		}
	}
	return found && found->space == space ? found : NULL;
}

static void range_drop(struct freed_range *r)
{
	rb_erase(&r->node, &freed_ranges);
	list_del(&r->age);
	kmem_cache_free(freed_cache, r);
	nr_freed_ranges--;
}

static void range_add(const void *space, u64 start, u64 end, u64 act)
{
	struct rb_node **link = &freed_ranges.rb_node, *parent = NULL;
	struct freed_range *r;

	if (nr_freed_ranges >= MAX_RANGES) {
		range_drop(list_first_entry(&freed_ages, struct freed_range, age));
		iob_stat_inc(freed_evicted);
	}
	r = kmem_cache_alloc(freed_cache, GFP_NOWAIT | __GFP_NOWARN);
	if (!r) {
		iob_stat_inc(freed_evicted);
		return;
	}
	while (*link) {
		parent = *link;
		link = range_is_before(rb_entry(parent, struct freed_range, node), space,
				       start) ? &parent->rb_right : &parent->rb_left;
	}
	r->space = space;
	r->start = start;
	r->end = end;
	r->act = act;
	rb_link_node(&r->node, parent, link);
	rb_insert_color(&r->node, &freed_ranges);
	list_add_tail(&r->age, &freed_ages);
	nr_freed_ranges++;
}

/* Forget what is noted of [@start, @end). */
static void ranges_clear(const void *space, u64 start, u64 end)
{
	struct freed_range *r;

	while ((r = range_find(space, start)) && r->start < end) {
		u64 rest = r->end;

		if (r->start >= start && r->end <= end) {
			range_drop(r);
		} else if (r->start >= start) {
			r->start = end;
		} else {
			r->end = start;
			if (rest > end)
				range_add(space, end, rest, r->act);
		}
	}
}

/* Extend the range that ends at @start, if it is @act's. */
static bool range_grow(const void *space, u64 start, u64 end, u64 act)
{
	struct freed_range *r = start ? range_find(space, start - 1) : NULL;

	if (!r || r->end != start || r->act != act)
		return false;
	r->end = end;
	list_move_tail(&r->age, &freed_ages);
	return true;
}

/**
 * iob_freed_extent_set - note which act frees a range
 * @space: whose addresses
 * @start: the first one
 * @end:   the one behind the last
 * @act:   the act's id, IOB_CAUSE_NONE if it is not known
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_freed_extent_set(const void *space, u64 start, u64 end, u64 act)
{
	unsigned long flags;

	if (act == IOB_CAUSE_NONE && !READ_ONCE(nr_freed_ranges))
		return;
	spin_lock_irqsave(&freed_lock, flags);
	ranges_clear(space, start, end);
	if (act != IOB_CAUSE_NONE && !range_grow(space, start, end, act))
		range_add(space, start, end, act);
	spin_unlock_irqrestore(&freed_lock, flags);
}

/**
 * iob_freed_extent_by - which act freed an address
 * @space:  whose addresses
 * @pos:    the address
 * @end:    in: the end of interest; out: the answer holds for [@pos, @end)
 * @forget: the range is discarded now
 *
 * Any context but NMI, inside iob_read_lock().
 * Return: the act's id, IOB_CAUSE_NONE if it is not known.
 */
u64 iob_freed_extent_by(const void *space, u64 pos, u64 *end, bool forget)
{
	u64 act = IOB_CAUSE_NONE;
	struct freed_range *r;
	unsigned long flags;

	if (!READ_ONCE(nr_freed_ranges))
		return IOB_CAUSE_NONE;
	spin_lock_irqsave(&freed_lock, flags);
	r = range_find(space, pos);
	if (r && r->start > pos) {
		*end = min(*end, r->start);
	} else if (r) {
		*end = min(*end, r->end);
		act = r->act;
		if (forget)
			ranges_clear(space, pos, *end);
	}
	spin_unlock_irqrestore(&freed_lock, flags);
	return act;
}

/* The participants of @what's transactions freed the range together. */
static void share_range(const void *space, u64 start, u32 bytes,
			const struct iob_transaction_write *what)
{
	static const struct iob_file none;
	struct iob_origin o;
	unsigned int i;

	iob_origin_begin(&o);
	iob_transaction_split(&o, what, &none, bytes);
	for (i = 0; i < o.nr; i++) {
		const struct iob_share *s = &iob_shares(&o)[i];

		iob_freed_extent_set(space, start, start + s->bytes, s->cause);
		start += s->bytes;
	}
	iob_origin_free(&o);
}

/**
 * iob_freed_extent_share - the end of a transaction frees a range for its participants
 * @space: whose addresses
 * @start: the first one
 * @end:   the one behind the last
 * @regs:  as they were at the function's entry
 *
 * Parts of the range for which no act is noted are divided among the participants, in
 * proportion to what they logged.  From a probe, inside iob_read_lock().
 */
void iob_freed_extent_share(const void *space, u64 start, u64 end, struct pt_regs *regs)
{
	struct iob_task *t = iob_task_get();
	struct iob_transaction_write what;
	u64 upto;

	if (!t)
		return;
	what = *iob_transaction_writes(t);
	if (!what.key || what.key != iob_behalf_common_key(t) || !iob_behalf_is_common(regs))
		return;
	what.modifier = IOB_MODIFIER_DISCARD;
	for (; start < end; start = upto) {
		upto = min_t(u64, end, start + MAX_PIECE);
		if (iob_freed_extent_by(space, start, &upto, false) == IOB_CAUSE_NONE)
			share_range(space, start, upto - start, &what);
	}
}

/**
 * iob_freed_extent_discard - a call begins that discards a range of own addresses
 * @space: whose addresses
 * @start: the first one
 * @bytes: how many
 * @call:  the call
 * @regs:  as they were at the entry
 *
 * The discards that the task submits until the call returns are this range, in its order.
 * A task that discards on its own account (fstrim) is no kernel thread and does not end a
 * transaction.  From a probe, inside iob_read_lock().
 */
void iob_freed_extent_discard(const void *space, u64 start, u64 bytes,
			      const struct iob_call *call, struct pt_regs *regs)
{
	struct iob_task *t = iob_task_get();
	struct iob_discard_call *d;

	if (!t)
		return;
	iob_freed_extent_share(space, start, start + bytes, regs);
	d = iob_discard_call_of(t);
	d->call = *call;
	d->space = space;
	d->start = start;
	d->end = start + bytes;
	d->pos = start;
	d->own = !(current->flags & PF_KTHREAD) && !iob_behalf_is_common(regs);
}

/* The session ends: forget all ranges.  No probe is attached. */
void iob_freed_extents_stop(void)
{
	struct freed_range *r, *next;

	list_for_each_entry_safe(r, next, &freed_ages, age) {
		range_drop(r);
		cond_resched();
	}
}

/* Module load.  Return: 0 or -ENOMEM. */
int iob_freed_extents_init(void)
{
	freed_cache = iob_cache_create("iob_freed", sizeof(struct freed_range), 0);
	return freed_cache ? 0 : -ENOMEM;
}

/* Module unload: no range is left. */
void iob_freed_extents_exit(void)
{
	kmem_cache_destroy(freed_cache);
}
