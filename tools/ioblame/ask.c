// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ask.h"
#include "clock.h"
#include "msg.h"

enum {
	/* an answer takes microseconds; the loop that reads records must not wait for long */
	PATIENCE_MS = 100,
	/* nor for long in all: so many answers are waited for in vain in so many seconds */
	VAIN_MOST = 3,
	VAIN_SECONDS = 10,
};

static void close_all(unsigned int first)
{
	long i, most = sysconf(_SC_OPEN_MAX);

#ifdef SYS_close_range
	if (!syscall(SYS_close_range, first, ~0U, 0))
		return;
#endif
	for (i = first; i < (most > 0 && most < 65536 ? most : 65536); i++)
		close(i);
}

/* Nothing of the parent's may be held open: the module's logs, the terminal. */
static void close_all_but(int fd)
{
	dup2(fd, 0);
	close_all(1);
	/* what a library prints must not get into a file that it opens */
	if (open("/dev/null", O_RDWR) == 1)
		dup2(1, 2);
}

/* Answer until the parent is gone. */
static void answer(const struct asker *a)
{
	char text[ASK_MOST];
	uint32_t nr;
	ssize_t n;

	while (recv(0, &nr, sizeof(nr), 0) == sizeof(nr)) {
		n = a->answer(nr, text);
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

static bool start_helper(struct asker *a)
{
	int fd[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd))
		return false;
	a->helper = fork();
	if (!a->helper) {
		close_all_but(fd[1]);
		setsid();
		/* it may wait for long when the parent ends */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, a->process);
		answer(a);
	}
	close(fd[1]);
	if (a->helper < 0) {
		close(fd[0]);
		a->helper = 0;
		return false;
	}
	a->to_helper = fd[0];
	return true;
}

/* Return: false if it still runs, or waits for what no signal ends. */
static bool has_ended(pid_t pid)
{
	return waitpid(pid, NULL, WNOHANG) != 0;
}

/* Let those go that have ended meanwhile: only those that hang are too many. */
static void reap_left_helpers(struct asker *a)
{
	unsigned int i, nr = 0;

	for (i = 0; i < a->nr_left; i++) {
		if (!has_ended(a->left[i]))
			a->left[nr++] = a->left[i];
	}
	a->nr_left = nr;
}

/* Go on without it; the next question is for another one. */
static void leave_helper(struct asker *a)
{
	close(a->to_helper);
	if (!has_ended(a->helper))
		a->left[a->nr_left++] = a->helper;
	a->helper = 0;
}

static uint64_t now_seconds(void)
{
	return clock_ns() / 1000000000;
}

/* The first ones are said, and then one in a minute. */
static bool is_to_be_said(struct asker *a)
{
	uint64_t now = now_seconds();

	if (a->nr_said >= ASK_HELPERS && now - a->said_at < 60)
		return false;
	a->nr_said += a->nr_said < ASK_HELPERS;
	a->said_at = now;
	return true;
}

/* Whether so many were waited for in vain that none is asked for until the while is over. */
static bool waited_enough(const struct asker *a)
{
	return a->nr_vain >= VAIN_MOST && now_seconds() - a->vain_since < a->vain_seconds;
}

static void note_vain(struct asker *a)
{
	uint64_t now = now_seconds();

	if (!a->nr_vain || now - a->vain_since >= a->vain_seconds) {
		a->nr_vain = 0;
		a->vain_since = now;
	}
	a->nr_vain++;
}

/* It has not answered: kill it, if that is possible at all. */
static void give_up(struct asker *a, uint32_t nr)
{
	kill(a->helper, SIGKILL);
	leave_helper(a);
	note_vain(a);
	if (is_to_be_said(a))
		a->say(nr, a->nr_left >= ASK_HELPERS);
}

/**
 * ask_in_time - ask a helper, and wait for it only so long
 * @a:     what is asked for
 * @nr:    whose
 * @to:    the answer, ASK_MOST bytes; one that is empty is a NUL
 * @asked: is set to false if none was asked, as others hang
 *
 * Return: bytes of the answer, or -1.
 */
ssize_t ask_in_time(struct asker *a, uint32_t nr, char *to, bool *asked)
{
	struct pollfd p = { .events = POLLIN };
	ssize_t n = -1;

	*asked = false;
	reap_left_helpers(a);
	if (a->nr_left >= ASK_HELPERS || waited_enough(a))
		return -1;
	if (!a->helper && !start_helper(a))
		return -1;
	if (send(a->to_helper, &nr, sizeof(nr), MSG_NOSIGNAL) != sizeof(nr))
		goto gone;
	p.fd = a->to_helper;
	while ((n = poll(&p, 1, a->patience_ms)) < 0 && errno == EINTR)
		;
	if (!n) {
		*asked = true;
		give_up(a, nr);
		return -1;
	}
	n = recv(a->to_helper, to, ASK_MOST, 0);
	if (n > 0) {
		*asked = true;
		return n;
	}
gone:
	/* somebody has killed it */
	leave_helper(a);
	return -1;
}

/* In the helper. */
static ssize_t read_cmdline(uint32_t pid, char *to)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/cmdline", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, to, ASK_MOST);
	close(fd);
	return n;
}

static void say_cmdline(uint32_t pid, bool no_more)
{
	msg("/proc/%u/cmdline does not answer%s", pid, !no_more ? "" :
	    "; no more command lines are read until one of those who read them has ended");
}

static struct asker cmdlines = {
	.answer = read_cmdline, .say = say_cmdline, .process = "ioblame-names",
	.patience_ms = PATIENCE_MS, .vain_seconds = VAIN_SECONDS,
};

/**
 * ask_cmdline - read the command line of a process
 * @pid: the process
 * @to:  the result, ASK_MOST bytes; its words end in NULs
 *
 * Return: bytes of it, or -1.
 */
ssize_t ask_cmdline(uint32_t pid, char *to)
{
	bool asked;

	return ask_in_time(&cmdlines, pid, to, &asked);
}
