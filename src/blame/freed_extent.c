// SPDX-License-Identifier: GPL-2.0
/*
 * A file system that discards what was freed does so when the transaction is on the disk:
 * in a journal's thread or in a worker, much later.  So the act that frees blocks is noted
 * with the range.  A range lies in a space: the sectors of a disk, or a file system's own
 * addresses.  A range that is freed anew or discarded replaces what was noted before.
 *
 * Many file systems are never told to discard.  So a worker forgets ranges that were noted an
 * hour ago.  All ranges together get 1/512 of the memory; then the oldest of a space with more
 * than a few gives way, which is counted.  Ranges of one act that touch are one range.  A range
 * keeps its cause alive in a space that was seen to discard, unless room is short: some discard
 * much later.  A discard of which nothing is noted is charged to its submitter.
 *
 * F: the space's lock.
 */
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/percpu_counter.h>
#include <linux/rbtree.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>

#include "behalf.h"
#include "core/cause.h"
#include "core/keyed.h"
#include "core/pool.h"
#include "core/stats.h"
#include "freed_extent.h"
#include "share.h"
#include "transaction.h"

#define SHARE		512		/* of the memory */
#define MIN_RANGES	16384
#define IDLE		(60 * 60 * HZ)
/* a space itself stays: what is discarded late is known to be late */
#define SPACE_IDLE	(24 * 60 * 60 * HZ)
#define MAX_PIECE	SZ_1G
/* of work for one call of a probe */
#define MAX_SHARE_STEPS	1024
/* for which interrupts are off at a time */
#define DROP_AT_ONCE	32
#define MARK_AT_ONCE	32
/* that a space may always have: one whose file system never discards takes no other's room */
#define FEW_RANGES	64
/* parts of work, in one call of a probe, on what a task itself discards */
#define MAX_FORGET	32

struct freed_range {
	struct rb_node node;	/* F: by start; ranges do not overlap */
	struct list_head age;	/* F: the oldest first */
	u64 start, end;		/* F: [start, end) */
	u64 cause;		/* F: a reference */
	u32 noted;		/* F: jiffies */
};

struct freed_space {
	struct iob_keyed keyed;	/* the key is compared, never followed */
	raw_spinlock_t lock;	/* F */
	u32 nr;			/* F, read without for a look */
	u32 used;		/* F: jiffies; likewise */
	bool discards;		/* without a lock: it was seen to */
	struct rb_root ranges;	/* F */
	struct list_head ages;	/* F */
};

struct iob_task_part iob_discard_call_part = {
	.name = "discard call",
	.size = sizeof(struct iob_discard_call),
};

static struct iob_pool range_pool = {
	.name = "iob_freed",
	.size = sizeof(struct freed_range),
	.at_first = 8,
};

static void space_begin(struct iob_keyed *k);
static bool space_tidy(struct iob_keyed *k);
static void space_evicted(void);
static void space_end(struct iob_keyed *k);

static struct iob_keyed_table freed_spaces = {
	.pool.name = "iob_space",
	.pool.size = sizeof(struct freed_space),
	.pool.at_first = 1,
	.begin = space_begin,
	.tidy = space_tidy,
	.evicted = space_evicted,
	.end = space_end,
};

static struct percpu_counter nr_freed_ranges;	/* of all spaces */
static s64 max_freed_ranges;			/* constant in a session */

static struct freed_space *space_of(struct iob_keyed *k)
{
	return k ? container_of(k, struct freed_space, keyed) : NULL;
}

/* The first range that ends behind @pos, or NULL.  F. */
static struct freed_range *range_find(const struct freed_space *s, u64 pos)
{
	struct rb_node *node = s->ranges.rb_node;
	struct freed_range *found = NULL;

	while (node) {
		struct freed_range *r = rb_entry(node, struct freed_range, node);

		if (r->end <= pos) {
			node = node->rb_right;
		} else {
			found = r;
			node = node->rb_left;
		}
	}
	return found;
}

/* The range goes to the list @old, for ranges_put().  F. */
static void range_drop(struct freed_space *s, struct freed_range *r, struct list_head *old)
{
	rb_erase(&r->node, &s->ranges);
	list_move(&r->age, old);
	WRITE_ONCE(s->nr, s->nr - 1);
	percpu_counter_dec(&nr_freed_ranges);
}

