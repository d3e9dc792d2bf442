// SPDX-License-Identifier: GPL-2.0
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blamed.h"
#include "cell.h"
#include "choice.h"
#include "diskstats.h"
#include "escape.h"
#include "json.h"
#include "label.h"
#include "msg.h"
#include "out.h"
#include "run.h"
#include "stat_print.h"
#include "table.h"
#include "width.h"

enum {
	NAME = 19,		/* cells of the first column */
	WIDE = 150,		/* a terminal of this width shows all columns */
	NARROW = 89,		/* a narrower one has no room for discards */
};

/* The columns of iostat -x, in the order of its JSON */
enum figure {
	R_S, W_S, D_S, F_S, RKB_S, WKB_S, DKB_S, RRQM_S, WRQM_S, DRQM_S, RRQM, WRQM, DRQM,
	R_AWAIT, W_AWAIT, D_AWAIT, F_AWAIT, RAREQ, WAREQ, DAREQ, AQU, UTIL,
	NR_FIGURES,
};

static const char *const keys[NR_FIGURES] = {
	"r/s", "w/s", "d/s", "f/s", "rkB/s", "wkB/s", "dkB/s", "rrqm/s", "wrqm/s", "drqm/s",
	"rrqm", "wrqm", "drqm", "r_await", "w_await", "d_await", "f_await", "rareq-sz",
	"wareq-sz", "dareq-sz", "aqu-sz", "util",
};

/* As a table shows them; a rank of 1 is always shown, 2 if there are discards, and room for them */
static const struct shown {
	enum figure figure;
	const char *head;
	int width, rank;
} shown[] = {
	{ R_S, "r/s", 6, 1 }, { RKB_S, "rkB/s", 8, 1 }, { RRQM_S, "rrqm/s", 7, 3 },
	{ RRQM, "%rrqm", 5, 3 }, { R_AWAIT, "r_await", 7, 1 }, { RAREQ, "rareq-sz", 8, 3 },
	{ W_S, "w/s", 6, 1 }, { WKB_S, "wkB/s", 8, 1 }, { WRQM_S, "wrqm/s", 7, 3 },
	{ WRQM, "%wrqm", 5, 3 }, { W_AWAIT, "w_await", 7, 1 }, { WAREQ, "wareq-sz", 8, 3 },
	{ D_S, "d/s", 6, 3 }, { DKB_S, "dkB/s", 8, 2 }, { DRQM_S, "drqm/s", 7, 3 },
	{ DRQM, "%drqm", 5, 3 }, { D_AWAIT, "d_await", 7, 3 }, { DAREQ, "dareq-sz", 8, 3 },
	{ F_S, "f/s", 6, 3 }, { F_AWAIT, "f_await", 7, 3 }, { AQU, "aqu-sz", 6, 1 },
	{ UTIL, "%util", 5, 1 },
};

/* What the figures are made of */
struct counts {
	double ios[STAT_OPS], merges[STAT_OPS], kb[STAT_OPS], ms[STAT_OPS];
	double timed[STAT_OPS];		/* of @ios, those whose time is in @ms */
	double busy_ms, queue_ms;
};

static double seconds(const struct stat_look *look)
{
	return look->to_ns > look->from_ns ? (double)(look->to_ns - look->from_ns) / 1e9 : 0;
}

static double ratio(double part, double all)
{
	return all > 0 ? part / all : 0;
}

/* Of the IOs whose time is known; as iostat, 0 if there was no IO at all. */
static double mean_ms(const struct counts *c, enum diskstats_op op)
{
	return c->ios[op] > 0 && !(c->timed[op] > 0) ? -1 : ratio(c->ms[op], c->timed[op]);
}

/* As sysstat reckons; a negative figure is not known. */
static void make_figures(const struct counts *c, double secs, double *f)
{
	unsigned int op;

	for (op = 0; op < STAT_FLUSH; op++) {
		f[R_S + op] = ratio(c->ios[op], secs);
		f[RKB_S + op] = ratio(c->kb[op], secs);
		f[RRQM_S + op] = ratio(c->merges[op], secs);
		f[RRQM + op] = 100 * ratio(c->merges[op], c->merges[op] + c->ios[op]);
		f[R_AWAIT + op] = mean_ms(c, op);
		f[RAREQ + op] = ratio(c->kb[op], c->ios[op]);
	}
	f[F_S] = ratio(c->ios[STAT_FLUSH], secs);
	f[F_AWAIT] = mean_ms(c, STAT_FLUSH);
	f[AQU] = ratio(c->queue_ms / 1000, secs);
	f[UTIL] = 100 * ratio(c->busy_ms / 1000, secs);
	if (f[UTIL] > 100)
		f[UTIL] = 100;
}

static void counts_of_disk(struct counts *c, const struct diskstats *st)
{
	unsigned int op;

	for (op = 0; op < STAT_OPS; op++) {
		c->ios[op] = st->ios[op];
		c->merges[op] = st->merges[op];
		c->kb[op] = (double)st->sectors[op] / 2;
		c->ms[op] = st->ms[op];
		c->timed[op] = st->ios[op];
	}
	c->busy_ms = st->busy_ms;
	c->queue_ms = st->queue_ms;
}

