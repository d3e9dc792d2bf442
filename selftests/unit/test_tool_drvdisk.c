// SPDX-License-Identifier: GPL-2.0
/* Which disk an event of a driver speaks of.  The files of /sys are this file's. */
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

char *file_read(const char *path)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		if (!strcmp(files[i].path, path))
			return strdup(files[i].text);
	}
	return NULL;
}

char *file_first_entry(const char *path)
{
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

int main(void)
{
	static const struct test tests[] = {
		TEST(disks),
	};

	return run_tests("tool_drvdisk", tests, ARRAY_SIZE(tests));
}
