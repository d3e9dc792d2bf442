// SPDX-License-Identifier: GPL-2.0
/*
 * dirty: the pages that are in memory and are to be written, by who dirtied them and on which file
 *
 * It reads the module's file `dirty`, and no log: who watches IO at the same time is not disturbed.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cell.h"
#include "child.h"
#include "choice.h"
#include "clock.h"
#include "cmd.h"
#include "device.h"
#include "dir.h"
#include "dirty.h"
#include "escape.h"
#include "file.h"
#include "filter.h"
#include "json.h"
#include "msg.h"
#include "name.h"
#include "opts.h"
#include "out.h"
#include "rec.h"
#include "run.h"
#include "schedule.h"
#include "source.h"
#include "stop.h"
#include "table.h"
#include "text.h"

enum column {
	TIME, TIME_S, AGE, WHO, PID, TGID, ROLE, COMM, UNIT, CGROUP, DIRTY, WRITEBACK, CANCELLED,
	HOW, FILE_PATH, DEV_NR, INO, GEN, NR_COLUMNS,
};

#define DATA	COL_ONLY_DATA
#define SHOWN	COL_ONLY_TABLE

static const struct col columns[NR_COLUMNS] = {
	[TIME] = { "TIME", "time_ns", COL_DIGITS, DATA, 0 },
	[TIME_S] = { "TIME", "time_s", COL_SECONDS, DATA, 0 },
	[AGE] = { "AGE", "age_ns", COL_NSECS, 0, 0 },
	[WHO] = { "PID", "who", COL_TEXT, 0, 0 },
	[PID] = { "PID", "pid", COL_COUNT, DATA, 0 },
	[TGID] = { "TGID", "tgid", COL_COUNT, DATA, 0 },
	[ROLE] = { "ROLE", "role", COL_TEXT, DATA, 0 },
	[COMM] = { "COMM", "comm", COL_TEXT, 0, 0 },
	[UNIT] = { "UNIT", "unit", COL_TEXT, SHOWN | COL_CUT, 0 },
	[CGROUP] = { "CGROUP", "cgroup", COL_TEXT, DATA, 0 },
	[DIRTY] = { "DIRTY", "dirty_bytes", COL_BYTES, 0, 0 },
	[WRITEBACK] = { "WRITING", "writeback_bytes", COL_BYTES, 0, 0 },
	[CANCELLED] = { "CANCELLED", "cancelled_bytes", COL_BYTES, DATA, 0 },
	[HOW] = { "HOW", "how", COL_TEXT, DATA, 0 },
	[FILE_PATH] = { "FILE", "file", COL_TEXT, COL_CUT | COL_PATH, 0 },
	[DEV_NR] = { "DEV", "dev", COL_TEXT, DATA, 0 },
	[INO] = { "INO", "ino", COL_COUNT, DATA, 0 },
	[GEN] = { "GEN", "gen", COL_COUNT, DATA, 0 },
};

/* The sums of what is shown */
static struct {
	uint64_t dirty, writeback, unknown, cancelled;	/* pages */
} sums;

static uint64_t page_size;
static bool all_named;		/* whatever is watched is what -D asks for */

/* Whether -D names a device, or the disk that it is on. */
static bool is_named(const struct run *run, const struct device *d)
{
	unsigned int i;

	for (i = 0; i < run->nr_devices; i++) {
		const struct device *want = &run->device[i];

		if (want->dev == d->dev || (want->dev == want->disk && want->disk == d->disk))
			return true;
	}
	return false;
}

static bool names_all(const struct run *run)
{
	const struct session *s = &run->session;
	unsigned int i;

	for (i = 0; i < s->nr_devices && is_named(run, &s->device[i]); i++)
		;
	return i == s->nr_devices;
}

/*
 * Whether a row is on one of the devices that are named.  Cancelled writes have no device: they
 * are on one that is watched.
 */
static bool takes_device(const struct run *run, const struct dirty_row *row)
{
	static struct device own;
	char number[24];

	if (!run->nr_devices)
		return true;
	if (row->key.cancelled)
		return all_named;
	if (own.dev != row->key.dev || !own.name[0]) {
		snprintf(number, sizeof(number), "%u:%u", row->key.dev >> 20,
			 row->key.dev & 0xfffff);
		/* a file system on several devices has a number that is no device's */
		if (!device_lookup(number, &own))
			return true;
	}
	return is_named(run, &own);
}