static void ranges_put(struct list_head *old, void (*put)(struct iob_pool *, void *))
{
	struct freed_range *r, *next;

	list_for_each_entry_safe(r, next, old, age)
		put(&range_pool, r);
}

/* @r is new.  F. */
static void range_add(struct freed_space *s, struct freed_range *r, u64 start, u64 end,
		      u64 cause)
{
	struct rb_node **link = &s->ranges.rb_node, *parent = NULL;

	while (*link) {
		parent = *link;
		link = rb_entry(parent, struct freed_range, node)->end <= start ?
		       &parent->rb_right : &parent->rb_left;
	}
	r->start = start;
	r->end = end;
	r->cause = cause;
	r->noted = jiffies;
	rb_link_node(&r->node, parent, link);
	rb_insert_color(&r->node, &s->ranges);
	list_add_tail(&r->age, &s->ages);
	WRITE_ONCE(s->nr, s->nr + 1);
	percpu_counter_inc(&nr_freed_ranges);
}

/*
 * New ranges for a change, taken without the space's lock: one that is added, and one for the
 * rest of a range that is cut in two.
 */
struct spare {
	struct freed_range *r[2];
	unsigned int nr;
};

static void spare_get(struct spare *spare, unsigned int nr)
{
	while (spare->nr < nr && (spare->r[spare->nr] = iob_pool_get(&range_pool)))
		spare->nr++;
}

static void spare_put(struct spare *spare)
{
	while (spare->nr)
		iob_pool_put(&range_pool, spare->r[--spare->nr]);
}

/* True if a space may have no more ranges than it has.  F. */
static bool space_is_full(const struct freed_space *s)
{
	return s->nr >= FEW_RANGES &&
	       percpu_counter_read_positive(&nr_freed_ranges) >= max_freed_ranges;
}

/* A new range, if there is one; else the oldest of the space gives way.  F. */
static void range_note(struct freed_space *s, struct spare *spare, struct list_head *old,
		       u64 start, u64 end, u64 cause)
{
	struct freed_range *oldest = list_first_entry_or_null(&s->ages, struct freed_range, age);

	if (!spare->nr || space_is_full(s)) {
		iob_stat_inc(freed_evicted);
		if (!oldest)
			return;
		range_drop(s, oldest, old);
		if (!spare->nr) {
			list_del(&oldest->age);
			spare->r[spare->nr++] = oldest;
		}
	}
	range_add(s, spare->r[--spare->nr], start, end, cause);
}

/* Whether to forget [@start, @end) cuts a range in two.  F. */
static bool range_is_cut(const struct freed_space *s, u64 start, u64 end)
{
	const struct freed_range *r = range_find(s, start);

	return r && r->start < start && r->end > end;
}

/*
 * Forget what is noted of [@start, @end), but not many ranges at once.  F.
 * Return: false if there may be more.
 */
static bool ranges_clear(struct freed_space *s, struct spare *spare, struct list_head *old,
			 u64 start, u64 end)
{
	struct freed_range *r;
	unsigned int i;

	for (i = 0; (r = range_find(s, start)) && r->start < end; i++) {
		u64 rest = r->end;

		if (i == DROP_AT_ONCE)
			return false;
		if (r->start >= start && r->end <= end) {
			range_drop(s, r, old);
		} else if (r->start >= start) {
			r->start = end;
		} else {
			r->end = start;
			if (rest > end)
				range_note(s, spare, old, end, rest, r->cause);
		}
	}
	return true;
}

/*
 * Extend the range that ends at @start, the one that begins at @end, or make one of both, if
 * they are @cause's: files are freed in any order, the blocks of one often backwards.  Nothing
 * overlaps [@start, @end).  F.  Return: false if neither is.
 */
static bool range_grow(struct freed_space *s, struct list_head *old, u64 start, u64 end,
		       u64 cause)
{
	struct freed_range *before = NULL, *behind = range_find(s, start ? start - 1 : 0);

	if (behind && behind->end == start) {
		if (behind->cause == cause)
			before = behind;
		behind = rb_entry_safe(rb_next(&behind->node), struct freed_range, node);
	}
	if (behind && (behind->start != end || behind->cause != cause))
		behind = NULL;
	if (!before && !behind)
		return false;
	if (before && behind) {
		end = behind->end;
		range_drop(s, behind, old);
	}
	if (before)
		before->end = end;
	else
		behind->start = start;
	before = before ?: behind;
	before->noted = jiffies;
	list_move_tail(&before->age, &s->ages);
	return true;
}

