// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "agg.h"
#include "group.h"
#include "hist.h"
#include "intent.h"
#include "map.h"
#include "msg.h"
#include "name.h"
#include "rec.h"
#include "tally.h"

static void free_tally(void *value)
{
	struct tally *tally = value;

	hist_few_free(&tally->hist);
	free(tally);
}

/* Hold the names of the last IO of each, the largest first. */
static void hold_names(const void *arg)
{
	struct tally **list;
	size_t i, nr = tally_sorted(arg, &list);

	for (i = 0; i < nr; i++)
		agg_hold_label(&list[i]->label);
	free(list);
}

static struct tally *new_tally(struct tallies *t, const struct tally_key *key,
			       const struct atom_key *whole)
{
	struct tally *tally = must(calloc(1, sizeof(*tally)));

	tally->key = *key;
	map_put(&t->map, tally);
	/* no view has two of these */
	name_held_by(hold_names, t);
	/* look up names now: file and cgroup may go away */
	name_note_file(whole->dev, whole->ino, whole->gen);
	if (whole->cgroup)
		name_cgroup(whole->cgroup);
	return tally;
}

/* What is left of the key of one of the lighter half; of REST_ALL, nothing. */
static void widen_key(struct tally_key *key, enum rest rest)
{
	memset(&key->who, 0, sizeof(key->who));
	memset(&key->file, 0, sizeof(key->file));
	key->who.rest = rest;
	if (rest != REST_ALL)
		return;
	key->disk = 0;
	key->extra = 0;
}

/* The tally that others become. */
static struct tally *get_others(struct map *map, const struct tally_key *key)
{
	struct tally *tally = map_get(map, key);

	if (tally)
		return tally;
	tally = must(calloc(1, sizeof(*tally)));
	tally->key = *key;
	tally->label.key.rest = REST_ALL;
	tally->label.key.kind = ROLE_SPECIAL;
	tally->label.key.disk = key->disk;
	tally->label.sub_comm[0] = '-';
	tally->label.why = "-";
	map_put(map, tally);
	return tally;
}

static void merge_tally(struct tally *to, struct tally *from)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(to->ios); i++) {
		to->ios[i] += from->ios[i];
		to->bytes[i] += from->bytes[i];
	}
	for (i = 0; i < ARRAY_SIZE(to->n); i++)
		to->n[i] += from->n[i];
	to->all_ios += from->all_ios;
	to->all_bytes += from->all_bytes;
	to->total_ns += from->total_ns;
	if (to->max_ns < from->max_ns)
		to->max_ns = from->max_ns;
	if (to->last_ns <= from->last_ns) {
		to->last_ns = from->last_ns;
		to->sector = from->sector;
		to->error = from->error;
	}
	/* without a time there is no shortest one */
	if (from->hist.nr && (!to->hist.nr || from->min_ns < to->min_ns))
		to->min_ns = from->min_ns;
	hist_few_move(&to->hist, &from->hist);
	free_tally(from);
}

/* Put those together that are marked.  Return: how many there are of these then. */
static size_t widen_marked(struct tallies *t, enum rest rest)
{
	struct map old = t->map;
	struct tally *tally, *to;
	struct tally_key key;
	size_t i, nr = 0;

	map_like(&t->map, &old);
	map_for_each(&old, i, tally) {
		key = tally->key;
		if (tally->widen) {
			t->others += key.who.rest ? 0 : tally->all_ios;
			widen_key(&key, rest);
		}
		to = tally->widen ? get_others(&t->map, &key) : map_get(&t->map, &key);
		if (to)
			merge_tally(to, tally);
		else
			map_put(&t->map, tally);
	}
	map_clear(&old, NULL);
	map_for_each(&t->map, i, tally)
		nr += tally->key.who.rest == rest;
	return nr;
}

struct weighed {
	struct tally *tally;
	uint64_t weight;
};

/* The lightest first; of equal weight, the oldest. */
static int compare_weights(const void *va, const void *vb)
{
	const struct weighed *a = va, *b = vb;

	if (a->weight != b->weight)
		return a->weight < b->weight ? -1 : 1;
	return (a->tally->last_ns > b->tally->last_ns) - (a->tally->last_ns < b->tally->last_ns);
}

/* Mark the lighter half of those that have an originator. */
static void mark_lighter(const struct tallies *t)
{
	struct weighed *list = must(malloc((t->map.nr + 1) * sizeof(*list)));
	struct tally *tally;
	size_t i, nr = 0;

	map_for_each(&t->map, i, tally) {
		if (!tally->key.who.rest)
			list[nr++] = (struct weighed){ tally, t->value(tally) };
	}
	qsort(list, nr, sizeof(*list), compare_weights);
	for (i = 0; i < nr / 2; i++)
		list[i].tally->widen = true;
	free(list);
}

