// SPDX-License-Identifier: GPL-2.0
/*
 * A file system that discards what was freed does so when the transaction is on
 * the disk: a journal's thread or some worker, much later.  So it is noted who
 * frees which blocks, in ranges of a space: a disk's sectors, or, where a file
 * system has addresses of its own, those.  What is freed anew or discarded takes
 * the place of what was noted before.
 *
 * As blame/owner it is a memory, not a truth: so many ranges, of which the oldest
 * gives way.  What is not known any more is the submitter's.
 *
 * F: freed_lock, innermost.
 */
#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>

#include <compat/slab.h>

#include "core/act.h"
#include "dirty.h"
#include "freed_extent.h"
#include "transaction.h"
#include "origin.h"
#include "core/stats.h"
#include "core/task.h"

#define MAX_RANGES	16384
#define MAX_PIECE	SZ_1G

struct span {
	struct rb_node node;	/* F: by space and start; they do not overlap */
	struct list_head age;	/* F: the oldest first */
	const void *space;	/* F: compared, never followed */
	u64 start, end;		/* F */
	u64 act;		/* F: id */
};

static struct kmem_cache *cache;
static struct rb_root ranges = RB_ROOT;
static LIST_HEAD(ages);
static unsigned int nr_ranges;	/* F, read without */
static DEFINE_SPINLOCK(freed_lock);

static bool is_before(const struct span *r, const void *space, u64 pos)
{
	return r->space < space || (r->space == space && r->end <= pos);
}

/* The first range of @space that ends behind @pos, or NULL. */
static struct span *find(const void *space, u64 pos)
{
	struct rb_node *node = ranges.rb_node;
	struct span *found = NULL;

	while (node) {
		struct span *r = rb_entry(node, struct span, node);

		if (is_before(r, space, pos)) {
			node = node->rb_right;
		} else {
			found = r;
			node = node->rb_left;
		}
	}
	return found && found->space == space ? found : NULL;
}

static void drop(struct span *r)
{
	rb_erase(&r->node, &ranges);
	list_del(&r->age);
	kmem_cache_free(cache, r);
	nr_ranges--;
}

static void add(const void *space, u64 start, u64 end, u64 act)
{
	struct rb_node **link = &ranges.rb_node, *parent = NULL;
	struct span *r;

	if (nr_ranges >= MAX_RANGES) {
		drop(list_first_entry(&ages, struct span, age));
		iob_stat_inc(freed_evicted);
	}
	r = kmem_cache_alloc(cache, GFP_NOWAIT | __GFP_NOWARN);
	if (!r) {
		iob_stat_inc(freed_evicted);
		return;
	}
	while (*link) {
		parent = *link;
		link = is_before(rb_entry(parent, struct span, node), space,
				 start) ? &parent->rb_right : &parent->rb_left;
	}
	r->space = space;
	r->start = start;
	r->end = end;
	r->act = act;
	rb_link_node(&r->node, parent, link);
	rb_insert_color(&r->node, &ranges);
	list_add_tail(&r->age, &ages);
	nr_ranges++;
}

/* Nothing is noted of @start to @end any more. */
static void clear(const void *space, u64 start, u64 end)
{
	struct span *r;

	while ((r = find(space, start)) && r->start < end) {
		u64 rest = r->end;

		if (r->start >= start && r->end <= end) {
			drop(r);
		} else if (r->start >= start) {
			r->start = end;
		} else {
			r->end = start;
			if (rest > end)
				add(space, end, rest, r->act);
		}
	}
}

/* The range that @start follows on may be @act's, too. */
static bool grow(const void *space, u64 start, u64 end, u64 act)
{
	struct span *r = start ? find(space, start - 1) : NULL;

	if (!r || r->end != start || r->act != act)
		return false;
	r->end = end;
	list_move_tail(&r->age, &ages);
	return true;
}

