// SPDX-License-Identifier: GPL-2.0
/*
 * The recorder where long names or many spans fill its databases: the latest has room, and no more
 * is lost than has to be.
 */
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "databases.h"
#include "past.h"
#include "recorder_lost.h"
#include "test.h"

/* @files usages of one IO each, whose files have names of their own that are @len bytes long. */
static void add_files(struct recorder *r, int64_t from_ns, int64_t ns, unsigned int files,
		      unsigned int len)
{
	struct usage_list list = { .from_ns = from_ns, .until_ns = from_ns + ns };
	static unsigned int nr;
	char name[4096];
	unsigned int i;

	memset(name, 'n', len);
	for (i = 0; i < files; i++) {
		struct usage u = {
			.key = { .unit = "a.service", .program = "cat", .user = "root", .file = name,
				 .disk = "sda", .why = "data", .op = 2 },
			.ios = 1, .bytes = 4096, .ns = 1000,
		};

		snprintf(name + len - 10, 11, "%010u", nr++);
		usage_add(&list, &u);
	}
	recorder_add(r, &list);
	usage_clear(&list);
}

/* Hours of long names: the oldest intervals go, the latest one is always there. */
static void oldest_go(void)
{
	int64_t at = BEGIN, latest, nr;
	struct recorder r;
	int i;

	begin();
	conf.recent_bytes = 1 << 20;
	quiet(true);
	recorder_open(&r, &conf);
	for (i = 0; i < 200; i++, at += 10 * SECOND) {
		add_files(&r, at, 10 * SECOND, 20, 1000);
		latest = recorder_db_number(&r.recent,
					    "SELECT max(until_ns) FROM span WHERE level = 0");
		if (latest != at + 10 * SECOND)
			fail("interval %d is not there", i);
	}
	quiet(false);
	nr = recorder_db_number(&r.recent, "SELECT count(*) FROM span WHERE level = 0");
	if (nr < 10)
		fail("%lld intervals remain", (s64)nr);
	if (r.recent.said || r.dropped || r.dropped_intervals)
		fail("%llu minutes and %llu intervals are lost", (u64)r.dropped,
		     (u64)r.dropped_intervals);
	recorder_close(&r);
	if (read_number(disk, "SELECT sum(ios) FROM named_usage") != 200 * 20)
		fail("%lld IOs of %u are on the disk",
		     (s64)read_number(disk, "SELECT sum(ios) FROM named_usage"), 200 * 20);
	note("%lld intervals", (s64)nr);
	end();
}

/* One that is larger than what is free: the older half makes room for it. */
static void half_goes(void)
{
	int64_t at = BEGIN;
	struct recorder r;
	int i;

	begin();
	conf.recent_bytes = 512 << 10;
	recorder_open(&r, &conf);
	for (i = 0; i < 19; i++, at += SECOND)
		add_files(&r, at, SECOND, 20, 1000);
	quiet(true);
	add_files(&r, at, SECOND, 150, 1000);
	quiet(false);
	if (r.dropped_intervals || recorder_db_number(&r.recent,
			"SELECT max(until_ns) FROM span WHERE level = 0") != at + SECOND)
		fail("it is not there");
	if (r.recent.said)
		fail("what was said is not taken back");
	recorder_close(&r);
	end();
}

/* A minute that memory has no room for at all goes to the disk at once. */
static void straight_to_disk(void)
{
	struct recorder r;
	int i;

	begin();
	conf.recent_bytes = 64 << 10;
	quiet(true);
	recorder_open(&r, &conf);
	for (i = 0; i < 30; i++)
		add_files(&r, BEGIN + i * 10 * SECOND, 10 * SECOND, 90, 1000);
	if (recorder_db_number(&r.disk, "SELECT count(*) FROM span WHERE level = 1") < 3)
		fail("no minute is on the disk");
	recorder_close(&r);
	quiet(false);
	if (read_number(disk, "SELECT sum(ios) FROM named_usage") != 30 * 90)
		fail("%lld IOs of %u are on the disk",
		     (s64)read_number(disk, "SELECT sum(ios) FROM named_usage"), 30 * 90);
	end();
}

