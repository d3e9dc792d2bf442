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
		TEST(names), TEST(no_names), TEST(old), TEST(folders),
	};

	return run_tests("tool_moment_file", tests, ARRAY_SIZE(tests));
}
