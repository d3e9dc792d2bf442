// SPDX-License-Identifier: GPL-2.0
/*
 * Each counter is a specification and a filter, replaced as a whole under RCU
 * so that they can change while IO is counted.  The histograms of one act are
 * one object, made when the act first has something to count, of the size
 * that the session began with.
 *
 * M: conf_mutex; R: RCU for reads.
 */
#include <linux/bits.h>
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/string.h>

#include <compat/compiler.h>
#include <compat/rcu.h>
#include <compat/slab.h>

#include "blame/dirtier.h"
#include "core/stats.h"
#include "counter_spec.h"
#include "counters.h"
#include "filter.h"

struct counter {
	struct iob_simple_counter plain;	/* its spec */
	bool filtered;
	u32 needs;		/* fields to count, or to filter by: bits */
	struct iob_filter filter;
	/* what NR_filter reads: the filter, or why it was not one */
	char *filter_text;
};

static DEFINE_MUTEX(conf_mutex);
static struct counter __rcu *conf[IOB_MAX_COUNTERS];	/* M, R */
static u32 nr_conf;			/* M, read without */
u32 iob_counters_fields[IOB_NR_OPS];	/* M, read without */
static u32 nr_session;			/* constant while a session lives */
static struct kmem_cache *cache;	/* of the session */
bool iob_counters_timed;			/* M, read without */
static struct iob_simple_counter *plain[IOB_NR_OPS][IOB_MAX_COUNTERS + 1];	/* M, R */
u32 iob_pipe_generation_now = 1;

struct iob_simple_counter **const iob_counters_simple[IOB_NR_OPS] = {
	plain[0], plain[1], plain[2], plain[3], plain[4],
};

static const u8 dir_of_op[IOB_NR_OPS] = {
	[IOB_OP_READ]	 = IOB_DIR_R,
	[IOB_OP_AHEAD]	 = IOB_DIR_A,
	[IOB_OP_WRITE]	 = IOB_DIR_W,
	[IOB_OP_DISCARD] = IOB_DIR_D,
	[IOB_OP_FLUSH]	 = IOB_DIR_F,
};

static struct counter *conf_of(u32 nr)
{
	return rcu_dereference_protected(conf[nr],
					 lockdep_is_held(&conf_mutex));
}

static void counter_free(struct counter *c)
{
	if (c)
		kfree(c->filter_text);
	kfree(c);
}

/*
 * The counters of an operation that need no more than IOB_COUNTERS_SIMPLE.  In place:
 * who looks meanwhile may count an IO twice, or not; the last one is never taken.
 */
static void list_plain(u32 op)
{
	struct iob_simple_counter **to = plain[op];
	u32 nr;

	for (nr = 0; nr < nr_conf; nr++) {
		struct counter *c = conf_of(nr);

		if (!c || !(c->plain.spec.dirs & dir_of_op[op]) ||
		    c->needs & ~IOB_COUNTERS_SIMPLE || c->filtered)
			continue;
		c->plain.at = nr * IOB_HIST_SLOTS;
		/* (0 - 1: there is no end) */
		c->plain.last = c->plain.spec.bound[IOB_NR_SLOTS] - 1;
		/* with what it is now */
		smp_store_release(to++, &c->plain);
	}
	for (; to < &plain[op][IOB_MAX_COUNTERS]; to++)
		WRITE_ONCE(*to, NULL);
}

/* What all counters together want to know, so that no more is worked out. */
static void sum_up(void)
{
	u32 nr, op, all = 0;

	for (op = 0; op < IOB_NR_OPS; op++) {
		u32 fields = 0;

		for (nr = 0; nr < nr_conf; nr++) {
			const struct counter *c = conf_of(nr);

			if (!c || !(c->plain.spec.dirs & dir_of_op[op]))
				continue;
			fields |= c->needs;
			if (c->filtered)
				fields |= IOB_COUNTERS_FILTER;
		}
		WRITE_ONCE(iob_counters_fields[op], fields);
		list_plain(op);
		all |= fields;
	}
	WRITE_ONCE(iob_counters_timed, all & (BIT(IOB_FIELD_WAIT_TIME) |
					      BIT(IOB_FIELD_IO_TIME)));
	iob_dirtier_want_age(all & BIT(IOB_FIELD_AGE));
}

