// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "count_seen.h"
#include "msg.h"
#include "usage.h"

/* The numbers of an act when it was last seen */
struct seen {
	uint32_t act;
	uint32_t n[COUNT_SEEN_SLOTS];
	uint64_t line;		/* a hash of it */
	uint64_t pass;
};

/* A pass begins. */
void count_seen_begin(struct count_seen *seen)
{
	seen->acts.key_len = sizeof(uint32_t);
	seen->pass++;
}

static struct seen *find_act(struct count_seen *seen, uint32_t act)
{
	struct seen *s = map_get(&seen->acts, &act);

	if (s)
		return s;
	s = must(calloc(1, sizeof(*s)));
	s->act = act;
	map_put(&seen->acts, s);
	return s;
}

/* True if the act has not gone and come again since it was seen, as far as its numbers tell. */
static bool goes_on(const struct seen *s, const uint32_t *n)
{
	unsigned int i;

	for (i = 0; i < COUNT_SEEN_SLOTS; i++) {
		if (n[i] - s->n[i] > INT32_MAX)
			return false;
	}
	return true;
}

/**
 * count_seen_add - what is new of an act
 * @seen: what was seen before; it has the act's numbers afterwards
 * @act:  the act's number
 * @line: its first line
 * @n:    its COUNT_SEEN_SLOTS numbers; gets what is new
 */
void count_seen_add(struct count_seen *seen, uint32_t act, const char *line, uint32_t *n)
{
	struct seen *s = find_act(seen, act);
	uint64_t hash = usage_hash(line);
	uint32_t now;
	unsigned int i;

	if (s->line != hash || !goes_on(s, n))
		memset(s->n, 0, sizeof(s->n));
	for (i = 0; i < COUNT_SEEN_SLOTS; i++) {
		now = n[i];
		n[i] -= s->n[i];
		s->n[i] = now;
	}
	s->line = hash;
	s->pass = seen->pass;
}

static bool is_of_pass(const void *value, const void *pass)
{
	const struct seen *s = value;

	return s->pass == *(const uint64_t *)pass;
}

/* The pass had all acts: forget those that are gone. */
void count_seen_end(struct count_seen *seen)
{
	map_keep(&seen->acts, is_of_pass, &seen->pass, free);
}

void count_seen_clear(struct count_seen *seen)
{
	map_clear(&seen->acts, free);
}