/* Neither has room: what is lost is counted, and the latest minutes wait. */
static void no_room(void)
{
	u64 before = recorder_lost.sums;
	struct recorder r;
	int i;

	begin();
	conf.file = "/dev/full/past.db";
	conf.recent_bytes = 512 << 10;
	quiet(true);
	recorder_open(&r, &conf);
	for (i = 0; i < 60; i++)
		add_files(&r, BEGIN + i * 60 * SECOND, 60 * SECOND, 90, 1000);
	quiet(false);
	if (!r.dropped)
		fail("nothing is counted as lost");
	/* the metrics have it of all that this process has recorded */
	if (recorder_lost.sums - before != r.dropped)
		fail("the metrics have %llu lost spans of %llu", recorder_lost.sums - before, (u64)r.dropped);
	if (recorder_db_number(&r.recent, "SELECT max(until_ns) FROM span WHERE level = 1") !=
	    BEGIN + 59 * 60 * SECOND)
		fail("the latest minute does not wait");
	note("%llu minutes are lost", (u64)r.dropped);
	quiet(true);
	recorder_close(&r);
	quiet(false);
	end();
}

static int64_t on_disk(struct recorder *r, const char *sql)
{
	return recorder_db_number(&r->disk, sql);
}

static const char spans[] = "SELECT count(*) FROM span";
static const char unused[] =
	"SELECT count(*) FROM originator WHERE id NOT IN (SELECT originator FROM usage)";

/* Names fill the file, which is at most so large: what has room stays, not a tenth of it. */
static void disk_stays_filled(void)
{
	int64_t at = BEGIN, least = INT64_MAX, nr;
	struct recorder r;
	int i;

	begin();
	conf.max_bytes = 1 << 20;
	conf.flush_ns = 60 * SECOND;
	conf.hour_rows = 4;
	recorder_open(&r, &conf);
	for (i = 0; i < 150; i++, at += 60 * SECOND) {
		add_files(&r, at, 60 * SECOND, 20, 1000);
		nr = on_disk(&r, spans);
		if (i > 60 && nr < least)
			least = nr;
	}
	/* a minute takes 24 KB */
	if (least < 24)
		fail("%lld spans remain", (s64)least);
	if (r.disk.said || r.dropped)
		fail("it failed, or %llu minutes are lost", (u64)r.dropped);
	note("%lld spans at least, %lld now", (s64)least, (s64)nr);
	recorder_close(&r);
	end();
}

/* As it is by default, where the file is small: each hour finds room, and the oldest goes. */
static void small_file(void)
{
	int64_t at = BEGIN, until;
	struct recorder r;
	int i;

	begin();
	conf.max_bytes = 1 << 20;
	recorder_open(&r, &conf);
	for (i = 0; i < 5 * 60; i++, at += 60 * SECOND) {
		add_files(&r, at, 60 * SECOND, 25, 300);
		if (i % 60 != 30)
			continue;
		until = on_disk(&r, "SELECT max(until_ns) FROM span");
		if (at - until > 11 * 60 * SECOND)
			fail("after %d minutes the disk is %lld s behind", i,
			     (s64)((at - until) / SECOND));
		if (i > 60 && on_disk(&r, "SELECT count(*) FROM span WHERE level = 2") < 1)
			fail("no hour is on the disk after %d minutes", i);
	}
	if (r.disk.said || r.dropped || r.nr_old)
		fail("it failed, %u hours wait, %llu spans are lost", r.nr_old, (u64)r.dropped);
	note("%lld spans", (s64)on_disk(&r, spans));
	recorder_close(&r);
	end();
}

/* Who may read a database locks what its writer needs, until he is killed. */
static pid_t lock_both(void)
{
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 120, .l_len = 1 };
	const char *const paths[] = { recent, disk };
	char path[128], c = 1;
	int pair[2], fd;
	pid_t pid;
	size_t i;

	if (pipe(pair))
		return -1;
	pid = fork();
	if (!pid) {
		for (i = 0; i < ARRAY_SIZE(paths); i++) {
			snprintf(path, sizeof(path), "%s-shm", paths[i]);
			fd = open(path, O_RDONLY);
			if (fd < 0 || fcntl(fd, F_SETLK, &lock))
				c = 0;
		}
		if (write(pair[1], &c, 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	if (read(pair[0], &c, 1) != 1 || !c)
		fail("there is no lock");
	close(pair[0]);
	close(pair[1]);
	return pid;
}

static s64 log_bytes(const char *path)
{
	char name[128];
	struct stat st;

	snprintf(name, sizeof(name), "%s-wal", path);
	return stat(name, &st) ? 0 : st.st_size;
}

static sqlite3 *read_on(const char *path)
{
	sqlite3 *db;

	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) ||
	    sqlite3_exec(db, "BEGIN; SELECT count(*) FROM span", NULL, NULL, NULL))
		fail("%s: %s", path, sqlite3_errmsg(db));
	return db;
}

