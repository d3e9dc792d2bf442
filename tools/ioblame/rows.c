// SPDX-License-Identifier: GPL-2.0
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agg.h"
#include "cell.h"
#include "choice.h"
#include "escape.h"
#include "grid.h"
#include "group.h"
#include "hist.h"
#include "intent.h"
#include "iowait.h"
#include "label.h"
#include "msg.h"
#include "name.h"
#include "opts.h"
#include "out.h"
#include "rec.h"
#include "rows.h"
#include "run.h"
#include "source.h"
#include "table.h"

enum column {
	TIME, TIME_S, SECONDS, NAME, WHO, PID, ROLE, COMM, SHOWN_COMM, EXITED, UNIT, CGROUP,
	DEVICE, OP, SHOWN_WHY, R_RATE, W_RATE, D_RATE, F_RATE, RB_RATE, WB_RATE, DB_RATE,
	IOS, READS, READ, WRITES, WRITTEN, DISCARDS, DISCARDED, FLUSHES, ERRORS,
	P50, P99, MEAN, WAITED, WHY, VIA, VIA_PID, VIA_COMM, FILES, FILE_COUNTED, FILE_PATH, STACK,
	NR_COLUMNS,
};

static_assert(NR_COLUMNS <= ROWS_COLUMNS, "rows.h");

#define DATA	COL_ONLY_DATA
#define SHOWN	COL_ONLY_TABLE
#define NOT_0	COL_IF_NOT_0
#define CUT	COL_CUT
#define DROP	COL_DROP

/* A table has either rates or sums, so the others of these two are DATA. */
static const struct col columns[NR_COLUMNS] = {
	[TIME] = { "TIME", "time_ns", COL_DIGITS, DATA, 0 },
	[TIME_S] = { "TIME", "time_s", COL_SECONDS, DATA, 0 },
	[SECONDS] = { "SECONDS", "interval_s", COL_RATE, DATA, 0 },
	[NAME] = { "NAME", "name", COL_TEXT, DATA | CUT | DROP(1), 0 },
	[WHO] = { "PID", "who", COL_TEXT, DROP(20), 0 },
	[PID] = { "PID", "pid", COL_COUNT, DATA, 0 },
	[ROLE] = { "ROLE", "role", COL_TEXT, DATA, 0 },
	[COMM] = { "COMM", "comm", COL_TEXT, DATA, 0 },
	[SHOWN_COMM] = { "COMM", "comm", COL_TEXT, SHOWN | CUT | DROP(1), 0 },
	[EXITED] = { "EXITED", "exited", COL_FLAG, DATA, 0 },
	[UNIT] = { "UNIT", "unit", COL_TEXT, SHOWN | CUT | DROP(80), 0 },
	[CGROUP] = { "CGROUP", "cgroup", COL_TEXT, DATA | CUT | COL_PATH, 0 },
	[DEVICE] = { "DEVICE", "device", COL_TEXT, CUT | DROP(2), 0 },
	[OP] = { "OP", "op", COL_TEXT, DATA, 0 },
	[SHOWN_WHY] = { "WHY", "why", COL_TEXT, SHOWN, 0 },
	[R_RATE] = { "R/s", "reads_per_s", COL_RATE, DROP(70), 0 },
	[W_RATE] = { "W/s", "writes_per_s", COL_RATE, DROP(70), 0 },
	[D_RATE] = { "D/s", "discards_per_s", COL_RATE, NOT_0 | DROP(60), 0 },
	[F_RATE] = { "F/s", "flushes_per_s", COL_RATE, NOT_0 | DROP(60), 0 },
	[RB_RATE] = { "RB/s", "read_bytes_per_s", COL_BYTES, DROP(30), 0 },
	[WB_RATE] = { "WB/s", "write_bytes_per_s", COL_BYTES, DROP(30), 0 },
	[DB_RATE] = { "DB/s", "discard_bytes_per_s", COL_BYTES, NOT_0 | DROP(90), 0 },
	[IOS] = { "IOS", "ios", COL_COUNT, DATA | DROP(75), 0 },
	[READS] = { "READS", "reads", COL_COUNT, DROP(70), 0 },
	[READ] = { "READ", "read_bytes", COL_BYTES, DROP(30), 0 },
	[WRITES] = { "WRITES", "writes", COL_COUNT, DROP(70), 0 },
	[WRITTEN] = { "WRITTEN", "write_bytes", COL_BYTES, DROP(30), 0 },
	[DISCARDS] = { "D", "discards", COL_COUNT, NOT_0 | DROP(60), 0 },
	[DISCARDED] = { "DB", "discard_bytes", COL_BYTES, NOT_0 | DROP(90), 0 },
	[FLUSHES] = { "F", "flushes", COL_COUNT, NOT_0 | DROP(60), 0 },
	[ERRORS] = { "ERR", "errors", COL_COUNT, NOT_0 | DROP(10), 0 },
	[P50] = { "P50", "p50_ns", COL_NSECS, DROP(85), 0 },
	[P99] = { "P99", "p99_ns", COL_NSECS, DROP(15), 0 },
	[MEAN] = { "MEAN", "mean_ns", COL_NSECS, DATA, 0 },
	[WAITED] = { "IOWAIT", "iowait_percent", COL_RATE, DATA | DROP(14), 0 },
	[WHY] = { "WHY", "why", COL_TEXT, CUT | DROP(25), 0 },
	[VIA] = { "VIA", "via", COL_TEXT, SHOWN | CUT | DROP(40), 0 },
	[VIA_PID] = { "VIA_PID", "via_pid", COL_COUNT, DATA, 0 },
	[VIA_COMM] = { "VIA_COMM", "via_comm", COL_TEXT, DATA, 0 },
	[FILES] = { "FILES", "files", COL_COUNT, DATA, 0 },
	[FILE_COUNTED] = { "FILE", "file", COL_TEXT, SHOWN | CUT | COL_PATH | DROP(12), 0 },
	[FILE_PATH] = { "FILE", "file", COL_TEXT, DATA, 0 },
	[STACK] = { "STACK", "stack", COL_STACK, DATA | CUT | DROP(12), 0 },
};

