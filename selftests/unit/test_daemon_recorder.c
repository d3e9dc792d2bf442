// SPDX-License-Identifier: GPL-2.0
/*
 * The recorder against plain sums of what it was given: over any time, after kill -9, a full
 * disk, damage, a clock set back.  Where bytes to a disk are
 * measured, its database is in build/.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "databases.h"
#include "past.h"
#include "test.h"

/* A usage of @nr: its names, and what it did, are made of the number. */
static struct usage one_usage(unsigned int nr, char *unit, char *file)
{
	struct usage u = { .key = { .program = "cat", .user = "root", .disk = "sda", .why = "data" } };

	sprintf(unit, "unit-%u.service", nr);
	sprintf(file, "/srv/%u/file", nr);
	u.key.unit = unit;
	u.key.file = file;
	u.key.op = nr % 2 ? 2 : 0;
	u.ios = 1 + nr % 7;
	u.bytes = 4096 * u.ios;
	u.ns = 100000 * u.ios;
	u.lat[nr % USAGE_SLOTS] = u.ios;
	return u;
}

static uint64_t add_span(struct recorder *r, int64_t from_ns, int64_t ns, unsigned int first,
			 unsigned int units)
{
	struct usage_list list = { .from_ns = from_ns, .until_ns = from_ns + ns };
	char unit[64], file[64];
	uint64_t ios = 0;
	unsigned int i;

	for (i = 0; i < units; i++) {
		struct usage u = one_usage(first + i, unit, file);

		ios += u.ios;
		usage_add(&list, &u);
	}
	recorder_add(r, &list);
	usage_clear(&list);
	return ios;
}

static uint64_t add_interval(struct recorder *r, int64_t from_ns, unsigned int first,
			     unsigned int units)
{
	return add_span(r, from_ns, 10 * SECOND, first, units);
}

/* What goes to the disk is the same for six times as many intervals. */
static void add_minute(struct recorder *r, int nr, unsigned int first, unsigned int units)
{
	add_span(r, BEGIN + nr * 60 * SECOND, 60 * SECOND, first, units);
}

struct total {
	uint64_t ios, bytes, lat, errors;
	bool named;
};

static bool sum_usage(const struct usage *u, const struct past_span *span, void *arg)
{
	struct total *t = arg;
	unsigned int i;

	(void)span;
	t->ios += u->ios;
	t->bytes += u->bytes;
	t->errors += u->errors;
	t->named |= !strcmp(u->key.unit, "unit-3.service");
	for (i = 0; i < USAGE_SLOTS; i++)
		t->lat += u->lat[i];
	return true;
}

static struct total ask(int64_t from_ns, int64_t until_ns)
{
	struct total t = { 0 };
	struct past past;

	if (past_open(&past, disk, recent)) {
		fail("the past cannot be opened");
		return t;
	}
	if (past_each(&past, from_ns, until_ns, sum_usage, &t))
		fail("the past cannot be read");
	past_close(&past);
	return t;
}

/* Two hours: any question is answered to the interval, as long as these are kept. */
static void sums(void)
{
	enum { INTERVALS = 2 * 360 };
	static uint64_t ios[INTERVALS];
	uint64_t want;
	struct recorder r;
	struct total t;
	int i, k, a, b;

	begin();
	conf.recent_ns = 4 * 3600 * SECOND;
	if (recorder_open(&r, &conf))
		fail("open");
	for (i = 0; i < INTERVALS; i++)
		ios[i] = add_interval(&r, BEGIN + i * 10 * SECOND, rnd(5), 1 + rnd(20));
	for (k = 0; k < 60; k++) {
		a = rnd(INTERVALS);
		b = a + 1 + rnd(INTERVALS - a);
		if (!k) {
			a = 0;
			b = INTERVALS;
		}
		want = 0;
		for (i = a; i < b; i++)
			want += ios[i];
		t = ask(BEGIN + a * 10 * SECOND, BEGIN + b * 10 * SECOND);
		if (t.ios != want || t.bytes != 4096 * want || t.lat != want)
			fail("%d to %d: %llu IOs, %llu in the histogram, not %llu", a, b,
			     (u64)t.ios, (u64)t.lat, (u64)want);
		if (k == 0 && !t.named)
			fail("a unit has lost its name");
	}
	recorder_close(&r);
	end();
}

