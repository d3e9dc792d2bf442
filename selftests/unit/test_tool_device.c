// SPDX-License-Identifier: GPL-2.0
/*
 * Which disks are watched without -D; and of -D, which IO is that of a partition, and when it can
 * be told apart.  No device of this machine is looked up: sysfs is a folder of the test.
 */
#include <dirent.h>
#include <sys/stat.h>

#include "fake_one_name.h"
#include "file.h"
#include "filter.h"
#include "node.h"
#include "opts.h"
#include "rec.h"
#include "test.h"

/* Below the folder of the test */
static DIR *open_here(const char *path)
{
	return opendir(path + 1);
}

static char *read_here(const char *path)
{
	return file_read(path + 1);
}

#define opendir		open_here
#define file_read	read_here
#include "device.c"
#undef opendir
#undef file_read

#define SDA	(8U << 20)
#define SDB	(SDA | 16)

static const struct device sda = { .dev = SDA, .disk = SDA };
static const struct device sda1 = { .dev = SDA | 1, .disk = SDA, .start = 2048, .end = 4096 };
static const struct device sda2 = { .dev = SDA | 2, .disk = SDA, .start = 4096, .end = 8192 };
static const struct device sdb = { .dev = SDB, .disk = SDB };
static const struct device sdb1 = { .dev = SDB | 1, .disk = SDB, .start = 2048, .end = 4096 };

/* A flush goes to the whole disk, and counts for each of its partitions. */
static void filters(void)
{
	static const struct {
		char op;
		u32 disk;
		u64 sector, bytes;
		bool one, whole;	/* -D sda1, -D sda */
	} cases[] = {
		{ OP_WRITE, SDA, 2048, 4096, true, true },
		{ OP_WRITE, SDA, 4095, 512, true, true },
		{ OP_WRITE, SDA, 4096, 4096, false, true },
		{ OP_READ, SDA, 0, 4096, false, true },
		{ OP_FLUSH, SDA, 0, 0, true, true },
		{ OP_FLUSH, SDB, 0, 0, false, false },
		{ OP_WRITE, SDB, 2048, 4096, false, false },
	};
	const struct opts o = { .nr_devices = 1, .rw = "" };
	struct filter f = { .device = &sda1, .nr_devices = 1 };
	size_t i;

	filter_begin(&f, &o);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct iob_iolog_bin_record rec = {
			.op = cases[i].op, .disk = cases[i].disk, .sector = cases[i].sector,
			.bytes = cases[i].bytes,
		};

		f.device = &sda1;
		if (filter_takes(&f, &rec) != cases[i].one)
			fail("case %zu: sda1 %s", i, cases[i].one ? "lacks it" : "has it");
		f.device = &sda;
		if (filter_takes(&f, &rec) != cases[i].whole)
			fail("case %zu: sda %s", i, cases[i].whole ? "lacks it" : "has it");
	}
	wants_free(&f.wants);
}

/* Sums are those of a disk: of a partition they are only if nothing else of its disk is watched. */
static void sums(void)
{
	const struct device both[] = { sda1, sda2 }, disks[] = { sdb, sda }, other[] = { sdb, sda1 };

	if (device_beside(&sda, 1, both, 2) || device_beside(&sda, 1, &sda, 1))
		fail("a whole disk is not told apart");
	if (device_beside(&sda1, 1, &sda1, 1) || device_beside(both, 2, both, 2))
		fail("what is watched is not told apart");
	if (device_beside(&sda1, 1, other, 2))
		fail("another disk is taken for a part of it");
	if (device_beside(&sda1, 1, disks, 2) != &sda1)
		fail("a partition has the sums of its disk");
	if (device_beside(both, 1, both, 2) != &both[0])
		fail("a partition has the sums of another one");
	if (device_beside(other, 2, (const struct device[]){ sdb1, sda }, 2) != &other[1])
		fail("the second of two has the sums of its disk");
}

static void put(const char *name, const char *file, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "sys/block/%s/%s", name, file);
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		fail("%s: %s", path, strerror(errno));
}

