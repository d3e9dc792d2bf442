// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "escape.h"
#include "file.h"
#include "msg.h"
#include "stop.h"
#include "text.h"

static pid_t child;
static int status_of_end;	/* as a shell has it; 0 before the end */

static int shell_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

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

/* Bytes of the whole machine that are dirty or under writeback. */
static uint64_t dirty_bytes(void)
{
	static const char * const words[] = { "\nDirty:", "\nWriteback:" };
	char *text = file_read("/proc/meminfo"), *p;
	uint64_t sum = 0;
	size_t i;

	for (i = 0; text && i < ARRAY_SIZE(words); i++) {
		p = strstr(text, words[i]);
		if (p)
			sum += strtoull(p + strlen(words[i]), NULL, 10) << 10;
	}
	free(text);
	return sum;
}

/* How the command ended, and how much of its data may not be on the disk yet. */
static void print_end_of_child(int status, uint64_t wrote, bool sync)
{
	uint64_t left = sync ? 0 : dirty_bytes();
	char all[TEXT_NUMBER], part[TEXT_NUMBER];

	if (WIFSIGNALED(status))
		msg("the command was ended by signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status))
		msg("the command ended with status %d", WEXITSTATUS(status));
	if (left > wrote)
		left = wrote;
	if (left)
		msg("of %s that the command wrote, up to %s is in memory still and not seen here; --sync waits for it",
		    text_bytes(all, wrote), text_bytes(part, left));
}

/* Ask if it has ended, and keep its status.  Return: true in the first call after the end. */
static bool take_end(bool silent, bool sync)
{
	struct rusage usage;
	int status;

	if (child <= 0 || wait4(child, &status, WNOHANG, &usage) != child)
		return false;
	child = 0;
	status_of_end = shell_status(status);
	/* ru_oublock counts direct IO, and pages of the page cache when they get dirty */
	if (!silent)
		print_end_of_child(status, (uint64_t)usage.ru_oublock * 512, sync);
	return true;
}

/**
 * child_ended - ask if the command has ended, and print how
 * @sync: all its data will be written before the end of the run
 *
 * Return: true once, in the first call after the end.
 */
bool child_ended(bool sync)
{
	return take_end(false, sync);
}

/* Wait until it is gone, for two seconds at most.  Return: true if it is; @status says how. */
static bool wait_for_child(int *status)
{
	const struct timespec step = { .tv_nsec = 10000000 };
	unsigned int i;

	for (i = 0; i < 200; i++) {
		if (waitpid(child, status, WNOHANG))
			return true;
		nanosleep(&step, NULL);
	}
	return false;
}

/**
 * child_kill - end the command, if it still runs
 * @asked: the user asked for it
 * @sync: as in child_ended()
 *
 * It gets SIGTERM.  One that does not end by that is left to itself.  Ctrl-C reaches the command,
 * too, so it may have ended by that; and it may have ended since it was looked at.
 */
void child_kill(bool asked, bool sync)
{
	int status = 0;
	bool gone;

	if (take_end(asked, sync) || child <= 0)
		return;
	kill(child, SIGTERM);
	gone = wait_for_child(&status);
	if (!gone)
		msg("the command does not end by SIGTERM; it runs on as process %d", child);
	else if (!asked)
		msg("the command was still running, and was ended (SIGTERM)");
	/* a shell does not go on behind what its user ended; a view that has all is a success */
	if (asked)
		status_of_end = gone ? shell_status(status) : EXIT_FAILED;
	child = 0;
}

/* The exit status of the command, as a shell has it; 0 if it runs, or if its time was over. */
int child_status(void)
{
	return status_of_end;
}
