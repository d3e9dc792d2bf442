// SPDX-License-Identifier: GPL-2.0
/*
 * The only place where a role, a cause or an act dies while probes run.  For causes:
 *
 *  1. What still needs a cause is marked: pages to be written, and what is noted of inodes and
 *     journals' buffers; while there is much room, of transactions, freed blocks and times that
 *     wait, too.  Causes that are in use are marked before, and numbers that no cause has: pages
 *     keep their entries when they are written, and nobody looks at those that name these.  An
 *     entry that is left and names the number of a cause that may go is looked at.
 *  2. Causes that are unmarked and unused for long enough are buried: marked dead, and taken
 *     out of the hash table.  A new epoch ends the tasks' shortcuts.
 *  3. synchronize_rcu(): a probe that found one of them before has finished.
 *  4. Their numbers are freed.  A reference that is left finds nothing, or, by its
 *     generation and its tag, not the next cause with the number.
 *  5. synchronize_rcu(), for readers that found one by its number; then they are freed.
 *
 * Acts likewise; in step 3 the CPUs' recent answers are cleared as well, see core/act, and before
 * step 5 their recent sums, see io/sum.  What an act has counted since a reader got it goes to an
 * act that is less exact, so that sums stay right; readers do not see it once it is buried.
 *
 * counters_pipe protects what is unread only as long as there is room: a reader that stops
 * reading stops nothing.
 *
 * W: the worker only.
 */
#include <linux/bitmap.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include <compat/rcu.h>

#include "blame/association.h"
#include "blame/dirtier.h"
#include "blame/freed_extent.h"
#include "blame/transaction.h"
#include "core/act.h"
#include "core/cause.h"
#include "core/epoch.h"
#include "core/intent.h"
#include "core/role.h"
#include "core/stats.h"
#include "core/worker.h"
#include "conf.h"
#include "counters.h"
#include "reclaim.h"
#include "sum.h"
#include "sum_reader.h"

enum {
	/* seconds between two looks */
	RECLAIM_SECS = 1,
	/* passes may take one part in so many of a CPU's time, unless room is short */
	RECLAIM_SHARE = 100,
	/* the same if room is short, but the last pass found nothing to free */
	RECLAIM_SHARE_SHORT = 10,
	/* what was used so recently stays in any case: an IO may be under way */
	RECLAIM_MIN_SECS = 2,
};

/* ages to try when room is short, in seconds; the first is ttl_secs, if that is more */
static const u32 ages_to_try[] = { 120, 60, 30, 15, 8, 4, RECLAIM_MIN_SECS };

/*
 * Passes of one kind: those over acts are more frequent where acts, sums or roles are short, those
 * over causes and roles where one of these is.
 */
struct passes {
	u64 began_ns;	/* the last one */
	u64 took[2];	/* CPU time in ns: of the last one, and of the one before */
	bool freed;	/* it was worth while */
};

static struct iob_reclaimed reclaimed;	/* W, read without */
static struct passes acts_passes;	/* W */
/* W: of causes and roles, which read the dirtier table: that is long where memory is large */
static struct passes causes_passes;
/* The session ends: what is marked from now on is not all, and nothing more is buried. */
static bool stopping;

/* One look: what is to be freed. */
struct pass {
	unsigned long *causes;	/* bitmap by number: still needed */
	unsigned long *roles;	/* likewise */
	unsigned long *dead;	/* bitmap by number, of the kind at hand */
	u32 ttl;		/* seconds */
	bool roles_marked;	/* once */
	bool short_of_roles;
	bool short_of_causes;
	bool crowded_out;	/* acts with files, by acts without */
	bool has_room;		/* half of it at least */
	bool has_much_room;	/* three quarters */
	u32 want_acts;		/* room is short: free so many, also unread ones */
};

static bool is_crowded(u32 taken, u32 max)
{
	return taken >= max / 4 * 3;
}

static bool is_half_empty(u32 taken, u32 max)
{
	return taken <= max / 2;
}

static bool is_nearly_empty(u32 taken, u32 max)
{
	return taken <= max / 4;
}

/* Whole ticks, rounded up. */
static u32 secs_to_ticks(u32 secs)
{
	return DIV_ROUND_UP(secs, RECLAIM_SECS);
}

