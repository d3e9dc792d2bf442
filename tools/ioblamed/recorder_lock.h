/* SPDX-License-Identifier: GPL-2.0 */
/*
 * recorder_lock - one process at a time records into a database
 *
 * The lock is that of a file NAME.lock beside it, which stays.  It is root's alone: who may read
 * the database cannot take it.  The kernel takes it back from who is killed.
 */
#ifndef IOBLAMED_RECORDER_LOCK_H
#define IOBLAMED_RECORDER_LOCK_H

#include <sys/types.h>

enum {
	RECORDER_LOCKS = 2,	/* for the one on disk, and the one in memory */
};

struct recorder_lock {
	int fd[RECORDER_LOCKS];
	unsigned int nr;
};

pid_t recorder_lock(struct recorder_lock *l, const char *path);
void recorder_unlock(struct recorder_lock *l);

#endif
