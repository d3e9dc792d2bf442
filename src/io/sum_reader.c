// SPDX-License-Identifier: GPL-2.0
/*
 * A sum that goes leaves its last record, which tells all: its role may go next.  The records are
 * a queue with numbers.  A reader has seen all up to a number, and the front of the queue is freed
 * when all readers have.
 *
 * R: sum_mutex.  It is taken inside the session's lock.
 */
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <compat/rcu.h>
#include <compat/slab.h>

#include "core/intent.h"
#include "core/role.h"
#include "core/stats.h"
#include "conf.h"
#include "op.h"
#include "sum.h"
#include "sum_reader.h"

/* The last record of a sum. */
struct gone_sum {
	struct list_head link;	/* R */
	u64 nr;			/* one more than that of the one before */
	const struct iob_disk *disk;
	u32 at;			/* iob_disk_sum() */
	struct iob_sum_bin_record rec;
};

static struct kmem_cache *gone_cache;

static DEFINE_MUTEX(sum_mutex);
static LIST_HEAD(readers);	/* R */
static LIST_HEAD(gone);		/* R: struct gone_sum, the oldest first */
static u32 nr_gone;		/* R */
static u64 last_gone;		/* R: number of the last one that there was */

/* Who it is: @role may be NULL. */
static void fill_sum_role(struct iob_sum_bin_record *rec, const struct iob_role *role)
{
	rec->role_kind = IOB_ROLE_SPECIAL;
	rec->uid = IOB_UID_NONE;
	if (!role)
		return;
	rec->role_kind = role->kind;
	rec->role_id = iob_role_number(role);
	rec->pid = role->kind == IOB_ROLE_THREAD ? role->key : 0;
	rec->tgid = role->tgid;
	rec->cgroup = iob_role_in_cgroup(role);
	rec->start_ns = iob_role_start(role);
	if (role->kind == IOB_ROLE_THREAD || role->kind == IOB_ROLE_PROCESS)
		rec->uid = role->uid;
	memcpy(rec->comm, role->comm, sizeof(rec->comm));
}

/* Likewise, of an act.  Inside iob_read_lock(), or the caller is the only one that frees roles. */
static void fill_sum_act(struct iob_sum_bin_record *rec, const struct iob_act *act)
{
	const struct iob_intent *intent = iob_intent_nr(act->intent);
	const struct iob_role *role = iob_role_id(act->role);

	fill_sum_role(rec, role ? role : iob_role_id(IOB_ROLE_LOST));
	rec->intent_nr = act->intent;
	rec->modifier = intent ? intent->modifier : 0;
	rec->dev = act->file.dev;
	rec->ino = act->file.ino;
	rec->gen = act->file.gen;
}

/* What is the same for all sums: the numbers and what they are of. */
static void fill_sum_values(struct iob_sum_bin_record *rec, const struct iob_sum *sum,
			    const struct iob_sum_values *values)
{
	memset(rec, 0, sizeof(*rec));
	rec->len = sizeof(*rec);
	rec->ver = IOB_SUMS_BIN_VER;
	rec->op = iob_op_letter(iob_sum_op(sum));
	rec->how = iob_sum_how(sum);
	rec->id = sum->id;
	rec->disk = sum->disk->devt;
	rec->ios = values->ios;
	rec->bytes = values->bytes;
	rec->total_ns = values->ns;
	rec->errors = values->errors;
	memcpy(rec->lat, values->lat, sizeof(rec->lat));
}

static void fill_sum_now(struct iob_sum_bin_record *rec, const struct iob_sum *sum)
{
	struct iob_sum_values values;

	iob_sum_read(sum, &values);
	fill_sum_values(rec, sum, &values);
}

/* Of a disk's rest or past: nobody is known. */
static void fill_disk_sum(struct iob_sum_bin_record *rec, const struct iob_sum *sum, u8 flags)
{
	bool lost = iob_sum_how(sum) == IOB_HOW_LOST;

	fill_sum_now(rec, sum);
	iob_read_lock();
	fill_sum_role(rec, iob_role_id(lost ? IOB_ROLE_LOST : IOB_ROLE_NOMEM));
	iob_read_unlock();
	rec->intent_nr = lost ? IOB_INTENT_LOST : IOB_INTENT_NOMEM;
	rec->flags = flags;
}

