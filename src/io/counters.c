// SPDX-License-Identifier: GPL-2.0
/*
 * A counter is replaced as a whole under RCU, so it can change while IO is counted.  The
 * histograms of an act are one object.  It is allocated at the act's first IO that counts;
 * its size is that of the session's nr_counters.  Behind them are the same numbers as a reader
 * got them last: an act that goes leaves only what came since to another one.
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
	struct iob_counter_spec spec;
	struct iob_simple_counter simple;	/* the same, if it is simple */
	bool filtered;
	u32 needs;		/* fields that it counts or filters by, as bits */
	struct iob_filter filter;
	/* reads back from NR_filter: the filter, or why it is none */
	char *filter_text;
};

static DEFINE_MUTEX(conf_mutex);
static struct counter __rcu *conf[IOB_MAX_COUNTERS];	/* M, R */
static u32 nr_conf;			/* M, read without */
u32 iob_counters_fields[IOB_NR_OPS];	/* M, read without */
static u32 nr_session;			/* constant in a session */
static struct kmem_cache *hist_cache;	/* of the session */
bool iob_sums_wanted __read_mostly;		/* M, read without */
bool iob_counters_timed __read_mostly;			/* M, read without */
static struct iob_simple_counter *simple[IOB_NR_OPS][IOB_MAX_COUNTERS + 1];	/* M, R */

struct iob_simple_counter **const iob_counters_simple[IOB_NR_OPS] = {
	simple[0], simple[1], simple[2], simple[3], simple[4],
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
 * List the simple counters of an operation.  The list changes in place: a probe that reads
 * it meanwhile may count an IO twice or not at all, and always finds the end.
 */
static void list_simple_counters(u32 op)
{
	struct iob_simple_counter **to = simple[op];
	u32 nr;

	for (nr = 0; nr < nr_conf; nr++) {
		struct counter *c = conf_of(nr);

		if (!c || !(c->spec.dirs & dir_of_op[op]) ||
		    c->needs & ~IOB_COUNTERS_SIMPLE || c->filtered)
			continue;
		if (!iob_simple_counter_make(&c->spec, nr * IOB_HIST_SLOTS, &c->simple))
			continue;
		/* the members above are visible before the counter is */
		smp_store_release(to++, &c->simple);
	}
	for (; to < &simple[op][IOB_MAX_COUNTERS]; to++)
		WRITE_ONCE(*to, NULL);
}

/* The fields that all counters together need: no others are measured. */
static void sum_up_needs(void)
{
	u32 nr, op, all = 0, needs[IOB_NR_OPS];

	for (op = 0; op < IOB_NR_OPS; op++) {
		u32 fields = 0;

		for (nr = 0; nr < nr_conf; nr++) {
			const struct counter *c = conf_of(nr);

			if (!c || !(c->spec.dirs & dir_of_op[op]))
				continue;
			fields |= c->needs;
			if (c->filtered)
				fields |= IOB_COUNTERS_FILTER;
		}
		needs[op] = fields;
		all |= fields;
	}
	for (op = 0; op < IOB_NR_OPS; op++) {
		/* the distance is that from the IO before, whatever it did */
		if (all & BIT(IOB_FIELD_SEEK_DIST))
			needs[op] |= IOB_COUNTERS_SEEK;
		if (iob_sums_wanted)
			needs[op] |= IOB_COUNTERS_SUMS;
		WRITE_ONCE(iob_counters_fields[op], needs[op]);
		list_simple_counters(op);
	}
	WRITE_ONCE(iob_counters_timed, all & (BIT(IOB_FIELD_WAIT_TIME) |
					      BIT(IOB_FIELD_IO_TIME)));
	iob_dirtier_want_age(all & BIT(IOB_FIELD_AGE));
}

static u32 needs_of(const struct counter *c)
{
	u32 field, needs = BIT(c->spec.field);

	for (field = 0; c->filtered && field < IOB_NR_FIELDS; field++) {
		if (iob_filter_uses(&c->filter, field))
			needs |= BIT(field);
	}
	return needs;
}

static void replace_counter(u32 nr, struct counter *new)
{
	struct counter *old = conf_of(nr);

	if (new)
		new->needs = needs_of(new);
	rcu_assign_pointer(conf[nr], new);
	sum_up_needs();
	synchronize_rcu();
	counter_free(old);
}

static struct counter *counter_copy(u32 nr)
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
 * iob_counters_set_nr - set the number of counters, and disable all
 * @nr: their number
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
			replace_counter(i, NULL);
	}
	nr_conf = nr;
	sum_up_needs();
	mutex_unlock(&conf_mutex);
	return 0;
}

