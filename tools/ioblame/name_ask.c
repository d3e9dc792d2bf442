// SPDX-License-Identifier: GPL-2.0
/* Names as this machine has them now. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask.h"
#include "container.h"
#include "escape.h"
#include "file.h"
#include "msg.h"
#include "name.h"
#include "path.h"
#include "user.h"

static char *ask_disk(uint32_t dev)
{
	char link[64], path[PATH_MAX], *base;
	ssize_t n;

	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", dev >> 20,
		 dev & 0xfffff);
	n = readlink(link, path, sizeof(path) - 1);
	if (n <= 0)
		return NULL;
	path[n] = '\0';
	base = strrchr(path, '/');
	return strdup(file_disk_name(base ? base + 1 : path));
}

/* The word in brackets: "none [mq-deadline] bfq" */
static char *ask_sched(uint32_t dev)
{
	char path[96], *text, *from, *to, *word = NULL;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/queue/scheduler", dev >> 20,
		 dev & 0xfffff);
	text = file_read(path);
	from = text ? strchr(text, '[') : NULL;
	to = from ? strchr(from, ']') : NULL;
	if (to)
		word = strndup(from + 1, to - from - 1);
	free(text);
	return word;
}

static char *ask_container(uint64_t cgroup)
{
	char *path = path_of_cgroup(cgroup), *name = NULL;
	struct container c;

	/* who may make cgroups in a container could name one as another container */
	if (path && container_find(path, &c) && !c.nested)
		name = container_name(&c);
	free(path);
	return name;
}

static char *ask_user(uint32_t tgid)
{
	uint32_t uid = user_of_process(tgid);

	return uid == USER_NONE ? NULL : user_name(uid);
}

/* The words of a process's command line, with blanks between them. */
static char *ask_command(uint32_t tgid)
{
	char *text = must(calloc(1, ASK_MOST + 1));
	ssize_t n = ask_cmdline(tgid, text);

	while (n > 0 && !text[n - 1])
		n--;
	/* a thread of the kernel has none */
	if (n <= 0) {
		free(text);
		return NULL;
	}
	while (n-- > 0) {
		if (!text[n])
			text[n] = ' ';
	}
	return text;
}

/* Look up a name on this machine, now.  Return: its text, escaped and allocated, or NULL. */
char *name_ask(const struct name_key *key)
{
	char *raw = NULL, *text;

	switch (key->kind) {
	case NAME_DISK:
		raw = ask_disk(key->dev);
		break;
	case NAME_FILE:
		raw = path_of_file(key->dev, key->nr, key->gen);
		break;
	case NAME_CGROUP:
		raw = path_of_cgroup(key->nr);
		break;
	case NAME_MOUNT:
		raw = path_of_mount(key->dev);
		break;
	case NAME_SCHED:
		raw = ask_sched(key->dev);
		break;
	case NAME_USER:
		raw = ask_user(key->nr);
		break;
	case NAME_COMMAND:
		raw = ask_command(key->nr);
		break;
	case NAME_CONTAINER:
		raw = ask_container(key->nr);
		break;
	case NAME_UID:
		raw = user_name(key->nr);
		break;
	}
	if (!raw)
		return NULL;
	text = must(escape_dup(raw, strlen(raw)));
	free(raw);
	return text;
}

static char *ask_uid_here(uint32_t uid, bool *asked)
{
	char *raw = user_name_in_time(uid, asked), *text;

	if (!raw)
		return NULL;
	text = must(escape_dup(raw, strlen(raw)));
	free(raw);
	return text;
}

/* A user is asked for once, however many processes he runs. */
static char *ask_user_here(uint32_t tgid)
{
	uint32_t uid = user_of_process(tgid);

	return uid == USER_NONE ? NULL : must(strdup(name_uid(uid)));
}

/**
 * name_ask_here - look up a name on this machine, now, in the process that reads records
 * @key:   the name
 * @asked: is set to false if nobody could be asked for it
 *
 * Return: as name_ask(); a user, who may be somewhere in the network, is
 * waited for only so long.
 */
char *name_ask_here(const struct name_key *key, bool *asked)
{
	*asked = true;
	if (key->kind == NAME_UID)
		return ask_uid_here(key->nr, asked);
	return key->kind == NAME_USER ? ask_user_here(key->nr) : name_ask(key);
}
