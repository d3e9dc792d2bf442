// SPDX-License-Identifier: GPL-2.0
/* Whoever reads tables of the past slowly holds up nothing; days are those of the time zone. */
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "databases.h"
#include "device.h"
#include "fake_table.h"
#include "flame.h"
#include "history.h"
#include "hist_print.h"
#include "out.h"
#include "stop.h"
#include "table.h"
#include "usage_print.h"
#include "work.h"

enum {
	INTERVALS = 6,
	TABLE = 100000,		/* bytes of a table: more than a pipe holds */
	TABLES = 400,
};

/* The tables that are printed as JSON */
static struct { int64_t from_ns; uint64_t ios; } tables[TABLES];
static unsigned int nr_tables;
static unsigned int nr_flames, nr_hists;

bool usage_wanted(const struct opts *o, const struct usage_key *key)
{
	(void)o;
	(void)key;
	return true;
}

bool usage_is_of_user(const struct usage_key *key, const char *word)
{
	return !strcmp(key->user, word);
}

void usage_print(const struct opts *o, const struct usage_list *rows, enum pivot by)
{
	static char line[TABLE];

	(void)rows;
	(void)by;
	if (o->format == FORMAT_JSON)
		return;
	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\n';
	out_write(line, sizeof(line));
}

/* This machine has one disk, of one partition, and another name for it. */
bool device_lookup(const char *word, struct device *d)
{
	memset(d, 0, sizeof(*d));
	strcpy(d->name, strcmp(word, "8:1") ? "sda" : "sda1");
	d->disk = 8 << 20;
	d->dev = d->disk + !strcmp(word, "8:1");
	return !strncmp(word, "8:", 2) || !strcmp(word, "/dev/mapper/a");
}

/* What other views of the past need */
void hist_print(const struct run *run, const struct hist *h, __uint128_t sum, const char *by,
		const char *name, uint64_t to_ns)
{
	(void)run;
	(void)h;
	(void)sum;
	(void)by;
	(void)name;
	(void)to_ns;
	nr_hists++;
}

unsigned int hist_time_slot(uint64_t ns)
{
	(void)ns;
	return 0;
}

struct flame *flame_new(void)
{
	return NULL;
}

/* IOs of a stack have as many bytes as its function is called. */
void flame_add(struct flame *f, const char *const *frame, unsigned int nr, uint64_t weight)
{
	char name[32];

	(void)f;
	sprintf(name, "f%llu", (u64)weight);
	if (nr != 4 || strcmp(frame[1], name) || strcmp(frame[2], "g"))
		fail("stack %llu has other frames", (u64)weight);
	nr_flames++;
}

void table_row(struct table *t, const struct cell *cells)
{
	(void)t;
	if (nr_tables < TABLES) {
		tables[nr_tables].from_ns = cells[0].n;
		tables[nr_tables++].ios = cells[4].n;
	}
}

void table_end(struct table *t)
{
	(void)t;
}

void past_open_served(struct past *past)
{
	(void)past;
}

static void add_interval(struct recorder *r, int nr)
{
	int64_t from_ns = BEGIN + nr * 10 * SECOND;
	struct usage_list list = { .from_ns = from_ns, .until_ns = from_ns + 10 * SECOND };
	const struct usage u = {
		.key = { .unit = "a.service", .program = "cat", .user = "root", .file = "/a",
			 .disk = "sda", .why = "data" }, .ios = 1,
	};

	usage_add(&list, &u);
	recorder_add(r, &list);
	usage_clear(&list);
}

/* `ioblame top 10 --since`, whose reader is @fd; end its pid. */
static pid_t start_top(int *fd)
{
	const struct opts o = {
		.command = CMD_TOP, .since_ns = BEGIN, .until_ns = BEGIN + 3600 * SECOND,
		.interval_ns = 10 * SECOND, .past = { disk, recent }, .nr_pasts = 2,
		.by = BY_PROCESS,
	};
	int pair[2], ret;
	pid_t pid;

	if (pipe(pair))
		return -1;
	pid = fork();
	if (!pid) {
		dup2(pair[1], STDOUT_FILENO);
		close(pair[0]);
		close(pair[1]);
		stop_init();
		ret = history_top(&o);
		out_flush();
		_exit(ret);
	}
	close(pair[1]);
	*fd = pair[0];
	return pid;
}

