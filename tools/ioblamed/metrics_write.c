// SPDX-License-Identifier: GPL-2.0
/*
 * All families.  Samples of a family stand together, and sums are sorted: what did not change is
 * written as before.
 */
#include <stdlib.h>
#include <string.h>

#include "metrics_sum.h"
#include "msg.h"
#include "rec.h"

#ifndef VERSION
#define VERSION	""
#endif

enum {
	LABELS = 4 * METRICS_LABEL + 128,
};

/* The text file has a new series as 0 for so long: it is read each minute or so. */
#define TEXTFILE_ZERO_NS	(120 * 1000000000LL)

static const char *const ops[METRICS_OPS] = {
#define WORD(constant, letter, word)	word,
	IOB_OPS(WORD)
#undef WORD
};

/* The counters of a sum */
static const struct metrics_counter {
	const char *name, *unit, *help;
	size_t offset;
	bool seconds, not_flush;
} counters[] = {
	{ "ioblame_ios", NULL, "IOs that completed, by who caused them.",
	  offsetof(struct metrics_sum, ios), false, false },
	{ "ioblame_io_bytes", "bytes", "Bytes of IOs, by who caused them.",
	  offsetof(struct metrics_sum, bytes), false, true },
	{ "ioblame_io_time_seconds", "seconds", "Time of IOs from queueing to completion, summed up.",
	  offsetof(struct metrics_sum, ns), true, false },
	{ "ioblame_io_errors", NULL, "IOs that failed, by who caused them.",
	  offsetof(struct metrics_sum, errors), false, false },
};

static const char *unit_label(const struct metrics_unit *unit)
{
	return unit ? unit->label : "other";
}

static const char *word_label(const struct metrics_words *words, unsigned int nr)
{
	return nr < words->nr ? words->word[nr] : "other";
}

static void sum_labels(char to[LABELS], const struct metrics *m, const struct metrics_sum *sum)
{
	snprintf(to, LABELS,
		 "unit=\"%s\",device=\"%s\",operation=\"%s\",reason=\"%s\",certainty=\"%s\"",
		 unit_label(sum->unit), word_label(&m->devices, sum->key.device), ops[sum->key.op],
		 word_label(&m->reasons, sum->key.reason), rec_how_name(sum->key.how));
}

static int order_of_units(const struct metrics_unit *a, const struct metrics_unit *b)
{
	/* "other" comes last */
	if (!a || !b)
		return !a - !b;
	return strcmp(a->label, b->label);
}

static int by_sum(const void *a, const void *b)
{
	const struct metrics_sum *x = *(struct metrics_sum *const *)a;
	const struct metrics_sum *y = *(struct metrics_sum *const *)b;
	int order = order_of_units(x->unit, y->unit);

	if (order)
		return order;
	if (x->key.device != y->key.device)
		return x->key.device - y->key.device;
	if (x->key.op != y->key.op)
		return x->key.op - y->key.op;
	if (x->key.reason != y->key.reason)
		return x->key.reason - y->key.reason;
	return x->key.how - y->key.how;
}

static int by_lat(const void *a, const void *b)
{
	const struct metrics_lat *x = *(struct metrics_lat *const *)a;
	const struct metrics_lat *y = *(struct metrics_lat *const *)b;
	int order = order_of_units(x->unit, y->unit);

	if (order)
		return order;
	return x->key.device != y->key.device ? x->key.device - y->key.device :
						x->key.op - y->key.op;
}

/* The values of a map, sorted: to be freed */
static void **sorted_values(const struct map *map, int (*order)(const void *a, const void *b))
{
	void **list = must(malloc((map->nr + 1) * sizeof(*list)));
	void *value;
	size_t i, nr = 0;

	map_for_each(map, i, value)
		list[nr++] = value;
	qsort(list, nr, sizeof(void *), order);
	return list;
}

/* Before a series is written: find out whether this reader has seen its 0. */
static void show(struct metrics_shown *shown, int64_t now_ns, enum metrics_reader reader)
{
	int64_t age = now_ns - shown->since_ns;

	/* a time that lies ahead: the clock was set back */
	if ((shown->seen & reader) &&
	    (reader != METRICS_TEXTFILE || age < 0 || age >= TEXTFILE_ZERO_NS))
		shown->begun |= reader;
	if (reader == METRICS_TEXTFILE && !(shown->seen & reader))
		shown->since_ns = now_ns;
	shown->seen |= reader;
}

static void write_counter(const struct metrics_text *t, const struct metrics *m,
			  const struct metrics_counter *c, struct metrics_sum **sums,
			  enum metrics_reader reader)
{
	char labels[LABELS], name[64];
	uint64_t value;
	size_t i;

	metrics_family(t, c->name, METRICS_COUNTER, c->unit, c->help);
	snprintf(name, sizeof(name), "%s_total", c->name);
	for (i = 0; i < m->sums.nr; i++) {
		if (c->not_flush && !strcmp(ops[sums[i]->key.op], "flush"))
			continue;
		sum_labels(labels, m, sums[i]);
		memcpy(&value, (char *)sums[i] + c->offset, sizeof(value));
		if (!(sums[i]->shown.begun & reader))
			value = 0;
		(c->seconds ? metrics_seconds : metrics_count)(t, name, labels, value);
	}
}

