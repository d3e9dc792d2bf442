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

/* Where the last point of a disk is. */
struct place {
	const char *disk;	/* the text of names */
	size_t at;
};

/* What one list of this span has of a disk. */
struct disk_sums {
	struct usage all;
	uint64_t most[NR_WHEN];	/* that one program has, of each what; of a rule the first */
	uint64_t busy_ms;
};

static struct when_point *add_point(struct points *w, const char *disk)
{
	struct when_point *p;

	if (w->nr == w->size) {
		w->size = w->size ? w->size * 2 : 256;
		w->point = must(realloc(w->point, w->size * sizeof(*w->point)));
	}
	p = &w->point[w->nr++];
	*p = (struct when_point){
		.from_ns = w->span.from_ns, .until_ns = w->span.until_ns, .disk = disk,
		.level = w->span.level,
	};
	if (w->nr_rules)
		p->ruled = must(calloc(w->nr_rules, sizeof(*p->ruled)));
	return p;
}

/* The point that this span has of a disk, which may be new; valid until the next one is. */
static struct when_point *point_of(struct points *w, const char *name)
{
	const char *disk = usage_text(&w->names, name);
	struct place *place;

	w->places.key_len = sizeof(disk);
	place = map_get(&w->places, &disk);
	if (place && place->at >= w->first)
		return &w->point[place->at];
	if (!place) {
		place = must(malloc(sizeof(*place)));
		place->disk = disk;
		map_put(&w->places, place);
	}
	place->at = w->nr;
	return add_point(w, disk);
}

static void add_failed(struct when_failures *to, const char *program, uint64_t errors)
{
	if (!errors)
		return;
	/* room for the next power of two */
	if (!(to->nr & (to->nr - 1)))
		to->list = must(realloc(to->list, (to->nr ? to->nr * 2 : 1) * sizeof(*to->list)));
	to->list[to->nr++] = (struct when_failed){ program, errors };
}

/* Name the programs that have most; of those that have as much, the first of the list. */
static void fill_points(struct points *w, struct disk_sums *sums)
{
	const struct usage_list *list = &w->now[0];
	struct when_point *p;
	struct disk_sums *s;
	const struct usage *u;
	int what;

	for (u = list->list; u < list->list + list->nr; u++) {
		p = point_of(w, u->key.disk);
		s = &sums[p - w->point - w->first];
		usage_merge(&s->all, u);
		for (what = 0; what < NR_WHEN; what++) {
			if (share_of(u, what) <= s->most[what])
				continue;
			s->most[what] = share_of(u, what);
			p->who[what] = usage_text(&w->names, u->key.program);
		}
		add_failed(&p->failures, usage_text(&w->names, u->key.program), u->errors);
	}
	for (p = w->point + w->first, s = sums; p < w->point + w->nr; p++, s++) {
		p->ios = s->all.ios;
		p->bytes = s->all.bytes;
		p->errors = s->all.errors;
		p->p99_ns = usage_percentile(s->all.lat, 0.99);
		p->used = rule_value(RULE_UTIL, &(struct rule_sums){
			.busy_ms = s->busy_ms, .span_ns = p->until_ns - p->from_ns,
		});
		p->used_known = w->busy.nr_busy;
	}
}

/* What rule @i compares, of the IO that it is about; programs are named as by fill_points(). */
static void fill_ruled(struct points *w, struct disk_sums *sums, size_t i)
{
	const struct usage_list *list = &w->now[i + 1];
	const struct rule *rule = &w->rules[i];
	struct when_point *p;
	struct disk_sums *s;
	const struct usage *u;

	for (s = sums; s < sums + w->nr - w->first; s++) {
		memset(&s->all, 0, sizeof(s->all));
		s->most[0] = 0;
	}
	for (u = list->list; u < list->list + list->nr; u++) {
		p = point_of(w, u->key.disk);
		s = &sums[p - w->point - w->first];
		usage_merge(&s->all, u);
		if (rule->what == RULE_ERRORS)
			add_failed(&p->ruled[i].failures, usage_text(&w->names, u->key.program),
				   u->errors);
		if (share_of_rule(u, rule->what) <= s->most[0])
			continue;
		s->most[0] = share_of_rule(u, rule->what);
		p->ruled[i].who = usage_text(&w->names, u->key.program);
	}
	for (p = w->point + w->first, s = sums; p < w->point + w->nr; p++, s++) {
		if (!rule_wants_disk(rule, p->disk))
			continue;
		p->ruled[i].value = rule_value(rule->what, &(struct rule_sums){
			.ios = s->all.ios, .bytes = s->all.bytes, .ns = s->all.ns,
			.errors = s->all.errors, .busy_ms = s->busy_ms,
			.span_ns = p->until_ns - p->from_ns, .lat = s->all.lat,
		});
	}
}

/* Make a point of each disk of the span. */
static void end_span(struct points *w)
{
	const struct usage_list *busy = &w->busy;
	struct disk_sums *sums;
	struct when_point *p;
	size_t i;

	w->first = w->nr;
	for (i = 0; i < w->now[0].nr; i++)
		point_of(w, w->now[0].list[i].key.disk);
	/* a disk whose IOs do not end was busy, and did nothing */
	for (i = 0; i < busy->nr_busy; i++)
		point_of(w, busy->busy[i].disk);
	sums = must(calloc(w->nr - w->first + 1, sizeof(*sums)));
	for (i = 0; i < busy->nr_busy; i++) {
		p = point_of(w, busy->busy[i].disk);
		sums[p - w->point - w->first].busy_ms = busy->busy[i].ms;
	}
	fill_points(w, sums);
	for (i = 0; i < w->nr_rules; i++)
		fill_ruled(w, sums, i);
	free(sums);
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
	history_end_words(o);
	end_span(to);
	return ret;
}

void points_free(struct points *points)
{
	struct when_point *p;
	size_t i;

	for (p = points->point; p < points->point + points->nr; p++) {
		for (i = 0; i < points->nr_rules; i++)
			free(p->ruled[i].failures.list);
		free(p->ruled);
		free(p->failures.list);
	}
	map_clear(&points->places, free);
	usage_clear(&points->names);
	free(points->point);
	free(points->now);
	free(points->rules);
	memset(points, 0, sizeof(*points));
}
