// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agg.h"
#include "cell.h"
#include "choice.h"
#include "escape.h"
#include "group.h"
#include "hist.h"
#include "intent.h"
#include "label.h"
#include "name.h"
#include "opts.h"
#include "out.h"
#include "rec.h"
#include "rows.h"
#include "run.h"
#include "source.h"
#include "table.h"

enum column {
	TIME, SECONDS, WHO, PID, ROLE, COMM, SHOWN_COMM, EXITED, UNIT, CGROUP,
	DEVICE, OP, R_RATE, W_RATE, RB_RATE, WB_RATE, READS, READ, WRITES,
	WRITTEN, DISCARDS, DISCARDED, FLUSHES, ERRORS, P50, P99, MEAN, WHY, VIA,
	VIA_PID, VIA_COMM, FILES, FILE_COUNTED, FILE_PATH, STACK,
	NR_COLUMNS,
};

#define DATA	COL_ONLY_DATA
#define SHOWN	COL_ONLY_TABLE

static const struct col columns[NR_COLUMNS] = {
	[TIME] = { "TIME", "time_ns", COL_COUNT, DATA, 0 },
	[SECONDS] = { "SECONDS", "interval_s", COL_RATE, DATA, 0 },
	[WHO] = { "PID", "who", COL_TEXT, 0, 0 },
	[PID] = { "PID", "pid", COL_COUNT, DATA, 0 },
	[ROLE] = { "ROLE", "role", COL_TEXT, DATA, 0 },
	[COMM] = { "COMM", "comm", COL_TEXT, DATA, 0 },
	[SHOWN_COMM] = { "COMM", "comm", COL_TEXT, SHOWN, 0 },
	[EXITED] = { "EXITED", "exited", COL_FLAG, DATA, 0 },
	[UNIT] = { "UNIT", "unit", COL_TEXT, SHOWN, 0 },
	[CGROUP] = { "CGROUP", "cgroup", COL_TEXT, DATA, 0 },
	[DEVICE] = { "DEVICE", "device", COL_TEXT, 0, 0 },
	[OP] = { "OP", "op", COL_TEXT, DATA, 0 },
	[R_RATE] = { "R/s", "reads_per_s", COL_RATE, 0, 0 },
	[W_RATE] = { "W/s", "writes_per_s", COL_RATE, 0, 0 },
	[RB_RATE] = { "RB/s", "read_bytes_per_s", COL_BYTES, 0, 0 },
	[WB_RATE] = { "WB/s", "write_bytes_per_s", COL_BYTES, 0, 0 },
	[READS] = { "READS", "reads", COL_COUNT, 0, 0 },
	[READ] = { "READ", "read_bytes", COL_BYTES, 0, 0 },
	[WRITES] = { "WRITES", "writes", COL_COUNT, 0, 0 },
	[WRITTEN] = { "WRITTEN", "write_bytes", COL_BYTES, 0, 0 },
	[DISCARDS] = { "DISCARDS", "discards", COL_COUNT, DATA, 0 },
	[DISCARDED] = { "DISCARDED", "discard_bytes", COL_BYTES, DATA, 0 },
	[FLUSHES] = { "FLUSHES", "flushes", COL_COUNT, DATA, 0 },
	[ERRORS] = { "ERRORS", "errors", COL_COUNT, DATA, 0 },
	[P50] = { "P50", "p50_ns", COL_NSECS, 0, 0 },
	[P99] = { "P99", "p99_ns", COL_NSECS, 0, 0 },
	[MEAN] = { "MEAN", "mean_ns", COL_NSECS, DATA, 0 },
	[WHY] = { "WHY", "why", COL_TEXT, 0, 0 },
	[VIA] = { "VIA", "via", COL_TEXT, SHOWN, 0 },
	[VIA_PID] = { "VIA", "via_pid", COL_COUNT, DATA, 0 },
	[VIA_COMM] = { "VIA", "via_comm", COL_TEXT, DATA, 0 },
	[FILES] = { "FILES", "files", COL_COUNT, DATA, 0 },
	[FILE_COUNTED] = { "FILE", "file", COL_TEXT, SHOWN | COL_CUT, 0 },
	[FILE_PATH] = { "FILE", "file", COL_TEXT, DATA, 0 },
	[STACK] = { "STACK", "stack", COL_STACK, DATA | COL_CUT, 0 },
};