/*
 * One who may read the database does not end, or ends after the next one has begun: it takes its
 * memory and no more.  Intervals are lost and counted, minutes are not.
 */
static void always_read(void)
{
	s64 most, size;
	struct recorder r;
	sqlite3 *db, *next;
	int k, i;

	for (k = 0; k < 2; k++) {
		begin();
		conf.recent_bytes = 2 << 20;
		quiet(true);
		recorder_open(&r, &conf);
		add_files(&r, BEGIN, 10 * SECOND, 20, 1000);
		db = read_on(recent);
		for (most = 0, i = 1; i < 120; i++) {
			add_files(&r, BEGIN + i * 10 * SECOND, 10 * SECOND, 20, 1000);
			size = log_bytes(recent);
			most = size > most ? size : most;
			if (!k)
				continue;
			next = read_on(recent);
			sqlite3_close(db);
			db = next;
		}
		if (most > (s64)conf.recent_bytes)
			fail("the log has %lld bytes", most);
		if (!r.dropped_intervals || r.dropped)
			fail("%llu intervals and %llu minutes are lost", (u64)r.dropped_intervals,
			     (u64)r.dropped);
		sqlite3_close(db);
		add_files(&r, BEGIN + i * 10 * SECOND, 10 * SECOND, 20, 1000);
		quiet(false);
		if (r.recent.said || log_bytes(recent) > (s64)conf.recent_bytes / 2)
			fail("it is not written again, or its log has %lld bytes",
			     log_bytes(recent));
		note("%lld bytes, %llu intervals", most, (u64)r.dropped_intervals);
		recorder_close(&r);
		if (read_number(disk, "SELECT sum(ios) FROM named_usage") != 121 * 20)
			fail("IOs are lost");
		end();
	}
}

/* Neither database can be written for some minutes: they wait, and the loop hardly does. */
static void locked(void)
{
	struct timespec from, now;
	struct recorder r;
	int64_t ms;
	pid_t pid;
	int i;

	begin();
	recorder_open(&r, &conf);
	add_files(&r, BEGIN, 60 * SECOND, 5, 100);
	pid = lock_both();
	quiet(true);
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (i = 1; i <= 4; i++)
		add_files(&r, BEGIN + i * 60 * SECOND, 60 * SECOND, 5, 100);
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!r.recent.said || !r.disk.said || r.nr_late != 4 || !r.dropped_intervals)
		fail("%zu minutes wait", r.nr_late);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	add_files(&r, BEGIN + 5 * 60 * SECOND, 60 * SECOND, 5, 100);
	quiet(false);
	if (r.nr_late || r.dropped ||
	    recorder_db_number(&r.recent, "SELECT count(*) FROM span WHERE level = 1") != 5)
		fail("%zu minutes still wait, %llu are lost", r.nr_late, (u64)r.dropped);
	recorder_close(&r);
	if (read_number(disk, "SELECT sum(ios) FROM named_usage") != 6 * 5)
		fail("IOs are lost");
	ms = (now.tv_sec - from.tv_sec) * 1000 + (now.tv_nsec - from.tv_nsec) / 1000000;
	if (ms > 6000)
		fail("the loop waits for %lld ms", (s64)ms);
	end();
}

