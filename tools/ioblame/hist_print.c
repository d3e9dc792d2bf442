// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "bars.h"
#include "cell.h"
#include "choice.h"
#include "hist.h"
#include "hist_print.h"
#include "msg.h"
#include "opts.h"
#include "out.h"
#include "run.h"
#include "table.h"
#include "width.h"

static void print_line(const char *text, void *arg)
{
	(void)arg;
	out_printf("%s\n", text);
}

enum column {
	TIME_NS, TIME_S, FIELD, BY, NAME, LOW, HIGH, COUNT, NR_COLUMNS,
};

static const struct col columns[NR_COLUMNS] = {
	[TIME_NS] = { "TIME", "time_ns", COL_DIGITS, 0, 0 },
	[TIME_S] = { "TIME", "time_s", COL_SECONDS, 0, 0 },
	[FIELD] = { "FIELD", "field", COL_TEXT, 0, 0 },
	[BY] = { "BY", "by", COL_TEXT, 0, 0 },
	[NAME] = { "NAME", "name", COL_TEXT, 0, 0 },
	[LOW] = { "LOW", "low", COL_COUNT, 0, 0 },
	[HIGH] = { "HIGH", "high", COL_COUNT, 0, 0 },
	[COUNT] = { "COUNT", "count", COL_COUNT, 0, 0 },
};

/* The module's counters have places as parts of 65536 of the disk. */
static bool is_in_parts(const struct opts *o)
{
	return o->counters && (o->field == FIELD_OFFSET || o->field == FIELD_SEEK);
}

static const char *shown_unit(const struct opts *o)
{
	return is_in_parts(o) ? "parts of 65536" : bars_unit(o->field);
}

/* JSON and CSV: a row for each slot that is not empty, in bytes or microseconds. */
static void print_slots(const struct run *run, const struct hist *h, const char *by,
			const char *name, uint64_t to_ns)
{
	const struct opts *o = run->opts;
	struct col cols[NR_COLUMNS];
	struct table *t;
	struct cell c[NR_COLUMNS];
	uint64_t slots[BARS_SLOTS];
	unsigned int i;

	memcpy(cols, columns, sizeof(cols));
	cols[LOW].key = bars_is_time(o->field) ? "low_us" :
			o->field == FIELD_SIZE ? "low_bytes" : "low_sectors";
	cols[HIGH].key = bars_is_time(o->field) ? "high_us" :
			 o->field == FIELD_SIZE ? "high_bytes" : "high_sectors";
	if (is_in_parts(o)) {
		cols[LOW].key = "low_parts";
		cols[HIGH].key = "high_parts";
	}
	t = table_new(o->format, "hist", cols, NR_COLUMNS);
	bars_collect(h, o->field, slots);
	for (i = 0; i < BARS_SLOTS; i++) {
		if (!slots[i])
			continue;
		c[TIME_NS] = CELL_N(run_wall_ns(run, to_ns));
		c[TIME_S] = c[TIME_NS];
		c[FIELD] = CELL_TEXT(choice_fields[o->field]);
		c[BY] = CELL_TEXT(by);
		c[NAME] = CELL_TEXT(name);
		c[LOW] = CELL_N(bars_low(i));
		c[HIGH] = CELL_N(i ? 2 * bars_low(i) - 1 : 0);
		c[COUNT] = CELL_N(slots[i]);
		table_row(t, c);
	}
	table_end(t);
}

static const double parts[] = {
	0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999,
};

enum sum_column {
	S_TIME_NS, S_TIME_S, S_FIELD, S_BY, S_NAME, S_COUNT, S_MEAN, S_TOTAL, S_PARTS,
	S_COLUMNS = S_PARTS + ARRAY_SIZE(parts),
};

/* The unit of a key: times are nanoseconds here. */
static const char *sum_unit(enum field field)
{
	return bars_is_time(field) ? "ns" : bars_unit(field);
}

/* A table with a row for each histogram: count, mean, sum and percentiles */
struct table *hist_new_sums(const struct run *run)
{
	static char keys[S_COLUMNS][40], heads[S_COLUMNS][24];
	static struct col cols[S_COLUMNS] = {
		[S_TIME_NS] = { "TIME", "time_ns", COL_DIGITS, COL_ONLY_DATA, 0 },
		[S_TIME_S] = { "TIME", "time_s", COL_SECONDS, COL_ONLY_DATA, 0 },
		[S_FIELD] = { "FIELD", "field", COL_TEXT, COL_ONLY_DATA, 0 },
		[S_BY] = { "BY", "by", COL_TEXT, COL_ONLY_DATA, 0 },
		[S_NAME] = { "NAME", "name", COL_TEXT, COL_CUT, 0 },
		[S_COUNT] = { "COUNT", "count", COL_COUNT, 0, 0 },
	};
	const struct opts *o = run->opts;
	enum col_type type = bars_is_time(o->field) ? COL_NSECS :
			     o->field == FIELD_SIZE ? COL_BYTES : COL_COUNT;
	const char *unit = sum_unit(o->field);
	size_t i;

