// SPDX-License-Identifier: GPL-2.0
/* Which disk an event of a driver speaks of.  The files of /sys are this file's. */
#include "clock.h"
#include "drvdisk.h"
#include "file.h"
#include "test.h"

static const struct {
	const char *path, *text;
} files[] = {
	{ "/sys/block/sda/dev", "8:0\n" },
	{ "/sys/block/sda/queue/logical_block_size", "512\n" },
	{ "/sys/block/nvme0n2/dev", "259:3\n" },
	{ "/sys/block/nvme0n2/queue/logical_block_size", "4096\n" },
	{ "/sys/block/nvme1n1/dev", "259:7\n" },
	{ "/sys/block/nvme1n1/queue/logical_block_size", "512\n" },
	/* a path has a queue, and no number */
	{ "/sys/block/nvme0c1n2/queue/logical_block_size", "4096\n" },
};

enum { MANY = 300 };

static uint64_t now_ns = 1000000000;
static unsigned int looks;	/* at files and folders */
static bool there;		/* the block device of 2:0:0:0 */

uint64_t clock_ns(void)
{
	return now_ns;
}

char *file_read(const char *path)
{
	unsigned int nr;
	char text[32];
	size_t i;
	int end = 0;

	looks++;
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		if (!strcmp(files[i].path, path))
			return strdup(files[i].text);
	}
	if (there && !strcmp(path, "/sys/block/sdb/dev"))
		return strdup("8:16\n");
	if (there && !strcmp(path, "/sys/block/sdb/queue/logical_block_size"))
		return strdup("512\n");
	/* one of many */
	if (sscanf(path, "/sys/block/nvme7n%u/dev%n", &nr, &end) == 1 && end && !path[end] &&
	    nr && nr <= MANY) {
		snprintf(text, sizeof(text), "260:%u\n", nr);
		return strdup(text);
	}
	if (sscanf(path, "/sys/block/nvme7n%u/queue/logical_block_size%n", &nr, &end) == 1 && end)
		return strdup("4096\n");
	return NULL;
}

char *file_first_entry(const char *path)
{
	looks++;
	if (there && !strcmp(path, "/sys/class/scsi_device/2:0:0:0/device/block"))
		return strdup("sdb");
	return strcmp(path, "/sys/class/scsi_device/0:0:0:0/device/block") ? NULL : strdup("sda");
}

static void disks(void)
{
	static const struct {
		const char *device;
		u32 dev;
		unsigned int sectors;
	} all[] = {
		{ "0:0:0:0", 8 << 20, 1 },
		{ "1:0:0:0", 0, 0 },
		{ "nvme1n1", 259 << 20 | 7, 1 },
		{ "nvme0n2", 259 << 20 | 3, 8 },
		/* two paths to one namespace */
		{ "nvme0c1n2", 259 << 20 | 3, 8 },
		{ "nvme0c17n2", 259 << 20 | 3, 8 },
		/* a namespace that is gone, a controller, and no name of a path */
		{ "nvme0c1n9", 0, 0 },
		{ "nvme0", 0, 0 },
		{ "nvme0c1", 0, 0 },
		{ "nvme0c1n2p1", 0, 0 },
		{ "", 0, 0 },
	};
	unsigned int sectors, look;
	size_t i;
	u32 dev;

	/* the second look is at what is kept of the first */
	for (look = 0; look < 2; look++) {
		for (i = 0; i < ARRAY_SIZE(all); i++) {
			if (drvdisk_find(all[i].device, &dev, &sectors) != !!all[i].sectors ||
			    dev != all[i].dev || sectors != all[i].sectors)
				fail("%s is %u:%u with %u sectors", all[i].device, dev >> 20,
				     dev & 0xfffff, sectors);
		}
	}
}

/* The first command of a SCSI disk asks what it is: its block device comes behind the answer. */
static void comes_later(void)
{
	unsigned int sectors, i;
	u32 dev;

	if (drvdisk_find("2:0:0:0", &dev, &sectors) || dev)
		fail("it is there");
	/* what is no disk has many commands, too */
	looks = 0;
	for (i = 0; i < 1000; i++) {
		if (drvdisk_find("2:0:0:0", &dev, &sectors) || dev || sectors)
			fail("it is there");
	}
	if (looks)
		fail("%u looks for what is no disk", looks);
	there = true;
	/* the next time that events are read */
	now_ns += 100000000;
	if (!drvdisk_find("2:0:0:0", &dev, &sectors) || dev != (8 << 20 | 16) || sectors != 1)
		fail("it is %u:%u with %u sectors", dev >> 20, dev & 0xfffff, sectors);
	/* it is known, also when it is gone */
	there = false;
	now_ns += 100000000;
	if (!drvdisk_find("2:0:0:0", &dev, &sectors) || dev != (8 << 20 | 16))
		fail("it was forgotten");
}

static void many(void)
{
	unsigned int sectors, round, i;
	char device[40];
	u32 dev;

	for (round = 0; round < 2; round++) {
		looks = 0;
		for (i = 1; i <= MANY; i++) {
			snprintf(device, sizeof(device), "nvme7n%u", i);
			if (!drvdisk_find(device, &dev, &sectors) || dev != (260 << 20 | i) ||
			    sectors != 8)
				fail("%s is %u:%u with %u sectors", device, dev >> 20,
				     dev & 0xfffff, sectors);
		}
	}
	if (looks)
		fail("%u looks at %u disks that were known", looks, MANY);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(disks), TEST(comes_later), TEST(many),
	};

	return run_tests("tool_drvdisk", tests, ARRAY_SIZE(tests));
}