/* The first writing of a day fails: the next one looks for names that nothing has. */
static void midnight_fails(void)
{
	int64_t at = BEGIN + 10 * 3600 * SECOND, midnight = BEGIN + 14 * 3600 * SECOND, before;
	struct recorder r;
	sqlite3 *db;

	begin();
	conf.minutes_ns = 3600 * SECOND;
	conf.hour_rows = 4;
	recorder_open(&r, &conf);
	for (; at < midnight - 60 * SECOND; at += 60 * SECOND)
		add_files(&r, at, 60 * SECOND, 5, 100);
	if (!on_disk(&r, unused))
		fail("nothing is to be tidied");
	quiet(true);
	if (sqlite3_open(disk, &db) || sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL))
		fail("it cannot be locked");
	for (; at < midnight + 20 * 60 * SECOND; at += 60 * SECOND)
		add_files(&r, at, 60 * SECOND, 5, 100);
	if (!r.disk.said)
		fail("it can be written");
	sqlite3_close(db);
	before = r.flushed_ns;
	for (; r.flushed_ns == before; at += 60 * SECOND)
		add_files(&r, at, 60 * SECOND, 5, 100);
	quiet(false);
	if (r.disk.said || on_disk(&r, unused))
		fail("%lld remain that nothing has", (s64)on_disk(&r, unused));
	recorder_close(&r);
	end();
}

/* The sums of an hour that is not over are in memory, which long names do not fill. */
static void sums_are_bounded(void)
{
	size_t most = 0;
	struct recorder r;
	int i;

	begin();
	conf.interval_ns = SECOND;
	quiet(true);
	recorder_open(&r, &conf);
	for (i = 0; i < 30; i++) {
		add_files(&r, BEGIN + i * SECOND, SECOND, 1000, 2000);
		if (r.hour.list.text_bytes > most)
			most = r.hour.list.text_bytes;
	}
	quiet(false);
	if (most > 8 << 20)
		fail("the hour's texts take %zu bytes", most);
	/* what is written is known by its text, for a while */
	if (r.recent.texts.text_bytes > 5 << 20)
		fail("the texts of what is written take %zu bytes", r.recent.texts.text_bytes);
	recorder_close(&r);
	if (read_number(disk, "SELECT sum(ios) FROM named_usage") != 30 * 1000)
		fail("IOs are lost");
	note("%zu KiB", most >> 10);
	end();
}

/* Minutes of @days, which are hours, too; nothing was done in them. */
static void fill_minutes(int days)
{
	char sql[640];
	sqlite3 *db;

	snprintf(sql, sizeof(sql),
		 "BEGIN; WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE "
		 "i < %d * 24 * 61 - 1) INSERT INTO span SELECT 1 + i, 1 + (i %% 61 = 0), "
		 "iif(i %% 61, 1 + i / 61 * 61, 0), "
		 "%lld + (i / 61 * 60 + max(i %% 61 - 1, 0)) * 60000000000, "
		 "%lld + (i / 61 * 60 + iif(i %% 61, i %% 61, 60)) * 60000000000, 0 FROM n; COMMIT",
		 days, (s64)BEGIN, (s64)BEGIN);
	if (sqlite3_open(disk, &db) || sqlite3_exec(db, sql, NULL, NULL, NULL))
		fail("%s", sqlite3_errmsg(db));
	sqlite3_close(db);
}

static u64 cpu_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000ULL + t.tv_nsec / 1000;
}

/* What the recorder does with all spans when it begins takes about as long as to read them. */
static void begins_soon(void)
{
	enum { DAYS = 100 };
	struct past past;
	struct recorder r;
	u64 from, read, began;

	begin();
	recorder_open(&r, &conf);
	recorder_close(&r);
	fill_minutes(DAYS);
	if (past_open(&past, disk, NULL))
		fail("it cannot be read");
	from = cpu_us();
	if (past_spans(&past, 0, INT64_MAX) || past.nr != DAYS * 24 * 61)
		fail("%zu spans", past.nr);
	read = cpu_us() - from;
	past_close(&past);
	from = cpu_us();
	recorder_open(&r, &conf);
	began = cpu_us() - from;
	if (began > 10 * read)
		fail("it takes %llu us, to read all takes %llu", began, read);
	note("%llu us, %llu to read", began, read);
	recorder_close(&r);
	end();
}

static int steps;		/* thousands, of SQLite's machine */

static int count_steps(void *arg)
{
	(void)arg;
	steps++;
	return 0;
}

