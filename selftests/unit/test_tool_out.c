// SPDX-License-Identifier: GPL-2.0
/* What comes of the output when the command is ended: its reader reads on, does not, or is gone. */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "out.h"
#include "stop.h"
#include "test.h"

enum {
	LINE = 100,
	LINES = 3000,		/* more than a buffer and a pipe have room for */
	BYTES = (LINES + 1) * LINE,
};

enum reader {
	READS,			/* all, as it comes */
	WAITS,			/* until the command has ended */
	IS_GONE,
};

static char got[BYTES + 1], said[512];
static size_t nr_got;

/* The command: SIGTERM comes while it prints.  Does not return. */
static void print(int out, int err, bool hold)
{
	char line[LINE + 1];
	unsigned int i;

	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	close(out);
	close(err);
	stop_init();
	memset(line, 'x', LINE);
	line[LINE - 1] = '\n';
	line[LINE] = '\0';
	if (hold)
		out_hold();
	for (i = 0; i < LINES; i++) {
		if (i == LINES / 2)
			raise(SIGTERM);
		out_puts(line);
	}
	if (hold)
		out_release();
	out_flush();
	line[0] = 'e';
	out_puts(line);
	out_end();
	_exit(out_failed());
}

static size_t read_all(int fd, char *to, size_t size)
{
	size_t n = 0;
	ssize_t part;

	while (n < size && (part = read(fd, to + n, size - n)) > 0)
		n += part;
	close(fd);
	return n;
}

/* Run the command.  Return: its exit status. */
static int run(enum reader reader, bool hold)
{
	int out[2], err[2], status;
	pid_t pid;

	/* one that has no reader yet has room for all lines before the signal */
	if (pipe(out) || pipe(err) || fcntl(out[1], F_SETPIPE_SZ, 1 << 18) < LINES / 2 * LINE)
		return -1;
	if (reader == IS_GONE)
		close(out[0]);
	pid = fork();
	if (!pid) {
		if (reader != IS_GONE)
			close(out[0]);
		print(out[1], err[1], hold);
	}
	close(out[1]);
	close(err[1]);
	nr_got = 0;
	if (reader == READS)
		nr_got = read_all(out[0], got, sizeof(got));
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	if (reader == WAITS)
		nr_got = read_all(out[0], got, sizeof(got));
	said[read_all(err[0], said, sizeof(said) - 1)] = '\0';
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void reads_on(void)
{
	unsigned int hold;
	int ret;

	for (hold = 0; hold < 2; hold++) {
		ret = run(READS, hold);
		if (ret || *said)
			fail("status %d; it says %s", ret, said);
		if (nr_got != BYTES || got[BYTES - LINE] != 'e' || got[BYTES - 1] != '\n')
			fail("%zu bytes come", nr_got);
	}
}

/* All of the stream is there, or counted. */
static void does_not_read(void)
{
	unsigned long long nr;
	unsigned int hold;
	char *at;
	int ret;

	for (hold = 0; hold < 2; hold++) {
		ret = run(WAITS, hold);
		if (ret != 1)
			fail("status %d", ret);
		at = strstr(said, "read on: ");
		if (!at || sscanf(at, "read on: %llu bytes are dropped", &nr) != 1)
			fail("it says %s", *said ? said : "nothing");
		else if (!nr_got || nr_got + nr != BYTES)
			fail("%zu bytes come, and %llu of %d are dropped", nr_got, nr, BYTES);
		if (strchr(said, '\n') != said + strlen(said) - 1)
			fail("it is said more than once");
	}
}

/* He who has seen enough, as head(1), is told nothing. */
static void is_gone(void)
{
	unsigned int hold;
	int ret;

	for (hold = 0; hold < 2; hold++) {
		ret = run(IS_GONE, hold);
		if (ret || *said)
			fail("status %d; it says %s", ret, said);
	}
}

int main(void)
{
	static const struct test tests[] = { TEST(reads_on), TEST(does_not_read), TEST(is_gone) };

	return run_tests("tool_out", tests, ARRAY_SIZE(tests));
}