static bool takes_row(const struct run *run, const struct dirty_row *row)
{
	const struct dirty_key *k = &row->key;
	struct iob_iolog_bin_record rec = {
		.op = OP_WRITE, .pid = k->kind == ROLE_THREAD ? k->id : 0, .tgid = k->tgid,
		.cgroup = k->cgroup, .dev = k->dev, .ino = k->ino, .gen = k->gen,
	};
	struct filter f = { .opts = run->opts };

	memcpy(rec.comm, k->comm, sizeof(rec.comm));
	/* cancelled writes have no file */
	if (k->cancelled && run->opts->nr_files)
		return false;
	return takes_device(run, row) && filter_takes(&f, &rec);
}

/* Take a row that passes the filters; what it does not stand for leaves its key. */
static bool take_row(struct dirty_row *row, const void *arg)
{
	const struct run *run = arg;
	const struct opts *o = run->opts;

	if (!takes_row(run, row))
		return false;
	sums.dirty += row->dirty;
	sums.writeback += row->writeback;
	sums.cancelled += row->cancelled;
	if (!row->key.known)
		sums.unknown += row->dirty + row->writeback;
	if (o->given_by)
		dirty_narrow(&row->key, o->by);
	return true;
}

/* The columns of a table: of what is dirty, or of what was cancelled. */
static void choose_columns(struct col *cols, const struct opts *o, bool cancelled)
{
	memcpy(cols, columns, sizeof(columns));
	if (o->format != FORMAT_TABLE)
		return;
	if (cancelled) {
		cols[AGE].flags |= DATA;
		cols[DIRTY].flags |= DATA;
		cols[WRITEBACK].flags |= DATA;
		cols[FILE_PATH].flags |= DATA;
		cols[CANCELLED].flags &= ~DATA;
	}
	if (!o->given_by)
		return;
	if (o->by != BY_PROCESS) {
		cols[WHO].flags |= DATA;
		cols[COMM].flags |= DATA;
	}
	if (o->by != BY_CGROUP && o->by != BY_PROCESS)
		cols[UNIT].flags |= DATA;
	if (o->by != BY_FILE && o->by != BY_DEVICE)
		cols[FILE_PATH].flags |= DATA;
}

static void print_row(const struct run *run, struct table *t, const struct dirty_row *row)
{
	const struct dirty_key *k = &row->key;
	const struct opts *o = run->opts;
	bool file = !k->cancelled && (!o->given_by || o->by == BY_FILE);
	bool who = !o->given_by || o->by == BY_PROCESS;
	char comm[ESCAPE_SIZE(IOB_COMM_LEN)], name[32], dev[32];
	struct cell c[NR_COLUMNS];

	escape_text(comm, sizeof(comm), k->comm, sizeof(k->comm));
	snprintf(dev, sizeof(dev), "%u:%u", k->dev >> 20, k->dev & 0xfffff);
	c[TIME] = CELL_N(run_wall_ns(run, run->now_ns));
	c[TIME_S] = c[TIME];
	c[AGE] = CELL_IF(row->oldest_ns && row->oldest_ns < run->now_ns,
			 run->now_ns - row->oldest_ns);
	c[WHO] = CELL_TEXT(who ? rec_who(k->kind, k->id, name, sizeof(name)) : NULL);
	c[PID] = CELL_IF(k->kind <= ROLE_PROCESS, k->id);
	c[TGID] = CELL_IF(k->tgid, k->tgid);
	c[ROLE] = CELL_TEXT(who ? rec_role_name(k->kind) : NULL);
	c[COMM] = CELL_TEXT(!who ? NULL : k->kind == ROLE_CGROUP ? name_unit(k->cgroup) :
			    k->known && *comm ? comm : "-");
	c[UNIT] = CELL_TEXT(!k->cgroup ? "-" : o->by == BY_CGROUP && o->given_by ?
			    name_cgroup(k->cgroup) : name_unit(k->cgroup));
	c[CGROUP] = CELL_TEXT(k->cgroup ? name_cgroup(k->cgroup) : NULL);
	c[DIRTY] = CELL_IF(!k->cancelled, row->dirty * page_size);
	c[WRITEBACK] = CELL_IF(!k->cancelled, row->writeback * page_size);
	c[CANCELLED] = CELL_IF(k->cancelled, row->cancelled * page_size);
	c[HOW] = CELL_TEXT(!who || k->cancelled ? NULL : row->how < IOB_NR_HOWS ?
			   rec_how_name(row->how) : "unknown");
	c[FILE_PATH] = CELL_TEXT(file ? name_file(k->dev, k->ino, k->gen) :
				 o->by == BY_DEVICE && !k->cancelled ? name_disk(k->dev) : NULL);
	c[DEV_NR] = CELL_TEXT(k->dev ? dev : NULL);
	c[INO] = CELL_IF(file, k->ino);
	c[GEN] = CELL_IF(file, k->gen);
	table_row(t, c);
}