/* Let acts have sums, or no more: those that are there stay as they are.  May sleep. */
void iob_counters_want_sums(bool want)
{
	mutex_lock(&conf_mutex);
	WRITE_ONCE(iob_sums_wanted, want);
	sum_up_needs();
	mutex_unlock(&conf_mutex);
}

/* True if acts have sums.  Any context. */
bool iob_counters_sum(void)
{
	return READ_ONCE(iob_sums_wanted);
}

/* The number of configured counters.  Any context. */
u32 iob_counters_nr(void)
{
	return READ_ONCE(nr_conf);
}

/**
 * iob_counter_set_spec - set what a counter counts
 * @nr:   which
 * @text: "DIR FIELD B0 .. B8", empty to disable
 *
 * May sleep.  Return: 0; -EINVAL or -ENOMEM: the old setting stays.
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
		new = counter_copy(nr);
		if (new) {
			new->spec = spec;
			replace_counter(nr, new);
			err = 0;
		}
	}
	mutex_unlock(&conf_mutex);
	return err;
}

/* Give @c the filter @text, or the reason why it is none. */
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
 * May sleep.  Return: 0; -ENOMEM: the old filter stays; -EINVAL or -E2BIG: @text is no
 * filter, the counter has none now, and reading it back explains why.
 */
int iob_counter_set_filter(u32 nr, const char *text)
{
	struct counter *new;
	int err = -EINVAL;

	mutex_lock(&conf_mutex);
	if (nr >= nr_conf)
		goto out;
	err = -ENOMEM;
	new = counter_copy(nr);
	if (!new)
		goto out;
	err = parse_filter(new, text);
	if (err == -ENOMEM)
		counter_free(new);
	else
		replace_counter(nr, new);
out:
	mutex_unlock(&conf_mutex);
	return err;
}

/* Print a counter's specification without the newline.  May sleep. */
ssize_t iob_counter_show_spec(u32 nr, char *buf, size_t size)
{
	static const struct iob_counter_spec disabled;
	const struct counter *c;
	ssize_t len;

	mutex_lock(&conf_mutex);
	c = nr < nr_conf ? conf_of(nr) : NULL;
	len = iob_counter_spec_format(c ? &c->spec : &disabled, buf, size);
	mutex_unlock(&conf_mutex);
	return len;
}

/* Print a counter's filter without the newline.  May sleep. */
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

/* The numbers of an act's histograms, and as many of what a reader got of them. */
static u32 nr_slots(void)
{
	return nr_session * IOB_HIST_SLOTS;
}

/* A session begins.  May sleep.  Return: 0 or -ENOMEM. */
int iob_counters_start(void)
{
	nr_session = nr_conf;
	hist_cache = NULL;
	if (!nr_session)
		return 0;
	hist_cache = iob_cache_create("iob_counters", 2 * nr_slots() * sizeof(u32),
				      SLAB_HWCACHE_ALIGN);
	return hist_cache ? 0 : -ENOMEM;
}

/* The session ends: all acts are gone.  May sleep. */
void iob_counters_stop(void)
{
	kmem_cache_destroy(hist_cache);
	hist_cache = NULL;
}

/* The session's number of counters. */
u32 iob_counters_session_nr(void)
{
	return nr_session;
}

/* Free the histograms of an act that can no longer be found. */
void iob_counters_release(struct iob_act *act)
{
	if (act->counters)
		kmem_cache_free(hist_cache, act->counters);
	act->counters = NULL;
}

static u32 *alloc_histograms(struct iob_act *act)
{
	u32 *new, *old;

	new = kmem_cache_alloc(hist_cache, GFP_NOWAIT | __GFP_NOWARN);
	if (!new) {
		iob_stat_inc(cnts_nomem);
		return NULL;
	}
	memset(new, 0, 2 * nr_slots() * sizeof(*new));
	old = cmpxchg(&act->counters, NULL, new);
	if (!old)
		return new;
	kmem_cache_free(hist_cache, new);
	return old;
}

