// SPDX-License-Identifier: GPL-2.0
/*
 * Read ioblame's iolog_bin* as a program would that keeps them: wait until
 * there is something, take it, write it to a file. What blktrace does with
 * its own, for comparison.
 *
 *	benchread TO FROM...		until SIGTERM
 *
 * At the end it takes what is left and prints how many bytes there were.
 */
#include <err.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_FILES	64

static volatile sig_atomic_t over;
static char buf[512 * 1024];
static unsigned long bytes;

static void end(int sig)
{
	(void)sig;
	over = 1;
}

static void take(int from, int to)
{
	ssize_t n = read(from, buf, sizeof(buf));

	if (n <= 0)
		return;
	if (write(to, buf, n) != n)
		err(1, "write");
	bytes += n;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = end };
	struct pollfd files[MAX_FILES];
	int i, to, nr = argc - 2;

	if (nr < 1 || nr > MAX_FILES)
		errx(2, "usage: benchread TO FROM...");
	to = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (to < 0)
		err(1, "%s", argv[1]);
	for (i = 0; i < nr; i++) {
		files[i].fd = open(argv[i + 2], O_RDONLY | O_NONBLOCK);
		files[i].events = POLLIN;
		if (files[i].fd < 0)
			err(1, "%s", argv[i + 2]);
	}
	sigaction(SIGTERM, &action, NULL);
	while (!over) {
		if (poll(files, nr, 500) <= 0)
			continue;
		for (i = 0; i < nr; i++) {
			if (files[i].revents & POLLIN)
				take(files[i].fd, to);
		}
	}
	for (i = 0; i < nr; i++)
		take(files[i].fd, to);
	printf("%lu\n", bytes);
	return 0;
}