/* Spans go for their size: the oldest, an hour after its minutes, which are looked for once. */
static void many_go(void)
{
	enum { DAYS = 20, SPANS = DAYS * 24 * 61 };
	const int64_t now = BEGIN + DAYS * 86400 * SECOND;
	struct recorder r;
	int64_t left, min;

	begin();
	conf.minutes_ns = 366 * 86400 * SECOND;
	recorder_open(&r, &conf);
	recorder_close(&r);
	fill_minutes(DAYS);
	recorder_open(&r, &conf);
	r.conf.max_bytes = recorder_db_used(&r.disk);
	sqlite3_progress_handler(r.disk.db, 1000, count_steps, NULL);
	recorder_tick(&r, now);
	recorder_tick(&r, now + conf.flush_ns);
	left = on_disk(&r, spans);
	if (left > SPANS - 200 || left < SPANS - 500)
		fail("%lld spans of %d are left", (s64)left, SPANS);
	/* each goes over them a few times, with some steps for each */
	if (steps > SPANS / 1000 * 300)
		fail("%d thousand steps for %d spans", steps, SPANS);
	min = on_disk(&r, "SELECT min(id) FROM span WHERE level = 1");
	if (on_disk(&r, "SELECT count(*) FROM span") != SPANS - min + 2 ||
	    on_disk(&r, "SELECT min(id) FROM span") != (min - 1) / 61 * 61 + 1)
		fail("others than the oldest went: %lld is the first minute", (s64)min);
	note("%d thousand steps, %lld spans of %d", steps, (s64)left, SPANS);
	recorder_close(&r);
	end();
}

/*
 * A hundred thousand originators, each with a name of its own, and a usage of every third, of one
 * of 34 hours; and a minute that is too old.  Every third has a stack, too.
 */
static void fill_originators(void)
{
	static const char sql[] =
		"BEGIN; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) "
		"INSERT INTO name SELECT i, format('/srv/data/of/somebody/file-%%0100d', i) FROM n;"
		"INSERT INTO stack SELECT id * 1000003, 'a;b;' || id FROM name WHERE id %% 6 IN (0, 1);"
		"INSERT INTO originator SELECT id, 3, 3, 3, id, 3, 3, iif(id %% 6 < 2, id * 1000003, 0), "
		"0, 2, 0 FROM name;"
		"INSERT INTO span VALUES (1, 1, 0, %lld, %lld, 0);"
		"INSERT INTO usage VALUES (4096, 1, 1, 4096, 1000, 0, '[]');"
		"INSERT INTO span SELECT DISTINCT 2 + id / 3000, 2, 0, %lld, %lld, 0 FROM name;"
		"INSERT INTO usage SELECT (2 + id / 3000) * 4096 + id %% 3000, id, 1, 4096, 1000, 0, '[]' "
		"FROM name WHERE id %% 3 = 0; COMMIT";
	char text[sizeof(sql) + 80];
	sqlite3 *db;

	snprintf(text, sizeof(text), sql, (s64)BEGIN - 5 * 86400 * SECOND,
		 (s64)BEGIN - 5 * 86400 * SECOND + 60 * SECOND, (s64)BEGIN - 3600 * SECOND, (s64)BEGIN);
	if (sqlite3_open(disk, &db) || sqlite3_exec(db, text, NULL, NULL, NULL))
		fail("%s", sqlite3_errmsg(db));
	sqlite3_close(db);
}

static const char lacking[] =
	"SELECT (SELECT count(*) FROM usage WHERE originator NOT IN (SELECT id FROM originator)) + "
	"(SELECT count(*) FROM named_originator WHERE unit IS NULL OR program IS NULL OR user IS NULL "
	"OR file IS NULL OR disk IS NULL OR why IS NULL) + "
	"(SELECT count(*) FROM originator WHERE stack AND stack NOT IN (SELECT hash FROM stack))";
static const char unnamed[] =
	"SELECT (SELECT count(*) FROM name WHERE id != 3 AND id NOT IN (SELECT file FROM originator) "
	"AND id < 100000) + "
	"(SELECT count(*) FROM stack WHERE hash NOT IN (SELECT stack FROM originator))";

