// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "moment_pace.h"
#include "msg.h"

struct moment_paced {
	uint32_t disk;
	int what;
	uint64_t last_ns;
	uint64_t left_out;
};

static bool is_over(const struct moment_paced *one, uint64_t now_ns)
{
	return now_ns - one->last_ns >= MOMENT_PACE_NS;
}

/* The place of this reason and disk; one that is over and has nothing to say is used again. */
static struct moment_paced *find_place(struct moment_pace *p, uint32_t disk, int what,
				       uint64_t now_ns, bool *known)
{
	struct moment_paced *spare = NULL;
	size_t i;

	*known = true;
	for (i = 0; i < p->nr; i++) {
		if (p->list[i].disk == disk && p->list[i].what == what)
			return &p->list[i];
		if (!p->list[i].left_out && is_over(&p->list[i], now_ns))
			spare = &p->list[i];
	}
	*known = false;
	if (spare)
		return spare;
	if (p->nr == p->size) {
		p->size = p->size ? p->size * 2 : 16;
		p->list = must(realloc(p->list, p->size * sizeof(*p->list)));
	}
	return &p->list[p->nr++];
}

/**
 * moment_pace_may - whether a recording may begin now
 * @p:	      all zero at first
 * @disk:     which stands out
 * @what:     why
 * @now_ns:   CLOCK_MONOTONIC
 * @left_out: gets how often it might not since the last one
 */
bool moment_pace_may(struct moment_pace *p, uint32_t disk, int what, uint64_t now_ns,
		     uint64_t *left_out)
{
	struct moment_paced *one;
	bool known;

	one = find_place(p, disk, what, now_ns, &known);
	*left_out = 0;
	if (known && !is_over(one, now_ns)) {
		one->left_out++;
		return false;
	}
	if (known)
		*left_out = one->left_out;
	*one = (struct moment_paced){ .disk = disk, .what = what, .last_ns = now_ns };
	return true;
}

void moment_pace_end(struct moment_pace *p)
{
	free(p->list);
	memset(p, 0, sizeof(*p));
}
