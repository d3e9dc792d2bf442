// SPDX-License-Identifier: GPL-2.0
#include <pwd.h>
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

/* The name of a user, else the number.  Return: allocated, not escaped. */
char *user_name(uint32_t uid)
{
	struct passwd *user = getpwuid(uid);
	char number[16];

	snprintf(number, sizeof(number), "%u", uid);
	return must(strdup(user ? user->pw_name : number));
}
