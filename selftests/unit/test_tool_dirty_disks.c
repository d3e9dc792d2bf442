// SPDX-License-Identifier: GPL-2.0
/* What dirty shows of the disks that are named.  The module's file and the disks are fakes. */
#include <sys/mman.h>
#include <unistd.h>

#include "dirty.h"
#include "fake_dir.h"
#include "fake_one_name.h"
#include "fake_run.h"
#include "fake_table.h"
#include "json.h"
#include "test.h"

#include "cmd_dirty.c"

enum {
	SDA = 8 << 20, SDB = 8 << 20 | 16,
};

static const struct device sda = { .dev = SDA, .disk = SDA };
static const struct device sda1 = { .dev = SDA | 1, .disk = SDA, .start = 8, .end = 1000 };
static const struct device sdb = { .dev = SDB, .disk = SDB };

/* 24 pages of a file on sda1, 5 on sdb, and 32 that are of no file any more */
static const char file[] =
	"dirty=24 writeback=0 oldest=2000 how=exact int=14 dev=0x800001 ino=0x10 gen=0xa role=thread id=812 tgid=812 cgroup=77 comm=dd\n"
	"dirty=5 writeback=0 oldest=2000 how=exact int=14 dev=0x800010 ino=0x10 gen=0xa role=thread id=812 tgid=812 cgroup=77 comm=dd\n"
	"cancelled=32 int=14 role=thread id=813 tgid=813 cgroup=77 comm=tar\n";

/* What was printed: pages of rows, and of their sum */
static u64 dirty_pages, cancelled_pages, cancelled_sum;

int dir_open(const char *name, int flags)
{
	int fd = memfd_create(name, 0);

	(void)flags;
	if (write(fd, file, sizeof(file) - 1) < 0 || lseek(fd, 0, SEEK_SET))
		fail("no file");
	return fd;
}

bool device_lookup(const char *word, struct device *d)
{
	*d = !strcmp(word, "8:1") ? sda1 : sdb;
	snprintf(d->name, sizeof(d->name), "%s", word);
	return true;
}

char *file_read(const char *path)
{
	(void)path;
	return NULL;
}

uint64_t clock_ns(void)
{
	return 1000000;
}

int stop_wait(int fd, uint64_t ns)
{
	(void)fd;
	(void)ns;
	return 0;
}

void source_head_now(struct store_head *head)
{
	(void)head;
}

void run_time(const struct run *run, uint64_t ns, char *to, unsigned int size)
{
	(void)run;
	snprintf(to, size, "%llu", (u64)ns);
}

uint64_t run_wall_ns(const struct run *run, uint64_t ns)
{
	(void)run;
	return ns;
}

void name_tidy(void) {}

void out_printf(const char *fmt, ...)
{
	(void)fmt;
}

void out_puts(const char *text)
{
	(void)text;
}

void table_row(struct table *t, const struct cell *c)
{
	(void)t;
	dirty_pages += c[DIRTY].known ? c[DIRTY].n / page_size : 0;
	cancelled_pages += c[CANCELLED].known ? c[CANCELLED].n / page_size : 0;
}

void table_end(struct table *t)
{
	(void)t;
}

struct json_object *json_begin(const char *type)
{
	(void)type;
	return NULL;
}

void json_time(struct json_object *o, uint64_t ns)
{
	(void)o;
	(void)ns;
}

void json_n(struct json_object *o, const char *key, uint64_t n)
{
	(void)o;
	if (!strcmp(key, "cancelled_bytes"))
		cancelled_sum = n / page_size;
}

void json_print(struct json_object *o)
{
	(void)o;
}

/* What is shown where these are watched, and @want is named. */
static void shows(const char *what, const struct opts *o, const struct device *watched,
		  unsigned int nr_watched, const struct device *want, unsigned int nr, u64 dirty,
		  u64 cancelled)
{
	static struct run run;

	memset(&run, 0, sizeof(run));
	run.opts = o;
	memcpy(run.session.device, watched, nr_watched * sizeof(*watched));
	run.session.nr_devices = nr_watched;
	memcpy(run.device, want, nr * sizeof(*want));
	run.nr_devices = nr;
	page_size = 4096;
	dirty_pages = 0;
	cancelled_pages = 0;
	cancelled_sum = 0;
	if (print_dirty(&run))
		fail("%s: it fails", what);
	if (dirty_pages != dirty || cancelled_pages != cancelled || cancelled_sum != cancelled)
		fail("%s: %llu pages are dirty and %llu cancelled, of a sum of %llu", what,
		     dirty_pages, cancelled_pages, cancelled_sum);
}

/* Cancelled writes have no disk: they are those of a disk that is named if each watched one is. */
static void cancelled(void)
{
	static const struct opts all = { .format = FORMAT_JSON };
	static const struct opts of_files = { .format = FORMAT_JSON, .nr_files = 1 };
	const struct device both[] = { sda, sdb }, part[] = { sda1, sdb };

	shows("no disk is named", &all, both, 2, both, 0, 29, 32);
	shows("one of two", &all, both, 2, &sdb, 1, 5, 0);
	shows("the other", &all, both, 2, &sda, 1, 24, 0);
	shows("both", &all, both, 2, both, 2, 29, 32);
	shows("the only one", &all, &sda, 1, &sda, 1, 24, 32);
	shows("a partition of what is watched", &all, &sda, 1, &sda1, 1, 24, 0);
	shows("the disk of a partition that is", &all, &sda1, 1, &sda, 1, 24, 32);
	shows("one, and a part of the other", &all, both, 2, part, 2, 29, 0);
	shows("files", &of_files, both, 2, both, 2, 29, 0);
}

int main(void)
{
	static const struct test tests[] = { TEST(cancelled) };

	return run_tests("tool_dirty_disks", tests, ARRAY_SIZE(tests));
}
