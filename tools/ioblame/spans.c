// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "spans.h"

static void close_oldest(struct spans *s)
{
	s->closed += s->open[0].to - s->open[0].from;
	s->closed_to = s->open[0].to;
	s->nr--;
	memmove(s->open, s->open + 1, s->nr * sizeof(*s->open));
}

/* Add an IO that ended no earlier than all before it. */
void spans_add(struct spans *s, uint64_t from, uint64_t to)
{
	if (from < s->closed_to)
		from = s->closed_to;
	while (s->nr && s->open[s->nr - 1].to >= from) {
		s->nr--;
		if (s->open[s->nr].from < from)
			from = s->open[s->nr].from;
		if (s->open[s->nr].to > to)
			to = s->open[s->nr].to;
	}
	if (from >= to)
		return;
	if (s->nr == SPANS_OPEN)
		close_oldest(s);
	s->open[s->nr++] = (struct span){ from, to };
}

uint64_t spans_covered(const struct spans *s)
{
	uint64_t sum = s->closed;
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		sum += s->open[i].to - s->open[i].from;
	return sum;
}
