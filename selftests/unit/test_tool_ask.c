// SPDX-License-Identifier: GPL-2.0
/* Command lines of processes that answer, that are gone, and that never answer. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ask.h"
#include "test.h"

static char said[256];

void msg(const char *fmt, ...)
{
	snprintf(said, sizeof(said), "%s", fmt);
}

static u64 now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ULL + t.tv_nsec / 1000000;
}

/* The helper: the only child. */
static pid_t helper_pid(void)
{
	char path[64], text[64] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		*text = '\0';
	close(fd);
	return strtol(text, NULL, 10);
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

/* A helper that is stopped answers as little as one that waits for a hung disk. */
static void does_not_wait(void)
{
	char got[ASK_MOST];
	u64 began;
	ssize_t n;
	pid_t pid;
	int i;

	for (i = 0; i < 3; i++) {
		pid = helper_pid();
		if (pid <= 0 || kill(pid, SIGSTOP)) {
			fail("no helper");
			return;
		}
		began = now_ms();
		n = ask_cmdline(getpid(), got);
		if (n != -1 || now_ms() - began > 2000)
			fail("%zd after %llu ms", n, now_ms() - began);
		if (!strstr(said, "does not answer"))
			fail("says '%s'", said);
		*said = '\0';
		/* the stopped one is gone, or the next look finds it */
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		/* others are asked as before, until three have not answered */
		n = ask_cmdline(getpid(), got);
		if (i < 2 ? n <= 0 : n != -1)
			fail("%zd of oneself after %d that do not answer", n, i + 1);
	}
}

int main(void)
{
	static const struct test tests[] = { TEST(answers), TEST(does_not_wait) };

	return run_tests("tool_ask", tests, ARRAY_SIZE(tests));
}
