// SPDX-License-Identifier: GPL-2.0
/* Command lines of processes that answer, that are gone, and that never answer. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fake_msg.h"
#include "children.h"
#include "test.h"

static int kill_or_fake(pid_t pid, int signal);
static int poll_or_wait(struct pollfd *fds, nfds_t nr, int ms);
#define kill	kill_or_fake
#define poll	poll_or_wait
#include "ask.c"
#undef kill
#undef poll

static bool hangs;	/* a helper that waits for a disk: no signal ends it */
static bool in_vain;	/* no answer is to come */

static int kill_or_fake(pid_t pid, int signal)
{
	return hangs ? 0 : kill(pid, signal);
}

/* An answer that is to come does, however busy the machine of the test is. */
static int poll_or_wait(struct pollfd *fds, nfds_t nr, int ms)
{
	return poll(fds, nr, in_vain ? ms : 60000);
}

static u64 now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ULL + t.tv_nsec / 1000000;
}

static void answers(void)
{
	char want[ASK_MOST], got[ASK_MOST];
	int fd = open("/proc/self/cmdline", O_RDONLY);
	ssize_t n = read(fd, want, sizeof(want)), k;
	int i;

	close(fd);
	for (i = 0; i < 1000; i++) {
		k = ask_cmdline(getpid(), got);
		if (k != n || memcmp(want, got, n)) {
			fail("%zd bytes, not %zd, the %dth time", k, n, i);
			return;
		}
	}
	/* none, and a thread of the kernel, have no words */
	k = ask_cmdline(0x7fffffff, got);
	if (k != 1 || *got)
		fail("a process that is not there has %zd bytes", k);
	if (*said)
		fail("says %s", said);
}

/* The while is over in which so many were waited for in vain. */
static void pass_while(void)
{
	cmdlines.vain_since -= VAIN_SECONDS;
}

/* Stop the helper, which then does not answer.  @told: that is said.  Return: its pid. */
static pid_t ask_in_vain(bool told)
{
	char got[ASK_MOST];
	pid_t pid = cmdlines.helper;
	u64 began;
	ssize_t n;

	if (pid <= 0 || kill(pid, SIGSTOP)) {
		fail("no helper");
		return 0;
	}
	*said = '\0';
	in_vain = true;
	began = now_ms();
	n = ask_cmdline(getpid(), got);
	in_vain = false;
	if (n != -1 || now_ms() - began > 2000)
		fail("%zd after %llu ms", n, now_ms() - began);
	if (!strstr(said, "does not answer") == told)
		fail("says '%s'", said);
	return pid;
}

/* A helper that is stopped answers as little as one that waits for a hung disk. */
static void does_not_wait(void)
{
	pid_t pids[ASK_HELPERS];
	char got[ASK_MOST];
	ssize_t n;
	int i;

	hangs = true;
	for (i = 0; i < ASK_HELPERS; i++) {
		pids[i] = ask_in_vain(true);
		if (!pids[i])
			return;
		if (!strstr(said, "no more command lines") != (i < ASK_HELPERS - 1))
			fail("says '%s' after %d that hang", said, i + 1);
		/* others are asked as before, until three hang */
		n = ask_cmdline(getpid(), got);
		if (i < ASK_HELPERS - 1 ? n <= 0 : n != -1)
			fail("%zd of oneself after %d that hang", n, i + 1);
	}
	pass_while();
	/* they hang for as long as the disk does, and no more of them are made */
	for (i = 0; i < 100; i++) {
		if (ask_cmdline(getpid(), got) != -1 || nr_children() != ASK_HELPERS)
			fail("%u children, of which %d hang", nr_children(), ASK_HELPERS);
	}
	hangs = false;
	kill(pids[1], SIGKILL);
	wait_for_end(pids[1]);
	n = ask_cmdline(getpid(), got);
	if (n <= 0 || nr_children() != ASK_HELPERS)
		fail("%zd when one has ended, with %u children", n, nr_children());
	kill(pids[0], SIGKILL);
	kill(pids[2], SIGKILL);
	wait_for_end(pids[0]);
	wait_for_end(pids[2]);
	n = ask_cmdline(getpid(), got);
	if (n <= 0 || nr_children() != 1)
		fail("%zd when all have ended, with %u children", n, nr_children());
}

/* A helper that was only slow ends when it is killed: any number may be. */
static void slow_ones_end(void)
{
	char got[ASK_MOST];
	pid_t pid;
	ssize_t n;
	int i;

	cmdlines.nr_said = 0;
	cmdlines.nr_vain = 0;
	for (i = 0; i < 2 * ASK_HELPERS; i++) {
		/* of those that are waited for in a while there are only so many */
		pass_while();
		/* the first ones are said, and then one in a minute */
		if (i == 2 * ASK_HELPERS - 1)
			cmdlines.said_at -= 60;
		pid = ask_in_vain(i < ASK_HELPERS || i == 2 * ASK_HELPERS - 1);
		if (!pid)
			return;
		wait_for_end(pid);
		n = ask_cmdline(getpid(), got);
		if (n <= 0 || nr_children() != 1)
			fail("%zd after %d that were slow, with %u children", n, i + 1,
			     nr_children());
	}
	/* somebody kills it */
	pid = cmdlines.helper;
	kill(pid, SIGKILL);
	wait_for_end(pid);
	n = ask_cmdline(getpid(), got);
	if (n != -1)
		fail("%zd of a helper that is gone", n);
	n = ask_cmdline(getpid(), got);
	if (n <= 0 || nr_children() != 1)
		fail("%zd after one that was killed, with %u children", n, nr_children());
}

/* A process that does not answer, each time that it is asked for: a helper cannot be reused. */
static unsigned int ask_many_in_vain(unsigned int nr)
{
	unsigned int waited = 0;
	char got[ASK_MOST];
	pid_t asked;

	in_vain = true;
	while (nr--) {
		asked = cmdlines.helper;
		kill(asked, SIGSTOP);
		if (ask_cmdline(getpid(), got) != -1)
			fail("a helper that is stopped answers");
		if (cmdlines.helper)
			continue;
		waited++;
		wait_for_end(asked);
		start_helper(&cmdlines);
	}
	in_vain = false;
	return waited;
}

/* However many do not answer, the loop that reads records waits for a few of them. */
static void many_in_vain(void)
{
	char got[ASK_MOST];
	unsigned int nr;
	int i;

	cmdlines.nr_vain = 0;
	if (ask_cmdline(getpid(), got) <= 0)
		fail("no helper");
	for (i = 0; i < 3; i++) {
		nr = ask_many_in_vain(50);
		if (nr != VAIN_MOST)
			fail("%u of 50 are waited for", nr);
		kill(cmdlines.helper, SIGCONT);
		if (ask_cmdline(getpid(), got) != -1)
			fail("one is asked for in the while");
		pass_while();
		if (ask_cmdline(getpid(), got) <= 0)
			fail("none is asked for behind the while");
	}
	if (VAIN_MOST * PATIENCE_MS >= 1000)
		fail("%d ms are waited", VAIN_MOST * PATIENCE_MS);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(answers), TEST(does_not_wait), TEST(slow_ones_end), TEST(many_in_vain),
	};

	return run_tests("tool_ask", tests, ARRAY_SIZE(tests));
}
