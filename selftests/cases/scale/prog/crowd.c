// SPDX-License-Identifier: GPL-2.0
/*
 * Very many files, processes, roles or journals, each made as cheaply as can be.
 *
 *	crowd files DIR COUNT BYTES		one process makes COUNT files
 *	crowd processes DIR COUNT BYTES		COUNT processes, each makes a file and exits
 *	crowd roles DIR COUNT BYTES ROLE_ID	COUNT user roles, from 1 on, each makes a file
 *	crowd cgroups DIR BYTES GROUP...	a process in each cgroup, each makes a file
 *	crowd writers BYTES DIR...		processes that live at once: each makes the folder
 *						`own` in its DIR, and there files of 4096 bytes
 *	crowd one PATH BYTES			one process writes one file
 *
 * DIR gets folders of 1,000 files each, made by this process. Each file that is made is a line
 * "ID INODE BYTES CGROUP" on stdout: the pid, or the negated user role, and the cgroup's id (0 if
 * it was not asked for). Processes of `processes` come one after the other and share this one's
 * memory; those of `cgroups` are born in their cgroup.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PER_FOLDER	1000
#define PIECE		(256 << 10)

static char data[PIECE];
static char name[4096];
static volatile uint64_t child_ino;

static void usage(void)
{
	errx(2, "usage: see the head of crowd.c");
}

/* Write @bytes to a file that is not there yet; its inode. Called by vforked children, too. */
static uint64_t make_file(const char *path, size_t bytes)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);
	struct stat st;
	size_t done;

	if (fd < 0)
		err(1, "%s", path);
	for (done = 0; done < bytes; done += PIECE) {
		size_t piece = bytes - done < PIECE ? bytes - done : PIECE;

		if (write(fd, data, piece) != (ssize_t)piece)
			err(1, "%s", path);
	}
	if (fstat(fd, &st) || close(fd))
		err(1, "%s", path);
	return st.st_ino;
}

static const char *nth_name(const char *dir, unsigned int n)
{
	if (n % PER_FOLDER == 0) {
		snprintf(name, sizeof(name), "%s/%u", dir, n / PER_FOLDER);
		if (mkdir(name, 0755))
			err(1, "%s", name);
	}
	snprintf(name, sizeof(name), "%s/%u/%u", dir, n / PER_FOLDER, n);
	return name;
}

static void say(int id, uint64_t ino, size_t bytes, uint64_t cgroup)
{
	printf("%d %lu %zu %lu\n", id, ino, bytes, cgroup);
}

/* @pid: -1 for any */
static void wait_child(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) < 0 || status)
		errx(1, "a process ended with status %#x", status);
}

static void files(const char *dir, unsigned int count, size_t bytes)
{
	pid_t pid = getpid();

	for (unsigned int n = 0; n < count; n++)
		say(pid, make_file(nth_name(dir, n), bytes), bytes, 0);
}

/* A process that makes the file @name; it shares our memory */
static pid_t make_file_in_child(size_t bytes)
{
	pid_t pid = vfork();

	if (!pid) {
		child_ino = make_file(name, bytes);
		_exit(0);
	}
	if (pid < 0)
		err(1, "vfork");
	wait_child(pid);
	return pid;
}

static void processes(const char *dir, unsigned int count, size_t bytes)
{
	pid_t pid;

	for (unsigned int n = 0; n < count; n++) {
		nth_name(dir, n);
		pid = make_file_in_child(bytes);
		say(pid, child_ino, bytes, 0);
	}
}

static void roles(const char *dir, unsigned int count, size_t bytes, const char *role_id)
{
	int fd = open(role_id, O_WRONLY);
	char number[16];

	if (fd < 0)
		err(1, "%s", role_id);
	for (unsigned int n = 0; n < count; n++) {
		int len = snprintf(number, sizeof(number), "%u", n + 1);

		nth_name(dir, n);
		if (write(fd, number, len) != len)
			err(1, "role %s", number);
		say(-(int)(n + 1), make_file(name, bytes), bytes, 0);
		if (write(fd, "0", 1) != 1)
			err(1, "role 0");
	}
}