/* Hide a column that a table usually shows, or show one. */
static void hide_column(struct col *cols, enum column c)
{
	cols[c].flags |= DATA;
}

static void show_column(struct col *cols, enum column c)
{
	cols[c].flags &= ~DATA;
}

/* The number of IOs says more than reads and writes if there are others. */
void rows_look_at(struct rows_look *look, const struct row *rows, size_t nr)
{
	size_t i;

	look->ios = false;
	for (i = 0; i < nr && !look->ios && !look->rates; i++)
		look->ios = rows[i].ios[ROW_DISCARD] || rows[i].ios[ROW_FLUSH];
}

/**
 * rows_columns - choose the columns of a table
 * @cols: the result, ROWS_COLUMNS
 * @by:   what a row stands for
 * @look: rates or sums
 *
 * Return: the number of columns.
 */
unsigned int rows_columns(struct col *cols, enum pivot by, const struct rows_look *look)
{
	static const enum column rates[] = { R_RATE, W_RATE, D_RATE, F_RATE, RB_RATE, WB_RATE,
					     DB_RATE };
	static const enum column sums[] = { READS, READ, WRITES, WRITTEN, DISCARDS, DISCARDED,
					    FLUSHES };
	unsigned int i;

	memcpy(cols, columns, sizeof(columns));
	for (i = 0; i < ARRAY_SIZE(sums); i++)
		hide_column(cols, look->rates ? sums[i] : rates[i]);
	if (!look->submitter)
		hide_column(cols, VIA);
	if (look->iowait && (by == BY_PROCESS || by == BY_THREAD))
		show_column(cols, WAITED);
	if (look->ios)
		show_column(cols, IOS);
	if (by != BY_PROCESS && by != BY_STACK && by != BY_FILE) {
		hide_column(cols, WHO);
		hide_column(cols, SHOWN_COMM);
	}
	if (by != BY_PROCESS && by != BY_CGROUP)
		hide_column(cols, UNIT);
	if (by == BY_CGROUP)
		cols[UNIT] = (struct col){ "CGROUP", "unit", COL_TEXT,
					   SHOWN | CUT | COL_PATH | DROP(1), 0 };
	if (by > BY_WHY)
		show_column(cols, NAME);
	if (by != BY_DEVICE)
		hide_column(cols, DEVICE);
	if (by == BY_OP)
		show_column(cols, OP);
	hide_column(cols, by == BY_WHY ? WHY : SHOWN_WHY);
	if (by == BY_STACK)
		show_column(cols, STACK);
	if (by != BY_PROCESS && by != BY_FILE)
		hide_column(cols, FILE_COUNTED);
	return NR_COLUMNS;
}