/* The front of the queue goes into the past.  R. */
static void drop_oldest(void)
{
	struct gone_sum *g = list_first_entry(&gone, struct gone_sum, link);
	struct iob_sum_values values = {
		.ios = g->rec.ios, .bytes = g->rec.bytes, .ns = g->rec.total_ns,
		.errors = g->rec.errors,
	};
	struct iob_sum_reader *r;

	/* whoever saw it last has not seen the new front */
	list_for_each_entry(r, &readers, link) {
		if (r->last == g)
			r->last = NULL;
	}
	memcpy(values.lat, g->rec.lat, sizeof(values.lat));
	iob_sum_add(&g->disk->past[g->at], &values);
	list_del(&g->link);
	kmem_cache_free(gone_cache, g);
	nr_gone--;
}

/* The last of those that went which each reader has seen.  R. */
static u64 seen_by_all(void)
{
	const struct iob_sum_reader *r;
	u64 seen = last_gone;

	list_for_each_entry(r, &readers, link)
		seen = min(seen, r->seen);
	return seen;
}

/* R. */
static void drop_seen(void)
{
	u64 seen = seen_by_all();

	while (!list_empty(&gone) &&
	       list_first_entry(&gone, struct gone_sum, link)->nr <= seen) {
		drop_oldest();
		cond_resched();
	}
}

/* The oldest one that a reader has not seen, or NULL.  R. */
static struct gone_sum *next_unseen(const struct iob_sum_reader *r)
{
	const struct list_head *at = r->last ? &r->last->link : &gone;

	return at->next == &gone ? NULL : list_entry(at->next, struct gone_sum, link);
}

/* A sum has its last values: keep them for the readers.  R. */
static void keep_gone(const struct iob_sum *sum, const struct iob_act *act)
{
	struct gone_sum *g = list_empty(&readers) ? NULL :
			     kmem_cache_alloc(gone_cache, GFP_KERNEL);
	u32 at = iob_disk_sum(iob_sum_op(sum), iob_sum_how(sum));
	struct iob_sum_values values;

	iob_sum_read(sum, &values);
	if (!g) {
		if (!list_empty(&readers))
			iob_stat_inc(sum_unseen);
		iob_sum_add(&sum->disk->past[at], &values);
		return;
	}
	g->nr = ++last_gone;
	g->disk = sum->disk;
	g->at = at;
	fill_sum_values(&g->rec, sum, &values);
	fill_sum_act(&g->rec, act);
	g->rec.flags = IOB_SUM_GONE;
	list_add_tail(&g->link, &gone);
	if (++nr_gone <= iob_conf.max[IOB_LIMIT_sums] / 4 * 5)
		return;
	iob_stat_inc(sum_unseen);
	drop_oldest();
}

/**
 * iob_sums_keep - the sums of an act go: their last records are kept for the readers
 * @act: buried, and no CPU counts for it any more; its number and its role are still there
 *
 * Each pass has to have each sum, also a first one that begins just now: what is shown among the
 * acts no more must be among those that went.  So this comes before the act's number is given up.
 * Reclaim only, inside a session.  May sleep.
 */
void iob_sums_keep(struct iob_act *act)
{
	const struct iob_sum *sum;

	if (!act->sums)
		return;
	mutex_lock(&sum_mutex);
	for (sum = act->sums; sum; sum = sum->next)
		keep_gone(sum, act);
	WRITE_ONCE(act->kept, true);
	mutex_unlock(&sum_mutex);
}

/* Free the sums of an act that can no longer be found.  May sleep. */
void iob_sums_release(struct iob_act *act)
{
	struct iob_sum *sum, *next;

	for (sum = act->sums; sum; sum = next) {
		next = sum->next;
		iob_sum_free(sum);
	}
	act->sums = NULL;
}

/* True if the reader has begun a pass, and lately: it is expected to come again.  R. */
static bool reader_is_active(const struct iob_sum_reader *r)
{
	return !r->first && ktime_get_seconds() - r->passed < READ_ONCE(iob_conf.ttl_secs);
}