static void slow_reader(void)
{
	static char text[TABLE];
	struct recorder r;
	size_t bytes = 0;
	struct pollfd p;
	int fd, i, status;
	ssize_t n;
	pid_t pid;

	begin();
	recorder_open(&r, &conf);
	for (i = 0; i < INTERVALS; i++)
		add_interval(&r, i);
	pid = start_top(&fd);
	p = (struct pollfd){ .fd = fd, .events = POLLIN };
	if (pid < 0 || poll(&p, 1, 60000) != 1)
		fail("nothing is printed");
	add_interval(&r, INTERVALS);
	checkpoint(recent);
	checkpoint(disk);
	while ((n = read(fd, text, sizeof(text))) > 0)
		bytes += n;
	if (bytes < INTERVALS * TABLE || bytes > INTERVALS * (TABLE + 200))
		fail("%zu bytes are printed", bytes);
	if (waitpid(pid, &status, 0) != pid || status)
		fail("status %d", status);
	close(fd);
	recorder_close(&r);
	end();
}

/* Intervals of 10 s, from @from up to @until, of which those up to @idle have no IO. */
static void record_intervals(struct recorder *r, int from, int idle, int until)
{
	struct usage_list list = { 0 };

	for (; from < idle; from++) {
		list.from_ns = BEGIN + from * 10 * SECOND;
		list.until_ns = list.from_ns + 10 * SECOND;
		recorder_add(r, &list);
	}
	for (; from < until; from++)
		add_interval(r, from);
}

/* What was recorded lasted so long, with what was idle, and without the hours that nobody saw. */
static void recorded_time(void)
{
	static const struct { int from, until, recorded; } asked[] = {
		{ 0, 3600, 1440 }, { 0, 720, 720 }, { 6, 12, 6 },
		/* by minutes: both ends are in the middle of one */
		{ 700, 2000, 24 + 204 },
		{ 720, 1800, 0 }, { 2161, 3600, 359 },
	};
	struct opts o = { .past = { disk, recent }, .nr_pasts = 2, .format = FORMAT_JSON };
	struct usage_list list = { 0 };
	struct recorder r;
	size_t i;

	begin();
	conf.interval_ns = 10 * SECOND;
	recorder_open(&r, &conf);
	/* an hour that is idle, one of IO, hours that nobody saw, and two as at first */
	record_intervals(&r, 0, 360, 720);
	record_intervals(&r, 1800, 2160, 2520);
	recorder_close(&r);
	for (i = 0; i < ARRAY_SIZE(asked); i++) {
		o.since_ns = BEGIN + asked[i].from * 10 * SECOND;
		o.until_ns = BEGIN + asked[i].until * 10 * SECOND;
		if (history_list(&o, 0, false, &list))
			fail("case %zu: it fails", i);
		if (list.recorded_ns != asked[i].recorded * 10 * SECOND)
			fail("case %zu: %lld s are recorded, not %d", i,
			     (s64)(list.recorded_ns / SECOND), 10 * asked[i].recorded);
		usage_clear(&list);
	}
	end();
}

