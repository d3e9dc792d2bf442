// SPDX-License-Identifier: GPL-2.0
/* Names of recordings there and back, of hostile disks, and which of them go. */
#include <sys/stat.h>
#include <unistd.h>

#include "moment_file.h"
#include "test.h"

#define SECOND	1000000000LL
#define AT	(1795662245LL * SECOND)		/* 2026-11-26 03:04:05 UTC */

static void names(void)
{
	static const struct {
		const char *disk, *rule, *name;
	} cases[] = {
		{ "sda", "p99", "2026-11-26T03:04:05Z-sda-p99.iob" },
		{ "dm-0", "slow-db_1", "2026-11-26T03:04:05Z-dm-0-slow_db_1.iob" },
		{ "cciss/c0d0", "errors", "2026-11-26T03:04:05Z-cciss!c0d0-errors.iob" },
		{ "../../x y\n'$(a)", "util", "2026-11-26T03:04:05Z-..!..!x_y____a_-util.iob" },
	};
	char name[MOMENT_NAME], long_name[300];
	struct moment_file file;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		moment_file_name(name, AT + 999999999, cases[i].disk, cases[i].rule);
		if (strcmp(name, cases[i].name))
			fail("%s", name);
		if (!moment_file_parse(name, &file) || file.at_ns != AT || strcmp(file.name, name))
			fail("%s is not understood", name);
		if (i != 3 && strcmp(file.disk, cases[i].disk))
			fail("%s is of disk %s", name, file.disk);
	}
	memset(long_name, 'a', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	moment_file_name(name, AT, long_name, long_name);
	if (strlen(name) >= MOMENT_NAME || !moment_file_parse(name, &file))
		fail("a long name is %s", name);
}

static void no_names(void)
{
	static const char *const wrong[] = {
		"", ".", "..", ".iob", "x", "2026-11-26T03:04:05Z-sda-p99", "2026-11-26.iob",
		"2026-11-26T03:04:05Z.iob", "2026-11-26T03:04:05Z-.iob",
		"2026-11-26T03:04:05Z-sda.iob", "2026-11-26T03:04:05Z-sda-.iob",
		"2026-11-26T03:04:05Z--p99.iob", ".2026-11-26T03:04:05Z-sda-p99.iob",
		"2026-13-26T03:04:05Z-sda-p99.iob", "2026-11-26T03:04:05Z-s\x1b[0mda-p99.iob",
		"2026-11-26T03:04:05Z-sda p99-x.iob", "2026-11-26T03:04:05Z-sda-p\n9.iob",
		"2026-11-26T03:04:05Z-sda-p99.iob~",
	};
	struct moment_file file;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		if (moment_file_parse(wrong[i], &file))
			fail("'%s' is a name", wrong[i]);
	}
}

static void old(void)
{
	static const struct {
		size_t most;
		uint64_t bytes;
		size_t go;
	} cases[] = {
		{ 5, 1000, 0 }, { 4, 1000, 1 }, { 0, 1000, 5 }, { 5, 150, 0 }, { 5, 149, 1 },
		{ 5, 90, 3 }, { 5, 49, 5 }, { 1, 1000, 4 }, { 5, 0, 5 },
	};
	struct moment_file list[5] = { { .bytes = 10 }, { .bytes = 20 }, { .bytes = 30 },
				       { .bytes = 40 }, { .bytes = 50 } };
	struct moment_files files = { list, 5 };
	size_t i, go;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		go = moment_files_old(&files, cases[i].most, cases[i].bytes);
		if (go != cases[i].go)
			fail("case %zu: %zu go", i, go);
	}
	files.nr = 0;
	if (moment_files_old(&files, 0, 0))
		fail("of none one goes");
}

