// SPDX-License-Identifier: GPL-2.0
/* The first recording of a moment, against a look at all of them. */
#include "fake_history.h"
#include "fake_table.h"
#include "history.h"
#include "kept.h"
#include "out.h"
#include "since.h"
#include "table.h"
#include "test.h"
#include "work.h"

#define SECOND	1000000000LL

/* What is in the folder, by time */
static struct moment_file file[4000];
static size_t nr_files;

int moment_files_read(struct moment_files *files, const char *folder)
{
	size_t bytes = nr_files * sizeof(*file);

	if (strcmp(folder, "/x/moments"))
		fail("%s is read", folder);
	files->list = memcpy(malloc(bytes + 1), file, bytes);
	files->nr = nr_files;
	return 0;
}

void moment_files_free(struct moment_files *files)
{
	free(files->list);
}

bool history_wants(const struct opts *o, const struct usage_key *key)
{
	(void)o;
	return strcmp(key->disk, "unwanted") != 0;
}

/* What the list of them needs */
void table_row(struct table *t, const struct cell *cells)
{
	(void)t;
	(void)cells;
}

void table_end(struct table *t)
{
	(void)t;
}

void out_puts(const char *text)
{
	(void)text;
}

void out_printf(const char *fmt, ...)
{
	(void)fmt;
}

const char *since_text(int64_t ns, char *to, unsigned int size)
{
	(void)ns;
	(void)size;
	return to;
}

static const struct opts opts = {
	.past = { "/x/past.db" }, .nr_pasts = 1, .since_ns = 10 * SECOND, .until_ns = 90 * SECOND,
};

static void add_file(s64 second, const char *disk)
{
	struct moment_file *f = &file[nr_files];

	memset(f, 0, sizeof(*f));
	f->at_ns = second * SECOND;
	strcpy(f->disk, disk);
	sprintf(f->name, "%zu", nr_files++);
}

/* The number of the first one; -1 if there is none. */
static int first_of(const char *disk, s64 from_ns, s64 until_ns)
{
	size_t i;

	for (i = 0; i < nr_files; i++) {
		if (!strcmp(file[i].disk, disk) && strcmp(disk, "unwanted") &&
		    file[i].at_ns + SECOND > opts.since_ns && file[i].at_ns < opts.until_ns &&
		    file[i].at_ns + SECOND > from_ns && file[i].at_ns < until_ns)
			return i;
	}
	return -1;
}

static void look_up(const struct kept *kept, const char *disk, s64 from_ns, s64 until_ns,
		    unsigned int *found)
{
	int first = first_of(disk, from_ns, until_ns);
	char path[64], wanted[64];
	const char *got = kept_of(kept, disk, from_ns, until_ns, path, sizeof(path));

	sprintf(wanted, "/x/moments/%d", first);
	if (first < 0 ? got != NULL : !got || strcmp(got, wanted))
		fail("%s from %lld to %lld: %s", disk, from_ns, until_ns, got ? got : "none");
	*found += first >= 0;
}

static void oracle(void)
{
	static const char *const disks[] = { "sda", "sdb", "md/0", "unwanted", "sd", "zz" };
	unsigned int round, i, found = 0;
	struct kept kept = { 0 };

	for (round = 0; round < 200; round++) {
		nr_files = 0;
		for (i = 0; i < 100; i++) {
			if (!rnd(8))
				add_file(i, disks[rnd(5)]);
			if (!rnd(12))
				add_file(i, disks[rnd(5)]);
		}
		kept_read(&kept, &opts);
		for (i = 0; i < 50; i++) {
			s64 from_ns = rnd(200) * SECOND / 2 + rnd(2);

			look_up(&kept, disks[rnd(6)], from_ns,
				from_ns + 1 + rnd(20) * SECOND, &found);
		}
		kept_free(&kept);
	}
	if (found < 1000 || found > 9000)
		fail("%u of 10000 moments have a recording", found);
	note("seed %llu, %u moments have a recording", seed(), found);
}

static void look_up_disks(unsigned int disks)
{
	unsigned int i, found = 0;
	struct kept kept = { 0 };
	char name[16], path[64];

	nr_files = 0;
	for (i = 0; i < 2 * disks; i++) {
		sprintf(name, "sd%04u", i % disks);
		add_file(20 + i / disks, name);
	}
	kept_read(&kept, &opts);
	for (i = 0; i < disks; i++) {
		sprintf(name, "sd%04u", i);
		found += kept_of(&kept, name, 20 * SECOND, 30 * SECOND, path, sizeof(path)) != NULL;
	}
	if (found != disks)
		fail("%u of %u disks have a recording", found, disks);
	kept_free(&kept);
}

static void many_disks(void)
{
	work_is_linear("recordings", look_up_disks);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(oracle), TEST(many_disks),
	};

	return run_tests("tool_kept", tests, ARRAY_SIZE(tests));
}