/* As space_change(), some of it.  Return: false if there is more to do. */
static bool space_change_some(struct freed_space *s, u64 start, u64 end, u64 cause)
{
	bool adds = cause != IOB_CAUSE_NONE, cleared;
	struct spare spare = { .nr = 0 };
	unsigned long flags;
	LIST_HEAD(old);

	spare_get(&spare, adds);
	raw_spin_lock_irqsave(&s->lock, flags);
	if (unlikely(range_is_cut(s, start, end))) {
		raw_spin_unlock_irqrestore(&s->lock, flags);
		spare_get(&spare, adds + 1);
		raw_spin_lock_irqsave(&s->lock, flags);
	}
	WRITE_ONCE(s->used, jiffies);
	cleared = ranges_clear(s, &spare, &old, start, end);
	if (cleared && adds && !range_grow(s, &old, start, end, cause))
		range_note(s, &spare, &old, start, end, cause);
	raw_spin_unlock_irqrestore(&s->lock, flags);
	spare_put(&spare);
	ranges_put(&old, iob_pool_put);
	return cleared;
}

/* [@start, @end) was freed for @cause; IOB_CAUSE_NONE: nothing is known of it any more. */
static void space_change(struct freed_space *s, u64 start, u64 end, u64 cause)
{
	while (!space_change_some(s, start, end, cause))
		;
}

/**
 * iob_freed_extent_set - note what frees a range
 * @space: whose addresses
 * @start: the first one
 * @end:   the one behind the last
 * @cause: a reference, IOB_CAUSE_NONE if it is not known
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_freed_extent_set(const void *space, u64 start, u64 end, u64 cause)
{
	struct freed_space *s = space_of(iob_keyed_find(&freed_spaces, space));

	if (cause == IOB_CAUSE_NONE && (!s || !READ_ONCE(s->nr)))
		return;
	if (!s)
		s = space_of(iob_keyed_get(&freed_spaces, space));
	if (!s) {
		iob_stat_inc(freed_evicted);
		return;
	}
	iob_cause_touch_nr(iob_cause_number(cause));
	space_change(s, start, end, cause);
}

/**
 * iob_freed_extent_forget - a task has a range discarded for itself
 * @space: whose addresses
 * @start: the first one
 * @end:   the one behind the last
 *
 * What freed it does not matter any more: mkfs makes another file system there, or fstrim was
 * earlier.  Of more than a thousand ranges some stay, as preemption is off: they are forgotten
 * within an hour.  Any context but NMI, inside iob_read_lock().
 */
void iob_freed_extent_forget(const void *space, u64 start, u64 end)
{
	struct freed_space *s = space_of(iob_keyed_find(&freed_spaces, space));
	unsigned int i;

	if (!s || !READ_ONCE(s->nr))
		return;
	for (i = 0; i < MAX_FORGET; i++) {
		if (space_change_some(s, start, end, IOB_CAUSE_NONE))
			return;
	}
}

/**
 * iob_freed_extent_by - what freed an address
 * @space:  whose addresses
 * @pos:    the address
 * @end:    in: the end of interest; out: the answer holds for [@pos, @end)
 * @forget: the range is discarded now
 *
 * Any context but NMI, inside iob_read_lock().
 * Return: a reference to a cause, IOB_CAUSE_NONE if it is not known.
 */
u64 iob_freed_extent_by(const void *space, u64 pos, u64 *end, bool forget)
{
	struct freed_space *s = space_of(iob_keyed_find(&freed_spaces, space));
	u64 cause = IOB_CAUSE_NONE;
	struct freed_range *r;
	unsigned long flags;

	if (!s || !READ_ONCE(s->nr))
		return IOB_CAUSE_NONE;
	raw_spin_lock_irqsave(&s->lock, flags);
	r = range_find(s, pos);
	if (r && r->start > pos) {
		*end = min(*end, r->start);
	} else if (r) {
		*end = min(*end, r->end);
		cause = r->cause;
	}
	raw_spin_unlock_irqrestore(&s->lock, flags);
	if (forget && cause != IOB_CAUSE_NONE)
		space_change(s, pos, *end, IOB_CAUSE_NONE);
	return cause;
}

