// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "msg.h"
#include "when.h"

#define SLOW_TIMES	4
#define SLOW_LEAST_NS	10000000ULL	/* faster is not felt */
#define BUSY_TIMES	8
#define BUSY_LEAST	(1ULL << 20)	/* bytes a second */
#define USED_TIMES	2
#define USED_LEAST	(RULE_FULL / 10 * 9)

static uint64_t value_of(const struct when_point *p, enum when_what what)
{
	int64_t ms = (p->until_ns - p->from_ns) / 1000000;

	switch (what) {
	case WHEN_ERRORS:
		return p->errors;
	case WHEN_SLOW:
		return p->ios >= WHEN_LEAST_IOS ? p->p99_ns : 0;
	case WHEN_USED:
		return p->used;
	default:
		/* in doubles: bytes times 1000 may be too large */
		return ms > 0 ? (uint64_t)((double)p->bytes * 1000 / (double)ms) : 0;
	}
}

static int compare_values(const void *va, const void *vb)
{
	uint64_t a = *(const uint64_t *)va, b = *(const uint64_t *)vb;

	return (a > b) - (a < b);
}

/* A disk that has little to do is usual, too. */
static bool counts(const struct when_point *p, enum when_what what)
{
	return what == WHEN_USED ? p->used_known : value_of(p, what);
}

/* The median of the points like @like; 0 if there are too few. */
static uint64_t usual_of(const struct when_point *p, size_t nr, const struct when_point *like,
			 enum when_what what)
{
	uint64_t *values = must(malloc((nr + 1) * sizeof(*values))), usual;
	size_t i, n = 0;

	for (i = 0; i < nr; i++) {
		if (p[i].disk == like->disk && p[i].level == like->level &&
		    counts(&p[i], what))
			values[n++] = value_of(&p[i], what);
	}
	qsort(values, n, sizeof(*values), compare_values);
	usual = n >= WHEN_LEAST_POINTS ? values[n / 2] : 0;
	/* 0.01 % of the time is known, and next to nothing */
	if (what == WHEN_USED && n >= WHEN_LEAST_POINTS && !usual)
		usual = 1;
	free(values);
	return usual;
}

static bool stands_out(enum when_what what, uint64_t value, uint64_t usual)
{
	switch (what) {
	case WHEN_ERRORS:
		return value;
	case WHEN_SLOW:
		return usual && value >= SLOW_LEAST_NS && value / SLOW_TIMES >= usual;
	case WHEN_USED:
		return usual && value >= USED_LEAST && value / USED_TIMES >= usual;
	default:
		return usual && value >= BUSY_LEAST && value / BUSY_TIMES >= usual;
	}
}

struct moments {
	struct when_moment *list;
	size_t nr, size;
};

/* Make the moment before it longer, if it is one with it. */
static bool extend(struct moments *to, const struct when_moment *m)
{
	struct when_moment *before;
	size_t i;

	for (i = to->nr; i-- > 0;) {
		before = &to->list[i];
		if (before->disk != m->disk || before->what != m->what ||
		    before->rule != m->rule)
			continue;
		if (before->until_ns != m->from_ns)
			return false;
		before->until_ns = m->until_ns;
		if (m->what == WHEN_ERRORS || (m->rule && m->rule->what == RULE_ERRORS)) {
			before->value += m->value;
		} else if (m->value > before->value) {
			before->value = m->value;
			before->who = m->who;
		}
		return true;
	}
	return false;
}

static void add_moment(struct moments *to, const struct when_moment *m)
{
	if (extend(to, m))
		return;
	if (to->nr == to->size) {
		to->size = to->size ? to->size * 2 : 16;
		to->list = must(realloc(to->list, to->size * sizeof(*to->list)));
	}
	to->list[to->nr++] = *m;
}

/* What is usual for the kind of a point, looked up once for each kind. */
struct usual {
	const char *disk;
	int level;
	uint64_t of[NR_WHEN];
};

static const struct usual *find_usual(struct usual **list, size_t *nr,
				      const struct when_point *p, size_t nr_points,
				      const struct when_point *like)
{
	struct usual *u;
	size_t i;
	int what;

	for (i = 0; i < *nr; i++) {
		if ((*list)[i].disk == like->disk && (*list)[i].level == like->level)
			return &(*list)[i];
	}
	*list = must(realloc(*list, (*nr + 1) * sizeof(**list)));
	u = &(*list)[(*nr)++];
	*u = (struct usual){ .disk = like->disk, .level = like->level };
	for (what = WHEN_SLOW; what < NR_WHEN; what++)
		u->of[what] = usual_of(p, nr_points, like, what);
	return u;
}

static void judge_rules(struct moments *to, const struct when_point *p,
			const struct rule *rules, size_t nr_rules)
{
	size_t i;

	for (i = 0; i < nr_rules; i++) {
		if (p->ruled[i].value <= rules[i].limit)
			continue;
		add_moment(to, &(struct when_moment){
			.from_ns = p->from_ns, .until_ns = p->until_ns, .disk = p->disk,
			.who = p->ruled[i].who, .what = WHEN_RULE, .rule = &rules[i],
			.value = p->ruled[i].value,
		});
	}
}

/**
 * when_judge - find what stands out
 * @p:	     points, in their order of time
 * @nr:	     how many
 * @rules:   the user's, which stand in the moments
 * @nr_rules: how many; each point has as many values
 * @moments: gets the moments, in their order of time, to be freed; NULL if there are none
 *
 * Return: their number.
 */
size_t when_judge(const struct when_point *p, size_t nr, const struct rule *rules,
		  size_t nr_rules, struct when_moment **moments)
{
	struct moments found = { 0 };
	struct usual *kinds = NULL;
	const struct usual *usual;
	size_t i, nr_kinds = 0;
	uint64_t value;
	int what;

	for (i = 0; i < nr; i++) {
		usual = find_usual(&kinds, &nr_kinds, p, nr, &p[i]);
		for (what = 0; what < NR_WHEN; what++) {
			value = value_of(&p[i], what);
			if (!stands_out(what, value, usual->of[what]))
				continue;
			add_moment(&found, &(struct when_moment){
				.from_ns = p[i].from_ns, .until_ns = p[i].until_ns,
				.disk = p[i].disk, .who = p[i].who[what], .what = what,
				.value = value, .usual = usual->of[what],
			});
		}
		judge_rules(&found, &p[i], rules, nr_rules);
	}
	free(kinds);
	*moments = found.list;
	return found.nr;
}
