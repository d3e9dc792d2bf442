// SPDX-License-Identifier: GPL-2.0
/*
 * Write a file by the polling thread of a ring whose maker, a thread, has exited.
 *
 *	gonepoller FILE KIB [again]
 *
 * Prints the ids of the process and of that thread.  With "again" it does so before it writes, and
 * waits for a line: then another thread begins, and has the id of the first one while the file is
 * written.  Exit status 3: it got another id.
 */
#include <fcntl.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../../../truth/prog/uring.h"

static struct uring ring;
static int file, maker, err;

static void *make_ring(void *arg)
{
	maker = syscall(SYS_gettid);
	err = uring_open(&ring, IORING_SETUP_SQPOLL, file);
	return arg;
}

/* A thread that was joined may still be on its way out: wait until its id is nobody's. */
static void wait_until_gone(void)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d", maker);
	while (!access(path, F_OK))
		usleep(1000);
}

static void *has_its_id(void *arg)
{
	int *id = arg;

	__atomic_store_n(id, syscall(SYS_gettid), __ATOMIC_RELEASE);
	pause();
	return NULL;
}

/* Return: false if the thread that begins now has not the id of the one that is gone. */
static bool comes_again(void)
{
	pthread_t thread;
	char line[8];
	int id = 0;

	printf("%d %d\n", getpid(), maker);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin) ||
	    pthread_create(&thread, NULL, has_its_id, &id))
		return false;
	while (!__atomic_load_n(&id, __ATOMIC_ACQUIRE))
		usleep(1000);
	return id == maker;
}

int main(int argc, char **argv)
{
	size_t size = argc >= 3 ? strtoul(argv[2], NULL, 10) << 10 : 0;
	pthread_t thread;
	char *data;

	if (!size)
		return 2;
	file = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0644);
	data = malloc(size);
	if (file < 0 || !data)
		return 1;
	memset(data, 'p', size);
	if (pthread_create(&thread, NULL, make_ring, NULL) || pthread_join(thread, NULL))
		return 1;
	if (err) {
		fprintf(stderr, "no ring: %s\n", strerror(-err));
		return 1;
	}
	wait_until_gone();
	if (argc == 4 && !comes_again())
		return 3;
	err = uring_add(&ring, IORING_OP_WRITE, 0, data, size, 0);
	if (!err)
		err = uring_drain(&ring);
	if (err) {
		fprintf(stderr, "the write: %s\n", strerror(-err));
		return 1;
	}
	if (argc == 3)
		printf("%d %d\n", getpid(), maker);
	return 0;
}
