// SPDX-License-Identifier: GPL-2.0
/*
 * Which units have series of their own.  A score says how large a unit is; to take the place of
 * another a unit must be twice as large, so that places do not flap.
 *
 * A host may have more units than are known.  Who is forgotten does not depend on who comes first:
 * see forget_small().
 */
#include <stdlib.h>
#include <string.h>

#include "metrics_sum.h"
#include "msg.h"

/* A unit that nothing names: the root's cgroup, or a cgroup that is gone */
#define NO_NAME		"none"
#define OTHER		"other"
/* For so long "other" has neither devices nor reasons before it may have them again */
#define WHOLE_NS	3600000000000LL

/* The label of a unit of this name, zeroed behind the text.  Return: false for "other". */
static bool label_of(char label[METRICS_LABEL], const char *name)
{
	memset(label, 0, METRICS_LABEL);
	metrics_label(label, METRICS_LABEL, *name ? name : NO_NAME);
	return strcmp(label, OTHER);
}

/* The unit of this name; NULL for "other" and if it is not known */
const struct metrics_unit *metrics_unit(const struct metrics *m, const char *name)
{
	char label[METRICS_LABEL];

	return label_of(label, name) ? map_get(&m->units, label) : NULL;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y) - (x > y);
}

/* The score of the largest unit that has no place among the METRICS_MOST_UNITS without a name */
static double score_without_place(const struct metrics *m)
{
	double *scores = must(malloc((m->units.nr + 1) * sizeof(*scores))), score;
	const struct metrics_unit *unit;
	size_t i, nr = 0;

	map_for_each(&m->units, i, unit) {
		if (!unit->named)
			scores[nr++] = unit->score;
	}
	qsort(scores, nr, sizeof(*scores), by_size);
	score = nr > METRICS_MOST_UNITS ? scores[METRICS_MOST_UNITS] : 0;
	free(scores);
	return score;
}

static bool keep_unit(const void *value, const void *arg)
{
	const struct metrics_unit *unit = value;

	(void)arg;
	return unit->named || unit->score > 0;
}

/*
 * Forget the smaller half of the units without a name, once they have no room.  The others' scores
 * fall by that of the largest of these.  If they stayed, those that are there would be larger than
 * a newcomer's interval could ever be, and it would be forgotten each time.  As each such fall is
 * one of METRICS_MOST_UNITS scores at least, a score lacks less than a METRICS_MOST_UNITS-th of all
 * that units without a name did: who did more is known (Misra and Gries, 1982).
 */
static void forget_small(struct metrics *m)
{
	struct metrics_unit *unit;
	double fall;
	size_t i;

	if (m->units.nr - m->named < 2 * METRICS_MOST_UNITS)
		return;
	fall = score_without_place(m);
	map_for_each(&m->units, i, unit)
		unit->score -= unit->named ? 0 : fall;
	map_keep(&m->units, keep_unit, NULL, free);
}

/**
 * metrics_unit_did - add to the score of a unit
 * @m:     the metrics
 * @name:  any text; "other" has no score
 * @score: how much; a unit that is not known is then
 */
void metrics_unit_did(struct metrics *m, const char *name, double score)
{
	char label[METRICS_LABEL];
	struct metrics_unit *unit;

	if (!label_of(label, name))
		return;
	unit = map_get(&m->units, label);
	if (!unit) {
		forget_small(m);
		unit = must(calloc(1, sizeof(*unit)));
		memcpy(unit->label, label, sizeof(label));
		unit->nr = ++m->next_unit;
		map_put(&m->units, unit);
	}
	unit->score += score;
}

/* The number of a word, made if it was not there; 0 ("other") if there are too many */
uint16_t metrics_word(struct metrics_words *words, const char *name)
{
	char label[METRICS_LABEL];
	unsigned int i;

	if (!words->nr)
		strcpy(words->word[words->nr++], OTHER);
	metrics_label(label, sizeof(label), *name ? name : NO_NAME);
	for (i = 0; i < words->nr; i++) {
		if (!strcmp(words->word[i], label))
			return i;
	}
	if (words->nr == METRICS_WORDS)
		return METRICS_OTHER;
	strcpy(words->word[words->nr], label);
	return words->nr++;
}