/**
 * iob_freed_extent_discards - a file system discards what was freed of a space
 * @space: whose addresses
 *
 * From now on its ranges keep their causes.  Any context but NMI, inside iob_read_lock().
 * Return: whether anything was noted of the space in the last day.
 */
bool iob_freed_extent_discards(const void *space)
{
	struct freed_space *s = space_of(iob_keyed_find(&freed_spaces, space));

	if (s && !READ_ONCE(s->discards))
		WRITE_ONCE(s->discards, true);
	return s;
}

/* Mark the causes of some ranges that end behind *@pos, which moves.  Return: false if of none. */
static bool space_mark_some(struct freed_space *s, u64 *pos, unsigned long *causes)
{
	struct freed_range *r;
	unsigned long flags;
	unsigned int i;

	raw_spin_lock_irqsave(&s->lock, flags);
	r = range_find(s, *pos);
	for (i = 0; r && i < MARK_AT_ONCE; i++) {
		iob_cause_mark(r->cause, causes);
		*pos = r->end;
		r = rb_entry_safe(rb_next(&r->node), struct freed_range, node);
	}
	raw_spin_unlock_irqrestore(&s->lock, flags);
	return i;
}

/* What iob_freed_extents_mark() was given. */
struct space_marks {
	unsigned long *causes;
	const bool *stop;
};

static bool space_mark(struct iob_keyed *k, void *arg)
{
	const struct space_marks *marks = arg;
	struct freed_space *s = space_of(k);
	u64 pos = 0;
	bool more;

	/* (most file systems are never told to) */
	if (!READ_ONCE(s->discards))
		return true;
	do {
		if (READ_ONCE(*marks->stop))
			return false;
		iob_read_lock();
		more = READ_ONCE(s->nr) && space_mark_some(s, &pos, marks->causes);
		iob_read_unlock();
		cond_resched();
	} while (more);
	return true;
}

/**
 * iob_freed_extents_mark - find the causes that ranges name
 * @causes: bitmap by number of cause; the function sets bits and clears none
 * @stop:   true: the walk ends after a few ranges more
 *
 * A range that is cut or grows meanwhile keeps its cause, and what is new is of a cause that is
 * touched.  May sleep: it reads all ranges.  In a session.
 * Return: false if it was stopped; then not all are found.
 */
bool iob_freed_extents_mark(unsigned long *causes, const bool *stop)
{
	struct space_marks marks = { .causes = causes, .stop = stop };

	return iob_keyed_each(&freed_spaces, space_mark, &marks);
}

/**
 * iob_freed_extent_end - a space ends
 * @space: whose addresses; another one may have that key from now on
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_freed_extent_end(const void *space)
{
	iob_keyed_forget(&freed_spaces, space);
}

static void space_begin(struct iob_keyed *k)
{
	struct freed_space *s = space_of(k);

	raw_spin_lock_init(&s->lock);
	s->nr = 0;
	s->used = jiffies;
	s->discards = false;
	s->ranges = RB_ROOT;
	INIT_LIST_HEAD(&s->ages);
}

/* Move ranges that were noted @age jiffies ago to @old, but not many.  Return: false if none. */
static bool space_drop_idle(struct freed_space *s, struct list_head *old, u32 age)
{
	struct freed_range *r;
	unsigned long flags;
	unsigned int i;

	raw_spin_lock_irqsave(&s->lock, flags);
	for (i = 0; i < DROP_AT_ONCE; i++) {
		r = list_first_entry_or_null(&s->ages, struct freed_range, age);
		if (!r || (u32)jiffies - r->noted < age)
			break;
		range_drop(s, r, old);
	}
	raw_spin_unlock_irqrestore(&s->lock, flags);
	return i;
}

static void space_drop(struct freed_space *s, u32 age)
{
	LIST_HEAD(old);

	while (space_drop_idle(s, &old, age)) {
		ranges_put(&old, iob_pool_free);
		INIT_LIST_HEAD(&old);
		cond_resched();
	}
}

static bool space_tidy(struct iob_keyed *k)
{
	struct freed_space *s = space_of(k);

	if (!READ_ONCE(k->key)) {
		space_drop(s, 0);
		return true;
	}
	space_drop(s, IDLE);
	return !READ_ONCE(s->nr) && (u32)jiffies - READ_ONCE(s->used) >= SPACE_IDLE;
}

static void space_evicted(void)
{
	iob_stat_inc(freed_evicted);
}