/* The parts of a span that are gone are not missed: the span is taken whole. */
static void aged(void)
{
	uint64_t want = 0;
	struct recorder r;
	struct total t;
	int i;

	begin();
	conf.recent_ns = 60 * SECOND;
	if (recorder_open(&r, &conf))
		fail("open");
	for (i = 0; i < 2 * 360; i++)
		want += add_interval(&r, BEGIN + i * 10 * SECOND, 0, 3);
	t = ask(BEGIN, BEGIN + 7200 * SECOND);
	if (t.ios != want)
		fail("%llu of %llu", (u64)t.ios, (u64)want);
	/* ten seconds of an old minute are the minute */
	t = ask(BEGIN + 70 * SECOND, BEGIN + 80 * SECOND);
	if (t.ios != want / 120)
		fail("a minute has %llu, not %llu", (u64)t.ios, (u64)want / 120);
	recorder_close(&r);
	end();
}

/*
 * Two hours, then the machine is suspended for three days: the minutes of the hours are too old
 * when it goes on, their intervals are still there, and each IO counts once.
 */
static void suspended(void)
{
	enum { INTERVALS = 2 * 360 + 200, AFTER = 67 };
	const int64_t wake = BEGIN + 3 * 86400 * SECOND;
	uint64_t want, all;
	struct recorder r;
	int i, k;

	/* then with intervals that are kept for longer than minutes */
	for (k = 0; k < 2; k++) {
		begin();
		if (k) {
			conf.minutes_ns = 3600 * SECOND;
			conf.recent_ns = 7200 * SECOND;
		}
		recorder_open(&r, &conf);
		for (all = 0, want = 0, i = 0; i < INTERVALS; i++) {
			all += add_interval(&r, BEGIN + i * 10 * SECOND, i % 5, 3);
			want = i == 719 ? all : want;
		}
		if (ask(BEGIN, BEGIN + 7200 * SECOND).ios != want)
			fail("%d: %llu before", k, (u64)ask(BEGIN, BEGIN + 7200 * SECOND).ios);
		for (i = 0; i < AFTER; i++)
			add_interval(&r, wake + i * 10 * SECOND, 0, 3);
		if (ask(BEGIN, BEGIN + 7200 * SECOND).ios != want || ask(0, wake).ios != all)
			fail("%d: %llu of %llu, %llu of %llu", k,
			     (u64)ask(BEGIN, BEGIN + 7200 * SECOND).ios, (u64)want,
			     (u64)ask(0, wake).ios, (u64)all);
		recorder_close(&r);
		recorder_open(&r, &conf);
		recorder_close(&r);
		if (ask(0, wake).ios != all)
			fail("%d: opened again: %llu of %llu", k, (u64)ask(0, wake).ios, (u64)all);
		end();
	}
}

/* A minute has no room and is lost: its intervals tell of it until its hour does. */
static void minute_lost(void)
{
	char elsewhere[80];
	uint64_t want = 0;
	struct recorder r;
	int i;

	begin();
	/* a file is in the way, for a while */
	snprintf(elsewhere, sizeof(elsewhere), "%s/in/past.db", folder);
	conf.file = elsewhere;
	run_shell("touch %s/in", folder);
	quiet(true);
	recorder_open(&r, &conf);
	for (i = 0; i < 360; i++) {
		want += add_interval(&r, BEGIN + i * 10 * SECOND, 0, 3);
		if (i != 90)
			continue;
		if (!recorder_db_exec(&r.recent, "DELETE FROM usage WHERE id / 4096 IN (SELECT id "
				      "FROM span WHERE level = 1); DELETE FROM span WHERE level = 1"))
			fail("no minute is lost");
		run_shell("rm %s/in", folder);
	}
	quiet(false);
	strcpy(disk, elsewhere);
	if (ask(0, INT64_MAX).ios != want)
		fail("%llu of %llu, the hour is not over", (u64)ask(0, INT64_MAX).ios, (u64)want);
	for (i = 360; i < 370; i++)
		want += add_interval(&r, BEGIN + i * 10 * SECOND, 0, 3);
	if (ask(0, INT64_MAX).ios != want)
		fail("%llu of %llu", (u64)ask(0, INT64_MAX).ios, (u64)want);
	recorder_close(&r);
	if (ask(0, INT64_MAX).ios != want)
		fail("closed: %llu of %llu", (u64)ask(0, INT64_MAX).ios, (u64)want);
	end();
}

