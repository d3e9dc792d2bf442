// SPDX-License-Identifier: GPL-2.0
/* Whoever reads tables of the past slowly holds up nothing. */
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "databases.h"
#include "flame.h"
#include "history.h"
#include "hist_print.h"
#include "out.h"
#include "stop.h"
#include "table.h"
#include "usage_print.h"

enum {
	INTERVALS = 6,
	TABLE = 100000,		/* bytes of a table: more than a pipe holds */
};

bool usage_wanted(const struct opts *o, const struct usage_key *key)
{
	(void)o;
	(void)key;
	return true;
}

void usage_print(const struct opts *o, const struct usage_list *rows, enum pivot by)
{
	static char line[TABLE];

	(void)o;
	(void)rows;
	(void)by;
	memset(line, 'x', sizeof(line) - 1);
	line[sizeof(line) - 1] = '\n';
	out_write(line, sizeof(line));
}

/* What other views of the past need */
void hist_print(const struct run *run, const struct hist *h, uint64_t sum, const char *by,
		const char *name, uint64_t to_ns)
{
	(void)run;
	(void)h;
	(void)sum;
	(void)by;
	(void)name;
	(void)to_ns;
}

unsigned int hist_slot(uint64_t ns)
{
	(void)ns;
	return 0;
}

struct flame *flame_new(void)
{
	return NULL;
}

void flame_add(struct flame *f, const char *const *frame, unsigned int nr, uint64_t weight)
{
	(void)f;
	(void)frame;
	(void)nr;
	(void)weight;
}

struct table *table_new(enum format format, const char *type, const struct col *cols,
			unsigned int nr)
{
	(void)format;
	(void)type;
	(void)cols;
	(void)nr;
	return NULL;
}

void table_row(struct table *t, const struct cell *cells)
{
	(void)t;
	(void)cells;
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

int main(void)
{
	static const struct test tests[] = { TEST(slow_reader) };

	return run_tests("tool_history", tests, ARRAY_SIZE(tests));
}
