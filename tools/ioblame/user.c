// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ask.h"
#include "file.h"
#include "msg.h"
#include "user.h"

enum {
	/* who knows the users may be in the network; the loop that reads records waits meanwhile */
	PATIENCE_MS = 300,
	/* when several do not come in time, the next will not, either */
	VAIN_SECONDS = 60,
};

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

/* The same as user_name(), in ASK_MOST bytes.  Return: bytes of it; 0 if it is not known now. */
static ssize_t find_name(uint32_t uid, char *to)
{
	struct passwd *user;
	int n;

	errno = 0;
	user = getpwuid(uid);
	if (!user && !is_nobody(errno))
		return 0;
	n = user ? snprintf(to, ASK_MOST, "%s", user->pw_name) : snprintf(to, ASK_MOST, "%u", uid);
	return n < ASK_MOST ? n + 1 : ASK_MOST;
}

/*
 * The name of a user, else the number if nobody has it.
 * Return: allocated, not escaped; NULL if that is not known now.
 */
char *user_name(uint32_t uid)
{
	char text[ASK_MOST];

	return find_name(uid, text) ? must(strdup(text)) : NULL;
}

static void say_late(uint32_t uid, bool no_more)
{
	msg("the name of user %u does not come in time: see passwd in /etc/nsswitch.conf%s", uid,
	    !no_more ? "" : "; no more are asked for until one of those who ask has ended");
}

static struct asker names = {
	.answer = find_name, .say = say_late, .process = "ioblame-users",
	.patience_ms = PATIENCE_MS, .vain_seconds = VAIN_SECONDS,
};

/* The name of a user of this machine, allocated; NULL if he is none. */
static char *local_name(uint32_t uid)
{
	FILE *f = fopen("/etc/passwd", "re");
	struct passwd *user;
	char *name = NULL;

	if (!f)
		return NULL;
	while (!name && (user = fgetpwent(f))) {
		/* (lines that begin so are for NIS) */
		if (user->pw_uid == uid && *user->pw_name != '+' && *user->pw_name != '-')
			name = must(strdup(user->pw_name));
	}
	fclose(f);
	return name;
}

/**
 * user_name_in_time - the same as user_name(), for who cannot wait
 * @uid:   the user
 * @asked: is set to false if he was not asked for, as others do not come in time
 *
 * Users of this machine are found at once.  For others a process of their own asks.
 * Return: as user_name() does; NULL as well if the name does not come in time.
 */
char *user_name_in_time(uint32_t uid, bool *asked)
{
	char *name = local_name(uid), text[ASK_MOST];

	*asked = true;
	if (name)
		return name;
	return ask_in_time(&names, uid, text, asked) > 0 && *text ? must(strdup(text)) : NULL;
}