/**
 * iob_sums_may_go - whether all sums may go at once without a reader's missing one
 *
 * What changed since a reader's last pass and is dropped unseen is in none of its passes, so
 * sums wait for active readers.  For one that has stopped they wait ttl_secs.  May sleep.
 */
bool iob_sums_may_go(void)
{
	const struct iob_sum_reader *r;
	bool may = true;

	mutex_lock(&sum_mutex);
	list_for_each_entry(r, &readers, link) {
		if (reader_is_active(r) &&
		    last_gone - r->seen > iob_conf.max[IOB_LIMIT_sums] / 4)
			may = false;
	}
	mutex_unlock(&sum_mutex);
	return may;
}

/* A session begins.  May sleep.  Return: 0 or -ENOMEM; iob_sums_stop() undoes it. */
int iob_sums_start(void)
{
	return iob_sums_begin();
}

/* The session ends: what went is forgotten, too.  May sleep. */
void iob_sums_stop(void)
{
	struct gone_sum *g, *next;
	struct iob_sum_reader *r;

	mutex_lock(&sum_mutex);
	list_for_each_entry(r, &readers, link)
		r->last = NULL;
	list_for_each_entry_safe(g, next, &gone, link) {
		kmem_cache_free(gone_cache, g);
		cond_resched();
	}
	INIT_LIST_HEAD(&gone);
	nr_gone = 0;
	mutex_unlock(&sum_mutex);
	iob_sums_end();
}

/* Module load.  Return: 0 or -ENOMEM. */
int iob_sum_readers_init(void)
{
	gone_cache = iob_cache_create("iob_sum_gone", sizeof(struct gone_sum), 0);
	return gone_cache ? 0 : -ENOMEM;
}

/* Module unload: no file is open, no act is left. */
void iob_sum_readers_exit(void)
{
	kmem_cache_destroy(gone_cache);
}

/* The first pass is to begin.  R. */
static void reader_reset(struct iob_sum_reader *r, u32 session)
{
	r->session = session;
	r->first = true;
	r->part = IOB_SUM_PART_BEGIN;
	/* what is still kept is no past yet */
	r->last = NULL;
	r->seen = last_gone - nr_gone;
}

/* A reader comes; @session is the present one's number.  May sleep. */
void iob_sum_reader_open(struct iob_sum_reader *r, u32 session)
{
	mutex_lock(&sum_mutex);
	reader_reset(r, session);
	list_add_tail(&r->link, &readers);
	mutex_unlock(&sum_mutex);
}

/* .. and goes.  May sleep. */
void iob_sum_reader_close(struct iob_sum_reader *r)
{
	mutex_lock(&sum_mutex);
	list_del(&r->link);
	drop_seen();
	mutex_unlock(&sum_mutex);
}

static void part_begin(struct iob_sum_reader *r, enum iob_sum_part part)
{
	r->part = part;
	r->disk = NULL;
	r->at = 0;
	r->place = 0;
}

/*
 * What noted the generation before is counted when this returns, see iob_sum_changed().  May
 * sleep.
 */
static void pass_begin(struct iob_sum_reader *r)
{
	mutex_lock(&sum_mutex);
	r->passed = ktime_get_seconds();
	r->next = iob_sum_generation + 1;
	WRITE_ONCE(iob_sum_generation, r->next);
	mutex_unlock(&sum_mutex);
	synchronize_rcu();
	part_begin(r, r->first ? IOB_SUM_PART_PAST : IOB_SUM_PART_REST);
}

static void pass_end(struct iob_sum_reader *r)
{
	r->from = r->next;
	r->first = false;
	r->part = IOB_SUM_PART_END;
}

/* True if a sum is to be in this pass; generations wrap around. */
static bool has_changed(const struct iob_sum_reader *r, const struct iob_sum *sum)
{
	return r->first || (s32)(READ_ONCE(sum->generation) - r->from) >= 0;
}

