// SPDX-License-Identifier: GPL-2.0
/* What is said and returned of a command that ends by itself, or that its view ends. */
#include <time.h>

#include "children.h"
#include "msg.h"
#include "test.h"

/* It waits for a command that does not end without the time that this takes. */
static bool never_ends;

static int sleep_or_skip(const struct timespec *time, struct timespec *left)
{
	return never_ends ? 0 : nanosleep(time, left);
}

#define nanosleep	sleep_or_skip
#include "child.c"
#undef nanosleep

static char said[512];

static void start(const char *script)
{
	char *argv[] = { "sh", "-c", (char *)script, NULL };

	status_of_end = 0;
	if (!child_start(argv))
		fail("'%s' is not started", script);
}

static void end(bool asked)
{
	FILE *usual = stderr;

	memset(said, 0, sizeof(said));
	stderr = fmemopen(said, sizeof(said), "w");
	child_kill(asked, true);
	fclose(stderr);
	stderr = usual;
	if (nr_children() != never_ends)
		fail("%u children are left", nr_children());
}

/* It ends by itself, and its view looks at it at the end.  @says: NULL if nothing is said. */
static void expect_own_end(const char *script, bool asked, int status, const char *says)
{
	start(script);
	wait_for_end(child);
	end(asked);
	if (child_status() != status)
		fail("'%s' gives status %d, not %d", script, child_status(), status);
	if (says ? !strstr(said, says) : *said)
		fail("'%s': '%s' is said", script, said);
}

/* It fails in the last moment of a view that has all its tables. */
static void fails_at_the_end(void)
{
	expect_own_end("exit 7", false, 7, "the command ended with status 7\n");
	expect_own_end("kill -KILL $$", false, 137, "the command was ended by signal 9\n");
	expect_own_end("exit 0", false, 0, NULL);
}

/* Ctrl-C ends both: what a shell has behind && is not run. */
static void ctrl_c(void)
{
	expect_own_end("kill -INT $$", true, 130, NULL);
	expect_own_end("exit 2", true, 2, NULL);
	expect_own_end("exit 0", true, 0, NULL);
}

/* It runs still, and ends by SIGTERM. */
static void runs_still(void)
{
	start("exec sleep 1000");
	end(false);
	if (child_status() || !strstr(said, "was still running, and was ended (SIGTERM)\n"))
		fail("when the time is over: status %d, '%s'", child_status(), said);
	start("exec sleep 1000");
	end(true);
	if (child_status() != 128 + SIGTERM || *said)
		fail("when it is asked for: status %d, '%s'", child_status(), said);
}

/* It does not end: that is no success for who asked for its end. */
static void runs_on(void)
{
	int asked, fd[2];
	pid_t pid;
	char c;

	/* a shell knows files of one digit only */
	if (pipe2(fd, O_CLOEXEC) || dup2(fd[1], 9) < 0)
		fail("no pipe: %s", strerror(errno));
	for (asked = 0; asked < 2; asked++) {
		start("trap '' TERM; echo >&9; exec sleep 1000 9>&-");
		if (read(fd[0], &c, 1) != 1)
			fail("the shell does not begin");
		pid = child;
		never_ends = true;
		end(asked);
		never_ends = false;
		if (child_status() != asked || !strstr(said, "it runs on as process "))
			fail("asked %d: status %d, '%s'", asked, child_status(), said);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
}

/* It ends while its view looks at it. */
static void is_seen(void)
{
	FILE *usual = stderr;

	start("exit 7");
	wait_for_end(child);
	memset(said, 0, sizeof(said));
	stderr = fmemopen(said, sizeof(said), "w");
	if (!child_ended(true))
		fail("its end is not seen");
	fclose(stderr);
	stderr = usual;
	if (child_ended(true))
		fail("its end is seen twice");
	if (!strstr(said, "the command ended with status 7\n"))
		fail("'%s' is said", said);
	end(false);
	if (child_status() != 7 || *said)
		fail("then its view ends: status %d, '%s'", child_status(), said);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(fails_at_the_end), TEST(ctrl_c), TEST(runs_still), TEST(runs_on),
		TEST(is_seen),
	};

	return run_tests("tool_child", tests, ARRAY_SIZE(tests));
}