/* Print the rows of one kind.  Return: how many there are. */
static size_t print_rows(const struct run *run, struct dirty_row **rows, size_t nr, bool cancelled)
{
	const struct opts *o = run->opts;
	struct col cols[NR_COLUMNS];
	struct table *t;
	size_t i, shown = 0;

	choose_columns(cols, o, cancelled);
	t = table_new(o->format, cancelled ? "cancelled" : "dirty", cols, NR_COLUMNS);
	for (i = 0; i < nr; i++) {
		if (!rows[i]->key.cancelled == cancelled)
			continue;
		shown++;
		if (!o->rows || shown <= o->rows)
			print_row(run, t, rows[i]);
		/* the table has a copy of the names */
		name_tidy();
	}
	table_end(t);
	if (o->format == FORMAT_TABLE && o->rows && shown > o->rows)
		out_printf("... and %zu more\n", shown - o->rows);
	return shown;
}

/* A row of /proc/meminfo in bytes; 0 if there is none. */
static uint64_t meminfo(const char *text, const char *row)
{
	const char *at = text ? strstr(text, row) : NULL;

	return at ? strtoull(at + strlen(row), NULL, 10) << 10 : 0;
}

/* What is dirty in all, and how much of it is not known: print it below, or as JSON. */
static void print_sums(const struct run *run)
{
	char all[TEXT_NUMBER], here[TEXT_NUMBER], nobody[TEXT_NUMBER], writing[TEXT_NUMBER];
	char *text = file_read("/proc/meminfo");
	uint64_t dirty = meminfo(text, "\nDirty:"), writeback = meminfo(text, "\nWriteback:");
	struct json_object *sum;

	free(text);
	if (run->opts->format == FORMAT_JSON) {
		sum = json_begin("sum");
		json_time(sum, run_wall_ns(run, run->now_ns));
		json_n(sum, "dirty_bytes", sums.dirty * page_size);
		json_n(sum, "writeback_bytes", sums.writeback * page_size);
		json_n(sum, "unknown_bytes", sums.unknown * page_size);
		json_n(sum, "cancelled_bytes", sums.cancelled * page_size);
		json_n(sum, "machine_dirty_bytes", dirty);
		json_n(sum, "machine_writeback_bytes", writeback);
		json_print(sum);
	}
	if (run->opts->format != FORMAT_TABLE)
		return;
	out_printf("%s dirty and %s being written, of %s and %s in the whole machine",
		   text_bytes(here, sums.dirty * page_size),
		   text_bytes(writing, sums.writeback * page_size), text_bytes(all, dirty),
		   text_bytes(nobody, writeback));
	out_printf("; of %s nobody is known.\n", text_bytes(nobody, sums.unknown * page_size));
}

