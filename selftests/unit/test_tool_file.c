// SPDX-License-Identifier: GPL-2.0
/* Files that answer, that are not there, and that never answer. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ask.h"
#include "fake_msg.h"
#include "children.h"
#include "test.h"

static int kill_or_fake(pid_t pid, int signal);
static int poll_or_wait(struct pollfd *fds, nfds_t nr, int ms);
#define kill	kill_or_fake
#define poll	poll_or_wait
#include "file.c"
#undef kill
#undef poll

#define SERVICE	"../../tools/ioblamed/ioblamed-namer.service"

enum {
	MOST = 4096,	/* bytes of a file */
	MANY = 20,	/* files that do not answer */
};

static bool hangs;	/* a child waits for a disk: no signal ends it */
static bool in_vain;	/* no answer is to come */
static pid_t killed;	/* the last one that should end */

/* A pipe without a writer: who opens it to read waits for ever. */
static char stalled[64];

static int kill_or_fake(pid_t pid, int signal)
{
	killed = pid;
	return hangs ? 0 : kill(pid, signal);
}

/* An answer that is to come does, however busy the machine of the test is. */
static int poll_or_wait(struct pollfd *fds, nfds_t nr, int ms)
{
	if (!in_vain && ms > FILE_PATIENCE_MS)
		fail("%d ms are waited", ms);
	return poll(fds, nr, in_vain ? 0 : 60000);
}

static bool answers(unsigned int left)
{
	char *text = file_read_timed(SERVICE, 1 << 20, left);
	bool is_there = text && strstr(text, "[Service]");

	free(text);
	return is_there;
}

/* Read what does not answer.  Return: why there is no text, as an errno. */
static int read_stalled(unsigned int left)
{
	char *text;
	int err;

	in_vain = true;
	text = file_read_timed(stalled, MOST, left);
	err = errno;
	in_vain = false;
	if (text)
		fail("what never answers has a text");
	free(text);
	return err;
}

static void those_that_answer(void)
{
	char *text;
	int i;

	for (i = 0; i < 2 * FILE_LEFT_NAMES; i++) {
		if (!answers(FILE_LEFT_NAMES))
			fail("it does not answer the %dth time: %s", i, strerror(errno));
		text = file_read_timed("no/file", MOST, FILE_LEFT_NAMES);
		if (text || errno != ENOENT)
			fail("what is not there: %s", strerror(errno));
		free(text);
	}
	/* more than there is room for */
	text = file_read_timed(SERVICE, 10, FILE_LEFT_NAMES);
	if (!text || strlen(text) != 10)
		fail("it has '%s'", text);
	free(text);
	if (nr_children())
		fail("%u children are left", nr_children());
}

/* A child that is only slow ends when it is killed: it is none of those that hang. */
static void slow_ones_end(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < MANY; i++) {
		killed = 0;
		err = read_stalled(FILE_LEFT_NAMES);
		if (err != ETIMEDOUT)
			fail("the %uth one: %s", i + 1, strerror(err));
		if (!killed)
			fail("the %uth one is not ended", i + 1);
		else
			wait_for_end(killed);
		if (nr_children() > 1)
			fail("%u children behind %u that were slow", nr_children(), i + 1);
	}
	if (!answers(FILE_LEFT_NAMES) || nr_children())
		fail("%u children are left", nr_children());
}

/* Hanging ones are left, up to a bound; one of those that has ended makes room for another one. */
static void hanging_ones(void)
{
	pid_t pids[FILE_LEFT_NAMES];
	unsigned int i;
	int err;

	hangs = true;
	for (i = 0; i < MANY; i++) {
		err = read_stalled(FILE_LEFT_NAMES);
		if (err != (i < FILE_LEFT_NAMES ? ETIMEDOUT : ECANCELED))
			fail("the %uth that hangs: %s", i + 1, strerror(err));
		if (i < FILE_LEFT_NAMES)
			pids[i] = killed;
	}
	if (nr_children() != FILE_LEFT_NAMES)
		fail("%u children hang", nr_children());
	if (answers(FILE_LEFT_NAMES) || errno != ECANCELED)
		fail("another one is read while so many hang");
	/* who wants the others has them */
	if (!answers(FILE_LEFT_MOST))
		fail("a bundle has no file when some hang");
	hangs = false;
	kill(pids[1], SIGKILL);
	wait_for_end(pids[1]);
	if (!answers(FILE_LEFT_NAMES) || nr_children() != FILE_LEFT_NAMES - 1)
		fail("%u children when one has ended", nr_children());
	for (i = 0; i < FILE_LEFT_NAMES; i++) {
		if (i == 1)
			continue;
		kill(pids[i], SIGKILL);
		wait_for_end(pids[i]);
	}
	if (!answers(FILE_LEFT_NAMES) || nr_children())
		fail("%u children when all have ended", nr_children());
}

/* As many as a bundle may have: no more are remembered than there is room for. */
static void many_that_hang(void)
{
	unsigned int i;
	int err;

	hangs = true;
	for (i = 0; i <= FILE_LEFT_MOST; i++) {
		err = read_stalled(FILE_LEFT_MOST);
		if (err != (i < FILE_LEFT_MOST ? ETIMEDOUT : ECANCELED))
			fail("the %uth that hangs: %s", i + 1, strerror(err));
	}
	hangs = false;
	for (i = 0; i < nr_left_children; i++) {
		kill(left_children[i], SIGKILL);
		wait_for_end(left_children[i]);
	}
	if (!answers(FILE_LEFT_NAMES) || nr_children())
		fail("%u children when all have ended", nr_children());
}

/* All that may hang at once have a place among the tasks of the namer's service. */
static void tasks_of_service(void)
{
	char *text = file_read(SERVICE), *at = text ? strstr(text, "\nTasksMax=") : NULL;
	unsigned int tasks = at ? strtoul(at + strlen("\nTasksMax="), NULL, 10) : 0;

	if (tasks < 1 + ASK_HELPERS + FILE_LEFT_NAMES)
		fail("the service has %u tasks", tasks);
	free(text);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(those_that_answer), TEST(slow_ones_end), TEST(hanging_ones),
		TEST(many_that_hang), TEST(tasks_of_service),
	};
	char folder[] = "/tmp/iob_file_XXXXXX";
	int ret;

	if (!mkdtemp(folder))
		abort();
	snprintf(stalled, sizeof(stalled), "%s/stalled", folder);
	if (mkfifo(stalled, 0600))
		abort();
	ret = run_tests("tool_file", tests, ARRAY_SIZE(tests));
	unlink(stalled);
	rmdir(folder);
	return ret;
}