static void counts_of_sum(struct counts *c, const struct blamed *b)
{
	unsigned int op;

	c->queue_ms = 0;
	for (op = 0; op < STAT_OPS; op++) {
		c->ios[op] = b->ios[op];
		c->merges[op] = b->merges[op];
		c->kb[op] = (double)b->bytes[op] / 1024;
		c->ms[op] = (double)b->ns[op] / 1e6;
		c->timed[op] = b->timed[op];
		c->queue_ms += c->ms[op];
	}
	/* an empty flush is timed as a write */
	c->timed[STAT_FLUSH] = 0;
	c->busy_ms = (double)spans_covered(&b->busy) / 1e6;
}

static const char *figure_text(char *to, double v)
{
	if (v < 0)
		return "-";
	snprintf(to, 24, v < 99.995 ? "%.2f" : v < 999.95 ? "%.1f" : "%.0f", v);
	return to;
}

static bool is_shown(const struct stat_look *look, const struct shown *s)
{
	return look->wide || s->rank == 1 || (s->rank == 2 && look->discards);
}

static void print_head(const struct stat_look *look)
{
	size_t i;

	out_printf("%-*s", NAME, "DEVICE, WHO");
	for (i = 0; i < ARRAY_SIZE(shown); i++) {
		if (is_shown(look, &shown[i]))
			out_printf(" %*s", shown[i].width, shown[i].head);
	}
	out_puts("\n");
}

/* A line of the table; a name that is too long is cut. */
static void print_line(const struct stat_look *look, const char *name, const double *f)
{
	char number[24], text[ESCAPE_SIZE(4096) + 8];
	unsigned int cells = width_of(name);
	size_t i;

	if (cells > NAME && !look->wide)
		cells = width_cut(text, sizeof(text), name, NAME, false);
	else
		snprintf(text, sizeof(text), "%s", name);
	out_printf("%s%*s", text, cells < NAME ? (int)(NAME - cells) : 0, "");
	for (i = 0; i < ARRAY_SIZE(shown); i++) {
		if (is_shown(look, &shown[i]))
			out_printf(" %*s", shown[i].width,
				   figure_text(number, f[shown[i].figure]));
	}
	out_puts("\n");
}

static void add_figures(struct json_object *o, const double *f)
{
	char number[32];
	unsigned int i;

	for (i = 0; i < NR_FIGURES; i++) {
		snprintf(number, sizeof(number), "%.2f", f[i]);
		json_object_object_add(o, keys[i], f[i] < 0 ? NULL :
				       json_object_new_double_s(f[i], number));
	}
}

/* The counts, too: those of an interval that is no whole second cannot be made of rates. */
static void add_counts(struct json_object *o, const struct counts *c)
{
	static const char *const names[] = { "read", "write", "discard", "flush" };
	char key[32];
	unsigned int op;

	for (op = 0; op < STAT_OPS; op++) {
		snprintf(key, sizeof(key), "%s_ios", names[op]);
		json_n(o, key, (uint64_t)c->ios[op]);
		if (op == STAT_FLUSH)
			break;
		snprintf(key, sizeof(key), "%s_merges", names[op]);
		json_n(o, key, (uint64_t)c->merges[op]);
		snprintf(key, sizeof(key), "%s_bytes", names[op]);
		json_n(o, key, (uint64_t)(c->kb[op] * 1024 + 0.5));
	}
}

/* A row of CSV: times, disk, name, all figures */
static void print_csv(const struct stat_look *look, const char *type, const char *name,
		      const double *f)
{
	struct col cols[NR_FIGURES + 5] = {
		{ "TIME", "time_ns", COL_DIGITS, 0, 0 },
		{ "TIME", "time_s", COL_SECONDS, 0, 0 },
		{ "SECONDS", "interval_s", COL_RATE, 0, 0 },
		{ "DEVICE", "disk_device", COL_TEXT, 0, 0 },
		{ "NAME", "name", COL_TEXT, 0, 0 },
	};
	struct cell cells[NR_FIGURES + 5];
	struct table *t;
	unsigned int i;

	cells[0] = CELL_N(run_wall_ns(look->run, look->to_ns));
	cells[1] = cells[0];
	cells[2] = CELL_RATE(seconds(look));
	cells[3] = CELL_TEXT(look->disk_name);
	cells[4] = CELL_TEXT(name);
	for (i = 0; i < NR_FIGURES; i++) {
		cols[5 + i] = (struct col){ keys[i], keys[i], COL_RATE, 0, 0 };
		cells[5 + i] = f[i] < 0 ? CELL_NONE : CELL_RATE(f[i]);
	}
	t = table_new(FORMAT_CSV, type, cols, ARRAY_SIZE(cols));
	table_row(t, cells);
	table_end(t);
}

