// SPDX-License-Identifier: GPL-2.0
/* Which signals end the command, and which its child is left with. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stop.h"
#include "test.h"

/* What becomes of signals is of a process: each case has its own.  Return: its exit status. */
static int in_child(int (*one)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(one());
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool is_ignored(int sig)
{
	struct sigaction sa;

	return !sigaction(sig, NULL, &sa) && sa.sa_handler == SIG_IGN;
}

static int hang_up(void)
{
	signal(SIGHUP, SIG_DFL);
	stop_init();
	raise(SIGHUP);
	return stop_asked() ? 1 : 0;
}

static int nohup(void)
{
	signal(SIGHUP, SIG_IGN);
	stop_init();
	raise(SIGHUP);
	if (stop_asked())
		return 1;
	stop_reset();
	if (!is_ignored(SIGHUP))
		return 2;
	return is_ignored(SIGINT) || is_ignored(SIGPIPE) ? 3 : 0;
}

/* A shell's script starts what is behind an & with SIGINT ignored, and sends it to end it. */
static int background(void)
{
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	stop_init();
	raise(SIGINT);
	return stop_asked() ? 1 : 0;
}

static void ends(void)
{
	if (in_child(hang_up) != 1)
		fail("SIGHUP does not end it");
	if (in_child(background) != 1)
		fail("in the background, SIGINT does not end it");
}

static void stays(void)
{
	static const char *const wrong[] = {
		"", "SIGHUP ends it", "its child is no longer under nohup",
		"its child ignores other signals",
	};
	int ret = in_child(nohup);

	if (ret)
		fail("under nohup: %s", ret > 0 && ret < 4 ? wrong[ret] : "it did not end");
}

int main(void)
{
	static const struct test tests[] = {
		TEST(ends), TEST(stays),
	};

	return run_tests("tool_stop", tests, ARRAY_SIZE(tests));
}