/* True if a column does not exist; @to says which. */
bool rows_unknown(const char *spec, char *to, size_t size)
{
	return grid_unknown(columns, NR_COLUMNS, spec, to, size);
}

/* True if the columns of -o exist; else the error is printed. */
bool rows_know(const char *spec)
{
	return grid_knows(columns, NR_COLUMNS, spec);
}

static uint64_t bytes_per_second(uint64_t n, const struct rows_look *look)
{
	uint64_t ns = look->to_ns - look->from_ns;

	return ns ? (uint64_t)((double)n * 1e9 / (double)ns + 0.5) : 0;
}

static double rate_per_second(uint64_t n, const struct rows_look *look)
{
	uint64_t ns = look->to_ns - look->from_ns;

	return ns ? (double)n * 1e9 / (double)ns : 0;
}

/* Fill the cells with names. */
static void fill_names(const struct run *run, const struct row_more *row, enum pivot by,
		       struct cell *c, struct rows_room *m)
{
	const struct atom *a = row->lead;
	bool live = source_is_live(&run->source), exited = live && label_exited(a);
	bool task = a->key.kind <= ROLE_PROCESS;
	const char *file = label_file(row->file);
	const struct intent *in = intent_get(row->stack->key.intent);

	c[NAME] = CELL_TEXT(by > BY_WHY ? label_row(a, by, m->name, sizeof(m->name)) : NULL);
	c[WHO] = CELL_TEXT(label_who(a, m->who, sizeof(m->who)));
	c[PID] = CELL_IF(task, a->key.who);
	/* a row is all threads of a process */
	c[ROLE] = CELL_TEXT(rec_role_name(task ? ROLE_PROCESS : a->key.kind));
	c[COMM] = CELL_TEXT(label_comm(a, m->comm, sizeof(m->comm)));
	snprintf(m->marked, sizeof(m->marked), "%s%s", c[COMM].text, exited ? "*" : "");
	escape_cut(m->marked);
	c[SHOWN_COMM] = CELL_TEXT(m->marked);
	c[EXITED] = CELL_IF(task && live, exited);
	c[UNIT] = CELL_TEXT(by == BY_CGROUP ? name_cgroup(row->cgroup->key.cgroup) :
			    name_unit(row->cgroup->key.cgroup));
	c[CGROUP] = CELL_TEXT(name_cgroup(row->cgroup->key.cgroup));
	c[DEVICE] = CELL_TEXT(name_disk(row->disk->key.disk));
	c[OP] = CELL_TEXT(by == BY_OP ? rec_op_name(a->key.op) : NULL);
	c[WHY] = CELL_TEXT(row->why->why);
	c[SHOWN_WHY] = c[WHY];
	escape_text(m->via, sizeof(m->via), row->via->sub_comm, IOB_COMM_LEN);
	snprintf(m->via_shown, sizeof(m->via_shown), "%u %s", row->via->key.sub_pid, m->via);
	c[VIA] = CELL_TEXT(m->via_shown);
	c[VIA_PID] = CELL_N(row->via->key.sub_pid);
	c[VIA_COMM] = CELL_TEXT(m->via);
	c[FILES] = CELL_N(row->files);
	c[FILE_PATH] = CELL_TEXT(file);
	if (row->files > 1)
		snprintf(m->file, sizeof(m->file), "%s (+%u)", file, row->files - 1);
	else
		snprintf(m->file, sizeof(m->file), "%s", file);
	escape_cut(m->file);
	c[FILE_COUNTED] = CELL_TEXT(m->file);
	c[STACK] = CELL_STACK(in);
}

/* What the task of a row waited for IO: as delay accounting knows it, or unknown. */
static struct cell waited_cell(const struct run *run, const struct row_more *row, enum pivot by)
{
	const struct atom_key *key = &row->lead->key;
	bool thread = by == BY_THREAD;
	double percent;

	if (!run->opts->iowait || (by != BY_PROCESS && !thread) || key->kind > ROLE_PROCESS ||
	    !iowait_share(thread ? key->tid : key->who, thread, &percent))
		return CELL_NONE;
	return CELL_RATE(percent);
}

static enum mark mark_of(uint64_t ns)
{
	return ns >= ROWS_SLOW_NS ? MARK_SLOW : MARK_NONE;
}

