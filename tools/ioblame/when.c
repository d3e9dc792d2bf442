// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "map.h"
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

/* The points of one disk and level, and what is usual for them. */
struct kind {
	struct kind_key {
		const char *disk;
		int64_t level;
	} key;
	size_t nr, last;	/* of the points: @last, the one before it, and so on */
	uint64_t usual[NR_WHEN];
};

static struct kind *find_kind(const struct map *kinds, const struct when_point *p)
{
	const struct kind_key key = { p->disk, p->level };

	return map_get(kinds, &key);
}

/* Put each point to its kind; @before gets the number of the kind's point before it. */
static void sort_kinds(struct map *kinds, const struct when_point *p, size_t nr, size_t *before)
{
	struct kind *kind;
	size_t i;

	kinds->key_len = sizeof(kind->key);
	for (i = 0; i < nr; i++) {
		kind = find_kind(kinds, &p[i]);
		if (!kind) {
			kind = must(calloc(1, sizeof(*kind)));
			kind->key = (struct kind_key){ p[i].disk, p[i].level };
			map_put(kinds, kind);
		}
		before[i] = kind->last;
		kind->last = i;
		kind->nr++;
	}
}

/* The median of the points of a kind; 0 if there are too few. */
static uint64_t usual_of(const struct when_point *p, const size_t *before,
			 const struct kind *kind, enum when_what what)
{
	uint64_t *values = must(malloc(kind->nr * sizeof(*values))), usual;
	size_t i, at, n = 0;

	for (i = 0, at = kind->last; i < kind->nr; i++, at = before[at]) {
		if (counts(&p[at], what))
			values[n++] = value_of(&p[at], what);
	}
	qsort(values, n, sizeof(*values), compare_values);
	usual = n >= WHEN_LEAST_POINTS ? values[n / 2] : 0;
	/* 0.01 % of the time is known, and next to nothing */
	if (what == WHEN_USED && n >= WHEN_LEAST_POINTS && !usual)
		usual = 1;
	free(values);
	return usual;
}

static void find_usual(struct map *kinds, const struct when_point *p, size_t nr)
{
	size_t *before = must(malloc((nr + 1) * sizeof(*before))), i;
	struct kind *kind;
	int what;

	sort_kinds(kinds, p, nr, before);
	map_for_each(kinds, i, kind) {
		for (what = WHEN_SLOW; what < NR_WHEN; what++)
			kind->usual[what] = usual_of(p, before, kind, what);
	}
	free(before);
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

/* The last moment of a disk, and of a what and rule */
struct last {
	struct last_key {
		const char *disk;
		const struct rule *rule;
		uint64_t what;
	} key;
	size_t at;
};

/* What failed of a program in a moment */
struct sum {
	struct sum_key {
		size_t moment;
		const char *program;
	} key;
	uint64_t errors;
	size_t order;		/* in which programs came */
};

struct moments {
	struct when_moment *list;
	size_t nr, size;
	struct map last, sums;
};

static bool adds_up(const struct when_moment *m)
{
	return m->what == WHEN_ERRORS || (m->rule && m->rule->what == RULE_ERRORS);
}

/* Make the moment before it longer, if it is one with it. */
static bool extend(struct when_moment *before, const struct when_moment *m)
{
	if (before->until_ns != m->from_ns)
		return false;
	before->until_ns = m->until_ns;
	if (adds_up(m)) {
		before->value += m->value;
	} else if (m->value > before->value) {
		before->value = m->value;
		before->who = m->who;
	}
	return true;
}

/* What failed of a program in a moment so far. */
static struct sum *sum_of(struct moments *to, size_t moment, const char *program)
{
	const struct sum_key key = { moment, program };
	struct sum *sum;

	to->sums.key_len = sizeof(key);
	sum = map_get(&to->sums, &key);
	if (sum)
		return sum;
	sum = must(calloc(1, sizeof(*sum)));
	sum->key = key;
	sum->order = to->sums.nr;
	map_put(&to->sums, sum);
	return sum;
}

/* Name the program that failed most in all of the moment; of several the one that came first. */
static void add_failures(struct moments *to, size_t moment, const struct when_failures *more)
{
	struct sum *most, *sum;
	size_t i;

	if (!more->nr)
		return;
	for (i = 0; i < more->nr; i++)
		sum_of(to, moment, more->list[i].program)->errors += more->list[i].errors;
	most = sum_of(to, moment, to->list[moment].who);
	for (i = 0; i < more->nr; i++) {
		sum = sum_of(to, moment, more->list[i].program);
		if (sum->errors > most->errors ||
		    (sum->errors == most->errors && sum->order < most->order))
			most = sum;
	}
	to->list[moment].who = most->key.program;
}

/* Return: which one it is, or is a part of. */
static size_t add_moment(struct moments *to, const struct when_moment *m)
{
	const struct last_key key = { m->disk, m->rule, m->what };
	struct last *last;

	to->last.key_len = sizeof(key);
	last = map_get(&to->last, &key);
	if (last && extend(&to->list[last->at], m))
		return last->at;
	if (!last) {
		last = must(malloc(sizeof(*last)));
		last->key = key;
		map_put(&to->last, last);
	}
	if (to->nr == to->size) {
		to->size = to->size ? to->size * 2 : 16;
		to->list = must(realloc(to->list, to->size * sizeof(*to->list)));
	}
	last->at = to->nr;
	to->list[to->nr++] = *m;
	return last->at;
}

static void judge_rules(struct moments *to, const struct when_point *p,
			const struct rule *rules, size_t nr_rules)
{
	size_t i, at;

	for (i = 0; i < nr_rules; i++) {
		if (p->ruled[i].value <= rules[i].limit)
			continue;
		at = add_moment(to, &(struct when_moment){
			.from_ns = p->from_ns, .until_ns = p->until_ns, .disk = p->disk,
			.who = p->ruled[i].who, .what = WHEN_RULE, .rule = &rules[i],
			.value = p->ruled[i].value,
		});
		add_failures(to, at, &p->ruled[i].failures);
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
	struct map kinds = { 0 };
	const uint64_t *usual;
	uint64_t value;
	size_t i, at;
	int what;

	find_usual(&kinds, p, nr);
	for (i = 0; i < nr; i++) {
		usual = find_kind(&kinds, &p[i])->usual;
		for (what = 0; what < NR_WHEN; what++) {
			value = value_of(&p[i], what);
			if (!stands_out(what, value, usual[what]))
				continue;
			at = add_moment(&found, &(struct when_moment){
				.from_ns = p[i].from_ns, .until_ns = p[i].until_ns,
				.disk = p[i].disk, .who = p[i].who[what], .what = what,
				.value = value, .usual = usual[what],
			});
			if (what == WHEN_ERRORS)
				add_failures(&found, at, &p[i].failures);
		}
		judge_rules(&found, &p[i], rules, nr_rules);
	}
	map_clear(&kinds, free);
	map_clear(&found.last, free);
	map_clear(&found.sums, free);
	*moments = found.list;
	return found.nr;
}