void stat_print_begin(struct stat_look *look)
{
	char time[64];
	unsigned int width = width_terminal();

	/* a pipe has no width */
	if (!width || width >= WIDE)
		look->wide = true;
	look->discards = look->discards && (!width || width >= NARROW);
	if (look->run->opts->format == FORMAT_JSON) {
		look->line = json_begin("stat");
		json_time(look->line, run_wall_ns(look->run, look->to_ns));
		json_object_object_add(look->line, "interval_s",
				       json_object_new_double(seconds(look)));
		look->disks = json_object_new_array();
		json_object_object_add(look->line, "disk", look->disks);
	}
	if (look->run->opts->format != FORMAT_TABLE)
		return;
	if (look->run->opts->timestamp) {
		run_time(look->run, look->to_ns, time, sizeof(time));
		out_printf("%s\n", time);
	}
	print_head(look);
}

/* The line of a disk: of the kernel's numbers, or of the records if there are none. */
void stat_print_disk(struct stat_look *look, const char *name, const struct diskstats *st,
		     const struct blamed *total)
{
	double f[NR_FIGURES];
	struct counts c;

	if (st)
		counts_of_disk(&c, st);
	else
		counts_of_sum(&c, total);
	make_figures(&c, seconds(look), f);
	look->disk_name = name;
	if (look->disks) {
		look->disk = json_object_new_object();
		look->originators = json_object_new_array();
		json_text(look->disk, "disk_device", name);
		add_figures(look->disk, f);
		add_counts(look->disk, &c);
		json_object_object_add(look->disk, "originators", look->originators);
		json_object_array_add(look->disks, look->disk);
	} else if (look->run->opts->format == FORMAT_CSV) {
		print_csv(look, "disk", name, f);
	} else {
		print_line(look, name, f);
	}
}

/* The line of an originator. */
void stat_print_sum(struct stat_look *look, const struct blamed *b)
{
	enum pivot by = look->run->opts->by;
	char label[4096], line[ESCAPE_SIZE(4096) + 8], who[32], comm[ESCAPE_SIZE(IOB_COMM_LEN)];
	const char *name = b->key.rest == REST_ALL ? "(others)" :
			   label_row(&b->label, by, label, sizeof(label));
	struct json_object *o;
	double f[NR_FIGURES];
	struct counts c;

	counts_of_sum(&c, b);
	make_figures(&c, seconds(look), f);
	if (look->disks) {
		o = json_object_new_object();
		json_text(o, "by", choice_pivots[by]);
		json_text(o, "name", name);
		json_text(o, "who", label_who(&b->label, who, sizeof(who)));
		json_text(o, "comm", label_comm(&b->label, comm, sizeof(comm)));
		add_figures(o, f);
		add_counts(o, &c);
		json_n(o, "errors", b->errors);
		json_object_array_add(look->originators, o);
	} else if (look->run->opts->format == FORMAT_CSV) {
		print_csv(look, choice_pivots[by], name, f);
	} else {
		snprintf(line, sizeof(line), "  %s", name);
		print_line(look, line, f);
	}
}

/* Add up the lines of a table that are not shown. */
void stat_print_more(struct stat_look *look, struct blamed **list, unsigned int nr)
{
	double f[NR_FIGURES];
	struct counts c, sum;
	char text[64];
	unsigned int i, op;

	memset(&sum, 0, sizeof(sum));
	for (i = 0; i < nr; i++) {
		counts_of_sum(&c, list[i]);
		for (op = 0; op < STAT_OPS; op++) {
			sum.ios[op] += c.ios[op];
			sum.merges[op] += c.merges[op];
			sum.kb[op] += c.kb[op];
			sum.ms[op] += c.ms[op];
			sum.timed[op] += c.timed[op];
		}
		sum.queue_ms += c.queue_ms;
	}
	make_figures(&sum, seconds(look), f);
	f[UTIL] = -1;
	snprintf(text, sizeof(text), "  (%u more, -r)", nr);
	print_line(look, text, f);
}

/* What is missing in the records. */
void stat_print_rest(struct stat_look *look, const struct blamed *rest)
{
	const char *name = look->filtered ? "(not shown)" : "(not blamed)";
	struct json_object *o;
	double f[NR_FIGURES];
	struct counts c;
	char line[32];
	unsigned int op;

	counts_of_sum(&c, rest);
	make_figures(&c, seconds(look), f);
	for (op = 0; op < STAT_FLUSH; op++)
		f[R_AWAIT + op] = -1;
	f[F_S] = -1;
	f[F_AWAIT] = -1;
	f[AQU] = -1;
	f[UTIL] = -1;
	if (look->disks) {
		o = json_object_new_object();
		add_figures(o, f);
		add_counts(o, &c);
		json_object_object_add(look->disk, look->filtered ? "not_shown" : "not_blamed", o);
	} else if (look->run->opts->format == FORMAT_CSV) {
		print_csv(look, "rest", name, f);
	} else {
		snprintf(line, sizeof(line), "  %s", name);
		print_line(look, line, f);
	}
}

void stat_print_disk_end(struct stat_look *look)
{
	look->disk = NULL;
	look->originators = NULL;
}

void stat_print_end(struct stat_look *look)
{
	if (look->line)
		json_print(look->line);
	else if (look->run->opts->format == FORMAT_TABLE)
		out_puts("\n");
}
