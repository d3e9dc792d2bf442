// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "metrics_sum.h"
#include "msg.h"

#define FLUSH_OP	4
/* What "other" did not do for so long loses its series, as an idle unit does */
#define IDLE_NS		(12 * 3600000000000LL)

static unsigned int sum_series(uint8_t op)
{
	/* a flush has no bytes */
	return op == FLUSH_OP ? 3 : 4;
}

/* Room for more series.  The reserve's sums need none. */
static bool take_room(struct metrics *m, bool reserve, unsigned int series)
{
	if (reserve)
		return true;
	if (METRICS_FIXED + METRICS_RESERVE + m->series + series > m->conf.max_series) {
		m->crowded = true;
		return false;
	}
	m->series += series;
	return true;
}

static struct metrics_sum *find_sum(struct metrics *m, const struct metrics_sum_key *key,
				    const struct metrics_unit *unit)
{
	struct metrics_sum *sum = map_get(&m->sums, key);
	bool reserve = !key->unit && !key->device && !key->reason;

	if (sum || !take_room(m, reserve, sum_series(key->op)))
		return sum;
	sum = must(calloc(1, sizeof(*sum)));
	sum->key = *key;
	sum->unit = unit;
	map_put(&m->sums, sum);
	return sum;
}

static struct metrics_lat *find_lat(struct metrics *m, const struct metrics_lat_key *key,
				    const struct metrics_unit *unit)
{
	struct metrics_lat *lat = map_get(&m->lats, key);

	if (lat || !take_room(m, !key->unit && !key->device, METRICS_HISTOGRAM_SERIES))
		return lat;
	lat = must(calloc(1, sizeof(*lat)));
	lat->key = *key;
	lat->unit = unit;
	map_put(&m->lats, lat);
	return lat;
}

static void add_latency(struct metrics *m, const struct usage *u, const struct metrics_unit *unit,
			uint16_t device)
{
	struct metrics_lat_key key = {
		.unit = unit ? unit->nr : METRICS_OTHER, .device = device, .op = u->key.op,
	};
	struct metrics_lat *lat = find_lat(m, &key, unit);
	unsigned int i;

	if (!lat) {
		key.unit = METRICS_OTHER;
		if (m->whole)
			key.device = METRICS_OTHER;
		lat = find_lat(m, &key, NULL);
	}
	if (!lat) {
		key.device = METRICS_OTHER;
		lat = find_lat(m, &key, NULL);
	}
	for (i = 0; i < USAGE_SLOTS; i++)
		lat->slots[i] += u->lat[i];
	lat->ns += u->ns;
	lat->used_ns = m->until_ns;
}

/* The sum of a usage; without room that of "other", first of the device, then of all devices */
static struct metrics_sum *sum_of(struct metrics *m, struct metrics_sum_key *key,
				  const struct metrics_unit *unit)
{
	struct metrics_sum *sum = find_sum(m, key, unit);

	if (!sum) {
		key->unit = METRICS_OTHER;
		key->reason = METRICS_OTHER;
		if (m->whole)
			key->device = METRICS_OTHER;
		sum = find_sum(m, key, NULL);
	}
	if (!sum) {
		key->device = METRICS_OTHER;
		sum = find_sum(m, key, NULL);
	}
	return sum;
}

/* Add what one originator did to the sums of its unit. */
void metrics_sum_add(struct metrics *m, const struct usage *u)
{
	const struct metrics_unit *unit = metrics_unit(m, u->key.unit);
	uint16_t device = metrics_word(&m->devices, u->key.disk);
	struct metrics_sum_key key = { .device = device, .op = u->key.op, .how = u->key.how };
	struct metrics_sum *sum;

	if (unit && !unit->named)
		unit = NULL;
	key.unit = unit ? unit->nr : METRICS_OTHER;
	key.reason = metrics_word(&m->reasons, u->key.why);
	if (m->whole && !unit) {
		m->wanted[device][key.op][key.how] |= 1ULL << key.reason;
		device = METRICS_OTHER;
		key.device = METRICS_OTHER;
		key.reason = METRICS_OTHER;
	}
	sum = sum_of(m, &key, unit);
	sum->ios += u->ios;
	sum->bytes += u->bytes;
	sum->ns += u->ns;
	sum->errors += u->errors;
	sum->used_ns = m->until_ns;
	if (sum->key.unit == METRICS_OTHER) {
		m->folded.ios += u->ios;
		m->folded.bytes += u->bytes;
	}
	add_latency(m, u, unit, device);
}

/* Series of the units that are named, "other" not among them */
unsigned int metrics_named_series(const struct metrics *m)
{
	const struct metrics_sum *sum;
	const struct metrics_lat *lat;
	unsigned int nr = 0;
	size_t i;

	map_for_each(&m->sums, i, sum)
		nr += sum->unit ? sum_series(sum->key.op) : 0;
	map_for_each(&m->lats, i, lat)
		nr += lat->unit ? METRICS_HISTOGRAM_SERIES : 0;
	return nr;
}

/* Series that "other" would have, had it devices and reasons */
unsigned int metrics_wanted_series(const struct metrics *m)
{
	unsigned int device, op, how, sums, nr = 0;

	for (device = 0; device < METRICS_WORDS; device++) {
		for (op = 0; op < METRICS_OPS; op++) {
			for (how = 0, sums = 0; how < IOB_NR_HOWS; how++)
				sums += __builtin_popcountll(m->wanted[device][op][how]);
			nr += sums ? sums * sum_series(op) + METRICS_HISTOGRAM_SERIES : 0;
		}
	}
	return nr;
}

/*
 * Sums of named units are used, and the reserve's; of "other" those that were added to lately,
 * unless it is whole.
 */
static bool sum_is_used(const void *value, const void *arg)
{
	const struct metrics_sum *sum = value;
	const struct metrics *m = arg;

	if (sum->unit)
		return sum->unit->named;
	if (!sum->key.device && !sum->key.reason)
		return true;
	return !m->whole && m->until_ns - sum->used_ns < IDLE_NS;
}

static bool lat_is_used(const void *value, const void *arg)
{
	const struct metrics_lat *lat = value;
	const struct metrics *m = arg;

	if (lat->unit)
		return lat->unit->named;
	if (!lat->key.device)
		return true;
	return !m->whole && m->until_ns - lat->used_ns < IDLE_NS;
}

/* A time that lies ahead, after the clock was set back, is as now. */
static void not_ahead(int64_t *used_ns, int64_t now_ns)
{
	if (*used_ns > now_ns)
		*used_ns = now_ns;
}

/* Forget the sums of units that are no longer named, and idle ones of "other"; series end. */
void metrics_forget_unused(struct metrics *m)
{
	struct metrics_sum *sum;
	struct metrics_lat *lat;
	size_t i;

	map_for_each(&m->sums, i, sum) {
		not_ahead(&sum->used_ns, m->until_ns);
		m->series -= sum_is_used(sum, m) ? 0 : sum_series(sum->key.op);
	}
	map_for_each(&m->lats, i, lat) {
		not_ahead(&lat->used_ns, m->until_ns);
		m->series -= lat_is_used(lat, m) ? 0 : METRICS_HISTOGRAM_SERIES;
	}
	map_keep(&m->sums, sum_is_used, m, free);
	map_keep(&m->lats, lat_is_used, m, free);
}
