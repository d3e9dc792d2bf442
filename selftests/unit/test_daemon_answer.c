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
	FILES = 12000,	/* of 2 KB each */
	MOST = 12 << 20,	/* bytes that an answer has in memory */
	TOO_MUCH = 99,	/* exit status */
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

/* Of sanitizer/allocator_interface.h, which gcc does not install */
size_t __sanitizer_get_current_allocated_bytes(void);
size_t __sanitizer_get_allocated_size(const volatile void *p);
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *, size_t),
					      void (*on_free)(const volatile void *));

static size_t allocated, peak;

static void count_malloc(const volatile void *p, size_t size)
{
	(void)p;
	allocated += size;
	if (allocated > peak)
		peak = allocated;
}

static void count_free(const volatile void *p)
{
	if (p)
		allocated -= __sanitizer_get_allocated_size(p);
}

static int answer_within(char **words, int nr)
{
	int ret;

	allocated = __sanitizer_get_current_allocated_bytes();
	if (!__sanitizer_install_malloc_and_free_hooks(count_malloc, count_free))
		return TOO_MUCH;
	ret = answer_main(words, nr);
	return ret ? ret : peak > MOST ? TOO_MUCH : 0;
}

/* The process that answers.  Return: its pid; *@fd is what it writes. */
static pid_t start_answer(int *fd, const char *who)
{
	char question[64];
	char *words[4] = { question, (char *)who, disk, recent };
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
		_exit(answer_within(words, ARRAY_SIZE(words)));
	}
	close(pair[1]);
	*fd = pair[0];
	return pid;
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
	pid = start_answer(&fd, "all");
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
	pid = start_answer(&fd, "all");
	close(fd);
	if (waitpid(pid, &status, 0) != pid ||
	    !(WIFSIGNALED(status) ? WTERMSIG(status) == SIGPIPE : WEXITSTATUS(status)))
		fail("status %d", status);
	recorder_close(&r);
	end();
}

/* Originators of user 7 without end, which a writer of the database can make. */
static void fill(const char *path)
{
	char sql[640];
	sqlite3 *db;

	snprintf(sql, sizeof(sql),
		 "BEGIN; CREATE TEMP TABLE n AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL "
		 "SELECT i + 1 FROM n WHERE i < %d) SELECT i FROM n;"
		 "INSERT INTO name SELECT 100000 + i, printf('/srv/%%02000d', i) FROM n;"
		 "INSERT INTO originator SELECT 100000 + i, 1, 1, 1, 100000 + i, 1, 1, 0, 7, 0, 0 FROM n;"
		 "INSERT INTO span SELECT DISTINCT 1000 + i / 4096, 2, 0, %lld, %lld, 0 FROM n;"
		 "INSERT INTO usage SELECT 1000 * 4096 + i, 100000 + i, 1, 1, 1, 0, '[]' FROM n;"
		 "COMMIT", FILES - 1, BEGIN + 2 * SECOND, BEGIN + 3 * SECOND);
	if (sqlite3_open(path, &db) || sqlite3_exec(db, sql, NULL, NULL, NULL))
		fail("%s: %s", path, sqlite3_errmsg(db));
	sqlite3_close(db);
}

/* However many there are, and whoever asks: the answer takes little memory. */
static void many_originators(void)
{
	static const struct {
		const char *who;
		int nr;
	} asks[] = { { "all", FILES }, { "7", FILES }, { "8", 0 } };
	struct recorder r;
	int fd, status, nr;
	bool whole;
	size_t i;
	FILE *f;

	begin();
	if (recorder_open(&r, &conf))
		fail("no recorder");
	recorder_close(&r);
	fill(disk);
	for (i = 0; i < ARRAY_SIZE(asks); i++) {
		pid_t pid = start_answer(&fd, asks[i].who);

		f = fdopen(fd, "r");
		nr = read_answer(f, &whole);
		fclose(f);
		if (nr != asks[i].nr || !whole)
			fail("%s is told %d usages, %s", asks[i].who, nr,
			     whole ? "whole" : "not whole");
		if (waitpid(pid, &status, 0) != pid || status)
			fail("%s: %s", asks[i].who, WEXITSTATUS(status) == TOO_MUCH ?
			     "it takes too much memory" : "it fails");
	}
	end();
}

static bool wants_8(uint32_t uid, const void *arg)
{
	(void)arg;
	return uid == 8;
}

static bool has_no_texts(const struct usage *usage, const struct past_span *span, void *arg)
{
	(void)span;
	++*(int *)arg;
	return usage->key.uid == 7 && !*usage->key.file;
}

/* Of who is not wanted, no text is read. */
static void not_wanted(void)
{
	struct recorder r;
	struct past past;
	int nr = 0;

	begin();
	recorder_open(&r, &conf);
	recorder_close(&r);
	fill(disk);
	if (past_open(&past, disk, NULL))
		fail("it cannot be opened");
	past.wants_user = wants_8;
	if (past_each(&past, 0, INT64_MAX, has_no_texts, &nr) || nr != FILES || past.names[0].nr)
		fail("%d usages, and %zu originators are known", nr, past.names[0].nr);
	past_close(&past);
	end();
}

/* Each number counts as a whole, and nothing is behind the last one. */
static void questions(void)
{
	static const char *const right[] = { "0 1 0", "5 9223372036854775807 2", " 1\t2  1" };
	static const char *const wrong[] = {
		"", "0 1", "1 1 0", "2 1 0", "-1 1 0", "0 1 3", "0 1 -1", "0 1 00", "0 1 0 ",
		"0 1 0x", "0 12345678901234567891", "0 12345678901234567891 0",
		"12345678901234567891 0", "99999999999999999990 99999999999999999999 0",
	};
	struct answer_question q;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(right); i++) {
		if (!answer_parse(right[i], &q))
			fail("'%s' is refused", right[i]);
	}
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		if (answer_parse(wrong[i], &q))
			fail("'%s' is %lld %lld %d", wrong[i], (long long)q.from_ns,
			     (long long)q.until_ns, q.level);
	}
}

int main(void)
{
	static const struct test tests[] = { TEST(questions), TEST(slow_reader), TEST(asker_gone),
					     TEST(many_originators), TEST(not_wanted) };

	return run_tests("daemon_answer", tests, ARRAY_SIZE(tests));
}