/* True if what was last used at @used is older than @ticks; @used may be later than now. */
static bool is_older(u32 used, u32 ticks)
{
	return (s32)(iob_cause_now() - used) >= (s32)ticks;
}

static bool cause_may_go(const struct pass *p, const struct iob_cause *c, u32 ticks)
{
	u32 nr = iob_id_nr(c->node.id);

	return nr >= iob_causes.first && is_older(READ_ONCE(c->used), ticks) &&
	       !test_bit(nr, p->causes);
}

static bool is_unread(const struct iob_act *act)
{
	return READ_ONCE(act->counters) && iob_pipe_unread(READ_ONCE(act->use.pipe));
}

/*
 * Acts without a file have taken over what others counted.  While unread they stay, unless they
 * keep roles alive that are wanted, or take room from acts with files.  For the latter their intent
 * is enough to lose: there is room for one of each role.
 */
static bool act_may_go(const struct pass *p, const struct iob_act *act, u32 ticks, bool unread)
{
	if (iob_id_nr(act->node.id) <= IOB_ACT_LOST || !is_older(READ_ONCE(act->use.tick), ticks))
		return false;
	if (!is_unread(act))
		return true;
	if (iob_act_has_file(act))
		return unread;
	return p->short_of_roles ||
	       (unread && p->crowded_out && act->intent > IOB_INTENT_LOST);
}

static u32 count_causes(const struct pass *p, u32 ticks)
{
	struct iob_cause *c;
	u32 nr, n = 0;

	for (nr = 0; (c = iob_cause_next(&nr)); nr++) {
		n += cause_may_go(p, c, ticks);
		cond_resched();
	}
	return n;
}

static u32 count_acts(const struct pass *p, u32 ticks, bool unread)
{
	struct iob_act *act;
	u32 nr, n = 0;

	for (nr = 0; (act = iob_act_next(&nr)); nr++) {
		n += act_may_go(p, act, ticks, unread);
		cond_resched();
	}
	return n;
}

/* How long causes must have been unused: shorter, the shorter room is.  In ticks. */
static u32 age_of_causes(const struct pass *p)
{
	u32 ticks = secs_to_ticks(p->ttl);
	unsigned int i;

	if (!p->short_of_causes && !p->short_of_roles)
		return ticks;
	for (i = 0; i < ARRAY_SIZE(ages_to_try); i++) {
		if (count_causes(p, ticks) >= iob_conf.max[IOB_LIMIT_causes] / 4)
			break;
		ticks = min(ticks, secs_to_ticks(ages_to_try[i]));
	}
	return ticks;
}

static u32 age_of_acts(const struct pass *p, bool unread)
{
	u32 ticks = secs_to_ticks(p->ttl);
	unsigned int i;

	for (i = 0; p->want_acts && i < ARRAY_SIZE(ages_to_try); i++) {
		if (count_acts(p, ticks, unread) >= p->want_acts)
			break;
		ticks = min(ticks, secs_to_ticks(ages_to_try[i]));
	}
	return ticks;
}

/* Step 2.  Return: how many. */
static u32 bury_causes(struct pass *p, u32 ticks)
{
	struct iob_cause *c;
	u32 nr, n = 0;

	for (nr = 0; (c = iob_cause_next(&nr)); nr++) {
		cond_resched();
		if (!cause_may_go(p, c, ticks))
			continue;
		iob_cause_bury(c);
		__set_bit(nr, p->dead);
		n++;
	}
	return n;
}

/* Steps 4 and 5.  ->hash is free for use since step 3: it links the list. */
static void free_causes(const struct pass *p)
{
	HLIST_HEAD(list);
	struct hlist_node *next;
	struct iob_cause *c;
	u32 nr;

	for_each_set_bit(nr, p->dead, iob_causes.max) {
		c = iob_cause_nr(nr);
		iob_index_unnumber(&iob_causes, &c->node);
		hlist_add_head(&c->node.hash, &list);
		cond_resched();
	}
	synchronize_rcu();
	hlist_for_each_entry_safe(c, next, &list, node.hash) {
		iob_cause_free(c);
		cond_resched();
	}
}

