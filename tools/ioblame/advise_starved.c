// SPDX-License-Identifier: GPL-2.0
/*
 * Advice about a unit whose IO is slow while another one uses the disk.
 *
 * Time is cut into slices.  In one where a unit moves most of a disk's bytes, the times of the
 * others' IO belong to the pair (the unit, the other).  In one where all others together move
 * little, the times of a unit's IO belong to its calm.  If the median under the unit is many
 * times that of the calm, the unit makes the other wait.  Who never had calm is not judged.
 *
 * Example: backup.service moves 200 MiB in each of ten slices, and web.service's reads take 40
 * ms then; in twelve slices without it they take 0.5 ms.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advise.h"
#include "group.h"
#include "hist.h"
#include "msg.h"
#include "name.h"
#include "text.h"

#define SLICE_NS	500000000ULL

enum {
	LEAST_SHARE = 80,		/* percent of a slice's bytes: the unit has the disk */
	LEAST_BYTES = 2 << 20,		/* that it moves in a slice */
	CALM_BYTES = 256 << 10,		/* that all others move at most where a unit has calm */
	LEAST_CALM_IOS = 30,		/* of the other */
	/* fewer, as who waits for each IO has few of them: two a second of half a second each */
	LEAST_IOS = 8,			/* of the other, under the unit */
	LEAST_SLICES = 4,		/* in which the unit has the disk */
	TIMES = 5,			/* the median is so many times that of the calm */
};

#define LEAST_MEDIAN	2000000ULL	/* and at least 2 ms */

/* A unit's IO in the slice that is running */
struct now {
	struct advise_entry e;
	uint64_t bytes;
	struct hist_few hist;
};

/* A disk's slice that is running */
struct slice {
	uint64_t disk;
	uint64_t end_ns, bytes;
	struct map units;		/* struct now */
};

struct pair_key {
	uint64_t disk;
	uint64_t unit, other;		/* cgroups; @unit is 0 for the calm */
};

struct pair {
	struct pair_key key;
	struct advise_entry unit, other;
	uint64_t slices, ios, bytes;	/* bytes of the unit */
	struct hist_few hist;		/* the times of the other's IO */
};

static struct map slices = { .key_len = sizeof(uint64_t) };
static struct map pairs = { .key_len = sizeof(struct pair_key) };

static void free_now(void *value)
{
	struct now *n = value;

	hist_few_free(&n->hist);
	free(n);
}

static void free_pair(void *value)
{
	struct pair *p = value;

	hist_few_free(&p->hist);
	free(p);
}

static struct slice *slice_of(uint64_t disk)
{
	struct slice *s = map_get(&slices, &disk);

	if (s || slices.nr >= ADVISE_ROOM)
		return s;
	s = must(calloc(1, sizeof(*s)));
	s->disk = disk;
	map_put(&slices, s);
	return s;
}

static struct pair *pair_of(uint64_t disk, const struct now *unit, const struct now *other)
{
	struct pair_key key = {
		.disk = disk, .unit = unit ? unit->e.label.key.cgroup : 0,
		.other = other->e.label.key.cgroup,
	};
	struct pair *p = map_get(&pairs, &key);

	if (p || pairs.nr >= ADVISE_ROOM)
		return p;
	p = must(calloc(1, sizeof(*p)));
	p->key = key;
	if (unit)
		p->unit = unit->e;
	p->other = other->e;
	map_put(&pairs, p);
	return p;
}

/* The IOs of a unit in a slice found no room. */
static void miss_ios(const struct now *n)
{
	unsigned int k;
	uint64_t i;

	for (k = 0; k < n->hist.nr; k++) {
		for (i = 0; i < n->hist.pair[k].n; i++)
			advise_miss();
	}
}

/* The unit that has the disk in a slice, or NULL. */
static const struct now *dominant(const struct slice *s)
{
	const struct now *n;
	size_t i;

	map_for_each(&s->units, i, n) {
		if (n->e.label.key.cgroup && n->bytes >= LEAST_BYTES &&
		    n->bytes * 100 >= s->bytes * LEAST_SHARE)
			return n;
	}
	return NULL;
}

