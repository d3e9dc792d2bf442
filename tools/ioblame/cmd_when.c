// SPDX-License-Identifier: GPL-2.0
/*
 * when: what stood out, as ioblamed has recorded it
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cell.h"
#include "cmd.h"
#include "escape.h"
#include "kept.h"
#include "out.h"
#include "points.h"
#include "rule.h"
#include "since.h"
#include "table.h"
#include "text.h"
#include "when.h"

enum column {
	TIME, TIME_NS, TIME_S, LASTED, DEVICE, WHAT, KIND, RULE, ERRORS, P99, USUAL_P99, MEAN, RATE,
	USUAL_RATE, IO_RATE, USED, USUAL_USED, PROGRAM, RECORDS, NR_COLUMNS,
};

static const struct col columns[NR_COLUMNS] = {
	[TIME] = { "TIME", "time", COL_TEXT, COL_ONLY_TABLE, 0 },
	[TIME_NS] = { "TIME", "time_ns", COL_DIGITS, COL_ONLY_DATA, 0 },
	[TIME_S] = { "TIME", "time_s", COL_SECONDS, COL_ONLY_DATA, 0 },
	[LASTED] = { "SECONDS", "interval_s", COL_RATE, 0, 0 },
	[DEVICE] = { "DEVICE", "device", COL_TEXT, 0, 0 },
	[WHAT] = { "WHAT", "text", COL_TEXT, COL_ONLY_TABLE, 0 },
	[KIND] = { "KIND", "what", COL_TEXT, COL_ONLY_DATA, 0 },
	[RULE] = { "RULE", "rule", COL_TEXT, COL_ONLY_DATA, 0 },
	[ERRORS] = { "ERR", "errors", COL_COUNT, COL_ONLY_DATA, 0 },
	[P99] = { "P99", "p99_ns", COL_NSECS, COL_ONLY_DATA, 0 },
	[USUAL_P99] = { "USUAL", "usual_p99_ns", COL_NSECS, COL_ONLY_DATA, 0 },
	[MEAN] = { "MEAN", "mean_ns", COL_NSECS, COL_ONLY_DATA, 0 },
	[RATE] = { "BYTES/S", "bytes_per_s", COL_BYTES, COL_ONLY_DATA, 0 },
	[USUAL_RATE] = { "USUAL", "usual_bytes_per_s", COL_BYTES, COL_ONLY_DATA, 0 },
	[IO_RATE] = { "IOS/S", "ios_per_s", COL_COUNT, COL_ONLY_DATA, 0 },
	[USED] = { "UTIL", "utilisation_percent", COL_RATE, COL_ONLY_DATA, 0 },
	[USUAL_USED] = { "USUAL", "usual_utilisation_percent", COL_RATE, COL_ONLY_DATA, 0 },
	[PROGRAM] = { "PROGRAM", "program", COL_TEXT, 0, 0 },
	[RECORDS] = { "RECORDS", "records", COL_TEXT, COL_ONLY_DATA, 0 },
};

static const char *const kinds[] = {
	[WHEN_ERRORS] = "errors", [WHEN_SLOW] = "slow", [WHEN_BUSY] = "busy",
	[WHEN_USED] = "utilisation", [WHEN_RULE] = "rule",
};

/* Where the value of a moment is; of one of the view's own, the usual one is beside it. */
static const enum column own_columns[NR_WHEN] = {
	[WHEN_ERRORS] = ERRORS, [WHEN_SLOW] = P99, [WHEN_BUSY] = RATE, [WHEN_USED] = USED,
};

static const enum column rule_columns[NR_RULE_WHATS] = {
	[RULE_P99] = P99, [RULE_MEAN] = MEAN, [RULE_UTIL] = USED, [RULE_ERRORS] = ERRORS,
	[RULE_BYTES] = RATE, [RULE_IOS] = IO_RATE,
};