/* A recording that moments share is one, and goes with all its names. */
static void shared(void)
{
	static const struct {
		size_t most;
		uint64_t bytes;
		size_t go;
	} cases[] = {
		{ 2, 30, 0 }, { 1, 30, 2 }, { 2, 29, 2 }, { 1, 20, 2 }, { 1, 19, 5 }, { 0, 30, 5 },
	};
	struct moment_file list[] = {
		{ .name = "d", .at_ns = 4, .bytes = 20, .ino = 8 },
		{ .name = "a", .at_ns = 1, .bytes = 20, .ino = 8 },
		{ .name = "b", .at_ns = 2, .bytes = 10, .ino = 7 },
		{ .name = "e", .at_ns = 5, .bytes = 20, .ino = 8 },
		{ .name = "c", .at_ns = 3, .bytes = 10, .ino = 7 },
	};
	struct moment_files files = { list, ARRAY_SIZE(list) };
	char order[ARRAY_SIZE(list) + 1] = "";
	size_t i, go;

	moment_files_age(&files, 10, NULL);
	for (i = 0; i < ARRAY_SIZE(list); i++)
		order[i] = *list[i].name;
	if (strcmp(order, "bcade"))
		fail("the order is %s", order);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		go = moment_files_old(&files, cases[i].most, cases[i].bytes);
		if (go != cases[i].go)
			fail("case %zu: %zu go", i, go);
	}
	/* another file system has the same numbers */
	list[0].dev = 1;
	if (moment_files_old(&files, 2, 1000) != 1)
		fail("two file systems are one");
}

/* After a clock was set back, the newest recording has not the latest name. */
static void set_back(void)
{
	struct moment_file list[] = {
		{ .name = "a", .at_ns = 100, .bytes = 1, .ino = 1 },
		{ .name = "b", .at_ns = 200, .bytes = 1, .ino = 2 },
		{ .name = "c", .at_ns = 50, .bytes = 1, .ino = 3 },
		{ .name = "d", .at_ns = 60, .bytes = 1, .ino = 4 },
	};
	struct moment_files files = { list, ARRAY_SIZE(list) };

	moment_files_age(&files, 70, NULL);
	if (*list[0].name != 'a' || *list[1].name != 'b' || *list[2].name != 'c' ||
	    moment_files_old(&files, 1, 10) != 3 || *list[3].name != 'd')
		fail("what is later than now is not the oldest");
	moment_files_age(&files, 1000, "c");
	if (*list[3].name != 'c' || *list[0].name != 'd')
		fail("what was made last is not the newest");
}

/* By time, and no other files. */
static void folders(void)
{
	static const char *const there[] = {
		"2026-11-26T03:04:06Z-sda-p99.iob", "2026-11-25T03:04:05Z-sda-p99.iob",
		"2026-11-26T03:04:05Z-sdb-errors.iob", "notes.txt", ".tmp.iob",
	};
	char dir[] = "/tmp/iob-moments-XXXXXX", path[256];
	struct moment_files files;
	size_t i;
	FILE *f;

	if (!mkdtemp(dir))
		fail("mkdtemp");
	for (i = 0; i < ARRAY_SIZE(there); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, there[i]);
		f = fopen(path, "w");
		fprintf(f, "%0*d", (int)i + 1, 0);
		fclose(f);
	}
	snprintf(path, sizeof(path), "%s/2026-11-26T03:04:07Z-sda-p99.iob", dir);
	mkdir(path, 0700);
	if (moment_files_read(&files, dir) || files.nr != 3 ||
	    strcmp(files.list[0].name, there[1]) || strcmp(files.list[1].name, there[2]) ||
	    strcmp(files.list[2].name, there[0]) || files.list[0].bytes != 2 ||
	    files.list[2].bytes != 1 || strcmp(files.list[1].rule, "errors"))
		fail("%zu recordings", files.nr);
	moment_files_free(&files);
	snprintf(path, sizeof(path), "rm -rf %s", dir);
	if (system(path))
		fail("%s", path);
	if (moment_files_read(&files, dir) != ENOENT)
		fail("a folder that is not there is read");
}

int main(void)
{
	static const struct test tests[] = {
		TEST(names), TEST(no_names), TEST(old), TEST(shared), TEST(set_back), TEST(folders),
	};

	return run_tests("tool_moment_file", tests, ARRAY_SIZE(tests));
}
