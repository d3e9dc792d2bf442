// SPDX-License-Identifier: GPL-2.0
/* The module's file `dirty`: lines, sums and their order. */
#include <sys/mman.h>
#include <unistd.h>

#include "dirty.h"
#include "name.h"
#include "rec.h"
#include "test.h"

static unsigned int tidied;

void name_tidy(void)
{
	tidied++;
}

static const char file[] =
	"dirty=24 writeback=0 oldest=2000 how=exact int=14 dev=0x800010 ino=0x10 gen=0xa role=thread id=812 tgid=811 cgroup=77 comm=dd\n"
	"dirty=6 writeback=2 oldest=1000 how=inherited int=15 dev=0x800010 ino=0x10 gen=0xa role=thread id=812 tgid=811 cgroup=77 comm=dd\n"
	"dirty=100 writeback=0 oldest=0 how=- int=1 dev=0x800010 ino=0x10 gen=0xa role=nobody id=0 tgid=0 cgroup=0 comm=lost\n"
	"this line is of another version\n"
	"dirty=1 writeback=0 oldest=500 how=lost int=1 dev=0x800010 ino=0x11 gen=0xa role=user id=3 tgid=0 cgroup=7 later=x comm=a\\040dirty=9\\012\n"
	"cancelled=32 int=14 role=thread id=812 tgid=811 cgroup=77 comm=dd\n"
	"cancelled=1 int=15 role=thread id=812 tgid=811 cgroup=77 comm=dd\n"
	"cancelled=7 int=16 role=cgroup id=7 tgid=0 cgroup=7 comm=\n";

static bool takes_all(struct dirty_row *row, const void *arg)
{
	(void)row;
	(void)arg;
	return true;
}

static bool takes_812(struct dirty_row *row, const void *arg)
{
	(void)arg;
	return row->key.id == 812;
}

static int file_of(const char *text, size_t len)
{
	int fd = memfd_create("dirty", 0);

	if (write(fd, text, len) != (ssize_t)len || lseek(fd, 0, SEEK_SET))
		fail("no file");
	return fd;
}

static void is(const struct dirty_row *row, uint64_t id, uint64_t dirty, uint64_t writeback,
	       uint64_t cancelled, uint64_t oldest, unsigned int how)
{
	if (row->key.id != id || row->dirty != dirty || row->writeback != writeback ||
	    row->cancelled != cancelled || row->oldest_ns != oldest || row->how != how)
		fail("a row is id=%llu dirty=%llu writeback=%llu cancelled=%llu oldest=%llu how=%u",
		     (unsigned long long)row->key.id, (unsigned long long)row->dirty,
		     (unsigned long long)row->writeback, (unsigned long long)row->cancelled,
		     (unsigned long long)row->oldest_ns, row->how);
}

/* Lines of one program and one file are a row, with the oldest time and the least sure word. */
static void adds_up(void)
{
	int fd = file_of(file, sizeof(file) - 1);
	struct dirty_row **rows;
	struct dirty d = { 0 };

	if (dirty_read(&d, fd, takes_all, NULL) || dirty_sorted(&d, false, &rows) != 5 ||
	    d.broken != 1)
		fail("%zu rows, %llu broken", d.rows.nr, (unsigned long long)d.broken);
	is(rows[0], 3, 1, 0, 0, 500, IOB_HOW_LOST);
	is(rows[1], 812, 30, 2, 0, 1000, IOB_HOW_INHERITED);
	/* no time is known: the largest first */
	is(rows[2], 0, 100, 0, 0, 0, IOB_NR_HOWS);
	is(rows[3], 812, 0, 0, 33, 0, IOB_HOW_EXACT);
	is(rows[4], 7, 0, 0, 7, 0, IOB_HOW_EXACT);
	/* a name is only a name */
	if (strncmp(rows[0]->key.comm, "a dirty=9\n", IOB_COMM_LEN))
		fail("the name is '%.16s'", rows[0]->key.comm);
	if (rows[2]->key.known || !rows[1]->key.known || rows[1]->key.dev != 0x800010 ||
	    rows[1]->key.ino != 0x10 || rows[1]->key.gen != 0xa || rows[1]->key.tgid != 811 ||
	    rows[1]->key.cgroup != 77 || rows[1]->key.kind != ROLE_THREAD)
		fail("numbers are wrong");
	free(rows);
	dirty_sorted(&d, true, &rows);
	is(rows[0], 0, 100, 0, 0, 0, IOB_NR_HOWS);
	is(rows[1], 812, 0, 0, 33, 0, IOB_HOW_EXACT);
	free(rows);
	dirty_clear(&d);
	close(fd);
}

static void filters(void)
{
	int fd = file_of(file, sizeof(file) - 1);
	struct dirty_row **rows;
	struct dirty d = { 0 };

	dirty_read(&d, fd, takes_812, NULL);
	if (dirty_sorted(&d, false, &rows) != 2)
		fail("%zu rows of 812", d.rows.nr);
	free(rows);
	dirty_clear(&d);
	close(fd);
}

static bool takes_by(struct dirty_row *row, const void *arg)
{
	dirty_narrow(&row->key, *(const enum pivot *)arg);
	return true;
}

/* Read what @by makes of a text, and join it if that is to be.  Return: the number of rows. */
static size_t read_by(struct dirty *d, enum pivot by, const char *text, struct dirty_row ***rows)
{
	int fd = file_of(text, strlen(text));

	if (dirty_read(d, fd, takes_by, &by))
		fail("no text");
	close(fd);
	if (by == BY_PROCESS)
		dirty_join(d);
	return dirty_sorted(d, true, rows);
}