static void write_sums(const struct metrics_text *t, const struct metrics *m,
		       enum metrics_reader reader)
{
	struct metrics_sum **sums = (struct metrics_sum **)sorted_values(&m->sums, by_sum);
	size_t i;

	for (i = 0; i < m->sums.nr; i++)
		show(&sums[i]->shown, m->until_ns, reader);
	for (i = 0; i < ARRAY_SIZE(counters); i++)
		write_counter(t, m, &counters[i], sums, reader);
	free(sums);
}

static void write_lats(const struct metrics_text *t, const struct metrics *m,
		       enum metrics_reader reader)
{
	static const char name[] = "ioblame_io_latency_seconds";
	static const uint64_t none[USAGE_SLOTS];
	struct metrics_lat **lats = (struct metrics_lat **)sorted_values(&m->lats, by_lat);
	char labels[LABELS];
	size_t i;

	metrics_family(t, name, METRICS_HISTOGRAM, "seconds",
		       "Time of IOs from queueing to completion.");
	for (i = 0; i < m->lats.nr; i++) {
		struct metrics_lat *lat = lats[i];
		bool begun;

		show(&lat->shown, m->until_ns, reader);
		begun = lat->shown.begun & reader;
		snprintf(labels, sizeof(labels), "unit=\"%s\",device=\"%s\",operation=\"%s\"",
			 unit_label(lat->unit), word_label(&m->devices, lat->key.device),
			 ops[lat->key.op]);
		metrics_histogram(t, name, labels, begun ? lat->slots : none, begun ? lat->ns : 0);
	}
	free(lats);
}

static void write_one(const struct metrics_text *t, const char *name, enum metrics_type type,
		      const char *unit, const char *help, uint64_t value)
{
	char whole[80];

	metrics_family(t, name, type, unit, help);
	snprintf(whole, sizeof(whole), "%s%s", name, type == METRICS_COUNTER ? "_total" : "");
	metrics_count(t, whole, "", value);
}

static void write_time(const struct metrics_text *t, const char *name, enum metrics_type type,
		       const char *help, uint64_t ns)
{
	char whole[80];

	metrics_family(t, name, type, "seconds", help);
	snprintf(whole, sizeof(whole), "%s%s", name, type == METRICS_COUNTER ? "_total" : "");
	metrics_seconds(t, whole, "", ns);
}

static void write_up(const struct metrics_text *t, bool up)
{
	write_one(t, "ioblame_up", METRICS_GAUGE, NULL, "1 if the module is loaded and enabled.",
		  up);
}

/* What is not known: IOs that were lost, bytes by certainty, and the module's own losses */
static void write_losses(const struct metrics_text *t, struct metrics *m,
			 enum metrics_reader reader)
{
	char labels[LABELS];
	unsigned int i;

	metrics_family(t, "ioblame_certainty_bytes", METRICS_COUNTER, "bytes",
		       "Bytes of the host by how sure it is who caused them; lost: nobody is known.");
	for (i = 0; i < IOB_NR_HOWS; i++) {
		snprintf(labels, sizeof(labels), "certainty=\"%s\"", rec_how_name(i));
		metrics_count(t, "ioblame_certainty_bytes_total", labels, m->certainty[i]);
	}
	write_one(t, "ioblame_lost_ios", METRICS_COUNTER, NULL,
		  "IOs that no series has: they were lost on the way.", m->lost_ios);
	write_up(t, m->has_status && m->status.enabled);
	if (!m->has_status)
		return;
	write_one(t, "ioblame_cancelled_bytes", METRICS_COUNTER, "bytes",
		  "Bytes that were written by programs and truncated before they reached a disk.",
		  m->cancelled_bytes);
	write_one(t, "ioblame_hooks_missing", METRICS_GAUGE, NULL,
		  "Hooks that this kernel does not have.", m->status.missing);
	metrics_family(t, "ioblame_losses", METRICS_COUNTER, NULL,
		       "Losses in the module by kind, see its file status; 0 if there is no series.");
	for (i = 0; i < m->status.nr_losses; i++) {
		struct metrics_shown *shown = &m->losses[i].shown;

		show(shown, m->until_ns, reader);
		strcpy(labels, "kind=\"");
		metrics_label(labels + 6, METRICS_LABEL, m->status.loss[i].name);
		strcat(labels, "\"");
		metrics_count(t, "ioblame_losses_total", labels,
			      shown->begun & reader ? m->status.loss[i].nr : 0);
	}
}

