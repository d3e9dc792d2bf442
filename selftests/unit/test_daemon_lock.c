// SPDX-License-Identifier: GPL-2.0
/*
 * The lock of a database: one process at a time records there.
 */
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "recorder_lock.h"
#include "test.h"

/* What another process is told of a lock. */
static pid_t lock_elsewhere(const char *path)
{
	struct recorder_lock l = { .nr = 0 };
	pid_t pid, got = -2;
	int fd[2];

	if (pipe(fd))
		return -2;
	pid = fork();
	if (!pid) {
		got = recorder_lock(&l, path);
		_exit(write(fd[1], &got, sizeof(got)) != sizeof(got));
	}
	close(fd[1]);
	if (read(fd[0], &got, sizeof(got)) != sizeof(got))
		got = -2;
	close(fd[0]);
	waitpid(pid, NULL, 0);
	return got;
}

/* One at a time records, also where it has children; who is gone has no lock. */
static void locks(void)
{
	struct recorder_lock l = { .nr = 0 };
	char dir[] = "/tmp/iob-lock-XXXXXX", path[64], file[80];
	struct stat st;
	pid_t child;

	if (!mkdtemp(dir)) {
		fail("mkdtemp: %s", strerror(errno));
		return;
	}
	snprintf(path, sizeof(path), "%s/in/past.db", dir);
	snprintf(file, sizeof(file), "%s.lock", path);
	if (recorder_lock(&l, path) || l.nr != 1)
		fail("nobody records, and it is locked");
	/* who may only read the database has no right to the lock */
	if (stat(file, &st) || (st.st_mode & 0777) != 0600)
		fail("the lock's mode is %o", st.st_mode);
	if (lock_elsewhere(path) != getpid())
		fail("two record");
	child = fork();
	if (!child) {
		pause();
		_exit(0);
	}
	recorder_unlock(&l);
	if (lock_elsewhere(path))
		fail("a child has the lock still");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	if (recorder_lock(&l, path))
		fail("who has ended has it still");
	recorder_unlock(&l);
	/* where there can be no lock, it is recorded */
	if (recorder_lock(&l, "/proc/self/none/past.db") || l.nr)
		fail("a lock where no file can be");
	unlink(file);
	snprintf(file, sizeof(file), "%s/in", dir);
	rmdir(file);
	rmdir(dir);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(locks),
	};

	return run_tests("daemon_lock", tests, ARRAY_SIZE(tests));
}