	snprintf(keys[S_MEAN], sizeof(*keys), "mean_%s", unit);
	snprintf(keys[S_TOTAL], sizeof(*keys), "total_%s", unit);
	cols[S_MEAN] = (struct col){ "MEAN", keys[S_MEAN], type,
				     o->average ? 0 : COL_ONLY_DATA, 0 };
	cols[S_TOTAL] = (struct col){ "TOTAL", keys[S_TOTAL], type,
				      o->average ? 0 : COL_ONLY_DATA, 0 };
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		snprintf(heads[S_PARTS + i], sizeof(*heads), "P%g", parts[i] * 100);
		snprintf(keys[S_PARTS + i], sizeof(*keys), "p%g_%s", parts[i] * 100, unit);
		cols[S_PARTS + i] = (struct col){
			heads[S_PARTS + i], keys[S_PARTS + i], type, 0, 0,
		};
	}
	return table_new(o->format, "percentiles", cols, S_COLUMNS);
}

/* A row of it. */
void hist_add_sums(const struct run *run, struct table *t, const struct hist *h,
		   __uint128_t sum, const char *by, const char *name, uint64_t to_ns)
{
	uint64_t (*percentile)(const struct hist *h, double part) =
		bars_is_time(run->opts->field) ? hist_time_percentile : hist_percentile;
	uint64_t n = hist_count(h);
	struct cell c[S_COLUMNS];
	size_t i;

	c[S_TIME_NS] = CELL_N(run_wall_ns(run, to_ns));
	c[S_TIME_S] = c[S_TIME_NS];
	c[S_FIELD] = CELL_TEXT(choice_fields[run->opts->field]);
	c[S_BY] = CELL_TEXT(by);
	c[S_NAME] = CELL_TEXT(name);
	c[S_COUNT] = CELL_N(n);
	c[S_MEAN] = CELL_IF(n, n ? sum / n : 0);
	/* (JSON has no larger ones) */
	c[S_TOTAL] = CELL_IF(sum <= INT64_MAX, sum);
	for (i = 0; i < ARRAY_SIZE(parts); i++)
		c[S_PARTS + i] = CELL_IF(n, percentile(h, parts[i]));
	table_row(t, c);
}

/* As biolatency -e. */
static void print_average(const struct run *run, const struct hist *h, __uint128_t sum)
{
	enum field field = run->opts->field;
	uint64_t n = hist_count(h), scale = bars_is_time(field) ? 1000 : 1;
	char total[24] = "-";

	/* that of far sectors may be a number that nobody can use */
	if (sum / scale <= UINT64_MAX)
		snprintf(total, sizeof(total), "%llu", (unsigned long long)(sum / scale));
	out_printf("avg = %llu %s, total: %s %s, count: %llu\n",
		   (unsigned long long)(n ? sum / n / scale : 0), bars_unit(field), total,
		   bars_unit(field), (unsigned long long)n);
}

/**
 * hist_print - print a histogram as bars, or a row for each slot
 * @run:   the run
 * @h:	   the histogram
 * @sum:   of all values
 * @by:    what it stands for, NULL if for all
 * @name:  and which of these
 * @to_ns: until when it counts
 */
void hist_print(const struct run *run, const struct hist *h, __uint128_t sum,
		const char *by, const char *name, uint64_t to_ns)
{
	struct table *t;

	if (run->opts->format != FORMAT_TABLE) {
		print_slots(run, h, by, name, to_ns);
		if (run->opts->average) {
			t = hist_new_sums(run);
			hist_add_sums(run, t, h, sum, by, name, to_ns);
			table_end(t);
		}
		return;
	}
	out_printf("\n%s", choice_fields[run->opts->field]);
	if (by)
		out_printf(", %s: %s", by, name);
	out_puts("\n");
	if (hist_count(h))
		bars_print(h, run->opts->field, shown_unit(run->opts), width_terminal(),
			   print_line, NULL);
	else
		out_puts("nothing was counted\n");
	if (run->opts->average && hist_count(h))
		print_average(run, h, sum);
}