/* A child adds intervals and says each one that is safe; it is killed at any moment. */
static void killed(void)
{
	enum { KILLS = 15 };
	uint64_t said = 0, got, child_ios;
	int k, fds[2], status, nr = 0;
	struct recorder r;
	struct total t;
	pid_t pid;

	begin();
	conf.flush_ns = 60 * SECOND;
	/* before it is made there is nothing to ask */
	recorder_open(&r, &conf);
	recorder_close(&r);
	for (k = 0; k < KILLS; k++) {
		if (pipe(fds))
			fail("pipe");
		pid = fork();
		if (!pid) {
			int i = nr;

			recorder_open(&r, &conf);
			for (;; i++) {
				child_ios = add_interval(&r, BEGIN + i * 10 * SECOND, 0, 10);
				if (write(fds[1], &child_ios, 8) != 8)
					_exit(1);
			}
		}
		close(fds[1]);
		usleep(20000 + rnd(80000));
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		while (read(fds[0], &child_ios, 8) == 8) {
			said += child_ios;
			nr++;
		}
		close(fds[0]);
		nr++;		/* one may be written and not said */
		t = ask(0, INT64_MAX);
		got = t.ios;
		if (got < said || got > said + (k + 1) * 40ULL)
			fail("kill %d: %llu IOs are there, %llu were said", k, (u64)got, (u64)said);
		if (got != t.lat)
			fail("kill %d: the histogram has %llu of %llu", k, (u64)t.lat, (u64)got);
	}
	recorder_open(&r, &conf);
	recorder_close(&r);
	t = ask(0, INT64_MAX);
	if (t.ios != got)
		fail("opened again: %llu, not %llu", (u64)t.ios, (u64)got);
	note("%d intervals, %d kills", nr, KILLS);
	end();
}