/**
 * iob_freed_extent_set - note who frees something
 * @space: whose addresses
 * @start: from there
 * @end:   up to, but not including
 * @act:   the act's id, IOB_ACT_NONE: nobody who is known
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_freed_extent_set(const void *space, u64 start, u64 end, u64 act)
{
	unsigned long flags;

	if (act == IOB_ACT_NONE && !READ_ONCE(nr_ranges))
		return;
	spin_lock_irqsave(&freed_lock, flags);
	clear(space, start, end);
	if (act != IOB_ACT_NONE && !grow(space, start, end, act))
		add(space, start, end, act);
	spin_unlock_irqrestore(&freed_lock, flags);
}

/**
 * iob_freed_extent_by - who freed something
 * @space:  whose addresses
 * @pos:    from there
 * @end:    up to there; gets up to where it is his
 * @forget: it is discarded now
 *
 * Any context but NMI, inside iob_read_lock().
 * Return: the act's id, IOB_ACT_NONE if it is not known.
 */
u64 iob_freed_extent_by(const void *space, u64 pos, u64 *end, bool forget)
{
	u64 act = IOB_ACT_NONE;
	unsigned long flags;
	struct span *r;

	if (!READ_ONCE(nr_ranges))
		return IOB_ACT_NONE;
	spin_lock_irqsave(&freed_lock, flags);
	r = find(space, pos);
	if (r && r->start > pos) {
		*end = min(*end, r->start);
	} else if (r) {
		*end = min(*end, r->end);
		act = r->act;
		if (forget)
			clear(space, pos, *end);
	}
	spin_unlock_irqrestore(&freed_lock, flags);
	return act;
}

/* Those who took part in the transaction of @log have freed it together. */
static void share(const void *space, u64 start, u32 bytes,
		  const struct iob_transaction_write *log)
{
	static const struct iob_file none;
	struct iob_origin o;
	unsigned int i;

	iob_origin_begin(&o);
	iob_transaction_split(&o, log, &none, bytes);
	for (i = 0; i < o.nr; i++) {
		iob_freed_extent_set(space, start, start + o.share[i].bytes,
			      o.share[i].act);
		start += o.share[i].bytes;
	}
	iob_origin_free(&o);
}

/**
 * iob_freed_extent_share - a transaction's end frees something for those who took part
 * @space: whose addresses
 * @start: from there
 * @end:   up to, but not including
 * @regs:  as they were at the entry
 *
 * What nobody is noted for is for each according to his share, one behind the
 * other.  From a probe, inside iob_read_lock().
 */
void iob_freed_extent_share(const void *space, u64 start, u64 end,
		     struct pt_regs *regs)
{
	struct iob_task *t = iob_task_get();
	struct iob_transaction_write log;
	u64 upto;

	if (!t || !t->writes.key || t->writes.key != t->common ||
	    !iob_dirty_in_common(regs))
		return;
	log = t->writes;
	log.modifier = IOB_MODIFIER_DISCARD;
	for (; start < end; start = upto) {
		upto = min_t(u64, end, start + MAX_PIECE);
		if (iob_freed_extent_by(space, start, &upto, false) == IOB_ACT_NONE)
			share(space, start, upto - start, &log);
	}
}

/**
 * iob_freed_extent_discard - a call begins that discards a range of a file system's own
 * @space: whose addresses
 * @start: from there
 * @bytes: so many
 * @call:  the call
 * @regs:  as they were at the entry
 *
 * Until it returns, the bios that this task discards are these, in this order.
 * Who does so for himself (fstrim) is neither a worker nor ends a transaction.
 * From a probe, inside iob_read_lock().
 */
void iob_freed_extent_discard(const void *space, u64 start, u64 bytes,
		       const struct iob_call *call, struct pt_regs *regs)
{
	struct iob_task *t = iob_task_get();

	if (!t)
		return;
	iob_freed_extent_share(space, start, start + bytes, regs);
	t->freeing.call = *call;
	t->freeing.space = space;
	t->freeing.start = start;
	t->freeing.end = start + bytes;
	t->freeing.pos = start;
	t->freeing.own = !(current->flags & PF_KTHREAD) &&
			 !iob_dirty_in_common(regs);
}

/* The session ends: no probe is attached. */
void iob_freed_extent_stop(void)
{
	struct span *r, *next;

	list_for_each_entry_safe(r, next, &ages, age) {
		drop(r);
		cond_resched();
	}
}

/* Module load.  Return: 0 or -ENOMEM. */
int iob_freed_extent_init(void)
{
	cache = iob_cache_create("iob_freed_extent", sizeof(struct span), 0);
	return cache ? 0 : -ENOMEM;
}

/* Module unload: no range is left. */
void iob_freed_extent_exit(void)
{
	kmem_cache_destroy(cache);
}
