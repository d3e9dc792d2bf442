// SPDX-License-Identifier: GPL-2.0
/*
 * when: what stood out, as ioblamed has recorded it
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cell.h"
#include "cmd.h"
#include "history.h"
#include "msg.h"
#include "out.h"
#include "since.h"
#include "table.h"
#include "text.h"
#include "when.h"

#define DAY	86400000000000LL

/* The points of one span are made when the next one begins. */
struct watched {
	const struct opts *o;
	struct usage_list now;		/* by disk and program, of this span */
	struct usage_list names;	/* owns the texts of all points */
	struct past_span span;
	struct when_point *point;
	size_t nr, size;
};

static uint64_t share_of(const struct usage *u, enum when_what what)
{
	return what == WHEN_ERRORS ? u->errors : what == WHEN_SLOW ? u->ns : u->bytes;
}

static struct when_point *point_of(struct watched *w, size_t first, const char *disk)
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
	return &w->point[w->nr++];
}

/* Make a point of each disk of the span. */
static void end_span(struct watched *w)
{
	struct usage_list disks = { 0 };
	size_t i, first = w->nr;
	struct when_point *p;
	struct usage *all, u;
	uint64_t most[NR_WHEN];
	int what;

	for (i = 0; i < w->now.nr; i++) {
		u = w->now.list[i];
		u.key = (struct usage_key){ .disk = u.key.disk, .uid = UINT32_MAX };
		usage_add(&disks, &u);
	}
	for (all = disks.list; all < disks.list + disks.nr; all++) {
		p = point_of(w, first, usage_text(&w->names, all->key.disk));
		p->ios = all->ios;
		p->bytes = all->bytes;
		p->errors = all->errors;
		p->p99_ns = usage_percentile(all->lat, 0.99);
		memset(most, 0, sizeof(most));
		for (i = 0; i < w->now.nr; i++) {
			if (strcmp(w->now.list[i].key.disk, all->key.disk))
				continue;
			for (what = 0; what < NR_WHEN; what++) {
				if (share_of(&w->now.list[i], what) <= most[what])
					continue;
				most[what] = share_of(&w->now.list[i], what);
				p->who[what] = usage_text(&w->names, w->now.list[i].key.program);
			}
		}
	}
	usage_clear(&disks);
	usage_clear(&w->now);
}

static bool add_usage(const struct usage *usage, const struct past_span *span, void *arg)
{
	struct watched *w = arg;
	struct usage u = *usage;

	if (span->id != w->span.id) {
		end_span(w);
		w->span = *span;
	}
	if (!history_wants(w->o, &usage->key))
		return true;
	u.key = (struct usage_key){
		.disk = usage->key.disk, .program = usage->key.program, .uid = UINT32_MAX,
	};
	usage_add(&w->now, &u);
	return true;
}

enum column {
	TIME, TIME_NS, TIME_S, LASTED, DEVICE, WHAT, KIND, ERRORS, P99, USUAL_P99, RATE,
	USUAL_RATE, PROGRAM, NR_COLUMNS,
};

static const struct col columns[NR_COLUMNS] = {
	[TIME] = { "TIME", "time", COL_TEXT, COL_ONLY_TABLE, 0 },
	[TIME_NS] = { "TIME", "time_ns", COL_DIGITS, COL_ONLY_DATA, 0 },
	[TIME_S] = { "TIME", "time_s", COL_SECONDS, COL_ONLY_DATA, 0 },
	[LASTED] = { "SECONDS", "interval_s", COL_RATE, 0, 0 },
	[DEVICE] = { "DEVICE", "device", COL_TEXT, 0, 0 },
	[WHAT] = { "WHAT", "text", COL_TEXT, COL_ONLY_TABLE, 0 },
	[KIND] = { "KIND", "what", COL_TEXT, COL_ONLY_DATA, 0 },
	[ERRORS] = { "ERR", "errors", COL_COUNT, COL_ONLY_DATA, 0 },
	[P99] = { "P99", "p99_ns", COL_NSECS, COL_ONLY_DATA, 0 },
	[USUAL_P99] = { "USUAL", "usual_p99_ns", COL_NSECS, COL_ONLY_DATA, 0 },
	[RATE] = { "BYTES/S", "bytes_per_s", COL_BYTES, COL_ONLY_DATA, 0 },
	[USUAL_RATE] = { "USUAL", "usual_bytes_per_s", COL_BYTES, COL_ONLY_DATA, 0 },
	[PROGRAM] = { "PROGRAM", "program", COL_TEXT, 0, 0 },
};