/* What a stack was kept for is gone, and another one has it while names are looked for. */
static void add_with_stack(struct recorder *r, int64_t at, u64 stack)
{
	struct usage_list list = { .from_ns = at, .until_ns = at + 60 * SECOND };
	struct usage u = {
		.key = { .unit = "b.service", .program = "dd", .user = "", .file = "/f",
			 .disk = "sda", .why = "data", .op = 2, .stack = stack },
		.ios = 1, .bytes = 4096, .ns = 1000,
	};

	usage_add(&list, &u);
	usage_add_stack(&list, stack, "a;b;c");
	recorder_add(r, &list);
	usage_clear(&list);
}

/* A large database is tidied a part at a time: each holds the loop for so long and no longer. */
static void tidied_in_parts(void)
{
	int64_t at = BEGIN, names;
	struct recorder r;
	int i, most = 0;

	begin();
	recorder_open(&r, &conf);
	recorder_close(&r);
	fill_originators();
	conf.flush_ns = 60 * SECOND;
	recorder_open(&r, &conf);
	sqlite3_progress_handler(r.disk.db, 1000, count_steps, NULL);
	for (i = 0; i < 100; i++, at += 60 * SECOND) {
		steps = 0;
		add_files(&r, at, 60 * SECOND, 5, 100);
		most = steps > most ? steps : most;
		/* each of them lost its originator before */
		add_with_stack(&r, at, (1 + i * 6 + 600) * 1000003ULL);
		names = on_disk(&r, lacking);
		if (names)
			fail("%lld names are lacking in step %d", (s64)names, i);
	}
	if (most > 1000)
		fail("a step has %d thousand", most);
	if (on_disk(&r, unused) || on_disk(&r, unnamed))
		fail("%lld originators remain that no usage has, %lld names",
		     (s64)on_disk(&r, unused), (s64)on_disk(&r, unnamed));
	if (on_disk(&r, "SELECT count(*) FROM originator WHERE id <= 100000") != 33333)
		fail("others than those went");
	note("%d thousand steps", most);
	recorder_close(&r);
	end();
}

/*
 * The file has a limit, as where it is opened with it, of which @part hundredths are used.  Nothing
 * of it is free, but where it has more than that: then it stays as it is.
 */
static void limit_to(struct recorder *r, unsigned int part)
{
	char sql[80];

	if (part < 100 && !recorder_db_exec(&r->disk, "VACUUM"))
		fail("it cannot be written anew");
	r->conf.max_bytes = recorder_db_used(&r->disk) / part * 100;
	snprintf(sql, sizeof(sql), "PRAGMA max_page_count = %llu", (u64)r->conf.max_bytes / 1024);
	if (!recorder_db_exec(&r->disk, sql))
		fail("it cannot be limited");
}

/*
 * A large database is too large: names go before spans, and if that is not enough the oldest spans.
 * @part: of its limit that is used, in hundredths
 */
static void large_at(unsigned int part, int64_t at, struct recorder *r, int minutes)
{
	int most = 0;

	limit_to(r, part);
	for (; minutes--; at += 60 * SECOND) {
		steps = 0;
		add_files(r, at, 60 * SECOND, 5, 100);
		most = steps > most ? steps : most;
		if (on_disk(r, "SELECT max(until_ns) FROM span WHERE level = 1") < at)
			fail("at %u %% the minute before is not there", part);
	}
	if (most > 1000)
		fail("at %u %% a step has %d thousand", part, most);
	if (recorder_db_used(&r->disk) > r->conf.max_bytes / 10 * 9)
		fail("at %u %% it stays too large", part);
	if (on_disk(r, lacking))
		fail("at %u %% names are lacking", part);
}

/* Hours that fill_originators() has made */
static const char hours[] = "SELECT count(*) FROM span WHERE level = 2 AND id < 40";

static void begin_large(struct recorder *r)
{
	begin();
	recorder_open(r, &conf);
	recorder_close(r);
	fill_originators();
	conf.flush_ns = 60 * SECOND;
	recorder_open(r, &conf);
	sqlite3_progress_handler(r->disk.db, 1000, count_steps, NULL);
	add_files(r, BEGIN, 60 * SECOND, 5, 100);
}

