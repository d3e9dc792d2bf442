// SPDX-License-Identifier: GPL-2.0
/*
 * snoop: one line for each IO, in order of completion
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cell.h"
#include "cmd.h"
#include "escape.h"
#include "grid.h"
#include "intent.h"
#include "msg.h"
#include "name.h"
#include "opts.h"
#include "out.h"
#include "rec.h"
#include "rows.h"
#include "run.h"
#include "table.h"
#include "view.h"

enum column {
	TIME_NS, TIME_S, TIME, WHO, PID, TGID, ROLE, COMM, CGROUP, VIA, VIA_PID,
	VIA_COMM, OP, OP_NAME, DEVICE, SECTOR, BYTES, PART, QUEUE, DEV, TOTAL,
	AGE, WHY, HOW, ERROR, FILE_PATH, DEV_NR, INO, GEN, INTENT, BIOS, STACK,
	NR_COLUMNS,
};

#define DATA	COL_ONLY_DATA
#define SHOWN	COL_ONLY_TABLE

static struct col columns[NR_COLUMNS] = {
	[TIME_NS] = { "TIME", "time_ns", COL_DIGITS, DATA, 0 },
	[TIME_S] = { "TIME", "time_s", COL_SECONDS, DATA, 0 },
	[TIME] = { "TIME", "time", COL_TEXT, SHOWN | COL_DROP(20), 11 },
	[WHO] = { "PID", "who", COL_TEXT, COL_DROP(30), 7 },
	[PID] = { "PID", "pid", COL_COUNT, DATA, 0 },
	[TGID] = { "TGID", "tgid", COL_COUNT, DATA, 0 },
	[ROLE] = { "ROLE", "role", COL_TEXT, DATA, 0 },
	[COMM] = { "COMM", "comm", COL_TEXT, COL_CUT | COL_DROP(1), 15 },
	[CGROUP] = { "CGROUP", "cgroup", COL_TEXT, DATA, 0 },
	[VIA] = { "VIA", "via", COL_TEXT, SHOWN | COL_CUT | COL_DROP(70), 15 },
	[VIA_PID] = { "VIA_PID", "via_pid", COL_COUNT, DATA, 0 },
	[VIA_COMM] = { "VIA_COMM", "via_comm", COL_TEXT, DATA, 0 },
	[OP] = { "OP", "op", COL_TEXT, SHOWN | COL_DROP(2), 2 },
	[OP_NAME] = { "OP", "op", COL_TEXT, DATA, 0 },
	[DEVICE] = { "DEVICE", "device", COL_TEXT, COL_CUT | COL_DROP(50), 7 },
	[SECTOR] = { "SECTOR", "sector", COL_COUNT, COL_DROP(90), 10 },
	[BYTES] = { "BYTES", "bytes", COL_COUNT, COL_DROP(15), 8 },
	[PART] = { "PART", "part", COL_COUNT, DATA, 0 },
	[QUEUE] = { "QUEUE", "queue_ns", COL_NSECS, COL_DROP(80), 6 },
	[DEV] = { "DEV", "device_ns", COL_NSECS, COL_DROP(14), 6 },
	[TOTAL] = { "TOTAL", "total_ns", COL_NSECS, DATA, 0 },
	[AGE] = { "AGE", "age_ns", COL_NSECS, DATA, 0 },
	[WHY] = { "WHY", "why", COL_TEXT, COL_CUT | COL_DROP(25), 10 },
	[HOW] = { "HOW", "how", COL_TEXT, DATA, 0 },
	[ERROR] = { "ERR", "error", COL_SIGNED, COL_DROP(10), 3 },
	[FILE_PATH] = { "FILE", "file", COL_TEXT, COL_CUT | COL_PATH | COL_DROP(12), 0 },
	[DEV_NR] = { "DEV", "dev", COL_TEXT, DATA, 0 },
	[INO] = { "INO", "ino", COL_COUNT, DATA, 0 },
	[GEN] = { "GEN", "gen", COL_COUNT, DATA, 0 },
	[INTENT] = { "INTENT", "intent", COL_COUNT, DATA, 0 },
	[BIOS] = { "BIOS", "bios", COL_COUNT, DATA, 0 },
	[STACK] = { "STACK", "stack", COL_STACK, DATA, 0 },
};

static struct table *table;
static unsigned int rows;

static void print_stack(const struct intent *in)
{
	unsigned int i;

	for (i = 0; in && i < in->depth; i++)
		out_printf("    %s\n", in->frame[i]);
}

/* Only the table shows it: JSON and CSV have time_ns. */
static void time_text(const struct run *run, uint64_t ns, char *to, unsigned int size)
{
	uint64_t start = run->source.head.start_ns;

	if (run->opts->format != FORMAT_TABLE)
		*to = '\0';
	else if (run->opts->timestamp)
		run_time(run, ns, to, size);
	else
		snprintf(to, size, "%.6f", ns < start ? 0 : (double)(ns - start) / 1e9);
}

/* MAJ:MIN.  Mostly it is that of the IO before. */
static const char *dev_text(uint32_t dev)
{
	static char text[32];
	static uint32_t of;

	if (!*text || dev != of)
		snprintf(text, sizeof(text), "%u:%u", dev >> 20, dev & 0xfffff);
	of = dev;
	return text;
}