/* Fill the cells with numbers. */
static void fill_numbers(const struct row *row, const struct hist *hist,
			 const struct rows_look *look, struct cell *c)
{
	uint64_t timed = hist_count(hist);

	c[R_RATE] = CELL_RATE(rate_per_second(row->ios[ROW_READ], look));
	c[W_RATE] = CELL_RATE(rate_per_second(row->ios[ROW_WRITE], look));
	c[D_RATE] = CELL_RATE(rate_per_second(row->ios[ROW_DISCARD], look));
	c[F_RATE] = CELL_RATE(rate_per_second(row->ios[ROW_FLUSH], look));
	c[RB_RATE] = CELL_N(bytes_per_second(row->bytes[ROW_READ], look));
	c[WB_RATE] = CELL_N(bytes_per_second(row->bytes[ROW_WRITE], look));
	c[DB_RATE] = CELL_N(bytes_per_second(row->bytes[ROW_DISCARD], look));
	c[IOS] = CELL_N(row->all_ios);
	c[READS] = CELL_N(row->ios[ROW_READ]);
	c[READ] = CELL_N(row->bytes[ROW_READ]);
	c[WRITES] = CELL_N(row->ios[ROW_WRITE]);
	c[WRITTEN] = CELL_N(row->bytes[ROW_WRITE]);
	c[DISCARDS] = CELL_N(row->ios[ROW_DISCARD]);
	c[DISCARDED] = CELL_N(row->bytes[ROW_DISCARD]);
	c[FLUSHES] = CELL_N(row->ios[ROW_FLUSH]);
	c[ERRORS] = CELL_N(row->errors);
	c[ERRORS].mark = row->errors ? MARK_BAD : MARK_NONE;
	c[P50] = CELL_IF(timed, hist_time_percentile(hist, 0.5));
	c[P50].mark = mark_of(c[P50].n);
	c[P99] = CELL_IF(timed, hist_time_percentile(hist, 0.99));
	c[P99].mark = mark_of(c[P99].n);
	c[MEAN] = CELL_IF(timed, timed ? row->total_ns / timed : 0);
}

/**
 * rows_cells - fill the cells of a row
 * @run:   the run
 * @row:   the row
 * @by:    what it stands for
 * @look:  the interval
 * @cells: the result, ROWS_COLUMNS
 * @room:  where their texts are
 */
void rows_cells(const struct run *run, const struct row *row, enum pivot by,
		const struct rows_look *look, struct cell *cells, struct rows_room *room)
{
	struct row_more more;

	cells[TIME] = CELL_N(run_wall_ns(run, look->to_ns));
	cells[TIME_S] = cells[TIME];
	cells[SECONDS] = CELL_RATE((double)(look->to_ns - look->from_ns) / 1e9);
	group_more(row, &more);
	fill_names(run, &more, by, cells, room);
	fill_numbers(row, &more.hist, look, cells);
	cells[WAITED] = waited_cell(run, &more, by);
}

/**
 * rows_print - print sums as a table
 * @run:  the run
 * @agg:  the sums
 * @by:   what a row stands for
 * @most: rows at most, 0 for all
 * @look: columns and interval
 */
void rows_print(const struct run *run, const struct agg *agg, enum pivot by,
		unsigned int most, const struct rows_look *look)
{
	const struct opts *o = run->opts;
	struct col cols[NR_COLUMNS];
	struct cell cells[NR_COLUMNS];
	struct rows_look seen = *look;
	struct rows_room room;
	struct table *t;
	struct row *rows;
	size_t i, nr;
	bool exited = false;

	nr = group_rows(agg, by, o->sort, &rows);
	rows_look_at(&seen, rows, most && most < nr ? most : nr);
	rows_columns(cols, by, &seen);
	/* JSON and CSV always have all columns */
	for (i = 0; o->format != FORMAT_TABLE && i < NR_COLUMNS; i++)
		cols[i].flags = columns[i].flags;
	t = table_new(o->format, choice_pivots[by], cols, NR_COLUMNS);
	for (i = 0; i < nr && (!most || i < most); i++) {
		rows_cells(run, &rows[i], by, look, cells, &room);
		exited |= cells[EXITED].known && cells[EXITED].n;
		table_row(t, cells);
	}
	table_end(t);
	if (o->format == FORMAT_TABLE && i < nr)
		out_printf("... and %zu more\n", nr - i);
	if (o->format == FORMAT_TABLE && exited && (by == BY_PROCESS || by == BY_FILE))
		out_puts("* has exited\n");
	free(rows);
}
