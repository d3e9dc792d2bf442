// SPDX-License-Identifier: GPL-2.0
/* The recorder where its file on the disk cannot be written for a while, or a file is taken away. */
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "databases.h"
#include "hearing.h"
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

/* The minutes of its intervals are in the file at the path, and nowhere else. */
static void expect_ios(const char *what, int64_t intervals)
{
	int64_t got = read_number(disk, all_ios);

	if (got != intervals * IOS)
		fail("%s: %lld IOs, not %lld", what, (s64)got, (s64)intervals * IOS);
}

/*
 * The file is removed between two writings, with the log beside it or without: what comes is in the
 * new one.
 */
static void removed(void)
{
	struct recorder r;
	int k;

	for (k = 0; k < 2; k++) {
		begin();
		conf.flush_ns = 60 * SECOND;
		recorder_open(&r, &conf);
		add_intervals(&r, 0, 60);
		run_shell("rm %s%s", disk, k ? "*" : "");
		quiet(true);
		/* until the next writing */
		add_intervals(&r, 60, 67);
		quiet(false);
		expect_ios("removed", 12);
		add_intervals(&r, 67, 120);
		recorder_close(&r);
		expect_ios("closed", 66);
		end();
	}
}

/* A copy of earlier is put in its place: it goes on from there, and its log is not the other's. */
static void replaced(void)
{
	struct recorder r;

	begin();
	conf.flush_ns = 60 * SECOND;
	recorder_open(&r, &conf);
	add_intervals(&r, 0, 60);
	checkpoint(disk);
	run_shell("cp %s %s.copy", disk, disk);
	add_intervals(&r, 60, 120);
	run_shell("mv %s.copy %s", disk, disk);
	quiet(true);
	add_intervals(&r, 120, 180);
	quiet(false);
	if (r.disk.said || read_number(disk, "SELECT count(*) FROM pragma_integrity_check "
				       "WHERE integrity_check != 'ok'"))
		fail("it is damaged");
	recorder_close(&r);
	expect_ios("replaced", 54 + 66);
	end();
}

/* The file cannot even be read at first: what comes has other numbers than what is there. */
static void unreadable(void)
{
	struct recorder r;

	begin();
	conf.flush_ns = 60 * SECOND;
	recorder_open(&r, &conf);
	add_intervals(&r, 0, 60);
	recorder_close(&r);
	run_shell("rm %s*; mv %s %s.away; touch %s", recent, folder, folder, folder);
	quiet(true);
	recorder_open(&r, &conf);
	add_intervals(&r, 60, 120);
	run_shell("rm %s; mv %s.away %s", folder, folder, folder);
	add_intervals(&r, 120, 180);
	quiet(false);
	if (r.disk.said)
		fail("it is not written again");
	recorder_close(&r);
	expect_ios("unreadable", 180);
	end();
}

static int64_t ios_of(const char *path, int level)
{
	char sql[160];

	snprintf(sql, sizeof(sql), "SELECT coalesce(sum(ios), 0) FROM usage u "
		 "JOIN span s ON s.id = u.id / 4096 WHERE s.level = %d", level);
	return read_number(path, sql);
}

/*
 * The file in memory is removed, with the log beside it or without: what comes is in a new one, and
 * so are the minutes that waited in it for the disk.
 */
static void recent_removed(void)
{
	struct recorder r;
	int k, said;

	for (k = 0; k < 2; k++) {
		begin();
		recorder_open(&r, &conf);
		/* half of the sixth minute */
		add_intervals(&r, 0, 33);
		run_shell("rm %s%s", recent, k ? "*" : "");
		begin_hearing();
		add_intervals(&r, 33, 42);
		said = end_hearing("removed or replaced");
		if (said != 1)
			fail("it is said %d times", said);
		if (ios_of(recent, PAST_INTERVAL) != 9 * IOS)
			fail("intervals have %lld IOs", (s64)ios_of(recent, PAST_INTERVAL));
		if (ios_of(recent, PAST_MINUTE) != 36 * IOS)
			fail("minutes have %lld IOs", (s64)ios_of(recent, PAST_MINUTE));
		recorder_close(&r);
		expect_ios("recent.db is removed", 42);
		end();
	}
}

/* A copy of earlier is put in its place: each minute is there once. */
static void recent_replaced(void)
{
	struct recorder r;

	begin();
	recorder_open(&r, &conf);
	add_intervals(&r, 0, 13);
	checkpoint(recent);
	run_shell("cp %s %s.copy", recent, recent);
	add_intervals(&r, 13, 30);
	run_shell("mv %s.copy %s", recent, recent);
	quiet(true);
	add_intervals(&r, 30, 42);
	quiet(false);
	if (r.recent.said || read_number(recent, "SELECT count(*) FROM pragma_integrity_check "
					 "WHERE integrity_check != 'ok'"))
		fail("it is damaged");
	if (ios_of(recent, PAST_INTERVAL) != (13 + 12) * IOS)
		fail("intervals have %lld IOs", (s64)ios_of(recent, PAST_INTERVAL));
	recorder_close(&r);
	expect_ios("recent.db is replaced", 42);
	end();
}

/* While nothing is to be recorded, it is noticed, too; where it cannot be made, the disk has all. */
static void recent_stays_away(void)
{
	struct recorder r;

	begin();
	recorder_open(&r, &conf);
	add_intervals(&r, 0, 33);
	run_shell("rm %s", recent);
	quiet(true);
	recorder_tick(&r, BEGIN + 340 * SECOND);
	if (access(recent, F_OK) || ios_of(recent, PAST_MINUTE) != 30 * IOS)
		fail("it is not made anew");
	run_shell("rm %s*; mkdir %s", recent, recent);
	recorder_tick(&r, BEGIN + 350 * SECOND);
	expect_ios("no recent.db", 30);
	add_intervals(&r, 33, 42);
	quiet(false);
	recorder_close(&r);
	expect_ios("no recent.db", 42);
	end();
}

int main(void)
{
	static const struct test tests[] = {
		TEST(read_only), TEST(removed), TEST(replaced), TEST(unreadable),
		TEST(recent_removed), TEST(recent_replaced), TEST(recent_stays_away),
	};

	return run_tests("daemon_disk", tests, ARRAY_SIZE(tests));
}