/*
 * Before step 1: mark what cannot go in this pass.  A cause that comes later, or is used again, is
 * in use until the pass ends, as the tick stays.  Last resorts go with their roles, at any age, but
 * for those of the special roles.
 */
static void mark_kept(const struct pass *p)
{
	/* if room is short, any age may do, see age_of_causes() */
	bool any = p->short_of_causes || p->short_of_roles;
	u32 nr, ticks = secs_to_ticks(max_t(u32, any ? 0 : p->ttl, RECLAIM_MIN_SECS));
	struct iob_cause *c;

	bitmap_fill(p->causes, iob_causes.max);
	for (nr = IOB_ROLE_LOST + 1; (c = iob_cause_next(&nr)); nr++) {
		if (nr < iob_causes.first || is_older(READ_ONCE(c->used), ticks))
			__clear_bit(nr, p->causes);
		cond_resched();
	}
}

/*
 * Step 1.  Freed blocks may wait an hour for their discard.  They keep causes only as long as half
 * of the room is left, so that nothing else becomes short for them: else a late discard is charged
 * to `lost`.  An inode's times may wait a day to be written: their causes stay while three quarters
 * are left, so that those of freed blocks do, too.
 *
 * Return: false if the session ends; then not all are marked.
 */
static bool mark_causes(const struct pass *p)
{
	if (!iob_dirtier_mark(p->causes, &stopping) ||
	    !iob_assoc_mark(p->causes, p->has_much_room, &stopping))
		return false;
	if (p->has_room && (!iob_transactions_mark(p->causes, &stopping) ||
			    !iob_freed_extents_mark(p->causes, &stopping)))
		return false;
	return !READ_ONCE(stopping);
}

/*
 * The marks are no snapshot: a page that is passed may become dirty before its cause is looked
 * at.  Whoever notes a cause touches it, but for the shortcut of a long write().  The epoch ends
 * all of these, so what is noted from here on has touched its cause in this tick, which is no
 * age to be buried at.
 */
static void reclaim_causes(struct pass *p)
{
	u32 ticks, n;

	iob_epoch_bump();
	synchronize_rcu();
	mark_kept(p);
	if (!mark_causes(p))
		return;
	ticks = max(age_of_causes(p), secs_to_ticks(RECLAIM_MIN_SECS));
	bitmap_zero(p->dead, iob_causes.max);
	n = bury_causes(p, ticks);
	if (!n)
		return;
	iob_epoch_bump();
	synchronize_rcu();
	free_causes(p);
	WRITE_ONCE(reclaimed.causes, reclaimed.causes + n);
}

static u32 bury_acts(struct pass *p, u32 ticks, bool unread)
{
	struct iob_act *act;
	u32 nr, n = 0;

	for (nr = 0; (act = iob_act_next(&nr)); nr++) {
		cond_resched();
		if (!act_may_go(p, act, ticks, unread))
			continue;
		iob_act_bury(act);
		__set_bit(nr, p->dead);
		n++;
	}
	return n;
}

/*
 * What was not read of a dead act goes to one that is less exact.  It does not matter whether a
 * reader has ended since the act was buried: it has not been offered dead ones.
 */
static void merge_act(struct iob_act *act)
{
	if (!iob_counters_are_unread(act))
		return;
	iob_read_lock();
	iob_counters_merge(iob_act_coarser(act), act);
	iob_read_unlock();
	iob_stat_inc(acts_merged);
}

static void free_acts(const struct pass *p)
{
	HLIST_HEAD(list);
	struct hlist_node *next;
	struct iob_act *act;
	u32 nr;

	for_each_set_bit(nr, p->dead, iob_acts_max()) {
		act = iob_act_nr(nr);
		/* while it is found by its number: a pass over all sums has them here or there */
		iob_sums_keep(act);
		/* the less exact act may need the number; none of the dead are found to be that */
		iob_act_unnumber(act);
		merge_act(act);
		hlist_add_head(&act->node.hash, &list);
		cond_resched();
	}
	/* no probe has one of them any more, to note it there again */
	iob_sums_forget_recent();
	synchronize_rcu();
	hlist_for_each_entry_safe(act, next, &list, node.hash) {
		iob_act_free(act);
		cond_resched();
	}
}

