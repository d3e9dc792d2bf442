// SPDX-License-Identifier: GPL-2.0
/*
 * trace: the block layer's events, as blktrace and blkparse show them, with who caused the IO
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blkevent.h"
#include "cell.h"
#include "cmd.h"
#include "escape.h"
#include "events.h"
#include "filter.h"
#include "intent.h"
#include "json.h"
#include "msg.h"
#include "name.h"
#include "opts.h"
#include "out.h"
#include "rec.h"
#include "run.h"
#include "table.h"
#include "view.h"

enum column {
	TIME_NS, TIME_S, SINCE, CPU, SEQ, DEVICE, DEV_NR, ACTION, WHAT, RWBS, SECTOR, SECTORS,
	OTHER_SECTOR, OTHER_DEV, REQUESTS, ERROR, VIA_PID, VIA_COMM, WHO, PID, TGID, ROLE, COMM,
	CGROUP, OTHERS, WHY, HOW, FILE_PATH, NR_COLUMNS,
};

/* Rows of JSON and CSV; the lines of blkparse have no columns */
static const struct col columns[NR_COLUMNS] = {
	[TIME_NS] = { "", "time_ns", COL_DIGITS, 0, 0 },
	[TIME_S] = { "", "time_s", COL_SECONDS, 0, 0 },
	[SINCE] = { "", "since_ns", COL_COUNT, 0, 0 },
	[CPU] = { "", "cpu", COL_COUNT, 0, 0 },
	[SEQ] = { "", "sequence", COL_COUNT, 0, 0 },
	[DEVICE] = { "", "device", COL_TEXT, 0, 0 },
	[DEV_NR] = { "", "dev", COL_TEXT, 0, 0 },
	[ACTION] = { "", "action", COL_TEXT, 0, 0 },
	[WHAT] = { "", "event", COL_TEXT, 0, 0 },
	[RWBS] = { "", "rwbs", COL_TEXT, 0, 0 },
	[SECTOR] = { "", "sector", COL_COUNT, 0, 0 },
	[SECTORS] = { "", "sectors", COL_COUNT, 0, 0 },
	[OTHER_SECTOR] = { "", "other_sector", COL_COUNT, 0, 0 },
	[OTHER_DEV] = { "", "other_dev", COL_TEXT, 0, 0 },
	[REQUESTS] = { "", "requests", COL_COUNT, 0, 0 },
	[ERROR] = { "", "error", COL_SIGNED, 0, 0 },
	[VIA_PID] = { "", "via_pid", COL_COUNT, 0, 0 },
	[VIA_COMM] = { "", "via_comm", COL_TEXT, 0, 0 },
	[WHO] = { "", "who", COL_TEXT, 0, 0 },
	[PID] = { "", "pid", COL_COUNT, 0, 0 },
	[TGID] = { "", "tgid", COL_COUNT, 0, 0 },
	[ROLE] = { "", "role", COL_TEXT, 0, 0 },
	[COMM] = { "", "comm", COL_TEXT, 0, 0 },
	[CGROUP] = { "", "cgroup", COL_TEXT, 0, 0 },
	[OTHERS] = { "", "other_originators", COL_COUNT, 0, 0 },
	[WHY] = { "", "why", COL_TEXT, 0, 0 },
	[HOW] = { "", "how", COL_TEXT, 0, 0 },
	[FILE_PATH] = { "", "file", COL_TEXT, 0, 0 },
};

static struct events events;
static struct table *table;
static uint64_t shown, unknown;
static uint64_t kinds_shown[NR_BLKEVENTS];

/* What blkparse prints behind the flags of an event. */
static void line_end(const struct blkevent *e, const char *comm, char *to, size_t size)
{
	unsigned long long sector = e->sector, other = e->other_sector;

	switch (blkevent_letters[e->kind]) {
	case 'C':
		if (e->sectors)
			snprintf(to, size, "%llu + %u [%d]", sector, e->sectors, e->error);
		else
			snprintf(to, size, "%llu [%d]", sector, e->error);
		break;
	case 'A':
		snprintf(to, size, "%llu + %u <- (%u,%u) %llu", sector, e->sectors,
			 e->other_dev >> 20, e->other_dev & 0xfffff, other);
		break;
	case 'X':
		snprintf(to, size, "%llu / %llu [%s]", sector, other, comm);
		break;
	case 'U':
		snprintf(to, size, "[%s] %u", comm, e->nr_rq);
		break;
	default:
		if (e->sectors)
			snprintf(to, size, "%llu + %u [%s]", sector, e->sectors, comm);
		else
			snprintf(to, size, "[%s]", comm);
	}
}

