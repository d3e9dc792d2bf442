// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "file.h"
#include "msg.h"

enum {
	FILE_PATIENCE_MS = 3000,
};

/* Children that were left, and that had not ended when they were last looked at */
static pid_t left_children[FILE_LEFT_MOST];
static unsigned int nr_left_children;

/* The name of any entry of a folder, allocated; NULL if there is none. */
char *file_first_entry(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	char *name = NULL;

	while (dir && !name && (e = readdir(dir)) != NULL) {
		if (e->d_name[0] != '.')
			name = strdup(e->d_name);
	}
	if (dir)
		closedir(dir);
	return name;
}

/* Create a file, or begin it anew; nobody else can read one that is new.  NULL with errno. */
FILE *file_create(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

	if (fd >= 0 && !file)
		close(fd);
	return file;
}

/**
 * file_read - read a whole file
 * @path: its path
 *
 * Return: its text, allocated, or NULL with errno.
 */
char *file_read(const char *path)
{
	size_t len = 0, size = 4096;
	char *buf = must(malloc(size));
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;
	ssize_t n;

	if (fd < 0) {
		free(buf);
		return NULL;
	}
	for (;;) {
		n = read(fd, buf + len, size - len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		len += n;
		if (size - len < 1024) {
			size *= 2;
			buf = must(realloc(buf, size));
		}
	}
	err = errno;
	close(fd);
	if (n < 0) {
		free(buf);
		errno = err;
		return NULL;
	}
	buf[len] = '\0';
	return buf;
}

/* In a child: copy a file to @to.  A read that never ends must hold nothing of the parent's. */
static void copy_file(const char *path, int to)
{
	char buf[4096];
	ssize_t n;
	int fd;

	dup2(to, 0);
	for (fd = 1; fd < 1024; fd++)
		close(fd);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		_exit(errno);
	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		if (write(0, buf, n) != n)
			_exit(0);
	}
	_exit(n < 0 ? errno : 0);
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ULL + t.tv_nsec / 1000000;
}

/* Read what a child writes.  Return: false if it writes for longer than @ms. */
static bool read_pipe(int fd, char *buf, size_t size, size_t *len, unsigned int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint64_t now, end = now_ms() + ms;
	ssize_t n;

	for (*len = 0; *len + 1 < size; *len += n) {
		now = now_ms();
		if (now >= end)
			return false;
		n = poll(&p, 1, end - now);
		if (n > 0)
			n = read(fd, buf + *len, size - *len - 1);
		else if (!n)
			return false;
		/* what is added to the length must not be negative */
		if (n < 0 && errno == EINTR)
			n = 0;
		else if (n <= 0)
			break;
	}
	return true;
}

/* Return: false if it still runs, or waits for what no signal ends. */
static bool has_ended(pid_t pid)
{
	return waitpid(pid, NULL, WNOHANG) != 0;
}

/* Let those go that have ended meanwhile: until then each is one of the tasks of a service. */
static void reap_left_children(void)
{
	unsigned int i, nr = 0;

	for (i = 0; i < nr_left_children; i++) {
		if (!has_ended(left_children[i]))
			left_children[nr++] = left_children[i];
	}
	nr_left_children = nr;
}

/* It has not answered: kill it, if that is possible at all, and do not wait for its end. */
static void leave_child(pid_t pid)
{
	kill(pid, SIGKILL);
	if (!has_ended(pid))
		left_children[nr_left_children++] = pid;
}

/**
 * file_read_timed - read a file that may never answer
 * @path: its path
 * @max:  bytes to read at most
 * @left: so many may hang, FILE_LEFT_MOST at most, before no more is read
 *
 * After a crash a task may have died with a lock that the file's reader waits for, and no
 * signal ends that wait.  So a child reads it, which is left behind then.  It is a task for as
 * long as it hangs: who reads again and again would use up those that it may have.
 * Return: its text, allocated, or NULL with errno: ETIMEDOUT after three seconds, ECANCELED if it
 * is not read as @left others hang.
 */
char *file_read_timed(const char *path, size_t max, unsigned int left)
{
	int fd[2], status = 0;
	bool ended = false;
	pid_t pid = -1;
	size_t len = 0;
	char *buf;

	reap_left_children();
	if (nr_left_children >= left) {
		errno = ECANCELED;
		return NULL;
	}
	buf = must(malloc(max + 1));
	if (!pipe2(fd, O_CLOEXEC)) {
		pid = fork();
		if (!pid)
			copy_file(path, fd[1]);
		close(fd[1]);
		if (pid > 0)
			ended = read_pipe(fd[0], buf, max + 1, &len, FILE_PATIENCE_MS);
		close(fd[0]);
	}
	if (pid > 0 && !ended)
		leave_child(pid);
	while (ended && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid > 0)
		errno = ended ? WEXITSTATUS(status) : ETIMEDOUT;
	if (pid < 0 || errno) {
		free(buf);
		return NULL;
	}
	buf[len] = '\0';
	return buf;
}

/* A slash in a disk's name is a ! in its folder's: cciss!c0d0 becomes cciss/c0d0. */
char *file_disk_name(char *folder)
{
	char *c;

	for (c = folder; *c; c++) {
		if (*c == '!')
			*c = '/';
	}
	return folder;
}
