/* SPDX-License-Identifier: GPL-2.0 */
/* The children of a test. */
#ifndef CHILDREN_H
#define CHILDREN_H

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"

/* How many children there are, zombies as well: each is a task of the service. */
static unsigned int nr_children(void)
{
	char path[64], text[1024] = "";
	unsigned int nr = 0;
	char *at;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		fail("no children in /proc");
	close(fd);
	for (at = text; (at = strchr(at, ' ')); at++)
		nr++;
	return nr;
}

/* Wait until it is a zombie, and leave it to be reaped. */
static void wait_for_end(pid_t pid)
{
	siginfo_t info;

	while (waitid(P_PID, pid, &info, WEXITED | WNOWAIT) && errno == EINTR)
		;
}

#endif