static void reclaim_acts(struct pass *p)
{
	u32 ticks = age_of_acts(p, false), n;
	bool unread = false;

	bitmap_zero(p->dead, iob_acts_max());
	if (p->want_acts && count_acts(p, ticks, false) < p->want_acts) {
		unread = true;
		ticks = age_of_acts(p, true);
	}
	n = bury_acts(p, max(ticks, secs_to_ticks(RECLAIM_MIN_SECS)), unread);
	if (!n)
		return;
	synchronize_rcu();
	/* io/fast notes acts, too */
	iob_acts_forget_recent();
	iob_epoch_bump();
	synchronize_rcu();
	free_acts(p);
	WRITE_ONCE(reclaimed.acts, reclaimed.acts + n);
}

static struct pass *roles_pass;	/* W: of reclaim_roles() */

/*
 * Roles that have dirty pages as a last resort, or that a cause or an act names.  A second
 * call comes after a grace period, in which pages may have become dirty.  It looks for last resorts
 * only.  All are used if the session ends: those that are buried stay until the next one.
 */
static void mark_roles(unsigned long *used, u32 bits)
{
	struct iob_cause *c;
	struct iob_act *act;
	u32 nr;

	if (roles_pass->roles_marked) {
		bitmap_set(roles_pass->causes, iob_causes.first,
			   iob_causes.max - iob_causes.first);
		mark_causes(roles_pass);
	}
	roles_pass->roles_marked = true;
	if (READ_ONCE(stopping)) {
		bitmap_fill(used, bits);
		return;
	}
	bitmap_copy(used, roles_pass->causes, bits);
	for (nr = iob_causes.first; (c = iob_cause_next(&nr)); nr++) {
		__set_bit(iob_id_nr(c->role), used);
		cond_resched();
	}
	for (nr = 0; (act = iob_act_next(&nr)); nr++) {
		__set_bit(iob_id_nr(act->role), used);
		cond_resched();
	}
}

static void reclaim_roles(struct pass *p)
{
	u32 nr, bits = iob_roles_max(), want = p->short_of_roles ? bits / 4 : 0;

	roles_pass = p;
	nr = iob_roles_reclaim(mark_roles, p->roles, bits,
			       want ? min_t(u32, p->ttl, RECLAIM_MIN_SECS) : p->ttl, want);
	WRITE_ONCE(reclaimed.roles, reclaimed.roles + nr);
}

static bool pass_alloc(struct pass *p)
{
	u32 bits = max(iob_causes.max, iob_acts_max());

	/* (without memory the next pass is soon: no warning each time) */
	p->causes = kvcalloc(BITS_TO_LONGS(bits), sizeof(long), GFP_KERNEL | __GFP_NOWARN);
	p->roles = kvcalloc(BITS_TO_LONGS(iob_roles_max()), sizeof(long),
			    GFP_KERNEL | __GFP_NOWARN);
	p->dead = kvcalloc(BITS_TO_LONGS(bits), sizeof(long), GFP_KERNEL | __GFP_NOWARN);
	return p->causes && p->roles && p->dead;
}

static void pass_free(struct pass *p)
{
	kvfree(p->causes);
	kvfree(p->roles);
	kvfree(p->dead);
}

static void reclaim_causes_and_roles(struct pass *p)
{
	reclaim_causes(p);
	reclaim_roles(p);
}

static u64 nr_reclaimed(void)
{
	return reclaimed.acts + reclaimed.causes + reclaimed.roles;
}

/* Without memory nothing is reclaimed this time: the next look is soon. */
static void reclaim_pass(struct passes *of, struct pass *p, void (*do_pass)(struct pass *p))
{
	u64 began = current->se.sum_exec_runtime, before = nr_reclaimed();
	bool done = pass_alloc(p);

	of->began_ns = ktime_get_ns();
	if (done)
		do_pass(p);
	pass_free(p);
	of->took[1] = of->took[0];
	of->took[0] = current->se.sum_exec_runtime - began;
	of->freed = !done || nr_reclaimed() != before;
}

