// SPDX-License-Identifier: GPL-2.0
/* Which device a link in /dev is of, and how often udev's database is read for that. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "node.h"
#include "test.h"

#undef UDEV_FOLDER
#define UDEV_FOLDER	"udev"

#include "../../tools/ioblame/node.c"

/* The folder stays as it is: the file is there, and gets other text. */
static void put(const char *name, const char *text)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), UDEV_FOLDER "/%s", name);
	f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		fail("%s: %s", path, strerror(errno));
}

static void changed_at(time_t t)
{
	const struct timespec times[2] = { { .tv_sec = t }, { .tv_sec = t } };

	if (utimensat(AT_FDCWD, UDEV_FOLDER, times, 0))
		fail("utimensat: %s", strerror(errno));
}

static void is(const char *what, const char *link, uint32_t want)
{
	uint32_t dev = 0;

	if (node_number(link, &dev) != !!want || dev != want)
		fail("%s: %s is %x, not %x", what, link, dev, want);
}

static void links(void)
{
	const uint32_t sda = 8 << 20, sdb = 8 << 20 | 16;

	is("no folder", "/dev/disk/by-id/x", 0);
	mkdir(UDEV_FOLDER, 0700);
	put("b8:0", "S:disk/by-id/x\nI:123\nE:ID=S:disk/by-id/e\nS:disk/by-id/both\nL:10");
	put("b8:16", "S:disk/by-id/both\nL:20\n");
	put("c8:16", "S:disk/by-id/c\n");
	changed_at(1000);
	is("read", "/dev/disk/by-id/x", sda);
	is("read", "disk/by-id/x", sda);
	is("the highest priority", "/dev/disk/by-id/both", sdb);
	is("a property", "/dev/disk/by-id/e", 0);
	is("of no block device", "/dev/disk/by-id/c", 0);
	put("b8:0", "S:disk/by-id/y\n");
	is("nothing changes", "/dev/disk/by-id/x", sda);
	is("nothing changes", "/dev/disk/by-id/y", 0);
	changed_at(2000);
	is("it has changed", "/dev/disk/by-id/x", 0);
	is("it has changed", "/dev/disk/by-id/y", sda);
	/* a moment ago: it may change again, and have the same time */
	changed_at(time(NULL));
	is("just now", "/dev/disk/by-id/y", sda);
	put("b8:0", "S:disk/by-id/z\n");
	is("just now", "/dev/disk/by-id/z", sda);
}

int main(void)
{
	static const struct test tests[] = { TEST(links) };
	char folder[] = "/tmp/node.XXXXXX";
	int ret;

	if (!mkdtemp(folder) || chdir(folder)) {
		perror(folder);
		return 1;
	}
	ret = run_tests("tool_node", tests, ARRAY_SIZE(tests));
	unlink(UDEV_FOLDER "/b8:0");
	unlink(UDEV_FOLDER "/b8:16");
	unlink(UDEV_FOLDER "/c8:16");
	rmdir(UDEV_FOLDER);
	if (chdir("/") || rmdir(folder))
		perror(folder);
	return ret;
}