/* Choose the columns of a table. */
static void choose_columns(struct col *cols, enum pivot by, const struct rows_look *look)
{
	static const enum column rates[] = { R_RATE, W_RATE, RB_RATE, WB_RATE };
	static const enum column sums[] = { READS, READ, WRITES, WRITTEN };
	unsigned int i;

	memcpy(cols, columns, sizeof(columns));
	for (i = 0; i < 4; i++)
		cols[look->rates ? sums[i] : rates[i]].flags |= DATA;
	if (!look->submitter)
		cols[VIA].flags |= DATA;
	if (by != BY_PROCESS && by != BY_STACK && by != BY_FILE) {
		cols[WHO].flags |= DATA;
		cols[SHOWN_COMM].flags |= DATA;
	}
	if (by != BY_PROCESS && by != BY_CGROUP)
		cols[UNIT].flags |= DATA;
	if (by != BY_DEVICE)
		cols[DEVICE].flags |= DATA;
	if (by == BY_OP)
		cols[OP].flags &= ~DATA;
	if (by == BY_STACK) {
		cols[STACK].flags &= ~DATA;
		cols[FILE_COUNTED].flags |= DATA;
	}
	if (by == BY_WHY || by == BY_DEVICE || by == BY_OP || by == BY_CGROUP)
		cols[FILE_COUNTED].flags |= DATA;
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

struct room {
	char who[32], comm[ESCAPE_SIZE(IOB_COMM_LEN)];
	char marked[ESCAPE_SIZE(255) + 2];
	char via[ESCAPE_SIZE(IOB_COMM_LEN)], via_shown[ESCAPE_SIZE(IOB_COMM_LEN) + 16];
	char file[ESCAPE_SIZE(4096) + 32];
};

/* Fill the cells with names. */
static void fill_names(const struct run *run, const struct row_more *row, enum pivot by,
		       struct cell *c, struct room *m)
{
	const struct atom *a = row->lead;
	bool live = source_is_live(&run->source), exited = live && label_exited(a);
	bool task = a->key.kind <= ROLE_PROCESS;
	const char *file = label_file(row->file);
	const struct intent *in = intent_get(row->stack->key.intent);

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

/* Fill the cells with numbers. */
static void fill_numbers(const struct row *row, const struct hist *hist,
			 const struct rows_look *look, struct cell *c)
{
	bool timed = row->all_ios;

	c[R_RATE] = CELL_RATE(rate_per_second(row->ios[ROW_READ], look));
	c[W_RATE] = CELL_RATE(rate_per_second(row->ios[ROW_WRITE], look));
	c[RB_RATE] = CELL_N(bytes_per_second(row->bytes[ROW_READ], look));
	c[WB_RATE] = CELL_N(bytes_per_second(row->bytes[ROW_WRITE], look));
	c[READS] = CELL_N(row->ios[ROW_READ]);
	c[READ] = CELL_N(row->bytes[ROW_READ]);
	c[WRITES] = CELL_N(row->ios[ROW_WRITE]);
	c[WRITTEN] = CELL_N(row->bytes[ROW_WRITE]);
	c[DISCARDS] = CELL_N(row->ios[ROW_DISCARD]);
	c[DISCARDED] = CELL_N(row->bytes[ROW_DISCARD]);
	c[FLUSHES] = CELL_N(row->ios[ROW_FLUSH]);
	c[ERRORS] = CELL_N(row->errors);
	c[P50] = CELL_IF(timed, hist_percentile(hist, 0.5));
	c[P99] = CELL_IF(timed, hist_percentile(hist, 0.99));
	c[MEAN] = CELL_IF(timed, timed ? row->total_ns / row->all_ios : 0);
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
	struct table *t;
	struct row *rows;
	struct row_more more;
	struct room room;
	size_t i, nr;
	bool exited = false;

	choose_columns(cols, by, look);
	nr = group_rows(agg, by, o->sort, &rows);
	/* JSON and CSV always have all columns */
	for (i = 0; o->format != FORMAT_TABLE && i < NR_COLUMNS; i++)
		cols[i].flags = columns[i].flags;
	t = table_new(o->format, choice_pivots[by], cols, NR_COLUMNS);
	for (i = 0; i < nr && (!most || i < most); i++) {
		cells[TIME] = CELL_N(run_wall_ns(run, look->to_ns));
		cells[SECONDS] = CELL_RATE((double)(look->to_ns - look->from_ns) / 1e9);
		group_more(&rows[i], &more);
		fill_names(run, &more, by, cells, &room);
		fill_numbers(&rows[i], &more.hist, look, cells);
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