/* In a mount namespace of its own: a small tmpfs fills up, and is made larger. */
static int fill_disk(const char *place)
{
	uint64_t want = 0;
	struct recorder r;
	struct total t;
	int i;

	if (unshare(CLONE_NEWNS | (getuid() ? CLONE_NEWUSER : 0)) ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", place, "tmpfs", 0, "size=200k"))
		return 77;
	conf.flush_ns = 60 * SECOND;
	conf.recent_ns = 300 * SECOND;
	recorder_open(&r, &conf);
	for (i = 0; i < 120 && r.nr_old < 1; i++)
		want += add_interval(&r, BEGIN + i * 10 * SECOND, i * 50, 50);
	if (!r.disk.said)
		return 1;		/* it was not full */
	t = ask(0, INT64_MAX);
	if (t.ios != want)
		return 2;
	if (mount("tmpfs", place, "tmpfs", MS_REMOUNT, "size=64m"))
		return 77;
	for (; i < 200; i++)
		want += add_interval(&r, BEGIN + i * 10 * SECOND, 0, 5);
	if (r.disk.said)
		return 3;
	recorder_close(&r);
	unlink(recent);
	t = ask(0, INT64_MAX);
	return t.ios != want ? 4 : 0;
}

static void full_disk(void)
{
	int status, err;
	pid_t pid;

	begin();
	pid = fork();
	if (!pid) {
		err = open("/dev/null", O_WRONLY);
		dup2(err, STDERR_FILENO);
		_exit(fill_disk(folder));
	}
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		note("not tried: no mount namespace here");
	else if (status)
		fail("step %d of a full disk", WEXITSTATUS(status));
	end();
}

static void spoil(const char *path, off_t at)
{
	int fd = open(path, O_WRONLY);
	char bad[4096];

	memset(bad, 0x5a, sizeof(bad));
	if (fd < 0 || pwrite(fd, bad, sizeof(bad), at) != sizeof(bad))
		fail("cannot damage %s", path);
	close(fd);
}

static bool exists(const char *path, const char *more)
{
	char text[160];

	snprintf(text, sizeof(text), "%s%s", path, more);
	return !access(text, F_OK);
}

/* Either database is damaged, at its beginning or in it: it goes aside, and recording goes on. */
static void damaged(void)
{
	static const off_t places[] = { 0, 1024, 3 * 1024 };
	struct recorder r;
	struct total t;
	uint64_t more;
	size_t i;
	int k;

	for (i = 0; i < 2 * ARRAY_SIZE(places); i++) {
		const char *path = i % 2 ? disk : recent;

		begin();
		recorder_open(&r, &conf);
		for (k = 0; k < 60; k++)
			add_interval(&r, BEGIN + k * 10 * SECOND, k, 30);
		recorder_close(&r);
		spoil(path, places[i / 2]);
		quiet(true);
		recorder_open(&r, &conf);
		for (more = 0, k = 100; k < 160; k++)
			more += add_interval(&r, BEGIN + k * 10 * SECOND, k + 1000, 30);
		recorder_close(&r);
		t = ask(BEGIN + 1000 * SECOND, BEGIN + 2000 * SECOND);
		quiet(false);
		if (i < 2 && !exists(path, ".aside"))
			fail("damage at the beginning is not moved aside");
		if (exists(path, ".aside") && t.ios != more)
			fail("after damage %zu: %llu of %llu", i, (u64)t.ios, (u64)more);
		end();
	}
}

/* A version that is not known is kept aside. */
static void newer(void)
{
	struct recorder r;
	sqlite3 *db;

	begin();
	if (sqlite3_open(disk, &db) || sqlite3_exec(db, "PRAGMA user_version = 99", 0, 0, 0))
		fail("cannot make it");
	sqlite3_close(db);
	quiet(true);
	if (recorder_open(&r, &conf))
		fail("open");
	quiet(false);
	add_interval(&r, BEGIN, 0, 3);
	recorder_close(&r);
	if (!exists(disk, ".aside"))
		fail("it is not aside");
	if (!ask(0, INT64_MAX).ios)
		fail("nothing was recorded");
	end();
}

static void write_file(const char *path, const char *sql)
{
	sqlite3 *db;

	if (sqlite3_open(path, &db) || sqlite3_exec(db, sql, 0, 0, 0))
		fail("%s: %s", path, sqlite3_errmsg(db));
	sqlite3_close(db);
}

/* A file of version 1 is read as it is, and written as one of this version. */
static void older(void)
{
	static const char rows[] =
		"INSERT INTO name VALUES (1, 'unit-3.service'), (2, 'sda'), (3, '');"
		"INSERT INTO originator VALUES (1, 1, 3, 3, 3, 2, 3, 0, NULL, 2, 0);"
		"INSERT INTO span VALUES (7, 2, 0, 1795590000000000000, 1795593600000000000, 0);"
		"INSERT INTO usage VALUES (7 * 4096, 1, 1000, 4096000, 5, 1, '[7,1000]');"
		"PRAGMA user_version = 1";
	uint64_t more = 0;
	struct recorder r;
	struct total t;
	int i;

	begin();
	write_file(disk, past_schema[0]);
	write_file(disk, rows);
	t = ask(0, INT64_MAX);
	if (t.ios != 1000 || t.lat != 1000 || !t.named)
		fail("%llu IOs are read of version 1", (u64)t.ios);
	recorder_open(&r, &conf);
	for (i = 0; i < 100; i++)
		more += add_interval(&r, BEGIN + i * 10 * SECOND, 0, 5);
	recorder_close(&r);
	t = ask(0, INT64_MAX);
	if (t.ios != 1000 + more)
		fail("%llu of %llu", (u64)t.ios, 1000 + (u64)more);
	if (read_number(disk, "PRAGMA user_version") != PAST_VERSION)
		fail("its version is what it was");
	if (read_number(disk, "SELECT count(*) FROM utilisation") != 0)
		fail("disks were busy");
	if (exists(disk, ".aside"))
		fail("it was moved aside");
	end();
}

/* What disks were busy adds up as spans age, squeezed or not, and goes with them. */
static void busy_disks(void)
{
	struct usage_list list;
	struct recorder r;
	char unit[64], file[64];
	int i, k;

	begin();
	conf.minute_rows = 2;
	conf.hour_rows = 2;
	conf.minutes_ns = 3600 * SECOND;
	recorder_open(&r, &conf);
	for (i = 0; i < 1500; i++) {
		memset(&list, 0, sizeof(list));
		for (k = 0; k < 5; k++) {
			struct usage u = one_usage(k, unit, file);

			usage_add(&list, &u);
		}
		usage_add_busy(&list, "sda", 100 + i % 3);
		usage_add_busy(&list, "sda", 50);
		if (i % 2)
			usage_add_busy(&list, "never/used", 10000);
		list.from_ns = BEGIN + i * 10 * SECOND;
		list.until_ns = list.from_ns + 10 * SECOND;
		recorder_add(&r, &list);
		usage_clear(&list);
	}
	recorder_close(&r);
	if (read_number(disk, "SELECT sum(ms) FROM utilisation WHERE disk = 'sda'") != 1500 * 151)
		fail("sda was busy for %lld ms", (s64)read_number(disk,
		     "SELECT sum(ms) FROM utilisation WHERE disk = 'sda'"));
	if (read_number(disk, "SELECT round(10 * max(percent)) FROM utilisation "
			"WHERE disk = 'never/used' AND level = 2") != 500)
		fail("never/used was not busy for half of the time");
	if (read_number(disk, "SELECT count(*) FROM busy WHERE id / 4096 NOT IN "
			"(SELECT id FROM span)") || !read_number(disk, "SELECT count(*) FROM busy"))
		fail("what was busy does not go with its span");
	end();
}

static void clock_back(void)
{
	uint64_t want = 0;
	struct recorder r;
	struct total t;
	int i;

	begin();
	recorder_open(&r, &conf);
	for (i = 0; i < 500; i++)
		want += add_interval(&r, BEGIN + i * 10 * SECOND, 0, 5);
	for (i = 100; i < 300; i++)
		want += add_interval(&r, BEGIN + i * 10 * SECOND, 0, 5);
	t = ask(0, INT64_MAX);
	if (t.ios != want)
		fail("%llu of %llu", (u64)t.ios, (u64)want);
	recorder_close(&r);
	t = ask(0, INT64_MAX);
	if (t.ios != want)
		fail("closed: %llu of %llu", (u64)t.ios, (u64)want);
	end();
}

/* The file never exceeds its size, and has the latest. */
static void bounded(void)
{
	struct recorder r;
	struct stat st;
	int i;

	begin();
	conf.max_bytes = 256 << 10;
	conf.flush_ns = 60 * SECOND;
	conf.interval_ns = 60 * SECOND;
	recorder_open(&r, &conf);
	for (i = 0; i < 100; i++)
		add_minute(&r, i, i * 10, 40);
	if (r.disk.said || r.dropped)
		fail("it failed, or %llu are dropped", (u64)r.dropped);
	recorder_close(&r);
	if (stat(disk, &st) || st.st_size > 256 << 10)
		fail("%lld bytes", (s64)st.st_size);
	if (!ask(BEGIN + 5400 * SECOND, BEGIN + 6000 * SECOND).ios)
		fail("the latest is not there");
	note("%lld bytes", (s64)st.st_size);
	end();
}

static uint64_t written(void)
{
	unsigned long long n = 0;
	char line[128];
	FILE *f = fopen("/proc/self/io", "r");

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "write_bytes: %llu", &n);
	if (f)
		fclose(f);
	return n;
}

