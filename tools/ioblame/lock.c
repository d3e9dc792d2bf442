// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include "dir.h"
#include "lock.h"

enum {
	STEP_MS = 50,
	PATIENCE_MS = 10000,
};

static int fd = -1;
static unsigned int depth;	/* how often this process has taken it */

/*
 * Those who restore settings wait for ten seconds, as the holder may be stopped (SIGSTOP); others
 * until @give_up says so.  Return: 0 or -errno.
 */
static int wait_for_lock(bool (*give_up)(void))
{
	unsigned int waited;

	for (waited = 0; flock(fd, LOCK_EX | LOCK_NB); waited += STEP_MS) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		if (give_up && give_up())
			return -EINTR;
		if (!give_up && waited >= PATIENCE_MS)
			return -ETIMEDOUT;
		poll(NULL, 0, STEP_MS);
	}
	return 0;
}

/**
 * lock_take - wait for the lock; it can be taken several times
 * @give_up: whether to wait no more; NULL: wait for ten seconds, whatever comes
 *
 * Return: 0 or -errno: -EINTR if @give_up said so.
 */
int lock_take(bool (*give_up)(void))
{
	int err;

	if (depth) {
		depth++;
		return 0;
	}
	if (fd < 0)
		fd = dir_open("enable", O_RDWR);
	if (fd < 0)
		return -errno;
	err = wait_for_lock(give_up);
	depth = 1;
	if (err)
		lock_drop();
	return err;
}

void lock_drop(void)
{
	if (!depth || --depth)
		return;
	/* a child may have a copy of the file: a close is not enough */
	flock(fd, LOCK_UN);
	close(fd);
	fd = -1;
}

/*
 * In a child that fork() made: it has not taken the lock.  But if its parent has it and is
 * killed, the child's copy of the file keeps it.
 */
void lock_inherit(void)
{
	depth = 0;
}

/* The file that is locked, which a child must not close; or -1. */
int lock_file(void)
{
	return fd;
}

/* Close what lock_inherit() left open. */
void lock_close(void)
{
	if (fd >= 0)
		close(fd);
	fd = -1;
}