static u32 needs_of(const struct counter *c)
{
	u32 field, needs = BIT(c->plain.spec.field);

	for (field = 0; c->filtered && field < IOB_NR_FIELDS; field++) {
		if (iob_filter_uses(&c->filter, field))
			needs |= BIT(field);
	}
	return needs;
}

static void replace(u32 nr, struct counter *new)
{
	struct counter *old = conf_of(nr);

	if (new)
		new->needs = needs_of(new);
	rcu_assign_pointer(conf[nr], new);
	sum_up();
	synchronize_rcu();
	counter_free(old);
}

static struct counter *copy_of(u32 nr)
{
	const struct counter *old = conf_of(nr);
	struct counter *new = kzalloc(sizeof(*new), GFP_KERNEL);

	if (!new || !old)
		return new;
	*new = *old;
	if (!old->filter_text)
		return new;
	new->filter_text = kstrdup(old->filter_text, GFP_KERNEL);
	if (new->filter_text)
		return new;
	kfree(new);
	return NULL;
}

/**
 * iob_counters_set_nr - have this many counters, all of them disabled
 * @nr: how many
 *
 * May sleep.  While disabled.  Return: 0 or -EINVAL.
 */
int iob_counters_set_nr(u32 nr)
{
	u32 i;

	if (nr > IOB_MAX_COUNTERS)
		return -EINVAL;
	mutex_lock(&conf_mutex);
	for (i = 0; i < nr_conf; i++) {
		if (conf_of(i))
			replace(i, NULL);
	}
	nr_conf = nr;
	sum_up();
	mutex_unlock(&conf_mutex);
	return 0;
}

/* How many counters are configured. */
u32 iob_counters_nr(void)
{
	return READ_ONCE(nr_conf);
}

/**
 * iob_counter_set_spec - set what a counter counts
 * @nr:   which
 * @text: "DIR FIELD B0 .. B8", empty to disable
 *
 * May sleep.  Return: 0; -EINVAL, the old setting stays; -ENOMEM.
 */
int iob_counter_set_spec(u32 nr, const char *text)
{
	struct iob_counter_spec spec;
	struct counter *new;
	int err;

	err = iob_counter_spec_parse(text, &spec);
	if (err)
		return err;
	mutex_lock(&conf_mutex);
	err = -EINVAL;
	if (nr < nr_conf) {
		err = -ENOMEM;
		new = copy_of(nr);
		if (new) {
			new->plain.spec = spec;
			replace(nr, new);
			err = 0;
		}
	}
	mutex_unlock(&conf_mutex);
	return err;
}

/* @c gets the filter @text, or the reason why it is none. */
static int parse_filter(struct counter *c, const char *text)
{
	size_t size = iob_filter_explain_size(strlen(text));
	struct iob_filter_err why = { 0 };
	int err;

	kfree(c->filter_text);
	c->filter_text = NULL;
	c->filtered = false;
	if (!strcmp(text, "0"))
		return 0;
	err = iob_filter_parse(text, &c->filter, &why);
	if (!err) {
		c->filtered = true;
		c->filter_text = kstrdup(text, GFP_KERNEL);
		return c->filter_text ? 0 : -ENOMEM;
	}
	c->filter_text = kzalloc(size, GFP_KERNEL);
	if (!c->filter_text)
		return -ENOMEM;
	iob_filter_explain(text, &why, c->filter_text, size);
	return err;
}

/**
 * iob_counter_set_filter - set which IOs a counter counts
 * @nr:   which
 * @text: a filter without white space around it, "0" for none
 *
 * May sleep.  Return: 0; -ENOMEM, the old filter stays; -EINVAL or -E2BIG for
 * a malformed one: the filter is dropped, and reading it back explains.
 */
int iob_counter_set_filter(u32 nr, const char *text)
{
	struct counter *new;
	int err = -EINVAL;

	mutex_lock(&conf_mutex);
	if (nr >= nr_conf)
		goto out;
	err = -ENOMEM;
	new = copy_of(nr);
	if (!new)
		goto out;
	err = parse_filter(new, text);
	if (err == -ENOMEM)
		counter_free(new);
	else
		replace(nr, new);
out:
	mutex_unlock(&conf_mutex);
	return err;
}

/* A counter as it reads back, without the newline.  May sleep. */
ssize_t iob_counter_show_spec(u32 nr, char *buf, size_t size)
{
	static const struct iob_counter_spec disabled;
	const struct counter *c;
	ssize_t len;

	mutex_lock(&conf_mutex);
	c = nr < nr_conf ? conf_of(nr) : NULL;
	len = iob_counter_spec_format(c ? &c->plain.spec : &disabled, buf, size);
	mutex_unlock(&conf_mutex);
	return len;
}