/* The limit is lowered: what has room without the names that nothing has any more stays. */
static void lowered(void)
{
	struct recorder r;
	int k;

	for (k = 0; k < 2; k++) {
		begin_large(&r);
		/* of the file, something is free */
		if (k && !recorder_db_exec(&r.disk, "CREATE TABLE free AS SELECT zeroblob(1000000); "
					   "DROP TABLE free"))
			fail("it has no room");
		large_at(180, BEGIN + 60 * SECOND, &r, 40);
		/* or what is written needs the place of a few */
		if (on_disk(&r, hours) < (k ? 34 : 31))
			fail("%lld hours are left of 34", (s64)on_disk(&r, hours));
		note("%lld hours", (s64)on_disk(&r, hours));
		recorder_close(&r);
		end();
	}
}

static void too_large(void)
{
	int64_t left;
	struct recorder r;

	begin_large(&r);
	large_at(93, BEGIN + 60 * SECOND, &r, 40);
	if (on_disk(&r, hours) != 34 || on_disk(&r, unused))
		fail("%lld hours are left of 34", (s64)on_disk(&r, hours));
	large_at(93, BEGIN + 41 * 60 * SECOND, &r, 10);
	left = on_disk(&r, hours);
	if (left < 25 || left > 33)
		fail("%lld hours are left of 34", (s64)left);
	large_at(98, BEGIN + 51 * 60 * SECOND, &r, 8);
	if (on_disk(&r, hours) >= left || on_disk(&r, hours) < 15)
		fail("%lld hours are left of %lld", (s64)on_disk(&r, hours), (s64)left);
	note("%lld hours, then %lld", (s64)left, (s64)on_disk(&r, hours));
	recorder_close(&r);
	end();
}

/* Spans went for what was written, and their names, too: that is no room that is still to come. */
static void room_made(void)
{
	int64_t at = BEGIN + 60 * SECOND, left;
	struct recorder r;
	unsigned int table;
	int i;

	begin_large(&r);
	add_files(&r, at, 60 * SECOND, 5, 100);
	recorder_db_tidy(&r.disk);
	limit_to(&r, 89);
	add_files(&r, at + 60 * SECOND, 60 * SECOND, 90, 2700);
	add_files(&r, at + 2 * 60 * SECOND, 60 * SECOND, 5, 100);
	if (!r.made_room || r.disk.tidy.step != TIDY_NONE)
		fail("no room was made");
	recorder_db_tidy(&r.disk);
	left = on_disk(&r, hours);
	limit_to(&r, 93);
	/* a pass */
	for (i = 3, table = 0; i < 40 && (!table || r.disk.tidy.table); i++) {
		table = r.disk.tidy.table;
		add_files(&r, at + i * 60 * SECOND, 60 * SECOND, 5, 100);
	}
	if (on_disk(&r, hours) >= left)
		fail("%lld hours are left of %lld", (s64)on_disk(&r, hours), (s64)left);
	note("%lld hours, then %lld", (s64)left, (s64)on_disk(&r, hours));
	recorder_close(&r);
	end();
}

/* A stack that no usage has is kept no longer. */
static void stacks_go(void)
{
	struct usage_list list = { 0 };
	char unit[32], text[32];
	u64 i;

	for (i = 1; i <= 100; i++) {
		struct usage u = {
			.key = { .unit = unit, .program = "cat", .user = "", .file = "",
				 .disk = "sda", .why = "", .stack = i },
			.ios = 1, .bytes = 4096 * i,
		};

		sprintf(unit, "unit-%llu", i);
		sprintf(text, "a;b;%llu", i);
		usage_add(&list, &u);
		usage_add_stack(&list, i, text);
	}
	recorder_squeeze(&list, 20);
	if (list.nr_stacks != 15 || list.stack[0].hash != 86)
		fail("%zu stacks remain, the first is %llu", list.nr_stacks,
		     list.nr_stacks ? (u64)list.stack[0].hash : 0);
	usage_clear(&list);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(oldest_go), TEST(half_goes), TEST(straight_to_disk), TEST(no_room),
		TEST(disk_stays_filled), TEST(small_file), TEST(locked), TEST(midnight_fails),
		TEST(sums_are_bounded), TEST(always_read), TEST(begins_soon),
		TEST(many_go), TEST(tidied_in_parts), TEST(lowered), TEST(too_large),
		TEST(room_made), TEST(stacks_go),
	};

	return run_tests("daemon_full", tests, ARRAY_SIZE(tests));
}