/* Largest first; of equal ones the older */
static int by_score(const void *a, const void *b)
{
	const struct metrics_unit *x = *(struct metrics_unit *const *)a;
	const struct metrics_unit *y = *(struct metrics_unit *const *)b;

	if (x->score != y->score)
		return x->score < y->score ? 1 : -1;
	return (x->nr > y->nr) - (x->nr < y->nr);
}

static struct metrics_unit **sorted_units(const struct metrics *m)
{
	struct metrics_unit **list = must(malloc((m->units.nr + 1) * sizeof(*list)));
	struct metrics_unit *unit;
	size_t i, nr = 0;

	map_for_each(&m->units, i, unit)
		list[nr++] = unit;
	qsort(list, nr, sizeof(struct metrics_unit *), by_score);
	return list;
}

static void set_named(struct metrics *m, struct metrics_unit *unit, bool named)
{
	unit->named = named;
	m->named += named ? 1 : -1;
}

/* The next unit from @at on, up or down, that is named or is not; NULL if there is none */
static struct metrics_unit *next_unit(struct metrics_unit **list, long nr, long *at, int step,
				      bool named)
{
	for (; *at >= 0 && *at < nr; *at += step) {
		if (list[*at]->named == named)
			return list[*at];
	}
	return NULL;
}

/* Let the largest unit without a name replace the smallest, while it is twice as large. */
static void replace_small(struct metrics *m, struct metrics_unit **list, long nr)
{
	long top = 0, bottom = nr - 1;

	for (;;) {
		struct metrics_unit *large = next_unit(list, nr, &top, 1, false);
		struct metrics_unit *small = next_unit(list, nr, &bottom, -1, true);

		if (!large || !small || large->score <= 2 * small->score)
			return;
		set_named(m, small, false);
		set_named(m, large, true);
		m->replaced++;
		top++;
		bottom--;
	}
}

static void set_whole(struct metrics *m, bool whole)
{
	m->whole = whole;
	m->wanted_ns = m->until_ns;
	memset(m->wanted, 0, sizeof(m->wanted));
}

/* Once an hour: if no unit lacks room for a name, "other" may have devices and reasons again. */
static void look_at_wanted(struct metrics *m, unsigned int room)
{
	unsigned int wanted;

	if (m->wanted_ns > m->until_ns)
		m->wanted_ns = m->until_ns;
	if (m->until_ns - m->wanted_ns < WHOLE_NS)
		return;
	wanted = metrics_wanted_series(m);
	set_whole(m, (m->named >= m->limit && m->limit < m->conf.max_units) ||
		  room <= 50 + wanted + wanted / 4);
}

/*
 * How many may be named: more if there is much room.  If the last interval's sums found none,
 * "other" gives up its devices and reasons first: a unit that loses its name needs as many series
 * there.  Only if the named units alone are too many, there will be fewer.
 */
static void adapt_limit(struct metrics *m)
{
	unsigned int room = m->conf.max_series - METRICS_FIXED - METRICS_RESERVE - m->series;
	unsigned int named = metrics_named_series(m);
	/* those of "other" say nothing about one more unit */
	unsigned int needed = 50 + 2 * named / (m->named + 1);

	if (m->whole && !m->crowded)
		look_at_wanted(m, room);
	if (m->crowded && m->series > named)
		set_whole(m, true);
	else if (m->crowded)
		m->limit = m->named > 10 ? m->named - m->named / 10 : m->named - (m->named > 1);
	else if (m->limit < m->conf.max_units && room > needed)
		m->limit++;
	m->crowded = false;
}

/**
 * metrics_choose_units - decide which units are named, by their scores
 * @m: the metrics; sums of units that lose their names, and idle ones of "other", are forgotten
 */
void metrics_choose_units(struct metrics *m)
{
	struct metrics_unit **list;
	struct metrics_unit *unit;
	long nr = m->units.nr, at;

	adapt_limit(m);
	if (!nr)
		return;
	list = sorted_units(m);
	for (at = nr - 1; (unit = next_unit(list, nr, &at, -1, true));) {
		/* idle for half a day and more */
		if (m->named <= m->limit && unit->score >= 1)
			break;
		set_named(m, unit, false);
	}
	for (at = 0; m->named < m->limit && (unit = next_unit(list, nr, &at, 1, false));) {
		if (unit->score < 1)
			break;
		set_named(m, unit, true);
	}
	replace_small(m, list, nr);
	metrics_forget_unused(m);
	free(list);
}