static const char *originator(const struct iob_iolog_bin_record *rec, char *to, size_t size)
{
	if (rec->role_kind == ROLE_CGROUP)
		return name_unit(rec->cgroup);
	escape_text(to, size, rec->comm, sizeof(rec->comm));
	return *to ? to : "-";
}

/* A line as blkparse's, and behind it the originator, the reason and the file. */
static void print_line(const struct run *run, const struct blkevent *e,
		       const struct origins_found *found)
{
	const struct iob_iolog_bin_record *rec = found->rec;
	uint64_t since = e->ns - run->source.head.start_ns;
	char comm[ESCAPE_SIZE(IOB_COMM_LEN)], end[200], time[32], who[32], others[24] = "";
	char rwbs[ESCAPE_SIZE(sizeof(e->rwbs))], by[ESCAPE_SIZE(IOB_COMM_LEN)];

	escape_text(comm, sizeof(comm), e->comm, sizeof(e->comm));
	escape_text(rwbs, sizeof(rwbs), e->rwbs, strlen(e->rwbs));
	line_end(e, comm, end, sizeof(end));
	if (run->opts->timestamp)
		run_time(run, e->ns, time, sizeof(time));
	else
		snprintf(time, sizeof(time), "%5llu.%09llu",
			 (unsigned long long)(since / 1000000000),
			 (unsigned long long)(since % 1000000000));
	out_printf("%3u,%-3u %2u %8llu %s %5u %2c %3s %s", e->dev >> 20, e->dev & 0xfffff, e->cpu,
		   (unsigned long long)shown, time, e->pid, blkevent_letters[e->kind],
		   *rwbs ? rwbs : "N", end);
	if (found->others)
		snprintf(others, sizeof(others), " (+%u)", found->others);
	if (rec)
		out_printf(" | %s %s%s %s %s",
			   rec_who(rec->role_kind, abs(rec->id), who, sizeof(who)),
			   originator(rec, by, sizeof(by)), others, intent_why(rec),
			   name_file(rec->dev, rec->ino, rec->gen));
	else if (blkevent_has_place(e))
		out_puts(" | -");
	out_puts("\n");
}

static void print_row(const struct run *run, const struct blkevent *e,
		      const struct origins_found *found)
{
	static const struct iob_iolog_bin_record none;
	const struct iob_iolog_bin_record *rec = found->rec ? found->rec : &none;
	char via[ESCAPE_SIZE(IOB_COMM_LEN)], comm[ESCAPE_SIZE(IOB_COMM_LEN)], who[32];
	char rwbs[ESCAPE_SIZE(sizeof(e->rwbs))], letter[2] = "";
	bool known = found->rec, place = e->dev;
	struct cell c[NR_COLUMNS];

	letter[0] = blkevent_letters[e->kind];
	escape_text(via, sizeof(via), e->comm, sizeof(e->comm));
	escape_text(rwbs, sizeof(rwbs), e->rwbs, strlen(e->rwbs));
	c[TIME_NS] = CELL_N(run_wall_ns(run, e->ns));
	c[TIME_S] = c[TIME_NS];
	c[SINCE] = CELL_N(e->ns - run->source.head.start_ns);
	c[CPU] = CELL_N(e->cpu);
	c[SEQ] = CELL_N(shown);
	c[DEVICE] = CELL_TEXT(place ? name_disk(e->dev) : NULL);
	c[DEV_NR] = CELL_TEXT(place ? events_number(&events, e->dev) : NULL);
	c[ACTION] = CELL_TEXT(letter);
	c[WHAT] = CELL_TEXT(blkevent_words[e->kind]);
	c[RWBS] = CELL_TEXT(*rwbs ? rwbs : NULL);
	c[SECTOR] = CELL_IF(place, e->sector);
	c[SECTORS] = CELL_IF(place && e->kind != EV_block_split, e->sectors);
	c[OTHER_SECTOR] = CELL_IF(*letter == 'A' || *letter == 'X', e->other_sector);
	c[OTHER_DEV] = CELL_TEXT(*letter == 'A' ? events_number(&events, e->other_dev) : NULL);
	c[REQUESTS] = CELL_IF(*letter == 'U', e->nr_rq);
	c[ERROR] = CELL_IF(*letter == 'C', (uint64_t)(int64_t)e->error);
	c[VIA_PID] = CELL_N(e->pid);
	c[VIA_COMM] = CELL_TEXT(*via ? via : NULL);
	c[WHO] = CELL_TEXT(known ? rec_who(rec->role_kind, abs(rec->id), who, sizeof(who)) : NULL);
	c[PID] = CELL_IF(known && rec->role_kind <= ROLE_PROCESS, rec->id);
	c[TGID] = CELL_IF(known && rec->tgid, rec->tgid);
	c[ROLE] = CELL_TEXT(known ? rec_role_name(rec->role_kind) : NULL);
	c[COMM] = CELL_TEXT(known ? originator(rec, comm, sizeof(comm)) : NULL);
	c[CGROUP] = CELL_TEXT(known ? name_cgroup(rec->cgroup) : NULL);
	c[OTHERS] = CELL_IF(known, found->others);
	c[WHY] = CELL_TEXT(known ? intent_why(rec) : NULL);
	c[HOW] = CELL_TEXT(known ? rec_how_name(rec->how) : NULL);
	c[FILE_PATH] = CELL_TEXT(known ? name_file(rec->dev, rec->ino, rec->gen) : NULL);
	table_row(table, c);
}