static void end_slice(struct slice *s)
{
	const struct now *unit = dominant(s), *by;
	struct pair *p;
	struct now *n;
	unsigned int k;
	size_t i;

	map_for_each(&s->units, i, n) {
		bool calm = s->bytes - n->bytes <= CALM_BYTES;

		by = calm || n == unit ? NULL : unit;
		if (!calm && !by)
			continue;
		p = pair_of(s->disk, by, n);
		if (!p) {
			miss_ios(n);
			continue;
		}
		p->slices++;
		p->bytes += by ? by->bytes : 0;
		p->unit.chosen |= by && by->e.chosen;
		p->other.chosen |= n->e.chosen;
		for (k = 0; k < n->hist.nr; k++) {
			hist_few_add(&p->hist, n->hist.pair[k].slot, n->hist.pair[k].n);
			p->ios += n->hist.pair[k].n;
		}
	}
	map_clear(&s->units, free_now);
	s->bytes = 0;
}

static void add_io(const struct iob_iolog_bin_record *rec)
{
	struct slice *s = slice_of(rec->disk);
	struct now *n;

	if (!s) {
		advise_miss();
		return;
	}
	if (rec->complete_ns >= s->end_ns) {
		end_slice(s);
		s->end_ns = rec->complete_ns - rec->complete_ns % SLICE_NS + SLICE_NS;
	}
	n = advise_entry(&s->units, rec, BY_CGROUP, 0, sizeof(*n));
	if (!n)
		return;
	/* a discard moves nothing */
	if (rec->op != OP_DISCARD) {
		n->bytes += rec->bytes;
		s->bytes += rec->bytes;
	}
	if (!rec->part && rec->queue_ns)
		hist_few_add(&n->hist, hist_time_slot(rec_total_ns(rec)), 1);
}

static uint64_t median_of(const struct pair *p)
{
	struct hist h = { { 0 } };

	hist_few_sum(&h, &p->hist);
	return hist_time_percentile(&h, 0.5);
}

static void write_starved(struct advice *a, const struct pair *p, const struct pair *calm)
{
	char under[TEXT_NUMBER], alone[TEXT_NUMBER], bytes[TEXT_NUMBER];
	char unit[150 + 1], other[150 + 1];

	a->ios = p->ios;
	a->bytes = p->bytes;
	a->ns = median_of(p);
	a->calm_ns = median_of(calm);
	a->weight = a->ns / (a->calm_ns ? a->calm_ns : 1);
	a->disk = p->key.disk;
	a->chosen = p->unit.chosen || p->other.chosen;
	snprintf(a->fact, sizeof(a->fact),
		 "While %s moved %s on %s, half of the %llu IOs of %s took more than %s; half of %llu in calm times took less than %s.",
		 advise_unit(p->key.unit, unit, sizeof(unit)), text_bytes(bytes, p->bytes),
		 name_disk(a->disk), (unsigned long long)p->ios,
		 advise_unit(p->key.other, other, sizeof(other)), text_nsecs(under, a->ns),
		 (unsigned long long)calm->ios, text_nsecs(alone, a->calm_ns));
	snprintf(a->what, sizeof(a->what),
		 "A limit (io.max, IOReadBandwidthMax= of a unit) or a weight (io.weight with bfq or iocost) of the first leaves room for the second; so does another time or another disk.");
	advise_see(a, "stat --by cgroup", NULL);
}

static void tell_starved(struct advices *to, const char *name)
{
	const struct pair *p, *calm;
	struct pair_key key;
	struct slice *s;
	size_t i;

	map_for_each(&slices, i, s)
		end_slice(s);
	map_for_each(&pairs, i, p) {
		key = p->key;
		key.unit = 0;
		calm = p->key.unit ? map_get(&pairs, &key) : NULL;
		if (!calm || p->slices < LEAST_SLICES || p->ios < LEAST_IOS ||
		    calm->ios < LEAST_CALM_IOS || median_of(p) < LEAST_MEDIAN ||
		    median_of(p) < TIMES * median_of(calm))
			continue;
		write_starved(advise_new(to, name, &p->unit), p, calm);
	}
}

static void free_slice(void *value)
{
	struct slice *s = value;

	map_clear(&s->units, free_now);
	free(s);
}

static void clear_starved(void)
{
	map_clear(&slices, free_slice);
	map_clear(&pairs, free_pair);
}

const struct advise_rule advise_starved = {
	.name = "starved", .add = add_io, .tell = tell_starved, .clear = clear_starved,
};
