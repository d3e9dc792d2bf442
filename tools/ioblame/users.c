// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dir.h"
#include "escape.h"
#include "file.h"
#include "users.h"

/* Note which files of the module a process has open.  Return: true if any. */
static bool process_uses(const char *pid, struct users *u)
{
	char folder[64], link[512], to[512];
	const char *name;
	struct dirent *e;
	bool found = false;
	ssize_t len;
	DIR *dir;

	snprintf(folder, sizeof(folder), "/proc/%.16s/fd", pid);
	dir = opendir(folder);
	while (dir && (e = readdir(dir)) != NULL) {
		snprintf(link, sizeof(link), "%s/%.32s", folder, e->d_name);
		len = readlink(link, to, sizeof(to) - 1);
		if (len <= 0)
			continue;
		to[len] = '\0';
		name = dir_name_in(to);
		if (!name)
			continue;
		u->bin |= !strncmp(name, "iolog_bin", 9);
		u->text |= !strcmp(name, "iolog");
		u->sums |= !strcmp(name, "sums_bin");
		snprintf(u->file, sizeof(u->file), "%.60s", name);
		found = true;
	}
	if (dir)
		closedir(dir);
	return found;
}

/* Find the other processes that have files of the module open. */
void users_find(struct users *u)
{
	char path[64], *text;
	struct dirent *e;
	DIR *proc = opendir("/proc");
	int pid;

	memset(u, 0, sizeof(*u));
	while (proc && (e = readdir(proc)) != NULL) {
		pid = atoi(e->d_name);
		if (pid <= 0 || pid == getpid() || !process_uses(e->d_name, u))
			continue;
		snprintf(path, sizeof(path), "/proc/%d/comm", pid);
		text = file_read(path);
		if (text) {
			text[strcspn(text, "\n")] = '\0';
			escape_text(u->comm, sizeof(u->comm), text, strlen(text));
			u->pid = pid;
		}
		free(text);
	}
	if (proc)
		closedir(proc);
}
