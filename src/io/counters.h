/* SPDX-License-Identifier: GPL-2.0 */
/*
 * counters - histograms of the IO of each act
 *
 * A counter is a specification (io/counter_spec) and a filter (io/filter); the same counters
 * apply to all acts.  An act that did IO has a histogram of eight slots for each counter.
 *
 * Example: with nr_counters 2 an act's histograms are 16 numbers.  A write of 5000 bytes
 * that matches counter 1, whose slot 2 covers 4096 to 8191, increments number 1 * 8 + 2 = 10.
 * 16 more have what a reader of counters_pipe got last.
 */
#ifndef IOB_IO_COUNTERS_H
#define IOB_IO_COUNTERS_H

#include "core/act.h"
#include "core/disk.h"
#include "counter_spec.h"
#include "field.h"

#define IOB_MAX_COUNTERS	256

int iob_counters_set_nr(u32 nr);
u32 iob_counters_nr(void);
int iob_counter_set_spec(u32 nr, const char *text);
int iob_counter_set_filter(u32 nr, const char *text);
ssize_t iob_counter_show_spec(u32 nr, char *buf, size_t size);
ssize_t iob_counter_show_filter(u32 nr, char *buf, size_t size);

int iob_counters_start(void);
void iob_counters_stop(void);
u32 iob_counters_session_nr(void);
void iob_counters_release(struct iob_act *act);
void iob_counters_want_sums(bool want);
bool iob_counters_sum(void);

/* the setting `sums` */
extern bool iob_sums_wanted;
/* by operation: a bit for each field that its counters look at */
extern u32 iob_counters_fields[IOB_NR_OPS];

extern bool iob_counters_timed;		/* some counter needs the time of issue */

/* The fields that the counters need of an IO, as bits.  Any context. */
static inline u32 iob_counters_wanted(enum iob_op op)
{
	return READ_ONCE(iob_counters_fields[op]);
}

void iob_counters_charge(struct iob_act *act, enum iob_op op,
			 const struct iob_fields *fields, u32 known);

/* fields that cost little; most counters look at no others */
#define IOB_COUNTERS_SIMPLE	(BIT(IOB_FIELD_SIZE) | BIT(IOB_FIELD_TOTAL_TIME))

/* also in iob_counters_wanted(): some counter has a filter */
#define IOB_COUNTERS_FILTER	BIT(IOB_NR_FIELDS)

/*
 * In iob_counters_wanted() of all operations: some counter wants seek_dist, so each IO notes
 * where it ended.  The fast path does not, and leaves these IOs to others.
 */
#define IOB_COUNTERS_SEEK	BIT(IOB_NR_FIELDS + 1)

/*
 * In iob_counters_wanted() of all operations: acts have sums, see io/sum.  That asks for no
 * field, and no counter looks at it.
 */
#define IOB_COUNTERS_SUMS	BIT(IOB_NR_FIELDS + 2)

/* what the fast path does by itself */
#define IOB_COUNTERS_CHEAP	(IOB_COUNTERS_SIMPLE | IOB_COUNTERS_SUMS)

/* by operation: its simple counters; NULL ends the list */
extern struct iob_simple_counter **const iob_counters_simple[IOB_NR_OPS];

void iob_counters_charge_all(struct iob_act *act, enum iob_op op, u64 size,
			     u64 usecs);
void iob_counters_charge_size(struct iob_act *act, enum iob_op op, u64 size);

/* Atomic: two CPUs may count for one act. */
static __always_inline void iob_counters_add(u32 *hist, u32 at)
{
	atomic_inc((atomic_t *)&hist[at]);
}

/* iob_counters_charge_simple() for an act that has histograms, and values that fit. */
static __always_inline void iob_counters_add_simple(u32 *hist, enum iob_op op,
						    u32 size, u32 usecs)
{
	struct iob_simple_counter **simple = iob_counters_simple[op];
	const struct iob_simple_counter *p;

	for (; (p = READ_ONCE(*simple)); simple++) {
		u32 value = p->size ? size : usecs;

		if (iob_simple_counter_counts(p, value))
			atomic_inc((void *)hist + iob_simple_counter_slot(p, value));
	}
}

/**
 * iob_counters_charge_simple - count one IO if only simple counters are set
 * @act:   pays
 * @op:    the operation
 * @size:  in bytes
 * @usecs: from queue to completion
 *
 * iob_counters_charge() with IOB_COUNTERS_SIMPLE known and no filter.  Any context but NMI,
 * inside iob_read_lock().
 */
static inline void iob_counters_charge_simple(struct iob_act *act, enum iob_op op,
					      u64 size, u64 usecs)
{
	u32 *hist = READ_ONCE(act->counters);

	if (likely(hist && size < IOB_SIMPLE_VALUES && usecs < IOB_SIMPLE_VALUES))
		iob_counters_add_simple(hist, op, size, usecs);
	else
		iob_counters_charge_all(act, op, size, usecs);
}

void iob_counters_read(const struct iob_act *act, u32 *to);
void iob_counters_offered(const struct iob_act *act, const u32 *numbers);

/* The present generation; opening counters_pipe begins a new one.  Any context. */
static inline u32 iob_pipe_generation(void)
{
	return READ_ONCE(iob_use_now.pipe);
}

u32 iob_pipe_next_generation(void);
void iob_pipe_read_until(u32 generation);
void iob_pipe_read_none(void);
bool iob_pipe_unread(u32 generation);
bool iob_counters_are_unread(const struct iob_act *act);
void iob_counters_merge(struct iob_act *to, const struct iob_act *from);

#endif