/* An hour of 1,000 units that all read and write, after ten minutes: below 1 MB. */
static void writes(void)
{
	uint64_t before = 0, bytes;
	struct recorder r;
	int i;

	begin_in("build");
	conf.interval_ns = 60 * SECOND;
	recorder_open(&r, &conf);
	for (i = 0; i < 10 + 60; i++) {
		if (i == 10)
			before = written();
		add_minute(&r, i, 0, 1000);
	}
	bytes = written() - before;
	if (bytes > 1000000)
		fail("%llu bytes an hour", (u64)bytes);
	note("%llu bytes an hour", (u64)bytes);
	recorder_close(&r);
	end();
}

/* What is kept by name is the largest, and nothing is lost by it. */
static void squeezed(void)
{
	struct usage_list list = { 0 };
	char unit[64], file[64];
	uint64_t ios = 0, got = 0;
	bool failed = false, large = false;
	size_t i;

	for (i = 0; i < 5000; i++) {
		struct usage u = one_usage(i, unit, file);

		if (i == 77)
			u.errors = 1;
		if (i == 78)
			u.bytes = 1 << 30;
		ios += u.ios;
		usage_add(&list, &u);
	}
	recorder_squeeze(&list, 100);
	if (list.nr > 100)
		fail("%zu remain", list.nr);
	for (i = 0; i < list.nr; i++) {
		got += list.list[i].ios;
		failed |= !strcmp(list.list[i].key.unit, "unit-77.service");
		large |= !strcmp(list.list[i].key.file, "/srv/78/file");
	}
	if (got != ios)
		fail("%llu of %llu", (u64)got, (u64)ios);
	if (!failed || !large)
		fail("what failed or the largest has no name");
	usage_clear(&list);
}

