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

static struct tally *new_tally(struct tallies *t, const struct tally_key *key,
			       const struct atom_key *whole)
{
	struct tally *tally = must(calloc(1, sizeof(*tally)));

	tally->key = *key;
	map_put(&t->map, tally);
	/* look up names now: file and cgroup may go away */
	name_note_file(whole->dev, whole->ino, whole->gen);
	if (whole->cgroup)
		name_cgroup(whole->cgroup);
	return tally;
}

/**
 * tally_add - add an IO, or a further part of one
 * @t:	   the tallies; all 0 at first
 * @rec:   the record
 * @by:	   what a row stands for
 * @parts: what else it stands for, enum tally_part
 * @extra: and this number
 *
 * Return: its tally, so that the view can count more; NULL if there is no room.
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
	if (!tally && t->map.nr >= TALLY_MOST) {
		t->others++;
		return NULL;
	}
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
size_t tally_sorted(const struct tallies *t, uint64_t (*value)(const struct tally *tally),
		    struct tally ***list)
{
	struct tally **to = must(malloc((t->map.nr + 1) * sizeof(*to))), *tally;
	size_t i, nr = 0;

	map_for_each(&t->map, i, tally)
		to[nr++] = tally;
	value_of = value;
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
