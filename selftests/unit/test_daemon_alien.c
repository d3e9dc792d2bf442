// SPDX-License-Identifier: GPL-2.0
/* A database that somebody else has written: nothing in it harms who reads it. */
#include <signal.h>

#include "databases.h"
#include "past.h"
#include "stop.h"

/* A file with one usage of an hour, and then @sql is done to it. */
static void write_alien(const char *sql)
{
	static const char first[] =
		"INSERT INTO name VALUES (1, 'unit'), (2, 'cat'), (3, '/srv/file'), (4, 'sda');"
		"INSERT INTO originator VALUES (1, 1, 2, 1, 3, 4, 1, 9, 0, 2, 0);"
		"INSERT INTO stack VALUES (9, 'a;b');"
		"INSERT INTO busy VALUES (7 * 4096, 4, 100);"
		"INSERT INTO span VALUES (7, 2, 0, 1000, 2000, 0);"
		"INSERT INTO usage VALUES (7 * 4096, 1, 5, 4096, 1, 0, '[1,5]')";
	struct recorder r;
	sqlite3 *db;

	begin();
	recorder_open(&r, &conf);
	recorder_close(&r);
	if (sqlite3_open(disk, &db) || sqlite3_exec(db, first, NULL, NULL, NULL) ||
	    sqlite3_exec(db, sql, NULL, NULL, NULL))
		fail("%s: %s", sql, sqlite3_errmsg(db));
	sqlite3_close(db);
}

struct got {
	u64 ios;
	char file[64], stack[64], busy[64];
	struct past *past;
};

static bool take(const struct usage *usage, const struct past_span *span, void *arg)
{
	struct got *got = arg;
	char *stack = past_stack(got->past, usage->key.stack);

	got->ios += usage->ios;
	snprintf(got->file, sizeof(got->file), "%s", usage->key.file);
	snprintf(got->stack, sizeof(got->stack), "%s", stack ? stack : "");
	free(stack);
	if (usage->key.op > 4 || usage->key.how > 3 || span->level < 0 || span->level > PAST_HOUR)
		fail("op %d, how %d, level %d", usage->key.op, usage->key.how, span->level);
	return true;
}

static void take_busy(const struct past_span *span, const char *name, uint64_t ms, void *arg)
{
	struct got *got = arg;

	(void)span;
	(void)ms;
	snprintf(got->busy, sizeof(got->busy), "%s", name);
}

/* Return: as past_each(), or why it is not opened. */
static int read_alien(struct got *got)
{
	struct past past;
	int ret;

	*got = (struct got){ .past = &past };
	quiet(true);
	ret = past_open(&past, disk, NULL);
	if (!ret) {
		past.busy = take_busy;
		ret = past_each(&past, 0, INT64_MAX, take, got);
		past_close(&past);
	}
	quiet(false);
	return ret;
}

/* Control characters of a terminal are shown, and what is escaped stays as it is. */
static void texts(void)
{
	struct got got;

	write_alien("UPDATE name SET text = '/a\\012' || char(27) || '[2J' WHERE id = 3;"
		    "UPDATE name SET text = 'sd' || char(10) WHERE id = 4;"
		    "UPDATE stack SET text = 'f' || char(0x202e)");
	if (read_alien(&got) || got.ios != 5)
		fail("it is not read");
	if (strcmp(got.file, "/a\\012\\033[2J") || strcmp(got.busy, "sd\\012") ||
	    strcmp(got.stack, "f\\342\\200\\256"))
		fail("'%s', '%s', '%s'", got.file, got.busy, got.stack);
	end();
}

/* No number leads out of a table, or takes for ever. */
static void numbers(void)
{
	static const char *const wrong[] = {
		"UPDATE originator SET op = 5", "UPDATE originator SET op = -1",
		"UPDATE originator SET op = 4294967296 + 2", "UPDATE originator SET how = 200",
		"UPDATE span SET level = -2147483648", "UPDATE span SET level = 3",
		"UPDATE span SET id = 9223372036854775807",
		"UPDATE span SET from_ns = -9223372036854775807",
		"UPDATE span SET until_ns = 9223372036854775807",
		"DELETE FROM originator",
	};
	struct got got;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		write_alien(wrong[i]);
		if (!read_alien(&got) || got.ios)
			fail("it is read after %s", wrong[i]);
		end();
	}
	/* a name that is not there is none, and a span may be its own parent */
	write_alien("DELETE FROM name WHERE id = 3; UPDATE span SET parent = 7");
	read_alien(&got);
	if (*got.file)
		fail("a name that is not there: '%s'", got.file);
	end();
}

/* A view can do what it likes: none is asked, also not one in the place of a table. */
static void views(void)
{
	static const char endless[] =
		"AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) ";
	static const char *const wrong[] = {
		"DROP TABLE span; CREATE VIEW span %s SELECT i AS id, 2 AS level, 0 AS parent, "
		"1 AS from_ns, 2 AS until_ns, 0 AS lost_ios FROM n",
		"DROP TABLE name; CREATE VIEW name %s SELECT i AS id, i AS text FROM n WHERE i < 0",
	};
	struct got got;
	char sql[640];
	size_t i;

	alarm(20);
	snprintf(sql, sizeof(sql), "DROP VIEW named_originator; CREATE VIEW named_originator %s "
		 "SELECT i AS id, i AS unit, i AS program, i AS user, i AS file, i AS disk, "
		 "i AS why FROM n WHERE i < 0", endless);
	write_alien(sql);
	if (read_alien(&got) || got.ios != 5)
		fail("it is not read");
	end();
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		snprintf(sql, sizeof(sql), wrong[i], endless);
		write_alien(sql);
		if (!read_alien(&got))
			fail("a view is a table");
		end();
	}
	alarm(0);
}

/* Ctrl-C ends it, and nothing is said. */
static void stopped(void)
{
	static const char many[] =
		"WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) "
		"INSERT INTO span SELECT i, 1, 7, i, i + 1, 0 FROM n";
	int saved = dup(STDERR_FILENO), fd;
	struct got got = { 0 };
	struct past past;
	char c[80];

	stop_init();
	write_alien(many);
	if (past_open(&past, disk, NULL))
		fail("it is not opened");
	got.past = &past;
	raise(SIGINT);
	fd = open("/dev/shm", O_TMPFILE | O_RDWR, 0600);
	dup2(fd, STDERR_FILENO);
	if (past_each(&past, 0, INT64_MAX, take, &got) == EXIT_OK)
		fail("it goes on");
	dup2(saved, STDERR_FILENO);
	if (pread(fd, c, sizeof(c), 0))
		fail("something is said");
	close(fd);
	close(saved);
	past_close(&past);
	end();
}

int main(void)
{
	static const struct test tests[] = {
		TEST(texts), TEST(numbers), TEST(views), TEST(stopped),
	};

	return run_tests("daemon_alien", tests, ARRAY_SIZE(tests));
}
