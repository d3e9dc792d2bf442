// SPDX-License-Identifier: GPL-2.0
/* Which paths are files of the module.  The table of mounts is this file's, which counts its reads. */
#include <libmount/libmount.h>

#include "dir.h"
#include "test.h"

/* Where debugfs is mounted; NULL: nowhere */
static const char *mounted;
static unsigned int reads;

struct libmnt_table *mnt_new_table_from_file(const char *file)
{
	if (strcmp(file, "/proc/self/mountinfo"))
		fail("mounts are looked for in %s", file);
	reads++;
	return (struct libmnt_table *)&reads;
}

void mnt_unref_table(struct libmnt_table *table)
{
	(void)table;
}

struct libmnt_iter *mnt_new_iter(int direction)
{
	bool *given = calloc(1, sizeof(*given));

	(void)direction;
	return (struct libmnt_iter *)given;
}

void mnt_free_iter(struct libmnt_iter *iter)
{
	free(iter);
}

/* (one mount, or none) */
int mnt_table_next_fs(struct libmnt_table *table, struct libmnt_iter *iter, struct libmnt_fs **fs)
{
	bool *given = (bool *)iter;

	if (*given || !mounted)
		return 1;
	*given = true;
	*fs = (struct libmnt_fs *)table;
	return 0;
}

const char *mnt_fs_get_fstype(struct libmnt_fs *fs)
{
	(void)fs;
	return "debugfs";
}

const char *mnt_fs_get_root(struct libmnt_fs *fs)
{
	(void)fs;
	return "/";
}

const char *mnt_fs_get_target(struct libmnt_fs *fs)
{
	(void)fs;
	return mounted;
}

static void is_named(const char *path, const char *want)
{
	const char *name = dir_name_in(path);

	if (!name != !want || (name && strcmp(name, want)))
		fail("of %s the name is %s", path, name ? name : "none");
}

/* What most processes have open is told without the mounts, of which there may be thousands. */
static void others(void)
{
	static const char *const paths[] = {
		"/dev/null", "socket:[1234]", "pipe:[5]", "anon_inode:[eventpoll]", "/memfd:ioblame",
		"/usr/bin/ioblame", "/sys/kernel/debug/tracing/trace", "/sys/fs/ioblame",
		"/sys/kernel/debug/ioblame", "/sys/fs/ioblamed/x", "",
	};
	unsigned int round;
	size_t i;

	for (round = 0; round < 100; round++) {
		for (i = 0; i < ARRAY_SIZE(paths); i++)
			is_named(paths[i], NULL);
	}
	if (reads)
		fail("the mounts were read %u times", reads);
}

static void own(void)
{
	is_named("/sys/fs/ioblame/iolog_bin0", "iolog_bin0");
	is_named("/sys/fs/ioblame/counters/0", "counters/0");
	is_named("/srv/sys/fs/ioblame/iolog", NULL);
	is_named("/home/ioblame/iolog", NULL);
}

/* debugfs is mounted later, anywhere; then it is not looked for again. */
static void debugfs(void)
{
	unsigned int before;

	mounted = "/mnt/ioblame/debug";
	is_named("/mnt/ioblame/debug/ioblame/iolog", "iolog");
	before = reads;
	is_named("/mnt/ioblame/debug/ioblame/counters/0_filter", "counters/0_filter");
	is_named("/mnt/ioblame/debug/ioblame", NULL);
	is_named("/mnt/ioblame/debug/iolog", NULL);
	is_named("/mnt/ioblame/debug/ioblame2/iolog", NULL);
	is_named("/mnt/ioblame/debug2/ioblame/iolog", NULL);
	is_named("/sys/fs/ioblame/iolog", "iolog");
	if (reads != before)
		fail("the mounts were read %u times", reads - before);
}

int main(void)
{
	static const struct test tests[] = { TEST(others), TEST(own), TEST(debugfs) };

	return run_tests("tool_dir", tests, ARRAY_SIZE(tests));
}