/* True if only IO of some originators is to be shown. */
static bool has_filter(const struct opts *o)
{
	return o->nr_pids || o->nr_comms || o->nr_cgroups || o->nr_users || o->nr_files || *o->rw;
}

static void print_event(const struct blkevent *e, const struct origins_found *found, void *arg)
{
	struct run *run = arg;
	const struct opts *o = run->opts;

	if (run->quit || !blkevent_is_in(e, o->acts ? o->acts : BLKEVENT_ALL_ACTS))
		return;
	if (found->rec ? !filter_chooses(&run->filter, found->rec) : has_filter(o))
		return;
	shown++;
	kinds_shown[e->kind]++;
	unknown += !found->rec && blkevent_has_place(e);
	if (o->format == FORMAT_TABLE)
		print_line(run, e, found);
	else
		print_row(run, e, found);
	if (o->rows && shown >= o->rows)
		run->quit = true;
}

static int begin_trace(struct run *run)
{
	uint32_t kinds = run->opts->acts;

	table = table_new(FORMAT_JSON, "event", columns, NR_COLUMNS);
	if (run->opts->format == FORMAT_CSV) {
		table_end(table);
		table = table_new(FORMAT_CSV, "event", columns, NR_COLUMNS);
	}
	/* a property may be that of any event */
	if (!kinds || kinds >> NR_BLKEVENTS)
		kinds = (1U << NR_BLKEVENTS) - 1;
	/* who asked for a flush is known by what was queued */
	kinds |= 1U << EV_block_bio_queue;
	return events_begin(&events, kinds, run->session.device, run->session.nr_devices);
}

static void keep_record(struct run *run, const struct iob_iolog_bin_record *rec)
{
	(void)run;
	events_record(&events, rec);
}

static void release_events(struct run *run)
{
	events_fill(&events);
	events_release(&events, false, print_event, run);
	out_flush();
}

/* ioblame is about to be switched off: what comes then has no record. */
static void stop_events(struct run *run)
{
	(void)run;
	tracefs_stop(&events.trace);
}

/* How many events of each kind there were, and how many are not known: below the lines. */
static void print_counts(struct run *run)
{
	uint64_t lost = tracefs_lost(&events.trace), n;
	unsigned int i, k;
	struct json_object *sum;

	if (run->opts->format == FORMAT_JSON) {
		sum = json_begin("events");
		json_n(sum, "events", shown);
		json_n(sum, "unknown_events", unknown);
		json_n(sum, "lost_events", lost);
		json_print(sum);
	} else if (run->opts->format == FORMAT_TABLE) {
		out_printf("\n%llu events:", (unsigned long long)shown);
		for (i = 0; i < NR_BLKEVENTS; i++) {
			for (k = i, n = 0; k < NR_BLKEVENTS; k++) {
				if (blkevent_letters[k] != blkevent_letters[i])
					continue;
				n += kinds_shown[k];
				kinds_shown[k] = 0;
			}
			if (n)
				out_printf(" %llu %s,", (unsigned long long)n, blkevent_words[i]);
		}
		out_printf(" %llu of them by nobody known.\n", (unsigned long long)unknown);
	}
	if (lost)
		msg("%llu events had no room in the kernel's buffers: watch one disk (-D), or fewer actions (--act)",
		    (unsigned long long)lost);
}

static void end_events(struct run *run, uint64_t from_ns, uint64_t to_ns, bool last)
{
	(void)from_ns;
	(void)to_ns;
	if (!last)
		return;
	events_fill(&events);
	events_release(&events, true, print_event, run);
	print_counts(run);
}

static int end_trace(struct run *run)
{
	(void)run;
	events_end(&events);
	table_end(table);
	return EXIT_OK;
}

int cmd_trace(const struct opts *o)
{
	static const struct view view = {
		.begin = begin_trace, .all = true, .record = keep_record, .filled = release_events,
		.stopping = stop_events, .interval = end_events, .end = end_trace,
	};

	return view_run(o, &view);
}
