// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ask.h"
#include "msg.h"

enum {
	/* an answer takes microseconds; the loop that reads records must not wait for long */
	PATIENCE_MS = 100,
	/* nor for long in all: so many answers are waited for in vain in so many seconds */
	VAIN_MOST = 3,
	VAIN_SECONDS = 10,
};

static pid_t helper;
static int to_helper = -1;

/* Those that were left, and that have not ended when they were last looked at */
static pid_t left_helpers[ASK_HELPERS];
static unsigned int nr_left_helpers;

/* How many of them were said, up to ASK_HELPERS, and when the last one was, in seconds */
static unsigned int nr_said;
static time_t said_at;

/* How many answers were waited for in vain since then, in seconds */
static unsigned int nr_vain;
static time_t vain_since;

/* Nothing of the parent's may be held open: the module's logs, the terminal. */
static void close_all_but(int fd)
{
	long i, most = sysconf(_SC_OPEN_MAX);

	dup2(fd, 0);
#ifdef SYS_close_range
	if (!syscall(SYS_close_range, 1, ~0U, 0))
		return;
#endif
	for (i = 1; i < (most > 0 && most < 65536 ? most : 65536); i++)
		close(i);
}

/* Answer until the parent is gone. */
static void answer(void)
{
	char path[64], text[ASK_MOST];
	uint32_t pid;
	ssize_t n;
	int fd;

	while (recv(0, &pid, sizeof(pid), 0) == sizeof(pid)) {
		snprintf(path, sizeof(path), "/proc/%u/cmdline", pid);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		n = fd < 0 ? 0 : read(fd, text, sizeof(text));
		if (fd >= 0)
			close(fd);
		/* an empty answer would look like the end */
		if (n <= 0) {
			n = 1;
			text[0] = '\0';
		}
		if (send(0, text, n, MSG_NOSIGNAL) != n)
			break;
	}
	_exit(0);
}

static bool start_helper(void)
{
	int fd[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd))
		return false;
	helper = fork();
	if (!helper) {
		close_all_but(fd[1]);
		setsid();
		prctl(PR_SET_NAME, "ioblame-names");
		answer();
	}
	close(fd[1]);
	if (helper < 0) {
		close(fd[0]);
		return false;
	}
	to_helper = fd[0];
	return true;
}

/* Return: false if it still runs, or waits for what no signal ends. */
static bool has_ended(pid_t pid)
{
	return waitpid(pid, NULL, WNOHANG) != 0;
}

/* Let those go that have ended meanwhile: only those that hang are too many. */
static void reap_left_helpers(void)
{
	unsigned int i, nr = 0;

	for (i = 0; i < nr_left_helpers; i++) {
		if (!has_ended(left_helpers[i]))
			left_helpers[nr++] = left_helpers[i];
	}
	nr_left_helpers = nr;
}

/* Go on without it; the next question is for another one. */
static void leave_helper(void)
{
	close(to_helper);
	to_helper = -1;
	if (!has_ended(helper))
		left_helpers[nr_left_helpers++] = helper;
}

static time_t now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/* The first ones are said, and then one in a minute. */
static bool is_to_be_said(void)
{
	time_t now = now_seconds();

	if (nr_said >= ASK_HELPERS && now - said_at < 60)
		return false;
	nr_said += nr_said < ASK_HELPERS;
	said_at = now;
	return true;
}

/* Whether so many were waited for in vain that none is asked for until the while is over. */
static bool waited_enough(void)
{
	return nr_vain >= VAIN_MOST && now_seconds() - vain_since < VAIN_SECONDS;
}

static void note_vain(void)
{
	time_t now = now_seconds();

	if (!nr_vain || now - vain_since >= VAIN_SECONDS) {
		nr_vain = 0;
		vain_since = now;
	}
	nr_vain++;
}

/* It has not answered: kill it, if that is possible at all. */
static void give_up(uint32_t pid)
{
	kill(helper, SIGKILL);
	leave_helper();
	note_vain();
	if (!is_to_be_said())
		return;
	msg("/proc/%u/cmdline does not answer%s", pid, nr_left_helpers < ASK_HELPERS ? "" :
	    "; no more command lines are read until one of those who read them has ended");
}

/**
 * ask_cmdline - read the command line of a process
 * @pid: the process
 * @to:  the result, ASK_MOST bytes; its words end in NULs
 *
 * Return: bytes of it, or -1.
 */
ssize_t ask_cmdline(uint32_t pid, char *to)
{
	struct pollfd p = { .events = POLLIN };
	ssize_t n = -1;

	reap_left_helpers();
	if (nr_left_helpers >= ASK_HELPERS || waited_enough())
		return -1;
	if (to_helper < 0 && !start_helper())
		return -1;
	if (send(to_helper, &pid, sizeof(pid), MSG_NOSIGNAL) != sizeof(pid))
		goto gone;
	p.fd = to_helper;
	while ((n = poll(&p, 1, PATIENCE_MS)) < 0 && errno == EINTR)
		;
	if (!n) {
		give_up(pid);
		return -1;
	}
	n = recv(to_helper, to, ASK_MOST, 0);
	if (n > 0)
		return n;
gone:
	/* somebody has killed it */
	leave_helper();
	return -1;
}