/* Print what is dirty now.  Return: the exit status. */
static int print_dirty(struct run *run)
{
	static bool again;
	struct dirty d = { 0 };
	struct dirty_row **rows;
	char time[32];
	size_t nr;
	int err, fd;

	memset(&sums, 0, sizeof(sums));
	all_named = names_all(run);
	run->now_ns = clock_ns();
	fd = dir_open("dirty", O_RDONLY);
	err = fd < 0 ? errno : dirty_read(&d, fd, take_row, run);
	if (fd >= 0)
		close(fd);
	if (err == EINTR) {
		dirty_clear(&d);
		return EXIT_OK;
	}
	if (err == ENOENT) {
		msg("the module that is loaded has no file dirty: load the one of this version");
		return EXIT_FAILED;
	}
	if (err)
		return dir_refused(err, "dirty");
	if (run->opts->given_by && run->opts->by == BY_PROCESS)
		dirty_join(&d);
	run_time(run, run->now_ns, time, sizeof(time));
	if (run->opts->format == FORMAT_TABLE && again)
		out_puts("\n");
	if (run->opts->format == FORMAT_TABLE && (run->opts->timestamp || run->opts->interval_ns))
		out_printf("%.19s\n", time);
	again = true;
	nr = dirty_sorted(&d, run->opts->dirty_sort == DIRTY_BYTES, &rows);
	print_rows(run, rows, nr, false);
	if (sums.cancelled && run->opts->format == FORMAT_TABLE)
		out_puts("\n");
	if (sums.cancelled)
		print_rows(run, rows, nr, true);
	if (run->opts->format == FORMAT_TABLE)
		out_puts("\n");
	print_sums(run);
	free(rows);
	if (d.broken)
		msg("%llu lines of the module were not understood", (unsigned long long)d.broken);
	dirty_clear(&d);
	name_tidy();
	out_flush();
	return EXIT_OK;
}

/* Print at each interval, or once: at the end of the time or of the command, or at once. */
static int watch_dirty(struct run *run)
{
	const struct opts *o = run->opts;
	uint64_t start = clock_ns(), next = start + o->interval_ns, now, wait, nr = 0;
	int ret = EXIT_OK;

	while (!ret && (o->interval_ns || o->duration_ns || o->run) && !stop_asked() &&
	       !out_closed()) {
		now = clock_ns();
		if (o->interval_ns && now >= next) {
			ret = print_dirty(run);
			next = schedule_next(next, o->interval_ns, now);
			if (o->count && ++nr >= o->count)
				return ret;
			continue;
		}
		if (child_ended(true) || (o->duration_ns && now >= start + o->duration_ns))
			break;
		wait = 100000000;
		if (o->interval_ns && next - now < wait)
			wait = next - now;
		stop_wait(-1, wait);
	}
	if (ret || (o->interval_ns && stop_asked()))
		return ret;
	return print_dirty(run);
}

static void print_end(const struct run *run)
{
	struct json_object *end;

	if (run->opts->format != FORMAT_JSON)
		return;
	end = json_begin("end");
	json_n(end, "schema", JSON_SCHEMA);
	json_print(end);
}

static void print_no_room(void)
{
	uint64_t no_room = name_no_room();

	if (no_room)
		msg("%llu names had no room, and are shown as numbers",
		    (unsigned long long)no_room);
}

int cmd_dirty(const struct opts *o)
{
	struct run run = { .opts = o, .session.logless = true };
	unsigned int i;
	int ret;

	page_size = sysconf(_SC_PAGESIZE);
	for (i = 0; i < o->nr_devices; i++) {
		if (!device_require(o->device[i], &run.device[run.nr_devices++]))
			return EXIT_FAILED;
	}
	ret = session_begin(&run.session, run.device, run.nr_devices, session_ages);
	session_ready();
	if (!ret && run.session.own && !o->interval_ns && !o->duration_ns && !o->run)
		msg("ioblame was off, so nobody is known who dirtied what; leave it on: ioblame config enable");
	if (!ret)
		source_head_now(&run.source.head);
	run.source.kind = SOURCE_BINARY;
	if (!ret && o->run)
		ret = child_start(o->run) ? EXIT_OK : EXIT_FAILED;
	if (!ret) {
		run_print_head(&run);
		ret = watch_dirty(&run);
		child_kill(stop_asked(), true);
	}
	if (!ret)
		print_end(&run);
	out_flush();
	print_no_room();
	session_off(&run.session);
	session_end(&run.session);
	if (!ret && out_failed())
		return EXIT_FAILED;
	return ret ? ret : o->run ? child_status() : EXIT_OK;
}