/* What nobody recorded, or what is gone of it, in an hour and the one after it */
static const struct gap_case {
	int from, until;	/* intervals that nobody recorded */
	const char *gone;	/* of the spans in @in */
	const char *in;
	int since, to;		/* asked, in intervals */
	int ios;		/* of what is asked */
	unsigned int tables;	/* by minutes, of the first hour */
	int recorded;		/* seconds of what is asked */
	bool set;		/* the clock was set forward; else the machine was down */
	int idle;		/* so many intervals at first have no IO */
} gap_cases[] = {
	/* from :20 to :25, and what was in memory is gone with the machine */
	{ 120, 150, NULL, NULL, 90, 180, 60, 55, 600 },
	{ 120, 150, NULL, NULL, 126, 144, 0, 55, 0 },
	{ 120, 150, NULL, NULL, 0, 240, 210, 55, 2100 },
	{ 60, 270, NULL, NULL, 270, 276, 6, 25, 60 },
	{ 120, 150, NULL, NULL, 90, 180, 60, 55, 600, true },
	/* within a minute: what is before it is the minute's, or its intervals' */
	{ 302, 305, NULL, NULL, 301, 306, 3, 60, 30 },
	{ 302, 305, NULL, NULL, 301, 306, 2, 60, 20, true },
	/* minutes are lost, or the oldest have gone: the hour has what they had */
	{ 0, 0, "level = 1 AND id IN (SELECT id FROM span WHERE level = 1 LIMIT 5 OFFSET 20)",
	  disk, 90, 180, 360, 1, 3600 },
	{ 120, 150, "level = 1 AND id IN (SELECT id FROM span WHERE level = 1 LIMIT 1 OFFSET 30)",
	  disk, 90, 180, 330, 1, 3600 },
	{ 120, 150, "level = 1 AND id IN (SELECT id FROM span WHERE level = 1 LIMIT 5)",
	  disk, 90, 180, 330, 1, 3600 },
	{ 120, 150, "level = 1 AND id IN (SELECT id FROM span WHERE level = 1 LIMIT 5)",
	  disk, 0, 240, 300, 1, 3600, .idle = 30 },
	/* what follows the gap is there, as the oldest have gone */
	{ 120, 150, "level = 1 AND id IN (SELECT id FROM span WHERE level = 1 LIMIT 5)",
	  disk, 180, 210, 30, 1, 300 },
	/* intervals are lost */
	{ 0, 0, "level = 0 AND id IN (SELECT id FROM span WHERE level = 0 LIMIT 2 OFFSET 302)",
	  recent, 301, 305, 6, 60, 60, true },
};

static void ask_gap(const struct gap_case *c)
{
	struct opts o = {
		.past = { disk, recent }, .nr_pasts = 2, .format = FORMAT_JSON,
		.since_ns = BEGIN + c->since * 10 * SECOND, .until_ns = BEGIN + c->to * 10 * SECOND,
	};
	struct usage_list list = { 0 };
	uint64_t ios = 0;
	size_t i, nr = c - gap_cases;

	quiet(true);
	if (history_list(&o, 0, false, &list))
		fail("case %zu: it fails", nr);
	quiet(false);
	for (i = 0; i < list.nr; i++)
		ios += list.list[i].ios;
	if (ios != (uint64_t)c->ios || list.recorded_ns != c->recorded * SECOND)
		fail("case %zu: %llu IOs, not %d, in %lld s", nr, (u64)ios, c->ios,
		     (s64)(list.recorded_ns / SECOND));
	usage_clear(&list);
	o.command = CMD_TOP;
	o.since_ns = BEGIN;
	o.until_ns = BEGIN + 3600 * SECOND;
	o.interval_ns = 60 * SECOND;
	o.by = BY_PROCESS;
	nr_tables = 0;
	if (history_top(&o))
		fail("case %zu: it fails", nr);
	if (nr_tables != c->tables)
		fail("case %zu: %u tables, not %u", nr, nr_tables, c->tables);
}

/* An hour in which the machine was down for a while is shown by its minutes. */
static void gaps(void)
{
	const struct gap_case *c;
	struct recorder r;
	char sql[160];
	sqlite3 *db;

	for (c = gap_cases; c < gap_cases + ARRAY_SIZE(gap_cases); c++) {
		begin();
		conf.interval_ns = 10 * SECOND;
		/* where minutes are gone, their intervals are */
		conf.recent_ns = (c->in == disk ? 60 : 4 * 3600) * SECOND;
		recorder_open(&r, &conf);
		record_intervals(&r, 0, c->idle, c->from);
		if (!c->set) {
			recorder_close(&r);
			run_shell("rm -f %s*", recent);
			recorder_open(&r, &conf);
		}
		record_intervals(&r, c->until, 0, 370);
		recorder_close(&r);
		snprintf(sql, sizeof(sql), "DELETE FROM span WHERE %s", c->gone);
		if (c->gone &&
		    (sqlite3_open(c->in, &db) || sqlite3_exec(db, sql, NULL, NULL, NULL)))
			fail("%s", sqlite3_errmsg(db));
		if (c->gone)
			sqlite3_close(db);
		ask_gap(c);
		end();
	}
}