/* The past or the rest of the disks.  Return: how many records. */
static u32 next_of_disks(struct iob_sum_reader *r, struct iob_sum_bin_record *to, u32 max)
{
	bool past = r->part == IOB_SUM_PART_PAST;
	const struct iob_sum *sum;
	u32 n = 0;

	if (!r->disk)
		r->disk = iob_disk_after(NULL);
	while (r->disk && n < max) {
		if (r->at == IOB_DISK_SUMS) {
			r->at = 0;
			r->disk = iob_disk_after(r->disk);
			continue;
		}
		sum = past ? &r->disk->past[r->at] : &r->disk->rest[r->at];
		r->at++;
		if (!iob_sum_empty(sum) && (past || has_changed(r, sum)))
			fill_disk_sum(&to[n++], sum, past ? IOB_SUM_PAST : IOB_SUM_REST);
	}
	if (!r->disk)
		part_begin(r, past ? IOB_SUM_PART_REST : IOB_SUM_PART_ACTS);
	return n;
}

/*
 * The sums of one act from its r->place on.  Those that are kept as gone come with the others that
 * went, or a reader that has come later had them in the past.  Inside iob_read_lock().  Return: how
 * many.
 */
static u32 next_of_act(struct iob_sum_reader *r, const struct iob_act *act,
		       struct iob_sum_bin_record *to, u32 max)
{
	const struct iob_sum *sum = READ_ONCE(act->kept) ? NULL : READ_ONCE(act->sums);
	u32 i, n = 0;

	for (i = 0; sum && n < max; i++, sum = READ_ONCE(sum->next)) {
		if (i < r->place)
			continue;
		r->place++;
		if (!has_changed(r, sum))
			continue;
		fill_sum_now(&to[n], sum);
		fill_sum_act(&to[n], act);
		n++;
	}
	if (!sum) {
		r->place = 0;
		r->at++;
	}
	return n;
}

static u32 next_of_acts(struct iob_sum_reader *r, struct iob_sum_bin_record *to, u32 max)
{
	const struct iob_act *act;
	u32 n = 0, at;

	while (n < max) {
		at = r->at;
		iob_read_lock();
		act = iob_act_next(&r->at);
		/* another act than the one that was read in part */
		if (r->at != at)
			r->place = 0;
		if (act)
			n += next_of_act(r, act, &to[n], max - n);
		iob_read_unlock();
		if (!act) {
			part_begin(r, IOB_SUM_PART_GONE);
			break;
		}
		cond_resched();
	}
	return n;
}

static u32 next_of_gone(struct iob_sum_reader *r, struct iob_sum_bin_record *to, u32 max)
{
	struct gone_sum *g = NULL;
	u32 n = 0;

	mutex_lock(&sum_mutex);
	while (n < max && (g = next_unseen(r))) {
		to[n++] = g->rec;
		r->last = g;
		r->seen = g->nr;
	}
	/* (the last ones may have been dropped unseen) */
	if (n < max)
		r->seen = last_gone;
	drop_seen();
	mutex_unlock(&sum_mutex);
	return n;
}

/* The next records of the part at hand.  Return: how many; 0: the part is at its end. */
static u32 next_of_part(struct iob_sum_reader *r, struct iob_sum_bin_record *to, u32 max)
{
	u32 n;

	switch (r->part) {
	case IOB_SUM_PART_PAST:
	case IOB_SUM_PART_REST:
		return next_of_disks(r, to, max);
	case IOB_SUM_PART_ACTS:
		return next_of_acts(r, to, max);
	case IOB_SUM_PART_GONE:
		n = next_of_gone(r, to, max);
		if (n < max)
			pass_end(r);
		return n;
	default:
		return 0;
	}
}

/**
 * iob_sum_reader_next - the next records of a pass
 * @r:       the reader; no other task uses it now
 * @session: number of the present one: in a new one all begins anew
 * @to:      gets them
 * @max:     room for so many, not 0
 *
 * May sleep; the session is held and there.  Begins a pass if none is under way.
 * Return: how many; 0 once at the end of each pass.
 */
u32 iob_sum_reader_next(struct iob_sum_reader *r, u32 session, struct iob_sum_bin_record *to,
			u32 max)
{
	u32 n = 0;

	if (r->session != session) {
		mutex_lock(&sum_mutex);
		reader_reset(r, session);
		mutex_unlock(&sum_mutex);
	}
	if (r->part == IOB_SUM_PART_BEGIN)
		pass_begin(r);
	while (n < max && r->part != IOB_SUM_PART_END)
		n += next_of_part(r, &to[n], max - n);
	if (!n)
		r->part = IOB_SUM_PART_BEGIN;
	return n;
}
