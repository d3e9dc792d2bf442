// SPDX-License-Identifier: GPL-2.0
/*
 * Which device a link in /dev is of, and how often udev's database and sysfs are read for that, and
 * names compared.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "node.h"
#include "test.h"

static u64 files, folders, texts;

static char *read_counted(const char *path)
{
	files++;
	return file_read(path);
}

static DIR *open_counted(const char *path)
{
	folders++;
	return opendir(path);
}

/* A line that is looked at, or a name */
static size_t count_line(const char *text, const char *end)
{
	texts++;
	return strcspn(text, end);
}

static int count_name(const char *a, const char *b)
{
	texts++;
	return strcmp(a, b);
}

#undef UDEV_FOLDER
#define UDEV_FOLDER	"udev"
#define file_read	read_counted
#define opendir		open_counted
#define strcspn		count_line
#define strcmp		count_name

#include "../../tools/ioblame/node.c"

#undef file_read
#undef opendir
#undef strcspn
#undef strcmp

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

/* What udev has of a device: which links it has, and before whom. */
static void lines(void)
{
	static const char text[] = "S:disk/by-id/wwn-0x5000\nL:10\nS:mapper/a\nE:ID=S:x\n";
	static const struct {
		const char *link;
		bool has;
	} cases[] = {
		{ "disk/by-id/wwn-0x5000", true }, { "mapper/a", true }, { "mapper/", false },
		{ "mapper/ab", false }, { "x", false }, { "", false }, { "10", false },
		{ "disk/by-id/wwn-0x5000\nL:10", false },
	};
	struct names names = { };
	uint32_t dev = 0;
	unsigned int i;

	add_links(&names, text, 7);
	sort_names(&names);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		if (find_name(&names, cases[i].link, &dev) != cases[i].has)
			fail("'%s' is %s", cases[i].link, cases[i].has ? "no link" : "a link");
	}
	if (names.nr != 2 || names.name[0].priority != 10 || names.name[1].priority != 10)
		fail("%zu links, the first has priority %d", names.nr, names.name[0].priority);
	forget_names(&names);
	add_links(&names, "", 7);
	add_links(&names, "S:a", 7);
	if (names.nr != 1 || names.name[0].priority || !find_name(&names, "a", &dev))
		fail("without a priority or a line it fails");
	forget_names(&names);
	free(names.name);
}

static void name_device(char *to, unsigned int i)
{
	sprintf(to, "b%u:%u", 1000 + i / 1000, i % 1000);
}

/* So many words are looked up that are links of as many devices, and as many that are none. */
static u64 look_up(unsigned int devices)
{
	char name[32], text[160];
	unsigned int i;

	for (i = 0; i < devices; i++) {
		name_device(name, i);
		sprintf(text, "S:disk/by-id/wwn-%u\nI:1\nE:A=1\nS:disk/by-path/%u\nL:1\n", i, i);
		put(name, text);
	}
	/* a moment ago: each word alone has all of it read */
	changed_at(time(NULL) + 1);
	files = folders = texts = 0;
	node_pass_begin();
	for (i = 0; i < devices; i++) {
		sprintf(text, "/dev/disk/by-id/wwn-%u", i);
		is("of many", text, (1000 + i / 1000) << 20 | i % 1000);
		sprintf(text, "lv-that-is-away-%u", i);
		is("of none", text, 0);
	}
	node_pass_end();
	for (i = 0; i < devices; i++) {
		name_device(name, i);
		sprintf(text, UDEV_FOLDER "/%s", name);
		unlink(text);
	}
	return texts;
}

/* Of 4 times as many it is 4 times as much and somewhat more, as they are sorted. */
static void many(void)
{
	u64 few = look_up(50), most = look_up(200);

	if (folders != 2)
		fail("%llu folders are read for a list of 200 words", folders);
	/* a file of sysfs for each word, one of udev for each device, and the disks of this machine */
	if (files > 3 * 200 + 1000)
		fail("%llu files are read for a list of 200 words", files);
	if (!few || most > 7 * few)
		fail("%llu texts for 50 words and devices, %llu for 200", few, most);
	note("%llu texts for 50 words and devices, %llu for 200", few, most);
}

/* What a pass has read does not hold in the next one. */
static void passes(void)
{
	put("b8:0", "S:disk/by-id/x\n");
	changed_at(3000);
	node_pass_begin();
	is("the first", "/dev/disk/by-id/x", 8 << 20);
	put("b8:0", "S:disk/by-id/y\n");
	changed_at(4000);
	is("the same", "/dev/disk/by-id/x", 8 << 20);
	node_pass_end();
	node_pass_begin();
	is("the next", "/dev/disk/by-id/x", 0);
	is("the next", "/dev/disk/by-id/y", 8 << 20);
	node_pass_end();
	put("b8:0", "S:disk/by-id/z\n");
	changed_at(5000);
	is("none", "/dev/disk/by-id/z", 8 << 20);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(links), TEST(lines), TEST(many), TEST(passes),
	};
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