/* A database of @nr hours from @t on, with one IO in each. */
static void put_hours(time_t t, int nr)
{
	struct recorder r;
	char sql[1024];
	sqlite3 *db;

	begin();
	recorder_open(&r, &conf);
	recorder_close(&r);
	snprintf(sql, sizeof(sql),
		 "INSERT INTO name VALUES (1, ''), (2, 'sda');"
		 "INSERT INTO originator VALUES (1, 1, 1, 1, 1, 2, 1, 0, NULL, 0, 0);"
		 "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %d) "
		 "INSERT INTO span SELECT i + 1, 2, 0, (%lld + i * 3600) * 1000000000, "
		 "(%lld + (i + 1) * 3600) * 1000000000, 0 FROM n;"
		 "INSERT INTO usage SELECT id * 4096, 1, 1, 4096, 1000, 0, '[7,1]' FROM span",
		 nr - 1, (s64)t, (s64)t);
	if (sqlite3_open(disk, &db) || sqlite3_exec(db, sql, NULL, NULL, NULL))
		fail("%s", sqlite3_errmsg(db));
	sqlite3_close(db);
}

/* Clocks are set in the middle of what is shown, or not at all. */
static const struct zone_case {
	const char *zone;
	int year, month, day, days, hours;	/* @hours of a step */
	unsigned int nr, odd;			/* steps; the one of another length */
	uint64_t ios, odd_ios;
	int first_minute;			/* of the hours that are kept */
} zone_cases[] = {
	{ "CET-1CEST,M3.5.0,M10.5.0/3", 2025, 10, 20, 11, 0, 11, 6, 24, 25 },
	{ "CET-1CEST,M3.5.0,M10.5.0/3", 2025, 3, 27, 7, 0, 7, 3, 24, 23 },
	{ "CET-1CEST,M3.5.0,M10.5.0/3", 2025, 10, 20, 11, 12, 22, 12, 12, 13 },
	{ "CET-1CEST,M3.5.0,M10.5.0/3", 2025, 3, 27, 7, 6, 28, 12, 6, 5 },
	{ "CET-1CEST,M3.5.0,M10.5.0/3", 2025, 10, 20, 11, 2, 132, 73, 2, 3 },
	{ "CET-1CEST,M3.5.0,M10.5.0/3", 2025, 10, 26, 2, 1, 49, 0, 1, 1 },
	{ "CET-1CEST,M3.5.0,M10.5.0/3", 2025, 3, 30, 2, 1, 47, 0, 1, 1 },
	/* weeks since 1970, which began on a Thursday */
	{ "CET-1CEST,M3.5.0,M10.5.0/3", 2025, 10, 16, 28, 168, 4, 1, 168, 169 },
	/* at midnight, and to midnight */
	{ "CST5CDT,M3.2.0/0,M11.1.0/1", 2025, 3, 5, 8, 0, 8, 4, 24, 23 },
	{ "CST5CDT,M3.2.0/0,M11.1.0/1", 2025, 10, 29, 8, 0, 8, 4, 24, 25 },
	{ "IST-5:30", 2025, 10, 20, 11, 0, 11, 0, 24, 24, 30 },
	{ "UTC0", 2025, 10, 20, 11, 0, 11, 0, 24, 24 },
	/* by half an hour: the days before begin with a half of an hour that is the day before's */
	{ "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 2025, 10, 1, 8, 0, 8, 4, 24, 23, 30 },
	{ "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 2025, 4, 2, 8, 0, 8, 4, 24, 25 },
};

static void check_tables(const struct zone_case *z, time_t from)
{
	time_t t, before;
	unsigned int i;
	struct tm tm;
	int day;

	if (nr_tables != z->nr)
		fail("%s %d: %u tables, not %u", z->zone, z->hours, nr_tables, z->nr);
	for (i = 0; i < nr_tables && i < z->nr; i++) {
		if (tables[i].ios != (i == z->odd ? z->odd_ios : z->ios))
			fail("%s %d: table %u has %llu IOs", z->zone, z->hours, i,
			     (u64)tables[i].ios);
		t = tables[i].from_ns / SECOND;
		localtime_r(&t, &tm);
		day = tm.tm_yday;
		before = t - 3600;
		localtime_r(&before, &tm);
		/* the first hour that begins in its day */
		if ((!i && t != from) || (z->hours % 24 == 0 && tm.tm_yday == day))
			fail("%s %d: table %u is from an hour after %02d:%02d", z->zone, z->hours,
			     i, tm.tm_hour, tm.tm_min);
	}
}

/* `ioblame top --past FILE --since --until` over a change of the clocks: days are those of here. */
static void clocks_set(void)
{
	struct opts o = {
		.command = CMD_TOP, .past = { disk }, .nr_pasts = 1, .by = BY_PROCESS,
		.format = FORMAT_JSON,
	};
	const struct zone_case *z;
	time_t from, until;
	struct tm tm;

	for (z = zone_cases; z < zone_cases + ARRAY_SIZE(zone_cases); z++) {
		setenv("TZ", z->zone, 1);
		tzset();
		tm = (struct tm){ .tm_year = z->year - 1900, .tm_mon = z->month - 1,
				  .tm_mday = z->day, .tm_min = z->first_minute, .tm_isdst = -1 };
		from = mktime(&tm);
		tm = (struct tm){ .tm_year = z->year - 1900, .tm_mon = z->month - 1,
				  .tm_mday = z->day + z->days, .tm_isdst = -1 };
		until = mktime(&tm);
		put_hours(from, (until - from + 3599) / 3600);
		o.since_ns = from * SECOND;
		o.until_ns = until * SECOND;
		o.interval_ns = z->hours * 3600ULL * SECOND;
		nr_tables = 0;
		if (history_top(&o))
			fail("%s: it fails", z->zone);
		check_tables(z, from);
		end();
	}
	unsetenv("TZ");
	tzset();
}

/* A database with one hour, of an IO by each of so many stacks. */
static void put_stacks(unsigned int stacks)
{
	struct recorder r;
	char sql[1024];
	sqlite3 *db;

	begin();
	recorder_open(&r, &conf);
	recorder_close(&r);
	snprintf(sql, sizeof(sql),
		 "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %u) "
		 "INSERT INTO stack SELECT i, 'f' || i || ';g' FROM n;"
		 "INSERT INTO name VALUES (1, ''), (2, 'sda');"
		 "INSERT INTO originator "
		 "SELECT hash, 1, 1, 1, 1, 2, 1, hash, NULL, 0, 0 FROM stack;"
		 "INSERT INTO span VALUES (1, 2, 0, %lld, %lld, 0);"
		 "INSERT INTO usage SELECT 4096 + hash, hash, 1, hash, 1000, 0, '[7,1]' FROM stack",
		 stacks, (s64)BEGIN, (s64)(BEGIN + 3600 * SECOND));
	if (sqlite3_open(disk, &db) || sqlite3_exec(db, sql, NULL, NULL, NULL))
		fail("%s", sqlite3_errmsg(db));
	sqlite3_close(db);
}

static void draw_stacks(unsigned int stacks)
{
	const struct opts o = {
		.command = CMD_STACKS, .since_ns = BEGIN, .until_ns = BEGIN + 3600 * SECOND,
		.past = { disk }, .nr_pasts = 1, .weight = WEIGHT_BYTES,
	};
	struct flame *f;
	double seconds;

	put_stacks(stacks);
	nr_flames = 0;
	if (history_flame(&o, &f, &seconds) || nr_flames != stacks)
		fail("%u stacks are drawn, not %u", nr_flames, stacks);
	end();
}

/* Each stack finds its text without a look at all others. */
static void many_stacks(void)
{
	work_is_linear("stacks", draw_stacks);
}

/* Bars are cut without -r, what programs read is not. */
static void cut(void)
{
	static const struct {
		enum format format;
		unsigned int rows, shown;
		const char *more;
	} cuts[] = {
		{ FORMAT_TABLE, 0, 20, "\n... and 5 more (--rows)\n" },
		{ FORMAT_JSON, 0, 25, NULL }, { FORMAT_CSV, 0, 25, NULL },
		{ FORMAT_TABLE, 22, 22, "\n... and 3 more (--rows)\n" },
		{ FORMAT_JSON, 22, 22, NULL }, { FORMAT_CSV, 22, 22, NULL },
	};
	const char *said;
	size_t i;

	put_stacks(25);
	for (i = 0; i < ARRAY_SIZE(cuts); i++) {
		const struct opts o = {
			.command = CMD_HIST, .since_ns = BEGIN, .until_ns = BEGIN + 3600 * SECOND,
			.past = { disk }, .nr_pasts = 1, .by = BY_STACK, .given_by = true,
			.format = cuts[i].format, .rows = cuts[i].rows,
		};

		nr_hists = 0;
		out_keep();
		if (history_hist(&o) || nr_hists != cuts[i].shown)
			fail("case %zu: %u histograms, not %u", i, nr_hists, cuts[i].shown);
		said = strstr(out_kept(), "\n...");
		if (cuts[i].more ? !said || strcmp(said, cuts[i].more) : !!said)
			fail("case %zu: it says %s", i, said ? said : "nothing");
	}
	end();
}

/* What matches what, and what is said of that which matches nothing */
static const struct word_case {
	const char *device, *cgroup, *comm, *user, *file, *past;
	const char *name, *program;	/* of the IO, if they are not the usual ones */
	bool wanted;
	const char *said;
} word_cases[] = {
	{ .wanted = true },
	{ .device = "sda", .wanted = true }, { .device = "/dev/sda", .wanted = true },
	{ .device = "8:0", .wanted = true }, { .device = "/dev/mapper/a", .wanted = true },
	{ .device = "8:1", .said = "-D 8:1 matches nothing; there is IO of: sda\n" },
	{ .device = "8:0", .past = "copy", .said = "-D 8:0 matches nothing; there is IO of: sda\n" },
	{ .device = "sdz", .said = "-D sdz matches nothing; there is IO of: sda\n" },
	{ .cgroup = "a.serv", .wanted = true }, { .cgroup = "a*", .wanted = true },
	{ .cgroup = "[ab].service", .wanted = true }, { .cgroup = "?.service", .wanted = true },
	{ .cgroup = "serv*", .said = "-g serv* matches nothing; there is IO of: a.service\n" },
	{ .cgroup = "b", .comm = "c?t",
	  .said = "-g b matches nothing; there is IO of: a.service\n" },
	{ .comm = "nobody", .said = "-c nobody matches nothing; there is IO of: cat\n" },
	{ .user = "root", .wanted = true },
	{ .user = "ann", .said = "-u ann matches nothing; there is IO of: root\n" },
	{ .file = "/b", .said = "--file /b matches nothing; there is IO of: /a\n" },
	{ .file = "/*", .device = "sda", .comm = "cat", .cgroup = "a", .wanted = true },
	/* names are escaped text, and so are words: a backslash stands for itself */
	{ .name = "/caf\\351.db", .file = "/caf\\351.db", .wanted = true },
	{ .name = "/caf\\351.db", .file = "/caf\\35[01]*", .wanted = true },
	{ .name = "/caf351.db", .file = "/caf\\351.db",
	  .said = "--file /caf\\134351.db matches nothing; there is IO of: /caf351.db\n" },
	{ .program = "a\\134b", .comm = "a\\134b", .wanted = true },
	{ .program = "a134b", .comm = "a\\134b",
	  .said = "-c a\\134134b matches nothing; there is IO of: a134b\n" },
};

static void words_match(void)
{
	struct usage_key key = {
		.unit = "a.service", .user = "root", .disk = "sda", .why = "data",
	};
	const struct word_case *c;
	FILE *usual = stderr;
	char said[512];

	for (c = word_cases; c < word_cases + ARRAY_SIZE(word_cases); c++) {
		const struct opts o = {
			.device = { c->device }, .nr_devices = !!c->device, .past = { c->past },
			.nr_pasts = !!c->past, .cgroup = { c->cgroup },
			.nr_cgroups = !!c->cgroup, .comm = { c->comm }, .nr_comms = !!c->comm,
			.user = { c->user }, .nr_users = !!c->user,
			.file = { c->file }, .nr_files = !!c->file,
		};

		key.file = c->name ? c->name : "/a";
		key.program = c->program ? c->program : "cat";
		memset(said, 0, sizeof(said));
		stderr = fmemopen(said, sizeof(said), "w");
		if (history_wants(&o, &key) != c->wanted)
			fail("case %zu is wanted, or not", (size_t)(c - word_cases));
		history_end_words(&o);
		fclose(stderr);
		stderr = usual;
		if (c->said ? !strstr(said, c->said) : *said)
			fail("case %zu: %s", (size_t)(c - word_cases), said);
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(slow_reader), TEST(clocks_set), TEST(many_stacks),
		TEST(words_match), TEST(recorded_time), TEST(gaps), TEST(cut),
	};

	return run_tests("tool_history", tests, ARRAY_SIZE(tests));
}