/* Threads are one row, of the name and the cgroup of most pages; so are the files of a process. */
static void processes(void)
{
	static const char text[] =
		"dirty=4 writeback=0 oldest=3000 how=exact int=2 dev=0x800010 ino=0x10 gen=0xa role=thread id=811 tgid=811 cgroup=77 comm=main\n"
		"dirty=30 writeback=1 oldest=2000 how=exact int=2 dev=0x800010 ino=0x10 gen=0xa role=thread id=812 tgid=811 cgroup=78 comm=worker\n"
		"dirty=20 writeback=0 oldest=1000 how=inherited int=2 dev=0x800010 ino=0x11 gen=0xa role=thread id=813 tgid=811 cgroup=77 comm=main\n"
		"dirty=40 writeback=0 oldest=1500 how=exact int=2 dev=0x800010 ino=0x11 gen=0xa role=thread id=900 tgid=900 cgroup=77 comm=main\n"
		"dirty=3 writeback=0 oldest=1600 how=exact int=2 dev=0x800010 ino=0x11 gen=0xa role=thread id=901 tgid=0 cgroup=0 comm=gone\n"
		"dirty=2 writeback=0 oldest=1600 how=exact int=2 dev=0x800010 ino=0x11 gen=0xa role=cgroup id=7 tgid=0 cgroup=7 comm=\n"
		"dirty=1 writeback=0 oldest=1600 how=exact int=2 dev=0x800010 ino=0x11 gen=0xa role=cgroup id=7 tgid=0 cgroup=8 comm=\n"
		"cancelled=6 int=14 role=thread id=812 tgid=811 cgroup=78 comm=worker\n"
		"cancelled=5 int=14 role=thread id=811 tgid=811 cgroup=77 comm=main\n";
	static const struct {
		enum pivot by;
		size_t rows;
	} others[] = { { BY_FILE, 3 }, { BY_DEVICE, 2 }, { BY_CGROUP, 7 } };
	struct dirty_row **rows;
	struct dirty d = { 0 };
	unsigned int i;
	size_t nr;

	nr = read_by(&d, BY_PROCESS, text, &rows);
	if (nr != 6)
		fail("%zu rows of processes", nr);
	is(rows[0], 811, 54, 1, 0, 1000, IOB_HOW_INHERITED);
	is(rows[1], 900, 40, 0, 0, 1500, IOB_HOW_EXACT);
	is(rows[2], 811, 0, 0, 11, 0, IOB_HOW_EXACT);
	is(rows[3], 901, 3, 0, 0, 1600, IOB_HOW_EXACT);
	if (strcmp(rows[0]->key.comm, "worker") || rows[0]->key.cgroup != 78 ||
	    rows[0]->key.tgid != 811 || rows[0]->key.kind != ROLE_PROCESS || rows[0]->key.ino ||
	    !rows[0]->key.known || strcmp(rows[1]->key.comm, "main"))
		fail("the first is %s's of %u", rows[0]->key.comm, rows[0]->key.tgid);
	if (rows[4]->key.cgroup != 7 || rows[5]->key.cgroup != 8)
		fail("two cgroups are one");
	free(rows);
	dirty_clear(&d);
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		nr = read_by(&d, others[i].by, text, &rows);
		if (nr != others[i].rows)
			fail("by %u: %zu rows", others[i].by, nr);
		free(rows);
		dirty_clear(&d);
	}
}

/* What is cut, empty or too long is no line, and is no harm. */
static void refuses(void)
{
	static char much[3 << 20];
	static const char *const bad[] = {
		"", "x", "dirty", "dirty=", "dirty=1", "dirty=1 role=", "dirty=1 role=king",
		"cancelled=1 how=exact",
	};
	struct dirty d = { 0 };
	struct dirty_row row;
	unsigned int i;
	int fd;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (dirty_parse(&row, bad[i]))
			fail("'%s' is a line", bad[i]);
	}
	memset(much, 'd', sizeof(much));
	fd = file_of(much, sizeof(much));
	if (dirty_read(&d, fd, takes_all, NULL) || d.rows.nr || !d.broken)
		fail("a line of 3 MiB");
	dirty_clear(&d);
	close(fd);
}

/* What filters have looked up is tidied between the lines, of which there may be millions. */
static void tidies(void)
{
	enum { BYTES = 8 << 20 };
	char *much = malloc(BYTES + 256);
	struct dirty d = { 0 };
	unsigned int nr = 0;
	size_t n = 0;
	int fd;

	for (; n < BYTES; nr++)
		n += sprintf(much + n, "dirty=1 how=exact dev=0x800010 ino=%#x role=thread id=%u comm=a\n",
			     nr, 812 + nr % 2);
	fd = file_of(much, n);
	tidied = 0;
	if (dirty_read(&d, fd, takes_812, NULL) || d.broken || d.rows.nr != (nr + 1) / 2)
		fail("%zu rows of %u", d.rows.nr, nr);
	if (tidied < 8)
		fail("names were tidied %u times", tidied);
	dirty_clear(&d);
	close(fd);
	free(much);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(adds_up), TEST(filters), TEST(processes), TEST(refuses), TEST(tidies),
	};

	return run_tests("tool_dirty", tests, ARRAY_SIZE(tests));
}
