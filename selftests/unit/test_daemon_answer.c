// SPDX-License-Identifier: GPL-2.0
/* A question about the past: its answer is whole, and who reads it slowly holds up nothing. */
#include <signal.h>
#include <sqlite3.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "answer.h"
#include "databases.h"
#include "past.h"

enum {
	INTERVALS = 30,
	UNITS = 500,	/* of each: far more text than a socket holds */
};

static void add_interval(struct recorder *r, int nr)
{
	int64_t from_ns = BEGIN + nr * 10 * SECOND;
	struct usage_list list = { .from_ns = from_ns, .until_ns = from_ns + 10 * SECOND };
	char file[64];
	int i;

	for (i = 0; i < UNITS; i++) {
		struct usage u = { .key = { .unit = "a.service", .program = "cat", .user = "root",
					    .file = file, .disk = "sda", .why = "data" } };

		sprintf(file, "/srv/%d/file", i);
		u.ios = 1;
		u.bytes = 4096;
		usage_add(&list, &u);
	}
	recorder_add(r, &list);
	usage_clear(&list);
}

/* The process that answers.  Return: its pid; *@fd is what it writes. */
static pid_t start_answer(int *fd)
{
	char question[64];
	char *words[4] = { question, "all", disk, recent };
	int pair[2];
	pid_t pid;

	snprintf(question, sizeof(question), "0 %lld %d", (long long)(BEGIN + 3600 * SECOND),
		 PAST_INTERVAL);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return -1;
	pid = fork();
	if (!pid) {
		dup2(pair[1], STDOUT_FILENO);
		close(pair[0]);
		close(pair[1]);
		_exit(answer_main(words, ARRAY_SIZE(words)));
	}
	close(pair[1]);
	*fd = pair[0];
	return pid;
}

/* All of the log gets to the database, and the log is empty then. */
static void checkpoint(const char *path)
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

/* Reads to the end.  Return: how many usages it has; *@whole if its last line is there. */
static int read_answer(FILE *f, bool *whole)
{
	char *line = NULL;
	size_t size = 0;
	int nr = 0;

	*whole = false;
	while (getline(&line, &size, f) > 0) {
		nr += !!strstr(line, "\"/srv/");
		*whole = !strncmp(line, "end 0 ", 6);
	}
	free(line);
	return nr;
}

static void open_recorder(struct recorder *r)
{
	int i;

	begin();
	conf.interval_rows = UNITS;
	if (recorder_open(r, &conf))
		fail("no recorder");
	for (i = 0; i < INTERVALS; i++)
		add_interval(r, i);
}

/* The first letter was read, and megabytes wait for their reader. */
static void slow_reader(void)
{
	struct recorder r;
	int fd, status, nr;
	bool whole;
	pid_t pid;
	FILE *f;

	open_recorder(&r);
	pid = start_answer(&fd);
	f = fdopen(fd, "r");
	if (pid < 0 || !f || getc(f) != '{')
		fail("no answer");
	add_interval(&r, INTERVALS);
	checkpoint(recent);
	checkpoint(disk);
	nr = read_answer(f, &whole);
	if (nr != INTERVALS * UNITS || !whole)
		fail("%d usages, %s", nr, whole ? "whole" : "not whole");
	fclose(f);
	if (waitpid(pid, &status, 0) != pid || status)
		fail("status %d", status);
	recorder_close(&r);
	end();
}

/* Who asks goes away: the process does not collect for nobody. */
static void asker_gone(void)
{
	struct recorder r;
	int fd, status;
	pid_t pid;

	open_recorder(&r);
	pid = start_answer(&fd);
	close(fd);
	if (waitpid(pid, &status, 0) != pid ||
	    !(WIFSIGNALED(status) ? WTERMSIG(status) == SIGPIPE : WEXITSTATUS(status)))
		fail("status %d", status);
	recorder_close(&r);
	end();
}

int main(void)
{
	static const struct test tests[] = { TEST(slow_reader), TEST(asker_gone) };

	return run_tests("daemon_answer", tests, ARRAY_SIZE(tests));
}
