/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The databases of a recorder, for its tests: in memory, which is fast, and gone afterwards.
 */
#ifndef UNIT_DATABASES_H
#define UNIT_DATABASES_H

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder.h"
#include "test.h"

#define SECOND	1000000000LL
#define BEGIN	(1795600800LL * SECOND)		/* an hour begins */

static char folder[64], disk[96], recent[96];
static struct recorder_conf conf;

__printf(1, 2)
static inline void run_shell(const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (system(text))
		fail("%s", text);
}

static inline void end(void)
{
	run_shell("rm -rf %s %s*", folder, recent);
}

/* The folder of what is on disk is in @place. */
static inline void begin_in(const char *place)
{
	snprintf(folder, sizeof(folder), "%s/recorder.%d", place, getpid());
	snprintf(disk, sizeof(disk), "%s/past.db", folder);
	snprintf(recent, sizeof(recent), "/dev/shm/recorder.%d.db", getpid());
	end();
	if (mkdir(folder, 0700))
		fail("mkdir %s: %s", folder, strerror(errno));
	recorder_defaults(&conf);
	conf.file = disk;
	conf.recent = recent;
}

static inline void begin(void)
{
	begin_in("/dev/shm");
}

/* What is said on purpose is not the test's. */
static inline void quiet(bool on)
{
	static int saved = -1;
	int null;

	fflush(stderr);
	if (on) {
		saved = dup(STDERR_FILENO);
		null = open("/dev/null", O_WRONLY);
		dup2(null, STDERR_FILENO);
		close(null);
	} else {
		dup2(saved, STDERR_FILENO);
		close(saved);
	}
}

/* The first number of the first row of @sql; -1, and a failure, if there is none. */
static inline int64_t read_number(const char *path, const char *sql)
{
	sqlite3_stmt *st = NULL;
	int64_t n = -1;
	sqlite3 *db;

	if (sqlite3_open(path, &db) || sqlite3_prepare_v2(db, sql, -1, &st, NULL) ||
	    sqlite3_step(st) != SQLITE_ROW)
		fail("%s: %s", sql, sqlite3_errmsg(db));
	else
		n = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	sqlite3_close(db);
	return n;
}

/* All of the log gets to the database, and the log is empty then. */
static inline void checkpoint(const char *path)
{
	sqlite3 *db;
	int err, left = -1;

	/* SQLite looks at the log when it reads first */
	if (sqlite3_open(path, &db) != SQLITE_OK ||
	    sqlite3_exec(db, "SELECT count(*) FROM span", NULL, NULL, NULL) != SQLITE_OK)
		fail("%s", path);
	err = sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, &left, NULL);
	if (err || left)
		fail("%s: %s, %d frames are left", path, sqlite3_errstr(err), left);
	sqlite3_close(db);
}

#endif