static const char *const kinds[NR_WHEN] = {
	[WHEN_ERRORS] = "errors", [WHEN_SLOW] = "slow", [WHEN_BUSY] = "busy",
};

static void say_what(const struct when_moment *m, char *to, size_t size)
{
	char value[TEXT_NUMBER], usual[TEXT_NUMBER];

	switch (m->what) {
	case WHEN_ERRORS:
		snprintf(to, size, "%llu IOs failed", (unsigned long long)m->value);
		break;
	case WHEN_SLOW:
		snprintf(to, size, "slow: p99 %s, usually %s", text_nsecs(value, m->value),
			 text_nsecs(usual, m->usual));
		break;
	default:
		snprintf(to, size, "busy: %s/s, usually %s/s", text_bytes(value, m->value),
			 text_bytes(usual, m->usual));
	}
}

static void print_moment(struct table *t, const struct when_moment *m)
{
	char time[32], text[96];
	struct cell c[NR_COLUMNS];

	say_what(m, text, sizeof(text));
	c[TIME] = CELL_TEXT(since_text(m->from_ns, time, sizeof(time)));
	c[TIME_NS] = CELL_N(m->from_ns);
	c[TIME_S] = c[TIME_NS];
	c[LASTED] = CELL_RATE((double)(m->until_ns - m->from_ns) / 1e9);
	c[DEVICE] = CELL_TEXT(m->disk);
	c[WHAT] = CELL_TEXT(text);
	c[KIND] = CELL_TEXT(kinds[m->what]);
	c[ERRORS] = CELL_IF(m->what == WHEN_ERRORS, m->value);
	c[P99] = CELL_IF(m->what == WHEN_SLOW, m->value);
	c[USUAL_P99] = CELL_IF(m->what == WHEN_SLOW, m->usual);
	c[RATE] = CELL_IF(m->what == WHEN_BUSY, m->value);
	c[USUAL_RATE] = CELL_IF(m->what == WHEN_BUSY, m->usual);
	c[PROGRAM] = CELL_TEXT(m->who && *m->who ? m->who : NULL);
	table_row(t, c);
}

/* The latest are printed if there are too many. */
static void print_moments(const struct opts *o, const struct watched *w)
{
	char from[32], until[32];
	struct when_moment *m;
	size_t nr = when_judge(w->point, w->nr, &m), i;
	size_t first = o->rows && nr > o->rows ? nr - o->rows : 0;
	struct table *t = table_new(o->format, "moment", columns, NR_COLUMNS);

	for (i = first; i < nr; i++)
		print_moment(t, &m[i]);
	table_end(t);
	if (o->format == FORMAT_TABLE && first)
		out_printf("... and %zu earlier (--rows)\n", first);
	if (o->format == FORMAT_TABLE && !w->nr)
		out_puts("Nothing was recorded in this time.\n");
	else if (o->format == FORMAT_TABLE && !nr)
		out_puts("Nothing stood out in this time.\n");
	if (o->format == FORMAT_TABLE && nr)
		out_printf("\nShow more: ioblame report -D %s --since '%s' --until '%s'\n",
			   m[nr - 1].disk, since_text(m[nr - 1].from_ns, from, sizeof(from)),
			   since_text(m[nr - 1].until_ns, until, sizeof(until)));
	free(m);
}

int cmd_when(const struct opts *o)
{
	int64_t until_ns = history_until(o), from_ns = o->since_ns ? o->since_ns : until_ns - DAY;
	struct watched w = { .o = o };
	struct past past;
	int ret = history_open(&past, o);

	if (ret)
		return ret;
	past.finest = PAST_MINUTE;
	ret = past_each(&past, from_ns, until_ns, add_usage, &w);
	past_close(&past);
	end_span(&w);
	if (!ret)
		print_moments(o, &w);
	usage_clear(&w.now);
	usage_clear(&w.names);
	free(w.point);
	return ret;
}
