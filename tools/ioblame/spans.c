// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "msg.h"
#include "spans.h"

enum {
	FEW = 8,			/* most originators have no more spans */
	KEPT = SPANS_MOST / 4 * 3,	/* when spans were put together, at most */
	FINEST = 12,
};

/* A span of both, and of the gap between them. */
static struct span joined(const struct span *a, const struct span *b)
{
	return (struct span){ a->from, b->to, a->covered + b->covered };
}

/* How much of a span is not known at most, if an IO begins within it. */
static uint64_t not_known(const struct span *s)
{
	uint64_t idle = s->to - s->from - s->covered;

	return idle < s->covered ? idle : s->covered;
}

/*
 * Put neighbours together where what is not known is, shifted, no more than an IO takes that ends
 * from now on and began before their end.
 */
static void put_together(struct spans *s, unsigned int shift)
{
	uint64_t now = s->span[s->nr - 1].to;
	struct span both;
	unsigned int i, nr = 0;

	for (i = 1; i < s->nr; i++) {
		both = joined(&s->span[nr], &s->span[i]);
		if (not_known(&both) <= (now - both.to) >> shift)
			s->span[nr] = both;
		else
			s->span[++nr] = s->span[i];
	}
	s->nr = nr + 1;
}

/*
 * Of the spans that are left without a shift, each second one is further away from now by a factor
 * of three: in all time there are fewer than KEPT of these.  That is once in so many IOs that it
 * costs each of them a few steps, as the next time begins with a shift that is about right.
 */
static void make_room(struct spans *s)
{
	unsigned int shift = s->shift && s->shift < FINEST ? s->shift + 1 : FINEST;

	for (put_together(s, shift); s->nr > KEPT && shift; )
		put_together(s, --shift);
	s->shift = shift;
}

static void append(struct spans *s, uint64_t from, uint64_t to)
{
	if (s->nr == SPANS_MOST)
		make_room(s);
	if (s->nr == s->size) {
		s->size = s->size ? 2 * s->size : FEW;
		s->span = must(realloc(s->span, s->size * sizeof(*s->span)));
	}
	s->span[s->nr++] = (struct span){ from, to, to - from };
}

/* What is covered of the begin of a span. */
static uint64_t covered_until(const struct span *s, uint64_t until)
{
	uint64_t length = until - s->from;
	uint64_t covered = (double)s->covered * length / (s->to - s->from);

	return covered < length ? covered : length;
}

/* Add an IO that ended no earlier than all before it. */
void spans_add(struct spans *s, uint64_t from, uint64_t to)
{
	struct span *last;

	if (from >= to)
		return;
	while (s->nr && s->span[s->nr - 1].to >= from) {
		last = &s->span[s->nr - 1];
		if (last->to > to)
			to = last->to;
		if (last->from < from && last->covered < last->to - last->from) {
			last->covered = covered_until(last, from);
			last->to = from;
			break;
		}
		if (last->from < from)
			from = last->from;
		s->nr--;
	}
	append(s, from, to);
}

uint64_t spans_covered(const struct spans *s)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		sum += s->span[i].covered;
	return sum;
}

/* None is left, and nothing is allocated. */
void spans_clear(struct spans *s)
{
	free(s->span);
	memset(s, 0, sizeof(*s));
}