static void make_folder(const char *name, const char *below)
{
	char path[128];

	snprintf(path, sizeof(path), "sys/block/%s%s", name, below);
	if (mkdir(path, 0700))
		fail("%s: %s", path, strerror(errno));
}

/* What is in /sys/block, and whether it is watched where nobody has chosen others */
static struct {
	const char *name, *number, *size, *below;
	bool watched;
} disks[] = {
	{ "sda", "8:0\n", "1000\n", NULL, true },
	{ "nvme0n1", "259:0\n", "1000\n", NULL, true },
	{ "rbd0", "252:0\n", "1000\n", NULL, true },
	{ "dm-0", "253:0\n", "1000\n", "/slaves/sda", false },
	{ "ram0", "1:0\n", "1000\n", NULL, false },
	{ "zram0", "254:0\n", "1000\n", NULL, false },
	{ "loop0", "7:0\n", "1000\n", NULL, false },
	{ "fd0", "2:0\n", "8\n", NULL, false },
	{ "sr0", "11:0\n", "1000\n", NULL, false },
	/* one that is connected, and one that is not yet */
	{ "nbd0", "43:0\n", "1000\n", NULL, true },
	{ "nbd1", "43:1\n", "0\n", NULL, false },
};

/* A disk of sysfs, in place of the C library's */
char *realpath(const char *path, char *to)
{
	size_t i, n;

	if (!strcmp(path, "/sys/dev/block/152:0"))
		return strcpy(to, "/nowhere/devices/virtual/block/etherd!e0.0");
	for (i = 0; i < ARRAY_SIZE(disks) && strlen(path) > 15; i++) {
		n = strcspn(disks[i].number, "\n");
		if (!strncmp(path + 15, disks[i].number, n) && !path[15 + n])
			return strcat(strcpy(to, "/sys/block/"), disks[i].name);
	}
	return NULL;
}

static void are_watched(const char *when)
{
	static struct device *all;
	unsigned int nr = device_every(&all), watched = 0, i, k;

	for (i = 0; i < ARRAY_SIZE(disks); i++) {
		for (k = 0; k < nr && strcmp(all[k].name, disks[i].name); k++)
			;
		if ((k < nr) != disks[i].watched)
			fail("%s: %s is %s", when, disks[i].name, k < nr ? "watched" : "left out");
		watched += disks[i].watched;
	}
	if (nr != watched)
		fail("%s: %u disks, not %u", when, nr, watched);
}

/* Real disks that are there; ioblamed asks again in each interval, for those that come. */
static void by_default(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(disks); i++) {
		make_folder(disks[i].name, "");
		make_folder(disks[i].name, "/slaves");
		if (disks[i].below)
			make_folder(disks[i].name, disks[i].below);
		put(disks[i].name, "dev", disks[i].number);
		put(disks[i].name, "size", disks[i].size);
	}
	are_watched("at first");
	put("nbd1", "size", "1000\n");
	disks[ARRAY_SIZE(disks) - 1].watched = true;
	are_watched("connected");
}

/* A disk has the name that the kernel has for it, by which it is found in /dev, too. */
static void names(void)
{
	struct device d;

	if (!device_lookup("152:0", &d) || strcmp(d.name, "etherd/e0.0") || d.disk != 152 << 20)
		fail("%s", d.name);
	if (device_lookup("152:16", &d))
		fail("%s is there", d.name);
}

static void numbers(void)
{
	uint32_t dev = 0;

	if (!node_parse_number("8:16\n", &dev) || dev != SDB || !node_parse_number("8:0", &dev) ||
	    dev != SDA || node_parse_number("8:0x", &dev) || node_parse_number("4096:0", &dev) ||
	    node_parse_number("8", &dev))
		fail("a number is wrong");
}

int main(void)
{
	static const struct test tests[] = {
		TEST(names), TEST(filters), TEST(sums), TEST(numbers), TEST(by_default),
	};
	char folder[] = "/tmp/iob-device-XXXXXX", command[64];
	int ret;

	if (!mkdtemp(folder) || chdir(folder) || mkdir("sys", 0700) || mkdir("sys/block", 0700))
		return 1;
	ret = run_tests("tool_device", tests, ARRAY_SIZE(tests));
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command) ? 1 : ret;
}