static void say_what(const struct when_moment *m, char *to, size_t size)
{
	char value[RULE_VALUE], usual[RULE_VALUE];

	switch (m->what) {
	case WHEN_ERRORS:
		snprintf(to, size, "%llu IOs failed", (unsigned long long)m->value);
		break;
	case WHEN_SLOW:
		snprintf(to, size, "slow: p99 %s, usually %s",
			 rule_text(RULE_P99, m->value, value),
			 rule_text(RULE_P99, m->usual, usual));
		break;
	case WHEN_USED:
		snprintf(to, size, "utilisation %s, usually %s",
			 rule_text(RULE_UTIL, m->value, value),
			 rule_text(RULE_UTIL, m->usual, usual));
		break;
	case WHEN_RULE:
		snprintf(to, size, "%s: %s %s, above %s", m->rule->name, rule_whats[m->rule->what],
			 rule_text(m->rule->what, m->value, value),
			 rule_text(m->rule->what, m->rule->limit, usual));
		break;
	default:
		snprintf(to, size, "busy: %s, usually %s",
			 rule_text(RULE_BYTES, m->value, value),
			 rule_text(RULE_BYTES, m->usual, usual));
	}
}

static void set_value(struct cell *c, enum column at, uint64_t value)
{
	c[at] = at == USED || at == USUAL_USED ? CELL_RATE((double)value / 100) : CELL_N(value);
}

static void print_moment(struct table *t, const struct when_moment *m, const struct kept *kept)
{
	enum column at = m->rule ? rule_columns[m->rule->what] : own_columns[m->what];
	struct cell c[NR_COLUMNS] = { 0 };
	char time[32], text[160], path[4096];

	say_what(m, text, sizeof(text));
	c[TIME] = CELL_TEXT(since_text(m->from_ns, time, sizeof(time)));
	c[TIME_NS] = CELL_N(m->from_ns);
	c[TIME_S] = c[TIME_NS];
	c[LASTED] = CELL_RATE((double)(m->until_ns - m->from_ns) / 1e9);
	c[DEVICE] = CELL_TEXT(m->disk);
	c[WHAT] = CELL_TEXT(text);
	c[KIND] = CELL_TEXT(kinds[m->what]);
	c[RULE] = CELL_TEXT(m->rule ? m->rule->name : NULL);
	set_value(c, at, m->value);
	if (at != ERRORS && !m->rule)
		set_value(c, at + 1, m->usual);
	c[PROGRAM] = CELL_TEXT(m->who && *m->who ? m->who : NULL);
	c[RECORDS] = CELL_TEXT(kept_of(kept, m->disk, m->from_ns, m->until_ns, path, sizeof(path)));
	table_row(t, c);
}

/* The latest are printed if there are too many. */
static void print_moments(const struct opts *o, const struct points *w, const struct kept *kept)
{
	char from[SINCE_WORD], until[SINCE_WORD];
	struct when_moment *m;
	size_t nr = when_judge(w->point, w->nr, w->rules, w->nr_rules, &m), i;
	size_t first = o->rows && nr > o->rows ? nr - o->rows : 0;
	struct table *t = table_new(o->format, "moment", columns, NR_COLUMNS);

	for (i = first; i < nr; i++)
		print_moment(t, &m[i], kept);
	table_end(t);
	if (o->format == FORMAT_TABLE && first)
		out_printf("... and %zu earlier (--rows)\n", first);
	if (o->format == FORMAT_TABLE && !w->nr)
		out_puts(w->span.id ? "No such IO was recorded in this time.\n" :
			 "Nothing was recorded in this time.\n");
	else if (o->format == FORMAT_TABLE && !nr)
		out_puts("Nothing stood out in this time.\n");
	kept_print(kept, o);
	if (o->format == FORMAT_TABLE && nr) {
		/* to the nanosecond: the spans beside it do not touch it */
		out_printf("\nShow more: ioblame report -D %s --since %s --until %s",
			   escape_is_word(m[nr - 1].disk) ? m[nr - 1].disk : "DEVICE",
			   since_word(m[nr - 1].from_ns, from, sizeof(from)),
			   since_word(m[nr - 1].until_ns, until, sizeof(until)));
		for (i = 0; i < o->nr_pasts; i++)
			out_printf(" --past %s",
				   escape_is_word(o->past[i]) ? o->past[i] : "COPY");
		out_puts("\n");
	}
	free(m);
}

int cmd_when(const struct opts *o)
{
	struct points points;
	struct kept kept = { 0 };
	int ret = points_read(&points, o);

	if (!ret) {
		kept_read(&kept, o);
		print_moments(o, &points, &kept);
		kept_free(&kept);
	}
	points_free(&points);
	return ret;
}