/*
 * How many acts shall go.  Each keeps its role alive, and has sums for each disk and operation: so
 * roles or sums may be what is short.  Sums go with their acts, and wait for readers: meanwhile a
 * new originator loses its file or its sum.  Roles do not wait, as without one nobody is known.
 */
static u32 acts_wanted(bool short_of_roles)
{
	u32 nr = short_of_roles ? iob_roles_max() / 4 : 0, sums = iob_sums_count();
	u32 max_acts = iob_conf.max[IOB_LIMIT_acts];

	if (is_crowded(iob_acts_taken(), max_acts) && iob_sums_may_go())
		nr = max(nr, max_acts / 4);
	if (sums && is_crowded(sums, iob_conf.max[IOB_LIMIT_sums]) && iob_sums_may_go())
		nr = max(nr, iob_acts_count() / 4);
	return nr;
}

static void reclaim_work_fn(struct work_struct *work);
/* (not deferrable: its CPU may be idle while others fill a table) */
static DECLARE_DELAYED_WORK(reclaim_work, reclaim_work_fn);

/*
 * Whether the next pass is due.  A virtual machine that is stopped within a pass takes that for CPU
 * time.  Passes of one kind take about as long each, so the shorter one of two counts.
 */
static bool pass_is_due(const struct passes *of, bool room_is_short, u32 ttl)
{
	u64 took = min(of->took[0], of->took[1]);
	u64 rest = max_t(u64, took * RECLAIM_SHARE, min_t(u64, ttl / 4, 30) * NSEC_PER_SEC);

	if (room_is_short)
		rest = of->freed ? 0 : took * RECLAIM_SHARE_SHORT;
	return ktime_get_ns() - of->began_ns >= rest;
}

static void reclaim_work_fn(struct work_struct *work)
{
	struct pass p = {
		.ttl = READ_ONCE(iob_conf.ttl_secs),
		.short_of_roles = is_crowded(iob_roles_count(), iob_roles_max()),
		.short_of_causes = is_crowded(iob_causes_count(),
					      iob_conf.max[IOB_LIMIT_causes]),
		.crowded_out = iob_acts_crowd_out(),
		.has_room = is_half_empty(iob_roles_count(), iob_roles_max()) &&
			    is_half_empty(iob_causes_count(), iob_conf.max[IOB_LIMIT_causes]),
		.has_much_room = is_nearly_empty(iob_roles_count(), iob_roles_max()) &&
				 is_nearly_empty(iob_causes_count(),
						 iob_conf.max[IOB_LIMIT_causes]),
	};

	WRITE_ONCE(iob_use_now.tick, iob_use_now.tick + 1);
	p.want_acts = acts_wanted(p.short_of_roles);
	if (pass_is_due(&acts_passes, p.want_acts, p.ttl)) {
		reclaim_pass(&acts_passes, &p, reclaim_acts);
		/* roles may go that these acts have named */
		causes_passes.freed |= acts_passes.freed && p.short_of_roles;
	}
	if (pass_is_due(&causes_passes, p.short_of_roles || p.short_of_causes, p.ttl))
		reclaim_pass(&causes_passes, &p, reclaim_causes_and_roles);
	iob_work_queue_delayed(&reclaim_work, RECLAIM_SECS * HZ);
}

/* A session begins: start to look.  May sleep. */
void iob_reclaim_start(void)
{
	memset(&reclaimed, 0, sizeof(reclaimed));
	acts_passes = (struct passes){ .freed = true };
	causes_passes = (struct passes){ .freed = true };
	WRITE_ONCE(stopping, false);
	iob_pipe_read_none();
	iob_work_queue_delayed(&reclaim_work, RECLAIM_SECS * HZ);
}

/*
 * Look no more: when this returns, no object is freed behind a reader's back.  A pass that looks
 * for what needs causes ends there.  May sleep.
 */
void iob_reclaim_stop(void)
{
	WRITE_ONCE(stopping, true);
	cancel_delayed_work_sync(&reclaim_work);
}

/* @sum gets what was reclaimed in this session.  Any context. */
void iob_reclaim_sum(struct iob_reclaimed *sum)
{
	sum->roles = READ_ONCE(reclaimed.roles);
	sum->causes = READ_ONCE(reclaimed.causes);
	sum->acts = READ_ONCE(reclaimed.acts);
}
