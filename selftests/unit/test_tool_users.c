// SPDX-License-Identifier: GPL-2.0
/*
 * Who has files of the module open: real processes, and a folder in place of the module's.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dir.h"
#include "status.h"
#include "test.h"
#include "users.h"

static char folder[] = "/tmp/test_users.XXXXXX";

const char *dir_name_in(const char *path)
{
	size_t n = strlen(folder);

	return !strncmp(path, folder, n) && path[n] == '/' ? path + n + 1 : NULL;
}

static bool is_spoofed;

bool dir_is_module_file(const char *path)
{
	(void)path;
	return !is_spoofed;
}

/* Of the module: session 5 runs */
static bool is_enabled = true;

bool status_taken_over(uint64_t session)
{
	return session && session != 5 && is_enabled;
}

static void open_file(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (open(path, O_RDWR | O_CREAT, 0600) < 0)
		_exit(1);
}

/* In a child: be called @comm, have @file open, and let @ready know. */
static void be(const char *comm, const char *file, int ready)
{
	prctl(PR_SET_NAME, comm);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (file)
		open_file(file);
	if (write(ready, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static void wait_for(int *fd)
{
	char byte;

	close(fd[1]);
	if (read(fd[0], &byte, 1) != 1)
		fail("a process did not start");
	close(fd[0]);
}

static pid_t start(const char *comm, const char *file)
{
	int fd[2];
	pid_t pid;

	if (pipe(fd))
		return -1;
	pid = fork();
	if (!pid)
		be(comm, file, fd[1]);
	wait_for(fd);
	return pid;
}

/* Those with a keeper, and a pipe that both of them hold */
static struct {
	pid_t pid;
	int fd;
} kept[16];

/* With a keeper, which has `enable` open, and shows its session unless that is 0. */
static pid_t start_kept_session(const char *comm, const char *file, unsigned int session)
{
	int fd[2], held[2];
	unsigned int i;
	char name[64];
	pid_t pid;

	if (pipe(fd) || pipe(held))
		return -1;
	pid = fork();
	if (!pid) {
		snprintf(name, sizeof(name), KEEPER_SESSION "%u", session);
		if (session && memfd_create(name, 0) < 0)
			_exit(1);
		start(KEEPER, "enable");
		be(comm, file, fd[1]);
	}
	wait_for(fd);
	close(held[1]);
	for (i = 0; kept[i].pid; i++)
		;
	kept[i].pid = pid;
	kept[i].fd = held[0];
	return pid;
}

static pid_t start_kept(const char *comm, const char *file)
{
	return start_kept_session(comm, file, 0);
}

static void end(pid_t pid)
{
	unsigned int i;
	char byte;

	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (i = 0; i < ARRAY_SIZE(kept); i++) {
		if (kept[i].pid != pid)
			continue;
		/* the keeper gets a signal, too */
		if (read(kept[i].fd, &byte, 1))
			fail("a keeper says something");
		close(kept[i].fd);
		kept[i].pid = 0;
	}
}

static void expect(const char *what, pid_t pid, const char *comm, const char *file)
{
	struct users u;

	users_find(&u);
	if (u.pid != pid || strcmp(u.comm, comm) || strcmp(u.file, file))
		fail("%s: '%s' (%d, not %d) has '%s'", what, u.comm, u.pid, pid, u.file);
}

/* Who puts settings back, as @keeps says. */
static void expect_keeps(const char *what, pid_t keeps)
{
	struct users u;

	users_find(&u);
	if (u.keeps != keeps)
		fail("%s: %d puts settings back, not %d", what, u.keeps, keeps);
}

static void nobody(void)
{
	expect("nobody", 0, "", "");
}

/* A file at such a path that is in no file system of the module's; and a name that a terminal obeys. */
static void spoofed(void)
{
	pid_t pid = start("attacker", "iolog_bin\033[2K");

	is_spoofed = true;
	expect("a file of another file system", 0, "", "");
	is_spoofed = false;
	expect("a hostile name", pid, "attacker", "iolog_bin\\033[2K");
	end(pid);
}

static void keeper(void)
{
	pid_t pid = start_kept("ioblame", "sums_bin"), reader;

	expect("a command with a file", pid, "ioblame", "sums_bin");
	expect_keeps("a command with a file", pid);
	end(pid);
	pid = start_kept("ioblame", NULL);
	expect("a command without a file", pid, "ioblame", "");
	reader = start("tail", "iolog");
	expect("one that reads a log", reader, "tail", "iolog");
	expect_keeps("a command beside one that reads a log", pid);
	end(pid);
	expect_keeps("one that reads a log", 0);
	end(reader);
	/* one's own */
	pid = start(KEEPER, "enable");
	expect("one's own keeper", 0, "", "");
	expect_keeps("one's own keeper", 0);
	end(pid);
}

/* Somebody else has begun a session since: who began the one before puts nothing back. */
static void taken_over(void)
{
	pid_t pid = start_kept_session("ioblame", NULL, 4), other;

	expect("a session that was taken over", pid, "ioblame", "");
	expect_keeps("a session that was taken over", 0);
	is_enabled = false;
	expect_keeps("one that is switched off since", pid);
	is_enabled = true;
	other = start_kept_session("ioblame", NULL, 5);
	expect_keeps("the session that runs", other);
	end(other);
	end(pid);
}

/* Whatever the order is. */
static void readers(void)
{
	static const char *const files[] = { "status", "iolog_bin0", "devs" };
	struct users u;
	pid_t pid[3];
	size_t i;

	for (i = 0; i < 3; i++)
		pid[i] = start(i == 1 ? "reads=log" : "tail", files[i]);
	expect("a log", pid[1], "reads=log", "iolog_bin0");
	users_find(&u);
	if (!u.bin || u.text || u.sums)
		fail("bin %d, text %d, sums %d", u.bin, u.text, u.sums);
	for (i = 0; i < 3; i++)
		end(pid[i]);
}

/* Of several, with or without a file of their own, each is listed once. */
static void listed(void)
{
	pid_t pid[] = { start_kept("ioblame", "sums_bin"), start_kept("ioblame", NULL),
			start("ioblamed", "iolog_bin0"), start("tail", "iolog"), start(KEEPER, "enable") };
	unsigned int i, j, found;
	struct users u;

	users_find(&u);
	/* (the last is one's own) */
	for (i = 0; i < 4; i++) {
		for (j = 0, found = 0; j < u.nr_others; j++)
			found += u.others[j] == pid[i];
		if (found != 1)
			fail("process %u is listed %u times", i, found);
	}
	if (u.nr_others != 4 || u.service)
		fail("%u are listed, service %d", u.nr_others, u.service);
	for (i = 0; i < 5; i++)
		end(pid[i]);
}

/* No more than there is room for. */
static void many(void)
{
	pid_t pid[USERS_MAX + 1];
	struct users u;
	size_t i;

	for (i = 0; i <= USERS_MAX; i++)
		pid[i] = start("tail", "status");
	users_find(&u);
	if (u.nr_others != USERS_MAX)
		fail("%u are listed", u.nr_others);
	for (i = 0; i <= USERS_MAX; i++)
		end(pid[i]);
}

int main(void)
{
	static const struct test tests[] = { TEST(nobody), TEST(spoofed), TEST(keeper), TEST(taken_over),
					     TEST(readers), TEST(listed), TEST(many) };
	char rm[64];
	int ret;

	if (!mkdtemp(folder))
		return FAILED;
	ret = run_tests("tool_users", tests, ARRAY_SIZE(tests));
	snprintf(rm, sizeof(rm), "rm -rf %s", folder);
	return system(rm) ? FAILED : ret;
}
