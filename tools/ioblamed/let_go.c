// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "let_go.h"
#include "msg.h"

enum {
	/* how often it is looked whether the daemon has ended */
	LOOK_MS = 500,
};

/* The daemon's: let others wait.  Without the FIFO, nobody does. */
void let_go_begin(void)
{
	mkdir(SETTINGS_FOLDER, 0755);
	if (mkfifo(LET_GO_FIFO, 0600) && errno != EEXIST)
		msg("%s: %s; a reload does not wait", LET_GO_FIFO, strerror(errno));
}

/* The daemon's: it ends.  One of an earlier version may come next, which lets nobody know. */
void let_go_end(void)
{
	unlink(LET_GO_FIFO);
}

/* The daemon's: the module's files are closed.  Without a reader, it cannot be opened. */
void let_go_done(void)
{
	int fd = open(LET_GO_FIFO, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);

	if (fd >= 0)
		close(fd);
}

/* Wait for the daemon, which has the signal.  Return: false if it has ended. */
static bool wait_for_it(int fd, pid_t pid)
{
	struct pollfd p = { .fd = fd };

	while (poll(&p, 1, LOOK_MS) <= 0) {
		if (kill(pid, 0))
			return false;
	}
	return true;
}

static pid_t parse_pid(const char *text)
{
	char *end;
	long pid;

	errno = 0;
	pid = strtol(text, &end, 10);
	return errno || *end || pid <= 0 || pid != (pid_t)pid ? 0 : (pid_t)pid;
}

/**
 * let_go_ask - let the daemon close the module's files
 * @text: the number of its process
 *
 * Return: the exit status, once they are closed.
 */
int let_go_ask(const char *text)
{
	pid_t pid = parse_pid(text);
	bool good = true;
	int fd;

	if (!pid) {
		msg("--let-go takes the number of a process; try: systemctl reload ioblamed");
		return EXIT_USAGE;
	}
	/* before the signal: else nobody is there to be told */
	fd = open(LET_GO_FIFO, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		msg("%s: %s; not waiting for ioblamed to let go of the module", LET_GO_FIFO,
		    strerror(errno));
	if (kill(pid, SIGHUP)) {
		msg("process %d: %s", pid, strerror(errno));
		good = false;
	} else if (fd >= 0 && !wait_for_it(fd, pid)) {
		msg("ioblamed has ended before it let go of the module");
		good = false;
	}
	if (fd >= 0)
		close(fd);
	return good ? EXIT_OK : EXIT_FAILED;
}