static void space_end(struct iob_keyed *k)
{
	space_drop(space_of(k), 0);
}

/*
 * The participants of @what's transactions freed the range together.  Return: how many ranges
 * were noted.
 */
static unsigned int share_range(const void *space, u64 start, u32 bytes,
				const struct iob_transaction_write *what)
{
	static const struct iob_file none;
	struct iob_origin o;
	unsigned int i, nr;

	iob_origin_begin(&o);
	iob_transaction_split(&o, what, &none, bytes);
	nr = o.nr;
	for (i = 0; i < nr; i++) {
		const struct iob_share *s = &iob_shares(&o)[i];

		iob_freed_extent_set(space, start, start + s->bytes, s->cause);
		start += s->bytes;
	}
	iob_origin_free(&o);
	return nr;
}

/**
 * iob_freed_extent_share - the end of a transaction frees a range for its participants
 * @space: whose addresses
 * @start: the first one
 * @end:   the one behind the last
 * @regs:  as they were at the function's entry
 *
 * Parts of the range for which no act is noted are divided among the participants, in
 * proportion to what they logged.  A range of more pieces than a probe may look at is cut, which
 * is counted: what frees the rest is not known.  From a probe, inside iob_read_lock().
 */
void iob_freed_extent_share(const void *space, u64 start, u64 end, struct pt_regs *regs)
{
	struct iob_task *t = iob_task_get();
	struct iob_transaction_write what;
	unsigned int steps = 0;
	u64 upto;

	if (!t)
		return;
	what = *iob_transaction_writes(t);
	if (!what.key || what.key != iob_behalf_common_key(t) || !iob_behalf_is_common(regs))
		return;
	what.modifier = IOB_MODIFIER_DISCARD;
	for (; start < end && steps < MAX_SHARE_STEPS; start = upto) {
		upto = min_t(u64, end, start + MAX_PIECE);
		steps++;
		if (iob_freed_extent_by(space, start, &upto, false) == IOB_CAUSE_NONE)
			steps += share_range(space, start, upto - start, &what);
	}
	if (start < end)
		iob_stat_inc(freed_evicted);
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

/**
 * iob_freed_extent_discard_rest - a call begins that discards what others have freed
 * @call: the call
 *
 * The discards that the task submits until the call returns are of ranges of the disk, of which is
 * noted who freed them.  From a probe, inside iob_read_lock().
 */
void iob_freed_extent_discard_rest(const struct iob_call *call)
{
	struct iob_task *t = iob_task_get();
	struct iob_discard_call *d;

	if (!t)
		return;
	d = iob_discard_call_of(t);
	d->call = *call;
	d->space = NULL;
	d->own = false;
}

/* A session begins.  May sleep.  Return: 0 or -ENOMEM; iob_freed_extents_stop() undoes it. */
int iob_freed_extents_start(void)
{
	int err = iob_pool_start(&range_pool);

	max_freed_ranges = max_t(u64, (u64)totalram_pages() * PAGE_SIZE / SHARE /
				      sizeof(struct freed_range), MIN_RANGES);
	return err ?: iob_keyed_start(&freed_spaces);
}

/* The session ends: forget all ranges.  No probe is attached. */
void iob_freed_extents_stop(void)
{
	iob_keyed_stop(&freed_spaces);
	iob_pool_stop(&range_pool);
}

/* The memory of the ranges in bytes, for `status`: exact, as all CPUs are asked.  Any context. */
unsigned long iob_freed_extents_bytes(void)
{
	return percpu_counter_sum_positive(&nr_freed_ranges) * sizeof(struct freed_range);
}

/* Module load.  Return: 0 or -ENOMEM. */
int iob_freed_extents_init(void)
{
	int err = percpu_counter_init(&nr_freed_ranges, 0, GFP_KERNEL);

	if (err)
		return err;
	err = iob_pool_init(&range_pool);
	if (err)
		goto counter;
	err = iob_keyed_init(&freed_spaces);
	if (err)
		goto pool;
	return 0;
pool:
	iob_pool_exit(&range_pool);
counter:
	percpu_counter_destroy(&nr_freed_ranges);
	return err;
}

/* Module unload: no range is left. */
void iob_freed_extents_exit(void)
{
	iob_keyed_exit(&freed_spaces);
	iob_pool_exit(&range_pool);
	percpu_counter_destroy(&nr_freed_ranges);
}
