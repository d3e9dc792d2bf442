// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "hist.h"
#include "map.h"
#include "msg.h"
#include "rec.h"

enum {
	FIRST_WIDTH_NS = 1000000,
	FIRST_STEP = 256,		/* sectors: 64 places are 8 MiB */
};

/**
 * chart_new - begin charts
 * @begin_ns: where their time begins, on the clock of the records
 */
struct chart *chart_new(uint64_t begin_ns)
{
	struct chart *c = must(calloc(1, sizeof(*c)));

	c->begin_ns = begin_ns;
	c->width_ns = FIRST_WIDTH_NS;
	c->tracks.key_len = sizeof(struct chart_who);
	c->forgotten.key_len = sizeof(uint32_t);
	return c;
}

static void add_bin(struct chart_bin *to, const struct chart_bin *from)
{
	to->read += from->read;
	to->written += from->written;
	to->ios += from->ios;
	to->timed += from->timed;
	to->total_ns += from->total_ns;
	if (to->max_ns < from->max_ns)
		to->max_ns = from->max_ns;
}

static void add_cell(struct chart_cell *to, const struct chart_cell *from)
{
	to->ios += from->ios;
	to->bytes += from->bytes;
	to->timed += from->timed;
	to->total_ns += from->total_ns;
}

/* Two bins become one.  The target is never behind what is still to be read. */
static void halve_bins(struct chart_bin *bin)
{
	struct chart_bin sum;
	unsigned int i;

	for (i = 0; i < CHART_BINS / 2; i++) {
		sum = bin[2 * i];
		add_bin(&sum, &bin[2 * i + 1]);
		bin[i] = sum;
	}
	memset(bin + CHART_BINS / 2, 0, CHART_BINS / 2 * sizeof(*bin));
}

static void halve_latency(struct chart *c)
{
	unsigned int i, slot;

	for (i = 0; i < CHART_BINS / 2; i++) {
		for (slot = 0; slot < HIST_SLOTS; slot++)
			c->latency[i][slot] = c->latency[2 * i][slot] +
					      c->latency[2 * i + 1][slot];
	}
	memset(c->latency + CHART_BINS / 2, 0, CHART_BINS / 2 * sizeof(c->latency[0]));
}

static void halve_times_of_disk(struct chart_disk *d)
{
	struct chart_cell sum;
	unsigned int i, k;

	for (i = 0; i < CHART_TIMES / 2; i++) {
		for (k = 0; k < CHART_PLACES; k++) {
			sum = d->cell[2 * i][k];
			add_cell(&sum, &d->cell[2 * i + 1][k]);
			d->cell[i][k] = sum;
		}
	}
	memset(d->cell + CHART_TIMES / 2, 0, CHART_TIMES / 2 * sizeof(d->cell[0]));
}

static void halve_places_of_disk(struct chart_disk *d)
{
	struct chart_cell sum;
	unsigned int i, k;

	for (i = 0; i < CHART_TIMES; i++) {
		for (k = 0; k < CHART_PLACES / 2; k++) {
			sum = d->cell[i][2 * k];
			add_cell(&sum, &d->cell[i][2 * k + 1]);
			d->cell[i][k] = sum;
		}
		memset(d->cell[i] + CHART_PLACES / 2, 0,
		       CHART_PLACES / 2 * sizeof(d->cell[i][0]));
	}
	d->step *= 2;
}

static void halve_time(struct chart *c)
{
	struct chart_track *t;
	unsigned int d;
	size_t i;

	c->width_ns *= 2;
	c->used = (c->used + 1) / 2;
	halve_bins(c->all);
	halve_latency(c);
	map_for_each(&c->tracks, i, t)
		halve_bins(t->bin);
	for (d = 0; d < c->nr_disks; d++)
		halve_times_of_disk(c->disk[d]);
}

/* The bin of a time; one that is before the beginning belongs to it. */
static unsigned int bin_of(struct chart *c, uint64_t ns)
{
	uint64_t at = ns > c->begin_ns ? ns - c->begin_ns : 0;

	while (at / c->width_ns >= CHART_BINS)
		halve_time(c);
	at /= c->width_ns;
	if (c->used <= at)
		c->used = at + 1;
	return at;
}

static void make_who(struct chart_who *who, unsigned int kind, uint32_t nr, uint64_t cgroup)
{
	memset(who, 0, sizeof(*who));
	who->kind = kind == ROLE_THREAD ? ROLE_PROCESS : kind;
	who->nr = nr;
	who->cgroup = kind == ROLE_CGROUP ? cgroup : 0;
}

static int compare_tracks(const void *va, const void *vb)
{
	const struct chart_track *a = *(struct chart_track **)va, *b = *(struct chart_track **)vb;

	return (a->weight > b->weight) - (a->weight < b->weight);
}

