// SPDX-License-Identifier: GPL-2.0
/* What wear says of each disk, however many there are.  The past is a fake. */
#include "cell.h"
#include "cmd.h"
#include "drive.h"
#include "fake_history.h"
#include "history.h"
#include "out.h"
#include "since.h"
#include "table.h"
#include "test.h"
#include "work.h"

static unsigned int nr_disks, nr_rows, nr_sums;
static bool drives;		/* the table that is printed is of drives */
static s64 recorded;		/* nanoseconds of the day; 0: that is not told */
static u64 per_day;		/* bytes of the first disk */
static bool has_drives;		/* each disk of this machine counts what is written to it */
static unsigned int nr_lives;	/* disks of which that was printed */

/* Each disk has two programs: sd7 has 8 KiB of "most", and a quarter of that of "least". */
int history_list(const struct opts *o, int64_t from_ns, bool stacks, struct usage_list *list)
{
	struct usage u = { .key = { .uid = UINT32_MAX, .op = 2 } };
	unsigned int i;
	char name[16];

	(void)o;
	(void)from_ns;
	(void)stacks;
	list->from_ns = 0;
	list->until_ns = 86400000000000LL;
	list->recorded_ns = recorded;
	for (i = 0; i < 2 * nr_disks; i++) {
		sprintf(name, "sd%u", i / 2);
		u.key.disk = name;
		u.key.program = i % 2 ? "least" : "most";
		u.ios = 1;
		u.bytes = 1024 * (1 + i / 2) * (i % 2 ? 1 : 4);
		usage_add(list, &u);
	}
	return 0;
}

/* The options choose the disks of an even number. */
bool history_wants(const struct opts *o, const struct usage_key *key)
{
	(void)o;
	return !((key->disk[strlen(key->disk) - 1] - '0') % 2);
}

bool drive_read(const char *disk, struct drive *d)
{
	(void)disk;
	d->bytes_written = 1000;
	d->percent_used = 3;
	return has_drives;
}

const char *since_text(int64_t ns, char *to, unsigned int size)
{
	(void)ns;
	snprintf(to, size, "then");
	return to;
}

void out_printf(const char *fmt, ...)
{
	(void)fmt;
}

void out_puts(const char *text)
{
	(void)text;
}

struct table *table_new(enum format format, const char *type, const struct col *cols,
			unsigned int nr)
{
	(void)format;
	(void)cols;
	(void)nr;
	drives = !strcmp(type, "drive");
	return NULL;
}

static void expect_sum(const struct cell *c)
{
	unsigned long disk = strtoul(c[0].text + 2, NULL, 10);

	if (disk % 2 || c[5].n != 5 * 1024 * (disk + 1))
		fail("%s has %llu bytes", c[0].text, (u64)c[5].n);
	if (!disk)
		per_day = c[6].n;
	if (c[7].known != c[8].known)
		fail("%s: a half of what the drive says", c[0].text);
	nr_lives += c[7].known;
	nr_sums++;
}

static void expect_row(const struct cell *c)
{
	unsigned long disk = strtoul(c[0].text + 2, NULL, 10);
	bool most = !strcmp(c[1].text, "most");

	if (disk % 2 || c[2].n != 1024 * (disk + 1) * (most ? 4 : 1) ||
	    c[4].f != (most ? 80 : 20))
		fail("%s: %s has %llu bytes, %f %%", c[0].text, c[1].text, (u64)c[2].n, c[4].f);
	nr_rows++;
}

void table_row(struct table *t, const struct cell *cells)
{
	(void)t;
	if (drives)
		expect_sum(cells);
	else
		expect_row(cells);
}

void table_end(struct table *t)
{
	(void)t;
}

static void show_disks(unsigned int disks)
{
	const struct opts o = { .format = FORMAT_JSON };

	nr_disks = disks;
	nr_rows = 0;
	nr_sums = 0;
	if (cmd_wear(&o))
		fail("%u disks: it fails", disks);
	if (nr_sums != disks / 2 || nr_rows != disks)
		fail("%u disks: %u sums and %u rows", disks, nr_sums, nr_rows);
}

static void many_disks(void)
{
	show_disks(0);
	show_disks(2);
	work_is_linear("disks", show_disks);
}

/* A day counts as long as it was recorded. */
static void a_day(void)
{
	recorded = 0;
	show_disks(2);
	if (per_day != 5 * 1024)
		fail("%llu bytes a day, of a day", per_day);
	recorded = 86400000000000LL / 4;
	show_disks(2);
	if (per_day != 4 * 5 * 1024)
		fail("%llu bytes a day, of a quarter of a day", per_day);
}

/* The drives are those of this machine: a copy of a past may be of another one. */
static void drives_here(void)
{
	const struct opts here = { .format = FORMAT_JSON };
	const struct opts copy = { .format = FORMAT_JSON, .past = { "copy.db" }, .nr_pasts = 1 };

	nr_disks = 4;
	has_drives = true;
	nr_lives = 0;
	if (cmd_wear(&here) || nr_lives != 2)
		fail("%u drives of 2 are asked", nr_lives);
	nr_lives = 0;
	if (cmd_wear(&copy) || nr_lives)
		fail("%u drives of this machine are shown as those of a copy", nr_lives);
	has_drives = false;
}

int main(void)
{
	static const struct test tests[] = { TEST(many_disks), TEST(a_day), TEST(drives_here) };

	return run_tests("tool_wear", tests, ARRAY_SIZE(tests));
}
