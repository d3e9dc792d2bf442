// SPDX-License-Identifier: GPL-2.0
#include <assert.h>
#include <stdlib.h>

#include "msg.h"
#include "sum_seen.h"

static_assert(USAGE_SLOTS == IOB_SUM_SLOTS, "a usage has the slots of a sum");

/* The numbers of a sum when it was last seen */
struct seen {
	uint64_t id;
	uint64_t ios, bytes, ns, errors;
	uint64_t pass;
	uint32_t lat[IOB_SUM_SLOTS];
};

/* A pass begins. */
void sum_seen_begin(struct sum_seen *seen)
{
	seen->sums.key_len = sizeof(uint64_t);
	seen->pass++;
}

static struct seen *find_sum(struct sum_seen *seen, uint64_t id)
{
	struct seen *s = map_get(&seen->sums, &id);

	if (s)
		return s;
	s = must(calloc(1, sizeof(*s)));
	s->id = id;
	map_put(&seen->sums, s);
	return s;
}

/* .pass of one that is gone: it is of no pass */
#define GONE_PASS	0

/**
 * sum_seen_add - what is new in a record
 * @seen:  what was seen before; it has the record's numbers afterwards
 * @rec:   the record
 * @delta: gets the numbers; the key is left as it is
 *
 * Return: false if nothing is new.
 */
bool sum_seen_add(struct sum_seen *seen, const struct iob_sum_bin_record *rec,
		  struct usage *delta)
{
	struct seen *s = find_sum(seen, rec->id);
	unsigned int i;

	delta->ios = rec->ios - s->ios;
	delta->bytes = rec->bytes - s->bytes;
	delta->ns = rec->total_ns - s->ns;
	delta->errors = rec->errors - s->errors;
	for (i = 0; i < IOB_SUM_SLOTS; i++) {
		/* the kernel's are modulo 2^32, those of a usage are not */
		delta->lat[i] = (uint32_t)(rec->lat[i] - s->lat[i]);
		s->lat[i] = rec->lat[i];
	}
	s->ios = rec->ios;
	s->bytes = rec->bytes;
	s->ns = rec->total_ns;
	s->errors = rec->errors;
	s->pass = rec->flags & IOB_SUM_GONE ? GONE_PASS : seen->pass;
	return delta->ios || delta->bytes || delta->errors;
}

static bool is_there(const void *value, const void *arg)
{
	const struct seen *s = value;

	(void)arg;
	return s->pass != GONE_PASS;
}

static bool is_of_pass(const void *value, const void *pass)
{
	const struct seen *s = value;

	return s->pass == *(const uint64_t *)pass;
}

/* The pass is over: forget the sums that are gone. */
void sum_seen_end(struct sum_seen *seen)
{
	map_keep(&seen->sums, is_there, NULL, free);
}

/* Whether so many are known that most may be gone: then all that are there are to be marked. */
bool sum_seen_is_stale(const struct sum_seen *seen)
{
	return seen->sums.nr > 2 * seen->kept + SUM_SEEN_SPARE;
}

/* It is there, or its last record is still to come.  What is new in it is for the next pass. */
void sum_seen_mark(struct sum_seen *seen, const struct iob_sum_bin_record *rec)
{
	struct seen *s = map_get(&seen->sums, &rec->id);

	if (s)
		s->pass = seen->pass;
}

/* This pass had all, or is of a new session: the sums that are not in it will never come again. */
void sum_seen_forget_older(struct sum_seen *seen)
{
	map_keep(&seen->sums, is_of_pass, &seen->pass, free);
	seen->kept = seen->sums.nr;
}

/* Forget all.  The next pass has all that is there as new. */
void sum_seen_clear(struct sum_seen *seen)
{
	map_clear(&seen->sums, free);
	seen->kept = 0;
}
