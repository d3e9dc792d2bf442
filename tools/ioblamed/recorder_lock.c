// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "msg.h"
#include "recorder_db.h"
#include "recorder_lock.h"

/* The lock of the process, unlike flock(2): a child that outlives it does not have it. */
static int set_lock(int fd, int cmd, struct flock *lock)
{
	*lock = (struct flock){ .l_type = F_WRLCK, .l_whence = SEEK_SET };
	return fcntl(fd, cmd, lock) ? errno : 0;
}

/* Who has the lock; 0: nobody has it by now. */
static pid_t holder(int fd)
{
	struct flock lock;

	if (set_lock(fd, F_GETLK, &lock))
		return -1;
	return lock.l_type == F_UNLCK ? 0 : lock.l_pid > 0 ? lock.l_pid : -1;
}

/**
 * recorder_lock - be the only one who records into a database
 * @l:    all zero, or has those that were locked before
 * @path: the database
 *
 * Where no file can be made, or the file system has no locks, there is none: to record is worth
 * more.
 * Return: 0, or the process that has the lock, -1 if that is not known.
 */
pid_t recorder_lock(struct recorder_lock *l, const char *path)
{
	struct flock lock;
	pid_t pid = 0;
	char *name;
	int fd, err;

	recorder_db_make_folder(path);
	if (asprintf(&name, "%s.lock", path) < 0)
		must(NULL);
	fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	free(name);
	if (fd < 0)
		return 0;
	err = set_lock(fd, F_SETLK, &lock);
	if (err == EAGAIN || err == EACCES) {
		pid = holder(fd);
		/* who has just ended: once more */
		if (!pid && set_lock(fd, F_SETLK, &lock))
			pid = -1;
	}
	if (pid)
		close(fd);
	else
		l->fd[l->nr++] = fd;
	return pid;
}

/* Another one may record. */
void recorder_unlock(struct recorder_lock *l)
{
	while (l->nr)
		close(l->fd[--l->nr]);
}