/**
 * iob_counters_charge - count one run of an IO
 * @act:    pays
 * @op:     the operation
 * @fields: its measures
 * @known:  which of @fields are set, as bits
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

		if (!c || !(c->spec.dirs & dir))
			continue;
		/*
		 * Skip a counter that needs an unknown field: the age, a time, or a field of
		 * a counter that was set just now.
		 */
		if (c->needs & ~known)
			continue;
		slot = iob_counter_slot(&c->spec, fields->v[c->spec.field]);
		if (slot < 0)
			continue;
		if (unlikely(c->filtered) && !iob_filter_match(&c->filter, fields))
			continue;
		if (unlikely(!hist)) {
			hist = alloc_histograms(act);
			if (!hist)
				return;
		}
		iob_counters_add(hist, nr * IOB_HIST_SLOTS + slot);
	}
}

/* The slow path of iob_counters_charge_simple(): the act has no histograms yet. */
noinline void iob_counters_charge_all(struct iob_act *act, enum iob_op op,
				      u64 size, u64 usecs)
{
	struct iob_fields fields IOB_UNINIT;

	fields.v[IOB_FIELD_SIZE] = size;
	fields.v[IOB_FIELD_TOTAL_TIME] = usecs;
	iob_counters_charge(act, op, &fields, IOB_COUNTERS_SIMPLE);
}

/* iob_counters_charge_simple() for an IO whose time is not known. */
noinline void iob_counters_charge_size(struct iob_act *act, enum iob_op op, u64 size)
{
	struct iob_fields fields IOB_UNINIT;

	fields.v[IOB_FIELD_SIZE] = size;
	iob_counters_charge(act, op, &fields, BIT(IOB_FIELD_SIZE));
}

/* @to gets the session's numbers of an act, counter by counter.  Inside iob_read_lock(). */
void iob_counters_read(const struct iob_act *act, u32 *to)
{
	const u32 *hist = READ_ONCE(act->counters);
	u32 i;

	for (i = 0; i < nr_slots(); i++)
		to[i] = hist ? READ_ONCE(hist[i]) : 0;
}

/*
 * A reader gets these numbers of an act, of iob_counters_read() in the same iob_read_lock(): so
 * iob_counters_merge(), which waits for that, knows of it.  One reader at a time.
 */
void iob_counters_offered(const struct iob_act *act, const u32 *numbers)
{
	u32 *hist = READ_ONCE(act->counters);

	if (hist)
		memcpy(hist + nr_slots(), numbers, nr_slots() * sizeof(*hist));
}

/* counters_pipe is opened: a new generation begins.  Return: the previous one. */
u32 iob_pipe_next_generation(void)
{
	u32 last = iob_pipe_generation();

	WRITE_ONCE(iob_use_now.pipe, last + 1 ? last + 1 : 1);
	return last;
}

static u32 pipe_unread_from;	/* acts of this generation and later ones are unread */

/* All acts that noted an earlier generation than @generation were offered to a reader. */
void iob_pipe_read_until(u32 generation)
{
	WRITE_ONCE(pipe_unread_from, generation);
}

/* A session begins: nothing was read yet. */
void iob_pipe_read_none(void)
{
	iob_pipe_read_until(iob_pipe_generation());
}

/* True if an act that noted @generation may have counts that were not read. */
bool iob_pipe_unread(u32 generation)
{
	return generation && (s32)(generation - READ_ONCE(pipe_unread_from)) >= 0;
}

/* True if an act that no CPU counts for any more has counts that no reader was offered. */
bool iob_counters_are_unread(const struct iob_act *act)
{
	const u32 *now = act->counters;

	return now && memcmp(now, now + nr_slots(), nr_slots() * sizeof(*now));
}

/**
 * iob_counters_merge - an act takes over what another one has counted since it was read
 * @to:   found inside iob_read_lock()
 * @from: with iob_counters_are_unread(), and no reader gets it
 *
 * Any context but NMI, inside iob_read_lock().  Without memory the counts are lost
 * (cnts_nomem).
 */
void iob_counters_merge(struct iob_act *to, const struct iob_act *from)
{
	u32 *hist = READ_ONCE(to->counters);
	u32 i;

	if (!hist)
		hist = alloc_histograms(to);
	for (i = 0; hist && i < nr_slots(); i++)
		atomic_add(from->counters[i] - from->counters[nr_slots() + i],
			   (atomic_t *)&hist[i]);
	/* unread, but not in use: it keeps its age */
	WRITE_ONCE(to->use.pipe, iob_pipe_generation());
}
