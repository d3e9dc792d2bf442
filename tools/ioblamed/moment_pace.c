// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "moment_pace.h"
#include "msg.h"

struct moment_paced {
	struct paced_key {
		uint32_t disk;
		int what;
	} key;
	uint64_t last_ns;
	uint64_t left_out;
};

static bool is_over(const struct moment_paced *one, uint64_t now_ns)
{
	return now_ns - one->last_ns >= MOMENT_PACE_NS;
}

static bool is_needed(const void *value, const void *arg)
{
	const struct moment_paced *one = value;

	return one->left_out || !is_over(one, *(const uint64_t *)arg);
}

/* Those of a moment come together: what is over and has nothing to say is dropped once before. */
static struct moment_paced *add_paced(struct moment_pace *p, const struct paced_key *key,
				      uint64_t now_ns)
{
	struct moment_paced *one = must(calloc(1, sizeof(*one)));

	if (p->kept_ns != now_ns && p->known.nr)
		map_keep(&p->known, is_needed, &now_ns, free);
	p->kept_ns = now_ns;
	one->key = *key;
	map_put(&p->known, one);
	return one;
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
	const struct paced_key key = { disk, what };
	struct moment_paced *one;

	p->known.key_len = sizeof(key);
	one = map_get(&p->known, &key);
	*left_out = 0;
	if (one && !is_over(one, now_ns)) {
		one->left_out++;
		return false;
	}
	if (!one)
		one = add_paced(p, &key, now_ns);
	*left_out = one->left_out;
	one->left_out = 0;
	one->last_ns = now_ns;
	return true;
}

void moment_pace_end(struct moment_pace *p)
{
	map_clear(&p->known, free);
}
