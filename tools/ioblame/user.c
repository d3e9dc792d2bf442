// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "file.h"
#include "msg.h"
#include "user.h"

/* The real user id of the process that has an id now; USER_NONE if there is none. */
uint32_t user_of_process(uint32_t tgid)
{
	uint32_t uid = USER_NONE;
	char path[64], *text, *at;

	snprintf(path, sizeof(path), "/proc/%u/status", tgid);
	text = file_read(path);
	at = text ? strstr(text, "\nUid:") : NULL;
	if (at)
		uid = strtoul(at + 5, NULL, 10);
	free(text);
	return uid;
}

/*
 * The user whose folder /proc/PID is: the process's effective one, or root.  One call tells, and it
 * mostly changes when the process becomes another user.  USER_NONE if there is none.
 */
uint32_t user_of_folder(uint32_t tgid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%u", tgid);
	return stat(path, &st) ? USER_NONE : st.st_uid;
}

/* Whether nobody has the number; else whoever knows the users could not be asked. */
static bool is_nobody(int err)
{
	/* (not what POSIX says, but what getpwuid(3) tells of C libraries) */
	return !err || err == ENOENT || err == ESRCH || err == EBADF || err == EPERM;
}

/*
 * The name of a user, else the number if nobody has it.
 * Return: allocated, not escaped; NULL if that is not known now.
 */
char *user_name(uint32_t uid)
{
	struct passwd *user;
	char number[16];

	errno = 0;
	user = getpwuid(uid);
	if (!user && !is_nobody(errno))
		return NULL;
	snprintf(number, sizeof(number), "%u", uid);
	return must(strdup(user ? user->pw_name : number));
}
