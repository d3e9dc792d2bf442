// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metrics_sum.h"
#include "msg.h"

#define HOUR_NS		3600e9
/* An IO counts as one of so many bytes at least */
#define SCORE_OF_IO	4096

/* New metrics, all 0.  Limits that are too small are taken as the least. */
struct metrics *metrics_new(const struct metrics_conf *conf)
{
	struct metrics *m = must(calloc(1, sizeof(*m)));

	m->conf = *conf;
	if (m->conf.max_series < METRICS_LEAST_SERIES)
		m->conf.max_series = METRICS_LEAST_SERIES;
	if (m->conf.max_units > METRICS_MOST_UNITS)
		m->conf.max_units = METRICS_MOST_UNITS;
	m->limit = m->conf.max_units;
	m->units.key_len = METRICS_LABEL;
	m->sums.key_len = sizeof(struct metrics_sum_key);
	m->lats.key_len = sizeof(struct metrics_lat_key);
	return m;
}

void metrics_free(struct metrics *m)
{
	if (!m)
		return;
	map_clear(&m->sums, free);
	map_clear(&m->lats, free);
	map_clear(&m->units, free);
	free(m);
}

/* How many series are shown: what is written, and the reserve as if it was in use */
unsigned int metrics_series(const struct metrics *m)
{
	return METRICS_FIXED + METRICS_RESERVE + m->series;
}

static void add_scores(struct metrics *m, const struct usage_list *usage)
{
	double passed = usage->until_ns - m->until_ns, part;
	struct metrics_unit *unit;
	size_t i;

	/* the clock may have been set */
	part = m->until_ns && passed > 0 ? exp2(-passed / HOUR_NS) : 1;
	map_for_each(&m->units, i, unit)
		unit->score *= part;
	for (i = 0; i < usage->nr; i++) {
		const struct usage *u = &usage->list[i];

		metrics_unit_did(m, u->key.unit, u->bytes + (double)SCORE_OF_IO * u->ios);
	}
}

/**
 * metrics_add - add what was done in one interval
 * @m:     the metrics
 * @usage: its usage; usage with an operation or a certainty that does not exist is skipped, and
 *         its IOs count as lost
 */
void metrics_add(struct metrics *m, const struct usage_list *usage)
{
	size_t i;

	add_scores(m, usage);
	metrics_choose_units(m);
	m->from_ns = usage->from_ns;
	m->until_ns = usage->until_ns;
	for (i = 0; i < usage->nr; i++) {
		const struct usage *u = &usage->list[i];

		if (u->key.op >= METRICS_OPS || u->key.how >= IOB_NR_HOWS) {
			m->lost_ios += u->ios;
			continue;
		}
		m->certainty[u->key.how] += u->bytes;
		metrics_sum_add(m, u);
	}
	m->lost_ios += usage->lost_ios;
	m->intervals++;
}

static const struct metrics_loss *find_loss(const struct metrics_loss *losses, const char *name)
{
	unsigned int i;

	for (i = 0; i < STATUS_LOSSES && *losses[i].name; i++) {
		if (!strcmp(losses[i].name, name))
			return &losses[i];
	}
	return NULL;
}

/*
 * Who was shown the kinds of losses.  @first: it is the first status of a session; what it has was
 * there before, and is not 0 first.
 */
static void take_losses(struct metrics *m, bool first)
{
	struct metrics_loss before[STATUS_LOSSES];
	unsigned int i;

	memcpy(before, m->losses, sizeof(before));
	memset(m->losses, 0, sizeof(m->losses));
	for (i = 0; i < m->status.nr_losses; i++) {
		struct metrics_loss *loss = &m->losses[i];
		const struct metrics_loss *known = find_loss(before, m->status.loss[i].name);

		strcpy(loss->name, m->status.loss[i].name);
		if (first)
			loss->shown.begun = METRICS_HTTP | METRICS_TEXTFILE;
		else if (known)
			loss->shown = known->shown;
	}
}

/**
 * metrics_status - take the module's losses, and the pages whose write was cancelled
 * @m:         the metrics
 * @text:      the module's file `status`; NULL: the module is not there
 * @page_size: bytes of a page
 */
void metrics_status(struct metrics *m, const char *text, uint64_t page_size)
{
	static const char event[] = "\nevent pages_cancelled ";
	bool first = !m->has_status;
	uint64_t session = m->status.session;
	const char *at;

	m->has_status = text;
	if (!text)
		return;
	status_parse(&m->status, text);
	take_losses(m, first || m->status.session != session);
	at = strstr(text, event);
	m->cancelled_bytes = at ? page_size * strtoull(at + sizeof(event) - 1, NULL, 10) : 0;
}

void metrics_own(struct metrics *m, const struct metrics_own *own)
{
	m->own = *own;
}
