// SPDX-License-Identifier: GPL-2.0
/* How busy disks are, of a folder as /sys/block is one. */
#include <sys/stat.h>
#include <unistd.h>

#include "busy.h"
#include "test.h"
#include "work.h"

static char folder[] = "/tmp/iob-busy-XXXXXX";

static void put_ios(const char *disk, unsigned long ios, unsigned long busy_ms)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, disk);
	mkdir(path, 0700);
	strcat(path, "/stat");
	f = fopen(path, "w");
	if (!f)
		fail("%s: %s", path, strerror(errno));
	fprintf(f, "    %lu  0  800  20  50  1  400  30  0  %lu  77  0  0  0  0  3  4\n", ios,
		busy_ms);
	fclose(f);
}

static void put(const char *disk, unsigned long busy_ms)
{
	put_ios(disk, 100, busy_ms);
}

static void gone(const char *disk)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s/stat", folder, disk);
	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
}

static uint64_t busy_of(const struct usage_list *list, const char *disk)
{
	uint64_t ms = 0;
	size_t i;

	for (i = 0; i < list->nr_busy; i++) {
		if (!strcmp(list->busy[i].disk, disk))
			ms += list->busy[i].ms;
	}
	return ms;
}

static void passes(void)
{
	struct usage_list list = { 0 };
	struct busy busy = { 0 };

	put("sda", 5000);
	put("cciss!c0d0", 4294967290UL);
	put("loop0", 0);
	busy_pass(&busy, folder, &list);
	if (list.nr_busy)
		fail("the first pass knows something");
	put("sda", 5970);
	put("cciss!c0d0", 4);
	put("sd\nb", 900);
	busy_pass(&busy, folder, &list);
	if (list.nr_busy != 2 || busy_of(&list, "sda") != 970 || busy_of(&list, "cciss/c0d0") != 10)
		fail("sda %llu, c0d0 %llu", (u64)busy_of(&list, "sda"),
		     (u64)busy_of(&list, "cciss/c0d0"));
	usage_clear(&list);
	/* nobody asks; another disk gets the name of one that is gone */
	put("sda", 6000);
	put("sd\nb", 950);
	gone("cciss!c0d0");
	busy_pass(&busy, folder, NULL);
	put("cciss!c0d0", 100000);
	put("sda", 6001);
	put("sd\nb", 951);
	busy_pass(&busy, folder, &list);
	if (busy_of(&list, "sda") != 1 || busy_of(&list, "cciss/c0d0") ||
	    busy_of(&list, "sd\\012b") != 1)
		fail("sda %llu, c0d0 %llu", (u64)busy_of(&list, "sda"),
		     (u64)busy_of(&list, "cciss/c0d0"));
	usage_clear(&list);
	/* between two passes a disk goes, and another one comes that has its name */
	put_ios("sda", 7, 40);
	put_ios("sd\nb", 5000, 40);
	busy_pass(&busy, folder, &list);
	if (list.nr_busy)
		fail("sda %llu, sdb %llu", (u64)busy_of(&list, "sda"),
		     (u64)busy_of(&list, "sd\\012b"));
	put_ios("sda", 8, 45);
	put_ios("sd\nb", 5001, 46);
	busy_pass(&busy, folder, &list);
	if (busy_of(&list, "sda") != 5 || busy_of(&list, "sd\\012b") != 6)
		fail("the new sda %llu, sdb %llu", (u64)busy_of(&list, "sda"),
		     (u64)busy_of(&list, "sd\\012b"));
	usage_clear(&list);
	busy_pass(&busy, "/nowhere", &list);
	if (list.nr_busy)
		fail("without a folder something is busy");
	busy_end(&busy);
	gone("sda");
	gone("sd\nb");
	gone("cciss!c0d0");
	gone("loop0");
}

/* A pass that knows the disks, and one in which half of them are gone */
static void look_at_disks(unsigned int disks)
{
	struct usage_list list = { 0 };
	struct busy busy = { 0 };
	unsigned int i;
	char name[16];

	for (i = 0; i < disks; i++) {
		sprintf(name, "sd%u", i);
		put(name, 1000);
	}
	busy_pass(&busy, folder, &list);
	for (i = 0; i < disks; i++) {
		sprintf(name, "sd%u", i);
		put(name, 1001 + i);
	}
	busy_pass(&busy, folder, &list);
	if (list.nr_busy != disks)
		fail("%zu of %u disks", list.nr_busy, disks);
	for (i = 0; i < list.nr_busy; i++) {
		if (list.busy[i].ms != 1 + strtoul(list.busy[i].disk + 2, NULL, 10))
			fail("%s: %llu", list.busy[i].disk, (u64)list.busy[i].ms);
	}
	for (i = 0; i < disks; i += 2) {
		sprintf(name, "sd%u", i);
		gone(name);
	}
	busy_pass(&busy, folder, NULL);
	for (i = 0; i < disks; i++) {
		sprintf(name, "sd%u", i);
		put(name, 9000);
	}
	usage_clear(&list);
	busy_pass(&busy, folder, &list);
	if (list.nr_busy != disks / 2)
		fail("%zu of %u disks are as before", list.nr_busy, disks / 2);
	usage_clear(&list);
	busy_end(&busy);
	for (i = 0; i < disks; i++) {
		sprintf(name, "sd%u", i);
		gone(name);
	}
}

static void many_disks(void)
{
	work_is_linear("disks", look_at_disks);
}

int main(void)
{
	static const struct test tests[] = { TEST(passes), TEST(many_disks) };
	int ret;

	if (!mkdtemp(folder))
		return 1;
	ret = run_tests("daemon_busy", tests, ARRAY_SIZE(tests));
	if (rmdir(folder)) {
		perror(folder);
		ret = 1;
	}
	return ret;
}
