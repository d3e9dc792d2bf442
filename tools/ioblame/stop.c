// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "msg.h"
#include "stop.h"

static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
static volatile sig_atomic_t asked;
static int pipe_fd[2] = { -1, -1 };
static bool under_nohup;

static void wake_waiter(void)
{
	int saved = errno;

	/* a full pipe wakes the waiter, too */
	if (write(pipe_fd[1], "", 1) < 0)
		errno = saved;
	errno = saved;
}

static void on_end(int sig)
{
	(void)sig;
	asked = 1;
	wake_waiter();
}

static void on_other(int sig)
{
	(void)sig;
	wake_waiter();
}

/*
 * Let SIGINT, SIGTERM, SIGHUP and SIGQUIT set stop_asked(), and ignore SIGPIPE.  A SIGHUP that was
 * ignored stays so: nohup(1) asks for that.  A shell ignores SIGINT for what it starts in the
 * background, where scripts send it all the same to end the command.
 */
void stop_init(void)
{
	struct sigaction sa = { .sa_handler = on_end }, before;
	size_t i;

	under_nohup = !sigaction(SIGHUP, NULL, &before) && before.sa_handler == SIG_IGN;
	if (pipe2(pipe_fd, O_CLOEXEC | O_NONBLOCK))
		msg("no pipe: %s", strerror(errno));
	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		if (ends[i] != SIGHUP || !under_nohup)
			sigaction(ends[i], &sa, NULL);
	}
	sa.sa_handler = on_other;
	sigaction(SIGCHLD, &sa, NULL);
	sa.sa_handler = SIG_IGN;
	sigaction(SIGPIPE, &sa, NULL);
}

bool stop_asked(void)
{
	return asked;
}

/* Restore the default signals, in a child before exec. */
void stop_reset(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ends); i++)
		signal(ends[i], under_nohup && ends[i] == SIGHUP ? SIG_IGN : SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
}

/**
 * stop_wait - wait for a file, a signal or a timeout
 * @fd:         the file, or -1
 * @timeout_ns: the timeout
 *
 * A signal ends the wait, also if it arrived before.
 * Return: 1 if @fd can be read, else 0.
 */
int stop_wait(int fd, uint64_t timeout_ns)
{
	struct pollfd p[2] = {
		{ .fd = pipe_fd[0], .events = POLLIN },
		{ .fd = fd, .events = POLLIN },
	};
	struct timespec ts = {
		.tv_sec = timeout_ns / 1000000000,
		.tv_nsec = timeout_ns % 1000000000,
	};
	char drop[64];

	if (ppoll(p, 2, &ts, NULL) <= 0)
		return 0;
	if (p[0].revents && read(pipe_fd[0], drop, sizeof(drop)) < 0)
		return 0;
	return p[1].revents ? 1 : 0;
}
