// SPDX-License-Identifier: GPL-2.0
/* The recorder where its file on the disk cannot be written for a while. */
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "databases.h"
#include "test.h"

enum {
	NO_NAMESPACE = 77,
	IOS = 7,	/* of an interval */
};

static const char all_ios[] = "SELECT sum(ios) FROM usage u JOIN span s ON s.id = u.id / 4096 "
			      "WHERE s.level = 1";

static void add_interval(struct recorder *r, int64_t nr)
{
	struct usage_list list = { .from_ns = BEGIN + nr * 10 * SECOND };
	struct usage u = {
		.key = { .unit = "a.service", .program = "cat", .user = "root", .file = "/f",
			 .disk = "sda", .why = "data", .op = 2 },
		.ios = IOS, .bytes = 4096, .ns = 1000,
	};

	list.until_ns = list.from_ns + 10 * SECOND;
	usage_add(&list, &u);
	recorder_add(r, &list);
	usage_clear(&list);
}

static void add_intervals(struct recorder *r, int64_t from, int64_t until)
{
	for (; from < until; from++)
		add_interval(r, from);
}

/* In a mount namespace of its own: what the folder is in can only be read, and then be written. */
static int begin_read_only(const char *place)
{
	struct recorder r;
	int fd;

	if (unshare(CLONE_NEWNS | (getuid() ? CLONE_NEWUSER : 0)) ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", place, "tmpfs", 0, NULL))
		return NO_NAMESPACE;
	fd = open(disk, O_CREAT | O_RDWR, 0600);
	if (fd < 0)
		return NO_NAMESPACE;
	close(fd);
	conf.flush_ns = 60 * SECOND;
	recorder_open(&r, &conf);
	add_intervals(&r, 0, 60);
	recorder_close(&r);
	/* as after the machine has begun anew */
	run_shell("rm %s*", recent);
	if (mount("tmpfs", place, "tmpfs", MS_REMOUNT | MS_RDONLY, NULL))
		return NO_NAMESPACE;
	recorder_open(&r, &conf);
	add_intervals(&r, 60, 120);
	if (!r.disk.said)
		return 1;		/* it is not said */
	if (r.dropped || read_number(recent, all_ios) != 54 * IOS)
		return 2;		/* its minutes do not wait */
	if (mount("tmpfs", place, "tmpfs", MS_REMOUNT, NULL))
		return NO_NAMESPACE;
	add_intervals(&r, 120, 180);
	if (r.disk.said)
		return 3;		/* it is not written again */
	recorder_close(&r);
	return read_number(disk, all_ios) != 180 * IOS ? 4 : 0;
}

static void read_only(void)
{
	int status;
	pid_t pid;

	begin();
	pid = fork();
	if (!pid) {
		quiet(true);
		_exit(begin_read_only(folder));
	}
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_NAMESPACE)
		note("not tried: no mount namespace here");
	else if (status)
		fail("step %d of a disk that can only be read", WEXITSTATUS(status));
	end();
}

int main(void)
{
	static const struct test tests[] = {
		TEST(read_only),
	};

	return run_tests("daemon_disk", tests, ARRAY_SIZE(tests));
}
