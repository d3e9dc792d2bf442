// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "escape.h"
#include "msg.h"
#include "stop.h"

static pid_t child;

/* Start the command.  Return: false after printing the error. */
bool child_start(char **argv)
{
	char name[ESCAPE_SIZE(128)];
	int fd[2], err = 0;
	pid_t pid;

	/* exec closes the pipe; if exec fails, the pipe carries its errno */
	if (pipe2(fd, O_CLOEXEC)) {
		msg("cannot start a process: %s", strerror(errno));
		return false;
	}
	pid = fork();
	if (!pid) {
		stop_reset();
		execvp(argv[0], argv);
		err = errno;
		if (write(fd[1], &err, sizeof(err)) < 0)
			_exit(126);
		_exit(127);
	}
	if (pid < 0)
		err = errno;
	close(fd[1]);
	while (pid > 0 && read(fd[0], &err, sizeof(err)) < 0 && errno == EINTR)
		;
	close(fd[0]);
	if (!err) {
		child = pid;
		return true;
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
	escape_text(name, sizeof(name), argv[0], strnlen(argv[0], 128));
	msg("cannot run '%s': %s", name, strerror(err));
	return false;
}

/**
 * child_ended - ask if the command has ended
 * @status: its wait status
 * @wrote:  bytes that it and its children wrote: by direct IO, or by dirtying
 *	    pages of the page cache
 *
 * Return: true once, in the first call after the end.
 */
bool child_ended(int *status, uint64_t *wrote)
{
	struct rusage usage;

	if (child <= 0 || wait4(child, status, WNOHANG, &usage) != child)
		return false;
	child = 0;
	*wrote = (uint64_t)usage.ru_oublock * 512;
	return true;
}

/* End the command, if it still runs. */
void child_kill(void)
{
	if (child <= 0)
		return;
	kill(child, SIGTERM);
	waitpid(child, NULL, 0);
	child = 0;
}