/* More disks and operations than a span has usages: all IO is in some usage, at each level. */
static void many_disks(void)
{
	struct usage_list list = { .from_ns = BEGIN, .until_ns = BEGIN + 10 * SECOND };
	char name[16], sql[128];
	struct recorder r;
	int i, level;

	begin();
	for (i = 0; i < 5000; i++) {
		sprintf(name, "sd%d", i / 5);
		usage_add(&list, &(struct usage){ .key = { .disk = name, .op = i % 5 }, .ios = 1 });
	}
	recorder_open(&r, &conf);
	recorder_add(&r, &list);
	add_interval(&r, BEGIN + 3600 * SECOND, 0, 1);
	recorder_close(&r);
	usage_clear(&list);
	for (level = 0; level < 3; level++) {
		sprintf(sql, "SELECT sum(ios) FROM usage WHERE id / 4096 = "
			"(SELECT min(id) FROM span WHERE level = %d)", level);
		if (read_number(level ? disk : recent, sql) != 5000)
			fail("level %d: not 5000 IOs", level);
	}
	end();
}

static void histograms(void)
{
	static const char *const wrong[] = {
		"", "[", "[1]", "[1,2", "[1,2]x", "[28,1]", "[1,18446744073709551616]", "[a,1]",
		"1,2", "[1,2,]", "[1,99999999999999999999]", "[1,184467440737095516150]",
	};
	uint64_t lat[USAGE_SLOTS], got[USAGE_SLOTS];
	char text[PAST_LAT_TEXT];
	size_t i;
	int n;

	for (n = 0; n < 2000; n++) {
		for (i = 0; i < USAGE_SLOTS; i++)
			lat[i] = n == 1 ? UINT64_MAX : n && !rnd(3) ? rnd64() >> rnd(64) : 0;
		if (!past_lat_parse(past_lat_text(lat, text), got) || memcmp(lat, got, sizeof(lat)))
			fail("%s", text);
	}
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		if (past_lat_parse(wrong[i], got))
			fail("'%s' is taken", wrong[i]);
	}
}

