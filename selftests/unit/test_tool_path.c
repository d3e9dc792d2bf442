// SPDX-License-Identifier: GPL-2.0
/*
 * Which mount a device has, and how often the table of all mounts is read and walked for that:
 * the table is the test's, and so are the clock and what the kernel says of a change.
 */
#include <fcntl.h>
#include <libmount/libmount.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "path.h"
#include "test.h"

static char folder[] = "/tmp/iob-path-XXXXXX", mountinfo[64];
static u64 walked, reads, now_ns;
static bool changed, silent;

static struct libmnt_table *read_counted(const char *path)
{
	(void)path;
	reads++;
	return mnt_new_table_from_file(mountinfo);
}

static int walk_counted(struct libmnt_table *table, struct libmnt_iter *iter, struct libmnt_fs **fs)
{
	walked++;
	return mnt_table_next_fs(table, iter, fs);
}

/* As the kernel, which tells of a change once; or it cannot. */
static int poll_here(struct pollfd *p, nfds_t nr, int ms)
{
	if (nr != 1 || ms || silent)
		return -1;
	p->revents = changed ? POLLPRI | POLLERR : 0;
	changed = false;
	return p->revents ? 1 : 0;
}

uint64_t clock_ns(void)
{
	return now_ns;
}

#define mnt_new_table_from_file	read_counted
#define mnt_table_next_fs	walk_counted
#define poll			poll_here

#include "../../tools/ioblame/path.c"

/* The table has other mounts, a while after it was read. */
static void put(const char *text)
{
	FILE *f = fopen(mountinfo, "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		fail("%s: %s", mountinfo, strerror(errno));
	changed = true;
	now_ns += 10000000000ULL;
}

static void expect(const char *what, uint32_t dev, const char *want)
{
	char *path = path_of_mount(dev);

	if ((path && want) ? strcmp(path, want) : path != want)
		fail("%s: %s, not %s", what, path ? path : "none", want ? want : "none");
	free(path);
}

/* The first mount of a root counts, else the last one of a part. */
static void mounts_found(void)
{
	const uint32_t sda = 8 << 20;

	put("20 1 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
	    "21 1 8:0 /part /mnt/part rw - ext4 /dev/sda rw\n"
	    "22 1 8:0 / /mnt/first rw - ext4 /dev/sda rw\n"
	    "23 1 8:0 / /mnt/second rw - ext4 /dev/sda rw\n"
	    "24 1 8:0 /last /mnt/last rw - ext4 /dev/sda rw\n"
	    "25 1 8:16 /a /mnt/a rw - ext4 /dev/sdb rw\n"
	    "26 1 8:16 /b /mnt/b rw - ext4 /dev/sdb rw\n");
	expect("whole", sda, "/mnt/first");
	expect("parts", sda | 16, "/mnt/b");
	expect("none", sda | 32, NULL);
	expect("without a disk", 30, "/sys/fs/cgroup");
}

/* It is read again where mounts have changed, once a second at most. */
static void read_again(void)
{
	put("20 1 8:0 / /mnt/one rw - ext4 /dev/sda rw\n");
	expect("one", 8 << 20, "/mnt/one");
	reads = 0;
	now_ns += 3600000000000ULL;
	expect("nothing changes", 8 << 20, "/mnt/one");
	if (reads)
		fail("it is read again, though nothing has changed");
	put("20 1 8:0 / /mnt/two rw - ext4 /dev/sda rw\n");
	expect("changed", 8 << 20, "/mnt/two");
	put("20 1 8:0 / /mnt/three rw - ext4 /dev/sda rw\n");
	now_ns -= 10000000000ULL;
	expect("within the second", 8 << 20, "/mnt/two");
	now_ns += 1000000000;
	expect("a second later", 8 << 20, "/mnt/three");
	if (reads != 2)
		fail("it is read %llu times for two changes", reads);
	put("20 1 8:0 / /mnt/four rw - ext4 /dev/sda rw\n");
	changed = false;
	silent = true;
	expect("where nobody tells", 8 << 20, "/mnt/four");
	expect("where nobody tells", 8 << 20, "/mnt/four");
	silent = false;
	if (reads != 3)
		fail("it is read %llu times in a second where nobody tells", reads - 2);
}

/* Each question is for one mount: no other is looked at for it, also after a close. */
static void many(void)
{
	enum { MANY = 1000 };
	static char text[MANY * 80];
	unsigned int i;
	size_t n = 0;

	for (i = 0; i < MANY; i++)
		n += sprintf(text + n, "%u 1 0:%u / %s rw - %s none rw\n", 20 + i, 100 + i, folder,
			     i == MANY - 1 ? "cgroup2" : "overlay");
	put(text);
	walked = 0;
	reads = 0;
	for (i = 0; i < MANY; i++) {
		now_ns += 10000000;
		expect("of many", 100 + i, folder);
		free(path_of_file(100 + i, 1, 1));
		free(path_of_cgroup(i));
		path_close();
	}
	if (reads != 1 || walked > MANY + 1)
		fail("%llu mounts are looked at, of %u questions of %u", walked, 3 * MANY, MANY);
	note("%llu mounts, %u questions", walked, 3 * MANY);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(mounts_found), TEST(read_again), TEST(many),
	};
	int ret;

	if (!mkdtemp(folder)) {
		perror(folder);
		return 1;
	}
	snprintf(mountinfo, sizeof(mountinfo), "%s/mountinfo", folder);
	ret = run_tests("tool_path", tests, ARRAY_SIZE(tests));
	map_clear(&mounted, free);
	mnt_unref_table(table);
	unlink(mountinfo);
	rmdir(folder);
	return ret;
}