/* The names of the IO before, until the next name_tidy() */
static struct {
	uint64_t cgroup;
	uint32_t disk;
	const char *cgroup_name, *disk_name;
} last;

static const char *disk_text(uint32_t disk)
{
	if (!last.disk_name || disk != last.disk)
		last.disk_name = name_disk(disk);
	last.disk = disk;
	return last.disk_name;
}

static const char *cgroup_text(uint64_t cgroup)
{
	if (!last.cgroup_name || cgroup != last.cgroup)
		last.cgroup_name = name_cgroup(cgroup);
	last.cgroup = cgroup;
	return last.cgroup_name;
}

static void print_io(struct run *run, const struct iob_iolog_bin_record *rec)
{
	const struct opts *o = run->opts;
	char comm[ESCAPE_SIZE(IOB_COMM_LEN)], via[ESCAPE_SIZE(IOB_COMM_LEN)];
	char time[32], name[32], letter[2] = { rec->op, '\0' };
	const struct intent *in = intent_get(rec->intent_nr);
	struct cell c[NR_COLUMNS];

	if (o->rows && ++rows >= o->rows)
		run->quit = true;
	time_text(run, rec->complete_ns, time, sizeof(time));
	escape_text(comm, sizeof(comm), rec->comm, sizeof(rec->comm));
	escape_text(via, sizeof(via), rec->sub_comm, sizeof(rec->sub_comm));
	escape_text(letter, sizeof(letter), (const char *)&rec->op, 1);

	c[TIME_NS] = CELL_N(run_wall_ns(run, rec->complete_ns));
	c[TIME_S] = c[TIME_NS];
	c[TIME] = CELL_TEXT(time);
	c[WHO] = CELL_TEXT(rec_who(rec->role_kind, abs(rec->id), name, sizeof(name)));
	c[PID] = CELL_IF(rec->role_kind <= ROLE_PROCESS, rec->id);
	c[TGID] = CELL_IF(rec->tgid, rec->tgid);
	c[ROLE] = CELL_TEXT(rec_role_name(rec->role_kind));
	c[COMM] = CELL_TEXT(rec->role_kind == ROLE_CGROUP ? name_unit(rec->cgroup) :
			    *comm ? comm : "-");
	c[CGROUP] = CELL_TEXT(cgroup_text(rec->cgroup));
	c[VIA] = CELL_TEXT(rec->sub_pid == rec->pid ? "-" : via);
	c[VIA_PID] = CELL_N(rec->sub_pid);
	c[VIA_COMM] = CELL_TEXT(via);
	c[OP] = CELL_TEXT(letter);
	c[OP_NAME] = CELL_TEXT(rec_op_name(rec->op));
	c[DEVICE] = CELL_TEXT(disk_text(rec->disk));
	c[SECTOR] = CELL_N(rec->sector);
	c[BYTES] = CELL_N(rec->bytes);
	c[PART] = CELL_N(rec->part);
	c[QUEUE] = CELL_IF(rec_has_wait(rec), rec_wait_ns(rec));
	c[DEV] = CELL_IF(rec_has_io(rec), rec_io_ns(rec));
	c[DEV].mark = c[DEV].n >= ROWS_SLOW_NS ? MARK_SLOW : MARK_NONE;
	c[TOTAL] = CELL_IF(rec->queue_ns, rec_total_ns(rec));
	c[AGE] = CELL_IF(rec->dirty_ns, rec_age_ns(rec));
	c[WHY] = CELL_TEXT(intent_why(rec));
	c[HOW] = CELL_TEXT(rec_how_name(rec->how));
	c[ERROR] = CELL_IF(rec->error || o->format != FORMAT_TABLE, (int64_t)rec->error);
	c[ERROR].mark = rec->error ? MARK_BAD : MARK_NONE;
	c[FILE_PATH] = CELL_TEXT(name_file(rec->dev, rec->ino, rec->gen));
	c[DEV_NR] = CELL_TEXT(dev_text(rec->dev));
	c[INO] = CELL_N(rec->ino);
	c[GEN] = CELL_N(rec->gen);
	c[INTENT] = CELL_N(rec->intent_nr);
	c[BIOS] = CELL_N(rec->nr_bios);
	c[STACK] = o->stacks ? CELL_STACK(in) : CELL_NONE;
	table_stream_row(table, c);
	if (o->stacks && o->format == FORMAT_TABLE)
		print_stack(in);
}

static int begin_snoop(struct run *run)
{
	table = table_new(run->opts->format, "io", columns, NR_COLUMNS);
	return 0;
}

static void flush_lines(struct run *run)
{
	(void)run;
	/* do not keep lines back from a pipe */
	out_flush();
	last.disk_name = NULL;
	last.cgroup_name = NULL;
}

static int end_snoop(struct run *run)
{
	(void)run;
	table_end(table);
	return 0;
}

int cmd_snoop(const struct opts *o)
{
	static const struct view view = {
		.begin = begin_snoop, .record = print_io, .filled = flush_lines, .end = end_snoop,
	};

	if (o->timestamp)
		columns[TIME].width = strlen("2026-11-25 17:54:03.123456");
	return grid_knows(columns, NR_COLUMNS, o->column_list) ? view_run(o, &view) : EXIT_USAGE;
}