/* Each table, view and column is on the page, and the page names no other table or view. */
static void documented(void)
{
	static char page[65536];
	FILE *f = fopen("../../Documentation/reference/past.rst", "r");
	size_t n = f ? fread(page, 1, sizeof(page) - 1, f) : 0;
	sqlite3_stmt *st, *cols;
	char text[128], *at, *to;
	struct recorder r;
	sqlite3 *db;

	if (f)
		fclose(f);
	page[n] = '\0';
	begin();
	recorder_open(&r, &conf);
	recorder_close(&r);
	sqlite3_open(disk, &db);
	sqlite3_prepare_v2(db, "SELECT name, type FROM sqlite_master", -1, &st, NULL);
	while (sqlite3_step(st) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(st, 0);

		snprintf(text, sizeof(text), "\n%s ``%s``\n", sqlite3_column_text(st, 1), name);
		at = strstr(page, text);
		if (!at) {
			fail("Documentation/reference/past.rst has no '%s'", text + 1);
			continue;
		}
		to = strstr(at + 1, "\ntable ``");
		if (!to || (strstr(at + 1, "\nview ``") && strstr(at + 1, "\nview ``") < to))
			to = strstr(at + 1, "\nview ``");
		snprintf(text, sizeof(text), "PRAGMA table_info(%s)", name);
		sqlite3_prepare_v2(db, text, -1, &cols, NULL);
		while (sqlite3_step(cols) == SQLITE_ROW) {
			char *found;

			snprintf(text, sizeof(text), "``%s``", sqlite3_column_text(cols, 1));
			found = strstr(at + 12 + strlen(name), text);
			if (!found || (to && found > to))
				fail("%s.%s is not on the page", name, sqlite3_column_text(cols, 1));
		}
		sqlite3_finalize(cols);
	}
	sqlite3_finalize(st);
	sqlite3_close(db);
	snprintf(text, sizeof(text), "user_version %d", PAST_VERSION);
	if (!strstr(page, text))
		fail("the page does not say '%s'", text);
	end();
}

/* The views answer, and their sums are those of what was given. */
static void views(void)
{
	static const char *const sql[] = {
		"SELECT sum(ios) FROM named_usage", "SELECT sum(ios) FROM unit_hour",
		"SELECT sum(ios) FROM program_day", "SELECT sum(ios) FROM file_day",
		"SELECT sum(ios) FROM latency",
		"SELECT (SELECT sum(bytes) FROM written_day) / 4096 + (SELECT sum(ios) FROM "
		"named_usage WHERE op = 'read')",
	};
	uint64_t want = 0;
	struct recorder r;
	sqlite3_stmt *st;
	sqlite3 *db;
	size_t k;
	int i;

	begin();
	recorder_open(&r, &conf);
	for (i = 0; i < 500; i++)
		want += add_interval(&r, BEGIN + i * 10 * SECOND, 0, 6);
	recorder_close(&r);
	sqlite3_open(disk, &db);
	for (k = 0; k < ARRAY_SIZE(sql); k++) {
		if (sqlite3_prepare_v2(db, sql[k], -1, &st, NULL) || sqlite3_step(st) != SQLITE_ROW)
			fail("%s: %s", sql[k], sqlite3_errmsg(db));
		else if ((uint64_t)sqlite3_column_int64(st, 0) != want)
			fail("%s: %lld, not %llu", sql[k], (s64)sqlite3_column_int64(st, 0),
			     (u64)want);
		sqlite3_finalize(st);
	}
	sqlite3_close(db);
	end();
}

/* The clock is set back within the one interval of a minute, which is as long as all are. */
static void set_back_within(void)
{
	struct recorder r;

	begin();
	conf.interval_ns = 60 * SECOND;
	recorder_open(&r, &conf);
	add_span(&r, BEGIN + 30 * SECOND, -20 * SECOND, 1, 3);
	recorder_close(&r);
	if (read_number(disk, "SELECT count(*) FROM span WHERE level = 1") != 1 ||
	    read_number(disk, "SELECT count(*) FROM span WHERE until_ns - from_ns <> 60000000000"))
		fail("a minute ends before it begins");
	end();
}

int main(void)
{
	static const struct test tests[] = {
		TEST(squeezed), TEST(many_disks), TEST(histograms), TEST(sums), TEST(aged), TEST(suspended),
		TEST(minute_lost), TEST(killed), TEST(full_disk), TEST(damaged), TEST(newer),
		TEST(older), TEST(busy_disks), TEST(clock_back), TEST(bounded),
		TEST(writes), TEST(documented), TEST(views), TEST(set_back_within),
	};

	return run_tests("daemon_recorder", tests, ARRAY_SIZE(tests));
}