/* What bounds these series, and what that costs in names */
static void write_bounds(const struct metrics_text *t, const struct metrics *m)
{
	write_one(t, "ioblame_exporter_series", METRICS_GAUGE, NULL,
		  "Series of this host, with what is kept free for other.", metrics_series(m));
	write_one(t, "ioblame_exporter_series_limit", METRICS_GAUGE, NULL,
		  "Series of this host at most.", m->conf.max_series);
	write_one(t, "ioblame_exporter_units", METRICS_GAUGE, NULL,
		  "Units under their own names.", m->named);
	write_one(t, "ioblame_exporter_units_limit", METRICS_GAUGE, NULL,
		  "Units under their own names at most; falls if series do not suffice.", m->limit);
	write_one(t, "ioblame_exporter_units_known", METRICS_GAUGE, NULL,
		  "Units that did IO lately and are known, named or not.", m->units.nr);
	write_one(t, "ioblame_exporter_units_replaced", METRICS_COUNTER, NULL,
		  "Units that lost their series to a larger one.", m->replaced);
	write_one(t, "ioblame_exporter_other_ios", METRICS_COUNTER, NULL,
		  "IOs that were added to the unit other.", m->folded.ios);
	write_one(t, "ioblame_exporter_other_bytes", METRICS_COUNTER, "bytes",
		  "Bytes that were added to the unit other.", m->folded.bytes);
}

/* What the recorder could not write, and is gone */
static void write_past(const struct metrics_text *t, const struct metrics *m)
{
	metrics_family(t, "ioblame_exporter_past_lost", METRICS_COUNTER, NULL,
		       "Spans of the past that were lost; of an interval, its minute has the sums.");
	metrics_count(t, "ioblame_exporter_past_lost_total", "span=\"interval\"",
		      m->own.lost_intervals);
	metrics_count(t, "ioblame_exporter_past_lost_total", "span=\"minute or hour\"",
		      m->own.lost_sums);
}

/* What the daemon costs, and how old its figures are */
static void write_own(const struct metrics_text *t, const struct metrics *m)
{
	char labels[METRICS_LABEL + 16] = "version=\"";

	metrics_label(labels + strlen(labels), METRICS_LABEL, VERSION);
	strcat(labels, "\"");
	metrics_family(t, "ioblame_build", METRICS_INFO, NULL, "The version of ioblamed.");
	metrics_count(t, "ioblame_build_info", labels, 1);
	write_one(t, "ioblame_exporter_intervals", METRICS_COUNTER, NULL,
		  "Intervals whose usage was added.", m->intervals);
	write_time(t, "ioblame_exporter_last_interval_timestamp_seconds", METRICS_GAUGE,
		   "When the last interval ended; 0 before the first.",
		   m->until_ns > 0 ? m->until_ns : 0);
	write_time(t, "ioblame_exporter_interval_seconds", METRICS_GAUGE,
		   "How long the last interval was.",
		   m->until_ns > m->from_ns ? m->until_ns - m->from_ns : 0);
	write_time(t, "ioblame_exporter_start_time_seconds", METRICS_GAUGE,
		   "When ioblamed began.", m->own.start_ns > 0 ? m->own.start_ns : 0);
	write_time(t, "ioblame_exporter_cpu_seconds", METRICS_COUNTER,
		   "Time of processors that ioblamed used.", m->own.cpu_ns);
	write_one(t, "ioblame_exporter_resident_memory_bytes", METRICS_GAUGE, "bytes",
		  "Memory of ioblamed.", m->own.resident_bytes);
	metrics_family(t, "ioblame_exporter_writes", METRICS_COUNTER, NULL,
		       "How often these metrics were written, before this time.");
	metrics_count(t, "ioblame_exporter_writes_total", "to=\"http\"", m->scrapes[0]);
	metrics_count(t, "ioblame_exporter_writes_total", "to=\"textfile\"", m->scrapes[1]);
	metrics_family(t, "ioblame_exporter_written_bytes", METRICS_COUNTER, "bytes",
		       "Bytes of these metrics, before this time.");
	metrics_count(t, "ioblame_exporter_written_bytes_total", "to=\"http\"", m->scrape_bytes[0]);
	metrics_count(t, "ioblame_exporter_written_bytes_total", "to=\"textfile\"",
		      m->scrape_bytes[1]);
	write_one(t, "ioblame_exporter_refused", METRICS_COUNTER, NULL,
		  "Requests that had no room, as others had not taken their answers.", m->refused);
}

/**
 * metrics_write - write all metrics
 * @m:      the metrics
 * @f:      where to; the caller asks it for errors
 * @open:   OpenMetrics, else the text format 0.0.4 of Prometheus
 * @reader: for whom
 *
 * A series is 0 when a reader sees it for the first time, and has its value from the second time
 * on: what increase() would not count is not lost.  In the text file it is 0 for two minutes, as
 * that is not read each time.
 */
void metrics_write(struct metrics *m, FILE *f, bool open, enum metrics_reader reader)
{
	const struct metrics_text t = { .f = f, .open = open };
	long before = ftell(f), after;

	write_sums(&t, m, reader);
	write_lats(&t, m, reader);
	write_losses(&t, m, reader);
	write_bounds(&t, m);
	write_own(&t, m);
	write_past(&t, m);
	metrics_end(&t);
	after = ftell(f);
	m->scrapes[reader - 1]++;
	if (before >= 0 && after > before)
		m->scrape_bytes[reader - 1] += after - before;
}

/* Write what is left when nobody counts any more, in the text format. */
void metrics_write_end(FILE *f)
{
	const struct metrics_text t = { .f = f };

	write_up(&t, false);
	metrics_end(&t);
}
