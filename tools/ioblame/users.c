// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dir.h"
#include "escape.h"
#include "file.h"
#include "status.h"
#include "users.h"

/* Which process is named, the last of these that there is */
enum rank {
	NO_USER,
	KEEPS,		/* the command of a keeper */
	USES,
	READS_LOG,
};

/* What a process has open */
struct found {
	enum rank rank;
	char file[64];		/* one of the module's, a log if any */
	uint64_t session;	/* of a keeper: whose settings it puts back; 0: not known */
};

/* Note which files of the module a process has open. */
static void look_at_process(const char *pid, struct users *u, struct found *f)
{
	static const char session[] = "/memfd:" KEEPER_SESSION;
	char folder[64], link[512], to[512];
	const char *name;
	struct dirent *e;
	bool bin, log;
	ssize_t len;
	DIR *dir;

	memset(f, 0, sizeof(*f));
	snprintf(folder, sizeof(folder), "/proc/%.16s/fd", pid);
	dir = opendir(folder);
	while (dir && (e = readdir(dir)) != NULL) {
		snprintf(link, sizeof(link), "%s/%.32s", folder, e->d_name);
		len = readlink(link, to, sizeof(to) - 1);
		if (len <= 0)
			continue;
		to[len] = '\0';
		if (!strncmp(to, session, strlen(session)))
			f->session = strtoull(to + strlen(session), NULL, 10);
		name = dir_name_in(to);
		/* in a mount namespace of his own, anybody has files at such a path */
		if (!name || !dir_is_module_file(link))
			continue;
		bin = !strncmp(name, "iolog_bin", 9);
		log = bin || !strcmp(name, "iolog");
		u->bin |= bin;
		u->text |= log && !bin;
		u->sums |= !strcmp(name, "sums_bin");
		if (log || f->rank < READS_LOG)
			escape_text(f->file, sizeof(f->file), name, strlen(name));
		f->rank = log || f->rank == READS_LOG ? READS_LOG : USES;
	}
	if (dir)
		closedir(dir);
}

/* The name of a process, allocated; NULL if it is gone. */
static char *comm_of(int pid)
{
	char path[64], *text;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	text = file_read(path);
	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text;
}

static int parent_of(int pid)
{
	char path[64], *text, *row;
	int parent = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	text = file_read(path);
	row = text ? strstr(text, "\nPPid:") : NULL;
	if (row)
		parent = atoi(row + 6);
	free(text);
	return parent;
}

/* Note the user, if none of a higher rank is noted.  Return: the rank of who is noted. */
static enum rank note_user(struct users *u, int pid, const struct found *f, enum rank noted)
{
	enum rank rank = f->rank;
	char *comm = comm_of(pid);
	int keeper = pid;

	if (comm && !strcmp(comm, KEEPER)) {
		free(comm);
		rank = KEEPS;
		pid = parent_of(pid);
		/* a keeper whose command is gone ends soon; one's own is no other user */
		comm = pid > 1 && pid != getpid() ? comm_of(pid) : NULL;
		/* where somebody else has begun a session since, it leaves all as it is */
		if (pid != getpid() && !status_taken_over(f->session))
			u->keeps = comm ? pid : keeper;
	}
	if (comm && rank >= noted) {
		escape_text(u->comm, sizeof(u->comm), comm, strlen(comm));
		snprintf(u->file, sizeof(u->file), "%s", rank == KEEPS ? "" : f->file);
		u->pid = pid;
		noted = rank;
	}
	free(comm);
	return noted;
}

static bool is_of_service(int pid)
{
	char path[64], *text;
	bool is;

	snprintf(path, sizeof(path), "/proc/%d/cgroup", pid);
	text = file_read(path);
	is = text && strstr(text, "/ioblamed.service");
	free(text);
	return is;
}

/* List the process; of a keeper its command, with which it ends. */
static void list_user(struct users *u, int pid)
{
	char *comm = comm_of(pid);
	unsigned int i;

	if (is_of_service(pid)) {
		u->service = true;
		free(comm);
		return;
	}

	if (comm && !strcmp(comm, KEEPER)) {
		free(comm);
		pid = parent_of(pid);
		comm = pid > 1 && pid != getpid() ? comm_of(pid) : NULL;
	}
	for (i = 0; i < u->nr_others && u->others[i] != pid; i++)
		;
	if (comm && i == u->nr_others && i < USERS_MAX)
		u->others[u->nr_others++] = pid;
	free(comm);
}

/* Find the other processes that have files of the module open. */
void users_find(struct users *u)
{
	enum rank noted = NO_USER;
	DIR *proc = opendir("/proc");
	struct dirent *e;
	struct found f;
	int pid;

	memset(u, 0, sizeof(*u));
	while (proc && (e = readdir(proc)) != NULL) {
		pid = atoi(e->d_name);
		if (pid <= 0 || pid == getpid())
			continue;
		look_at_process(e->d_name, u, &f);
		if (f.rank == NO_USER)
			continue;
		noted = note_user(u, pid, &f, noted);
		list_user(u, pid);
	}
	if (proc)
		closedir(proc);
}