/* fork() into a cgroup, which needs no write to cgroup.procs and no grace period */
static pid_t fork_into(int cgroup)
{
	struct clone_args args = {
		.flags = CLONE_INTO_CGROUP,
		.exit_signal = SIGCHLD,
		.cgroup = cgroup,
	};

	return syscall(SYS_clone3, &args, sizeof(args));
}

static void cgroups(const char *dir, size_t bytes, char **group)
{
	uint64_t ino;
	struct stat st;
	int fd, pair[2];
	pid_t pid;

	if (pipe(pair))
		err(1, "pipe");
	for (unsigned int n = 0; group[n]; n++) {
		nth_name(dir, n);
		fd = open(group[n], O_RDONLY | O_DIRECTORY);
		if (fd < 0 || fstat(fd, &st))
			err(1, "%s", group[n]);
		pid = fork_into(fd);
		if (!pid) {
			ino = make_file(name, bytes);
			_exit(write(pair[1], &ino, sizeof(ino)) != sizeof(ino));
		}
		if (pid < 0)
			err(1, "clone3");
		wait_child(pid);
		if (read(pair[0], &ino, sizeof(ino)) != sizeof(ino))
			err(1, "pipe");
		say(pid, ino, bytes, st.st_ino);
		close(fd);
	}
}

/* One of many at once: its files, then all of them synced */
static void writer(const char *dir, size_t bytes, int out)
{
	char line[128];
	uint64_t ino;
	int len, fd;

	snprintf(name, sizeof(name), "%s/own", dir);
	if (mkdir(name, 0755))
		err(1, "%s", name);
	for (unsigned int n = 0; n * 4096 < bytes; n++) {
		snprintf(name, sizeof(name), "%s/own/%u", dir, n);
		ino = make_file(name, 4096);
		len = snprintf(line, sizeof(line), "%d %lu %d 0\n", getpid(), ino, 4096);
		if (write(out, line, len) != len)
			err(1, "pipe");
	}
	fd = open(name, O_RDONLY);
	if (fd < 0 || fsync(fd))
		err(1, "%s", name);
}

static void writers(size_t bytes, char **dir)
{
	unsigned int nr = 0;
	int go[2];
	char c;

	if (pipe(go))
		err(1, "pipe");
	for (; dir[nr]; nr++) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "fork");
		if (pid)
			continue;
		/* all begin at once, when the last one is there */
		close(go[1]);
		if (read(go[0], &c, 1) != 0)
			err(1, "pipe");
		writer(dir[nr], bytes, STDOUT_FILENO);
		_exit(0);
	}
	close(go[1]);
	while (nr--)
		wait_child(-1);
}

static unsigned int number(const char *word)
{
	char *end;
	unsigned long n = strtoul(word, &end, 10);

	if (!*word || *end)
		usage();
	return n;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	memset(data, 0x5a, sizeof(data));
	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	if (!strcmp(what, "files") && argc == 5)
		files(argv[2], number(argv[3]), number(argv[4]));
	else if (!strcmp(what, "processes") && argc == 5)
		processes(argv[2], number(argv[3]), number(argv[4]));
	else if (!strcmp(what, "roles") && argc == 6)
		roles(argv[2], number(argv[3]), number(argv[4]), argv[5]);
	else if (!strcmp(what, "cgroups") && argc >= 5)
		cgroups(argv[2], number(argv[3]), argv + 4);
	else if (!strcmp(what, "writers") && argc >= 4)
		writers(number(argv[2]), argv + 3);
	else if (!strcmp(what, "one") && argc == 4)
		say(getpid(), make_file(argv[2], number(argv[3])), number(argv[3]), 0);
	else
		usage();
	return fflush(stdout) ? 1 : 0;
}
