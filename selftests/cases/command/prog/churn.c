// SPDX-License-Identifier: GPL-2.0
/*
 * IO by ever new originators on ever new files.
 *
 *	churn DIR ROLE_ID SECONDS
 *
 * In DIR, on a file system, each IO is 4 KiB past the page cache to a file that was
 * not there before and goes at once, by a user role that was not there before
 * (written to the file ROLE_ID).  Prints how many there were.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BLOCK	4096

static time_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec;
}

int main(int argc, char **argv)
{
	unsigned long n = 0;
	char name[64], *buf;
	int role, fd, len;
	time_t end;

	if (argc != 4 || chdir(argv[1]))
		errx(2, "usage: see the head of churn.c");
	role = open(argv[2], O_WRONLY);
	buf = aligned_alloc(BLOCK, BLOCK);
	if (role < 0 || !buf)
		err(1, "%s", argv[2]);
	memset(buf, 0x5a, BLOCK);
	end = now() + atoi(argv[3]);
	for (; now() < end; n++) {
		len = snprintf(name, sizeof(name), "%lu", n + 1);
		if (write(role, name, len) != len)
			err(1, "role %s", name);
		fd = open(name, O_RDWR | O_CREAT | O_DIRECT, 0600);
		if (fd < 0 || pwrite(fd, buf, BLOCK, 0) != BLOCK)
			err(1, "%s", name);
		unlink(name);
		close(fd);
	}
	printf("%lu\n", n);
	return 0;
}
