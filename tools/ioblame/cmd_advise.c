// SPDX-License-Identifier: GPL-2.0
/*
 * advise: what stands out in the IO, in words, each with its figures and the command that shows
 * more
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advise.h"
#include "cell.h"
#include "choice.h"
#include "cmd.h"
#include "escape.h"
#include "label.h"
#include "name.h"
#include "opts.h"
#include "out.h"
#include "rec.h"
#include "run.h"
#include "table.h"
#include "text.h"
#include "view.h"
#include "width.h"
#include "wrap.h"

enum {
	INDENT = 4,
	NARROW = 30, PIPED = 80, WIDE = 100,	/* a line of words */
};

enum column {
	RULE, WHO, COMM, CGROUP, DEVICE, FILE_PATH, IOS, BYTES, PERCENT, TIME, CALM, FACT, ADVICE,
	SEE, NR_COLUMNS,
};

static const struct col columns[NR_COLUMNS] = {
	[RULE] = { "RULE", "rule", COL_TEXT, 0, 0 },
	[WHO] = { "PID", "who", COL_TEXT, 0, 0 },
	[COMM] = { "COMM", "comm", COL_TEXT, 0, 0 },
	[CGROUP] = { "CGROUP", "cgroup", COL_TEXT, 0, 0 },
	[DEVICE] = { "DEVICE", "device", COL_TEXT, 0, 0 },
	[FILE_PATH] = { "FILE", "file", COL_TEXT, 0, 0 },
	[IOS] = { "IOS", "ios", COL_COUNT, 0, 0 },
	[BYTES] = { "BYTES", "bytes", COL_BYTES, 0, 0 },
	[PERCENT] = { "%", "percent", COL_RATE, 0, 0 },
	[TIME] = { "TIME", "time_ns", COL_NSECS, 0, 0 },
	[CALM] = { "CALM", "calm_ns", COL_NSECS, 0, 0 },
	[FACT] = { "FACT", "fact", COL_TEXT, 0, 0 },
	[ADVICE] = { "ADVICE", "advice", COL_TEXT, 0, 0 },
	[SEE] = { "SEE", "see", COL_TEXT, 0, 0 },
};

static void add_io(struct run *run, const struct iob_iolog_bin_record *rec)
{
	advise_add(rec, run_took(run));
}

/* The command that shows more of it, of the recording if there is one. */
static void see_command(const struct run *run, const struct advice *a, char *to, size_t size)
{
	const char *input = run->opts->input;

	if (!input)
		snprintf(to, size, "ioblame %s", a->see);
	else if (!escape_is_word(input))
		snprintf(to, size, "ioblame replay RECORDING %s", a->see_recorded);
	else
		snprintf(to, size, "ioblame replay %s %s", input, a->see_recorded);
	escape_cut(to);
}

static void print_row(const struct run *run, struct table *table, const struct advice *a)
{
	char who[32], comm[ESCAPE_SIZE(IOB_COMM_LEN)], see[4096 + sizeof(a->see)];
	struct cell c[NR_COLUMNS];

	see_command(run, a, see, sizeof(see));
	c[RULE] = CELL_TEXT(a->rule);
	c[WHO] = CELL_TEXT(label_who(&a->who, who, sizeof(who)));
	c[COMM] = CELL_TEXT(label_comm(&a->who, comm, sizeof(comm)));
	c[CGROUP] = CELL_TEXT(name_cgroup(a->who.key.cgroup));
	c[DEVICE] = CELL_TEXT(name_disk(a->disk));
	c[FILE_PATH] = a->has_file ? CELL_TEXT(label_file(&a->who)) : CELL_NONE;
	c[IOS] = CELL_N(a->ios);
	c[BYTES] = CELL_IF(a->bytes, a->bytes);
	c[PERCENT] = a->percent > 0 ? CELL_RATE(a->percent) : CELL_NONE;
	c[TIME] = CELL_IF(a->ns, a->ns);
	c[CALM] = CELL_IF(a->calm_ns, a->calm_ns);
	c[FACT] = CELL_TEXT(a->fact);
	c[ADVICE] = CELL_TEXT(a->what);
	c[SEE] = CELL_TEXT(see);
	table_row(table, c);
}

static void print_rows(const struct run *run, const struct advices *found)
{
	struct table *table;
	size_t i;

	table = table_new(run->opts->format, "advice", columns, NR_COLUMNS);
	for (i = 0; i < found->nr; i++)
		print_row(run, table, &found->advice[i]);
	table_end(table);
}

static void print_words(const char *words, unsigned int width, const char *first)
{
	char *text = wrap_text(words, width, INDENT);

	out_printf("%-*s%s\n", INDENT, first, text + INDENT);
	free(text);
}

static void print_advice(const struct run *run, const struct advice *a, unsigned int nr)
{
	char see[4096 + sizeof(a->see)], number[16];
	unsigned int width = width_terminal();

	if (!width)
		width = PIPED;
	width = width < NARROW ? NARROW : width > WIDE ? WIDE : width;
	snprintf(number, sizeof(number), "%2u.", nr);
	print_words(a->fact, width, number);
	print_words(a->what, width, "");
	see_command(run, a, see, sizeof(see));
	out_printf("%*sSee: %s\n\n", INDENT, "", see);
}

static void print_found(const struct run *run, const struct advices *found, double seconds)
{
	size_t i;

	for (i = 0; i < found->nr; i++)
		print_advice(run, &found->advice[i], i + 1);
	if (!found->nr)
		out_printf("Nothing stands out in %llu IOs of %.1f s.\n",
			   (unsigned long long)run->ios, seconds);
	if (found->more)
		out_printf("... and %zu more of the same kinds (-D, -p and -g choose).\n",
			   found->more);
	if (found->no_room)
		out_printf("%llu IOs had no room, and were not looked at by each rule.\n",
			   (unsigned long long)found->no_room);
}

static void print_all(struct run *run, uint64_t from_ns, uint64_t to_ns, bool last)
{
	struct advices found = { 0 };

	(void)last;
	advise_tell(&found);
	if (run->opts->format == FORMAT_TABLE)
		print_found(run, &found, (double)(to_ns - from_ns) / 1e9);
	else
		print_rows(run, &found);
	advise_free(&found);
}

int cmd_advise(const struct opts *o)
{
	static const struct view view = {
		.all = true, .record = add_io, .interval = print_all,
	};

	return view_run(o, &view);
}