/* A filter as it reads back, without the newline.  May sleep. */
ssize_t iob_counter_show_filter(u32 nr, char *buf, size_t size)
{
	const struct counter *c;
	ssize_t len;

	mutex_lock(&conf_mutex);
	c = nr < nr_conf ? conf_of(nr) : NULL;
	len = scnprintf(buf, size, "%s",
			c && c->filter_text ? c->filter_text : "0");
	mutex_unlock(&conf_mutex);
	return len;
}

/* A session begins.  May sleep.  Return: 0 or -ENOMEM. */
int iob_counters_start(void)
{
	nr_session = nr_conf;
	cache = NULL;
	if (!nr_session)
		return 0;
	cache = iob_cache_create("iob_counters",
				 nr_session * IOB_HIST_SLOTS * sizeof(u32),
				 SLAB_HWCACHE_ALIGN);
	return cache ? 0 : -ENOMEM;
}

/* The session ends: all acts are gone.  May sleep. */
void iob_counters_stop(void)
{
	kmem_cache_destroy(cache);
	cache = NULL;
}

/* With how many counters the session began. */
u32 iob_counters_session_nr(void)
{
	return nr_session;
}

/* Free an act's histograms; nobody sees the act any more. */
void iob_counters_release(struct iob_act *act)
{
	kmem_cache_free(cache, act->counters);
	act->counters = NULL;
}

static u32 *histograms(struct iob_act *act)
{
	u32 *new, *old;

	new = kmem_cache_alloc(cache, GFP_NOWAIT | __GFP_NOWARN);
	if (!new) {
		iob_stat_inc(cnts_nomem);
		return NULL;
	}
	memset(new, 0, nr_session * IOB_HIST_SLOTS * sizeof(*new));
	old = cmpxchg(&act->counters, NULL, new);
	if (!old)
		return new;
	kmem_cache_free(cache, new);
	return old;
}

/**
 * iob_counters_charge - count one IO, or a part of one
 * @act:    pays
 * @op:     what the IO did
 * @fields: its measures: those
 * @known:  that are bits in here
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_counters_charge(struct iob_act *act, enum iob_op op,
			 const struct iob_fields *fields, u32 known)
{
	u32 nr, nrs = nr_session, *hist = READ_ONCE(act->counters);
	u8 dir = dir_of_op[op];

	for (nr = 0; nr < nrs; nr++) {
		const struct counter *c = rcu_dereference_sched(conf[nr]);
		int slot;

		if (!c || !(c->plain.spec.dirs & dir))
			continue;
		/*
		 * What was not measured is not counted as anything: an age, or
		 * what only a counter that was set just now looks at.
		 */
		if (c->needs & ~known)
			continue;
		slot = iob_counter_slot(&c->plain.spec, fields->v[c->plain.spec.field]);
		if (slot < 0)
			continue;
		if (unlikely(c->filtered) && !iob_filter_match(&c->filter, fields))
			continue;
		if (unlikely(!hist)) {
			hist = histograms(act);
			if (!hist)
				return;
		}
		iob_counters_add(hist, nr * IOB_HIST_SLOTS + slot);
	}
}

/* Of iob_counters_charge_simple(): there are no histograms yet. */
noinline void iob_counters_charge_all(struct iob_act *act, enum iob_op op,
				      u64 size, u64 usecs)
{
	struct iob_fields fields IOB_UNINIT;

	fields.v[IOB_FIELD_SIZE] = size;
	fields.v[IOB_FIELD_TOTAL_TIME] = usecs;
	iob_counters_charge(act, op, &fields, IOB_COUNTERS_SIMPLE);
}

/* One slot of one histogram of an act.  In iob_read_lock(). */
u32 iob_counters_value(const struct iob_act *act, u32 nr, u32 slot)
{
	const u32 *hist = READ_ONCE(act->counters);

	return hist ? READ_ONCE(hist[nr * IOB_HIST_SLOTS + slot]) : 0;
}

/* counters_pipe is opened.  Return: the turn that began before. */
u32 iob_pipe_next_generation(void)
{
	u32 last = iob_pipe_generation_now;

	WRITE_ONCE(iob_pipe_generation_now, last + 1 ? last + 1 : 1);
	return last;
}
