// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "history.h"
#include "msg.h"
#include "points.h"

/* What the program is named for that has most of it */
static uint64_t share_of(const struct usage *u, enum when_what what)
{
	return what == WHEN_ERRORS ? u->errors : what == WHEN_BUSY ? u->bytes : u->ns;
}

static uint64_t share_of_rule(const struct usage *u, enum rule_what what)
{
	switch (what) {
	case RULE_ERRORS:
		return u->errors;
	case RULE_BYTES:
		return u->bytes;
	case RULE_IOS:
		return u->ios;
	default:
		return u->ns;
	}
}

static struct when_point *point_of(struct points *w, size_t first, const char *disk)
{
	size_t i;

	for (i = first; i < w->nr; i++) {
		if (w->point[i].disk == disk)
			return &w->point[i];
	}
	if (w->nr == w->size) {
		w->size = w->size ? w->size * 2 : 256;
		w->point = must(realloc(w->point, w->size * sizeof(*w->point)));
	}
	w->point[w->nr] = (struct when_point){
		.from_ns = w->span.from_ns, .until_ns = w->span.until_ns, .disk = disk,
		.level = w->span.level,
	};
	if (w->nr_rules)
		w->point[w->nr].ruled = must(calloc(w->nr_rules, sizeof(*w->point->ruled)));
	return &w->point[w->nr++];
}

/* All that a list has of a disk. */
static struct usage sum_of(const struct usage_list *list, const char *disk)
{
	struct usage all = { .key.disk = disk };
	size_t i;

	for (i = 0; i < list->nr; i++) {
		if (!strcmp(list->list[i].key.disk, disk))
			usage_merge(&all, &list->list[i]);
	}
	return all;
}

static void fill_point(struct points *w, struct when_point *p)
{
	struct usage all = sum_of(&w->now[0], p->disk), *u;
	uint64_t most[NR_WHEN] = { 0 };
	int what;

	p->ios = all.ios;
	p->bytes = all.bytes;
	p->errors = all.errors;
	p->p99_ns = usage_percentile(all.lat, 0.99);
	for (u = w->now[0].list; u < w->now[0].list + w->now[0].nr; u++) {
		for (what = 0; !strcmp(u->key.disk, p->disk) && what < NR_WHEN; what++) {
			if (share_of(u, what) <= most[what])
				continue;
			most[what] = share_of(u, what);
			p->who[what] = usage_text(&w->names, u->key.program);
		}
	}
}

static uint64_t busy_of(const struct points *w, const char *disk)
{
	size_t i;

	for (i = 0; i < w->busy.nr_busy; i++) {
		if (!strcmp(w->busy.busy[i].disk, disk))
			return w->busy.busy[i].ms;
	}
	return 0;
}

/* What each rule compares, of the IO that it is about. */
static void fill_ruled(struct points *w, struct when_point *p, uint64_t busy_ms)
{
	struct when_ruled *ruled = p->ruled;
	const struct usage_list *list;
	const struct usage *u;
	struct usage all;
	uint64_t most;
	size_t i;

	for (i = 0; i < w->nr_rules; i++) {
		if (!rule_wants_disk(&w->rules[i], p->disk))
			continue;
		list = &w->now[i + 1];
		all = sum_of(list, p->disk);
		ruled[i].value = rule_value(w->rules[i].what, &(struct rule_sums){
			.ios = all.ios, .bytes = all.bytes, .ns = all.ns, .errors = all.errors,
			.busy_ms = busy_ms, .span_ns = p->until_ns - p->from_ns, .lat = all.lat,
		});
		most = 0;
		for (u = list->list; u < list->list + list->nr; u++) {
			if (strcmp(u->key.disk, p->disk) ||
			    share_of_rule(u, w->rules[i].what) <= most)
				continue;
			most = share_of_rule(u, w->rules[i].what);
			ruled[i].who = usage_text(&w->names, u->key.program);
		}
	}
}

/* Make a point of each disk of the span. */
static void end_span(struct points *w)
{
	const struct usage_list *busy = &w->busy;
	struct when_point *p;
	size_t i, first = w->nr;
	uint64_t ms;

	for (i = 0; i < w->now[0].nr; i++)
		point_of(w, first, usage_text(&w->names, w->now[0].list[i].key.disk));
	/* a disk whose IOs do not end was busy, and did nothing */
	for (i = 0; i < busy->nr_busy; i++)
		point_of(w, first, usage_text(&w->names, busy->busy[i].disk));
	for (p = w->point + first; p < w->point + w->nr; p++) {
		ms = busy_of(w, p->disk);
		p->used = rule_value(RULE_UTIL, &(struct rule_sums){
			.busy_ms = ms, .span_ns = p->until_ns - p->from_ns,
		});
		p->used_known = busy->nr_busy;
		fill_point(w, p);
		fill_ruled(w, p, ms);
	}
	for (i = 0; i <= w->nr_rules; i++)
		usage_clear(&w->now[i]);
	usage_clear(&w->busy);
}

static void enter_span(struct points *w, const struct past_span *span)
{
	if (span->id == w->span.id)
		return;
	end_span(w);
	w->span = *span;
}

static bool add_usage(const struct usage *usage, const struct past_span *span, void *arg)
{
	struct points *w = arg;
	struct usage u = *usage;
	size_t i;

	enter_span(w, span);
	if (!history_wants(w->o, &usage->key))
		return true;
	u.key = (struct usage_key){
		.disk = usage->key.disk, .program = usage->key.program, .uid = UINT32_MAX,
	};
	usage_add(&w->now[0], &u);
	for (i = 0; i < w->nr_rules; i++) {
		if (rule_wants(&w->rules[i], &usage->key))
			usage_add(&w->now[i + 1], &u);
	}
	return true;
}

/* Of a disk that is asked for; who used it is not known, so nothing of it if that is asked. */
static void add_busy(const struct past_span *span, const char *disk, uint64_t ms, void *arg)
{
	static const struct usage_key nobody = {
		.unit = "", .program = "", .user = "", .file = "", .why = "", .uid = UINT32_MAX,
	};
	struct points *w = arg;
	struct usage_key key = nobody;

	enter_span(w, span);
	key.disk = disk;
	if (history_wants(w->o, &key))
		usage_add_busy(&w->busy, disk, ms);
}

/**
 * points_read - make points of what the command line asks for
 * @to: gets them, and the rules of the command line
 * @o:	the command line, whose rules have been checked
 *
 * Return: EXIT_OK, or another status after a message; to be freed in any case.
 */
int points_read(struct points *to, const struct opts *o)
{
	struct past past;
	int ret;

	memset(to, 0, sizeof(*to));
	to->o = o;
	to->rules = must(calloc(o->nr_rules + 1, sizeof(*to->rules)));
	to->now = must(calloc(o->nr_rules + 1, sizeof(*to->now)));
	for (; to->nr_rules < o->nr_rules; to->nr_rules++)
		rule_parse(&to->rules[to->nr_rules], o->rule[to->nr_rules]);
	ret = history_open(&past, o);
	if (ret)
		return ret;
	past.finest = PAST_MINUTE;
	past.busy = add_busy;
	ret = past_each(&past, history_since(o), history_until(o), add_usage, to);
	past_close(&past);
	end_span(to);
	return ret;
}

void points_free(struct points *points)
{
	size_t i;

	for (i = 0; i < points->nr; i++)
		free(points->point[i].ruled);
	usage_clear(&points->names);
	free(points->point);
	free(points->now);
	free(points->rules);
	memset(points, 0, sizeof(*points));
}