/* Forget the lighter half of the tracks.  Their IO stays in the sums of all. */
static void forget_tracks(struct map *tracks)
{
	struct chart_track **list = must(malloc(tracks->nr * sizeof(*list))), *t;
	struct map old = *tracks;
	size_t i, nr = 0;

	map_for_each(&old, i, t)
		list[nr++] = t;
	qsort(list, nr, sizeof(*list), compare_tracks);
	map_like(tracks, &old);
	for (i = 0; i < nr; i++) {
		if (i < nr / 2)
			free(list[i]);
		else
			map_put(tracks, list[i]);
	}
	map_clear(&old, NULL);
	free(list);
}

static struct chart_track *find_track(struct chart *c, const struct iob_iolog_bin_record *rec)
{
	struct chart_track *t;
	struct chart_who who;

	make_who(&who, rec->role_kind, rec_originator(rec), rec->cgroup);
	t = map_get(&c->tracks, &who);
	if (t)
		return t;
	if (c->tracks.nr >= CHART_TRACKS)
		forget_tracks(&c->tracks);
	t = must(calloc(1, sizeof(*t)));
	t->who = who;
	map_put(&c->tracks, t);
	return t;
}

static int compare_disks(const void *va, const void *vb)
{
	const struct chart_disk *a = *(struct chart_disk **)va, *b = *(struct chart_disk **)vb;

	return (a->ios < b->ios) - (a->ios > b->ios);
}

/* Forget the maps of the lighter half of the disks. */
static void forget_disks(struct chart *c)
{
	uint32_t *number;

	qsort(c->disk, c->nr_disks, sizeof(c->disk[0]), compare_disks);
	while (c->nr_disks > CHART_DISKS / 2) {
		c->nr_disks--;
		number = must(malloc(sizeof(*number)));
		*number = c->disk[c->nr_disks]->disk;
		map_put(&c->forgotten, number);
		free(c->disk[c->nr_disks]);
	}
}

/* The map of a disk, NULL if it has none. */
static struct chart_disk *find_disk(struct chart *c, uint32_t disk)
{
	struct chart_disk *d;
	unsigned int i;

	for (i = 0; i < c->nr_disks; i++) {
		if (c->disk[i]->disk == disk)
			return c->disk[i];
	}
	if (map_get(&c->forgotten, &disk))
		return NULL;
	if (c->nr_disks == CHART_DISKS && c->forgotten.nr + CHART_DISKS / 2 > CHART_FORGOTTEN)
		return NULL;
	if (c->nr_disks == CHART_DISKS)
		forget_disks(c);
	d = must(calloc(1, sizeof(*d)));
	d->disk = disk;
	d->step = FIRST_STEP;
	c->disk[c->nr_disks++] = d;
	return d;
}

/*
 * Of IO that was under way when ioblame was switched on, the time is not known; that of an IO of
 * several parts is the first one's.
 */
static bool is_timed(const struct iob_iolog_bin_record *rec)
{
	return rec->queue_ns && !rec->part;
}

static void add_place(struct chart *c, const struct iob_iolog_bin_record *rec, unsigned int bin)
{
	const struct chart_cell one = {
		.ios = !rec->part, .bytes = rec->bytes,
		.timed = is_timed(rec), .total_ns = is_timed(rec) ? rec_total_ns(rec) : 0,
	};
	struct chart_disk *d = find_disk(c, rec->disk);

	if (!d)
		return;
	d->ios += !rec->part;
	/* a flush has no place */
	if (!rec->bytes)
		return;
	while (rec->sector / d->step >= CHART_PLACES)
		halve_places_of_disk(d);
	add_cell(&d->cell[bin * CHART_TIMES / CHART_BINS][rec->sector / d->step], &one);
}

/* Add an IO, or a part of one. */
void chart_add(struct chart *c, const struct iob_iolog_bin_record *rec)
{
	unsigned int bin = bin_of(c, rec->complete_ns);
	uint64_t total = is_timed(rec) ? rec_total_ns(rec) : 0;
	const struct chart_bin one = {
		.read = rec->op == OP_READ || rec->op == OP_AHEAD ? rec->bytes : 0,
		.written = rec->op == OP_WRITE ? rec->bytes : 0,
		.ios = !rec->part, .timed = is_timed(rec), .total_ns = total, .max_ns = total,
	};
	struct chart_track *t = find_track(c, rec);

	add_bin(&c->all[bin], &one);
	add_bin(&t->bin[bin], &one);
	t->weight += rec->bytes + !rec->part;
	t->ios += !rec->part;
	if (is_timed(rec))
		c->latency[bin][hist_slot(total)]++;
	add_place(c, rec, bin);
}

/* The track of the originator of an atom; NULL if it was forgotten, and did not come back. */
const struct chart_track *chart_track(const struct chart *c, const struct atom *a)
{
	struct chart_who who;

	if (a->key.rest == REST_ALL)
		return NULL;
	make_who(&who, a->key.kind, a->key.who, a->key.cgroup);
	return map_get(&c->tracks, &who);
}

void chart_free(struct chart *c)
{
	unsigned int i;

	map_clear(&c->tracks, free);
	map_clear(&c->forgotten, free);
	for (i = 0; i < c->nr_disks; i++)
		free(c->disk[i]);
	free(c);
}