/* Make room. */
static void squeeze(struct tallies *t)
{
	struct tally *tally;
	size_t i;

	mark_lighter(t);
	if (widen_marked(t, REST_FILE) < TALLY_MOST / 4)
		return;
	/* very many disks or numbers: give them up, too */
	map_for_each(&t->map, i, tally)
		tally->widen = tally->key.who.rest == REST_FILE;
	widen_marked(t, REST_ALL);
}

/**
 * tally_add - add an IO, or a further part of one
 * @t:	   the tallies; all but @value 0 at first
 * @rec:   the record
 * @by:	   what a row stands for
 * @parts: what else it stands for, enum tally_part
 * @extra: and this number
 *
 * Return: its tally, so that the view can count more until the next one is added.
 */
struct tally *tally_add(struct tallies *t, const struct iob_iolog_bin_record *rec, enum pivot by,
			unsigned int parts, uint64_t extra)
{
	const char *op = strchr(rec_op_letters, rec->op);
	struct tally_key key = { .extra = extra };
	struct atom_key whole;
	struct tally *tally;

	agg_key(&whole, rec, by);
	key.who = whole;
	group_narrow(by, &key.who);
	if (parts & TALLY_FILE) {
		key.file = whole;
		group_narrow(BY_FILE, &key.file);
	}
	if (parts & TALLY_DISK)
		key.disk = rec->disk;
	t->map.key_len = sizeof(key);
	tally = map_get(&t->map, &key);
	if (!tally && t->map.nr >= TALLY_MOST)
		squeeze(t);
	if (!tally)
		tally = new_tally(t, &key, &whole);
	tally->label.key = whole;
	tally->label.why = intent_why(rec);
	memcpy(tally->label.sub_comm, rec->sub_comm, sizeof(rec->sub_comm));
	if (op && *op && op - rec_op_letters < 5) {
		tally->ios[op - rec_op_letters] += !rec->part;
		tally->bytes[op - rec_op_letters] += rec->bytes;
	}
	tally->all_bytes += rec->bytes;
	/* (the parts of an IO complete together) */
	tally->more = rec->part && tally->last_ns == rec->complete_ns;
	tally->last_ns = rec->complete_ns;
	tally->sector = rec->sector;
	tally->error = rec->error;
	if (rec->part)
		return tally;
	tally->all_ios++;
	/* of IO that was under way when ioblame was switched on, it is not known */
	if (!rec->queue_ns)
		return tally;
	tally->total_ns += rec_total_ns(rec);
	if (!tally->hist.nr || rec_total_ns(rec) < tally->min_ns)
		tally->min_ns = rec_total_ns(rec);
	if (rec_total_ns(rec) > tally->max_ns)
		tally->max_ns = rec_total_ns(rec);
	hist_few_add(&tally->hist, hist_time_slot(rec_total_ns(rec)), 1);
	return tally;
}

static uint64_t (*value_of)(const struct tally *tally);

static int compare_tallies(const void *va, const void *vb)
{
	const struct tally *a = *(struct tally **)va, *b = *(struct tally **)vb;
	uint64_t x = value_of(a), y = value_of(b);

	if (x == y) {
		x = b->last_ns;
		y = a->last_ns;
	}
	return (x < y) - (x > y);
}

/* All tallies, the largest first, allocated.  Return: their number. */
size_t tally_sorted(const struct tallies *t, struct tally ***list)
{
	struct tally **to = must(malloc((t->map.nr + 1) * sizeof(*to))), *tally;
	size_t i, nr = 0;

	map_for_each(&t->map, i, tally)
		to[nr++] = tally;
	value_of = t->value;
	qsort(to, nr, sizeof(*to), compare_tallies);
	*list = to;
	return nr;
}

/* How many times are known. */
uint64_t tally_timed(const struct tally *tally)
{
	uint64_t nr = 0;
	unsigned int i;

	for (i = 0; i < tally->hist.nr; i++)
		nr += tally->hist.pair[i].n;
	return nr;
}

/* As hist_time_percentile(), of the times that are known, from the shortest to the longest. */
uint64_t tally_percentile(const struct tally *tally, double part)
{
	struct hist h = { { 0 } };

	hist_few_sum(&h, &tally->hist);
	return hist_within(hist_time_percentile(&h, part), tally->min_ns, tally->max_ns);
}

void tally_clear(struct tallies *t)
{
	map_clear(&t->map, free_tally);
	t->others = 0;
}
