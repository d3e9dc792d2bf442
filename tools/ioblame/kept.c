// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cell.h"
#include "escape.h"
#include "history.h"
#include "kept.h"
#include "msg.h"
#include "out.h"
#include "since.h"
#include "table.h"

#define SECOND	1000000000LL

/* The folder beside the database that is asked, allocated. */
char *kept_folder(const struct opts *o)
{
	const char *slash;
	char *folder;

	if (!o->nr_pasts)
		return must(strdup(MOMENT_FOLDER));
	slash = strrchr(o->past[0], '/');
	if (asprintf(&folder, "%.*smoments", slash ? (int)(slash - o->past[0]) + 1 : 0,
		     o->past[0]) < 0)
		must(NULL);
	return folder;
}

/* A recording has all IO of its time, so it is asked for by no program, user or file. */
static bool is_asked(const struct opts *o, const struct moment_file *file)
{
	const struct usage_key key = {
		.unit = "", .program = "", .user = "", .file = "", .why = "", .disk = file->disk,
		.uid = UINT32_MAX,
	};

	return file->at_ns + SECOND > history_since(o) && file->at_ns < history_until(o) &&
	       history_wants(o, &key);
}

static int compare_disks(const void *va, const void *vb)
{
	const struct moment_file *a = *(const struct moment_file *const *)va;
	const struct moment_file *b = *(const struct moment_file *const *)vb;
	int ret = strcmp(a->disk, b->disk);

	return ret ? ret : (a > b) - (a < b);
}

static void sort_disks(struct kept *k)
{
	size_t i;

	k->by_disk = must(malloc((k->files.nr + 1) * sizeof(*k->by_disk)));
	for (i = 0; i < k->files.nr; i++)
		k->by_disk[i] = &k->files.list[i];
	qsort(k->by_disk, k->files.nr, sizeof(*k->by_disk), compare_disks);
}

/**
 * kept_read - look for the recordings that the command line asks for
 * @k: gets them; to be freed
 * @o: the command line
 */
void kept_read(struct kept *k, const struct opts *o)
{
	size_t i, nr = 0;
	int err;

	k->folder = kept_folder(o);
	k->shown = must(escape_dup(k->folder, strlen(k->folder)));
	err = moment_files_read(&k->files, k->folder);
	/* a copy of a database has none beside it */
	if (err && err != ENOENT && err != ENOTDIR)
		msg("%s: %s; its recordings are not listed", k->shown, strerror(err));
	for (i = 0; i < k->files.nr; i++) {
		if (is_asked(o, &k->files.list[i]))
			k->files.list[nr++] = k->files.list[i];
	}
	k->files.nr = nr;
	sort_disks(k);
}

/* Whether a recording is of a disk before this one, or over when the moment begins. */
static bool is_before(const struct moment_file *file, const char *disk, int64_t from_ns)
{
	int ret = strcmp(file->disk, disk);

	return ret < 0 || (!ret && file->at_ns + SECOND <= from_ns);
}

/**
 * kept_of - the first recording of a moment
 * @k:	      those that there are
 * @disk:     which stood out
 * @from_ns:  when it began
 * @until_ns: and ended
 * @to:	      gets the path
 * @size:     room in it
 *
 * Return: the path, or NULL if there is none.
 */
const char *kept_of(const struct kept *k, const char *disk, int64_t from_ns, int64_t until_ns,
		    char *to, size_t size)
{
	size_t low = 0, high = k->files.nr, mid;
	const struct moment_file *file;

	while (low < high) {
		mid = (low + high) / 2;
		if (is_before(k->by_disk[mid], disk, from_ns))
			low = mid + 1;
		else
			high = mid;
	}
	file = low < k->files.nr ? k->by_disk[low] : NULL;
	if (!file || strcmp(file->disk, disk) || file->at_ns >= until_ns)
		return NULL;
	snprintf(to, size, "%s/%s", k->shown, file->name);
	return to;
}

/* The command that shows one; its path is no command to a shell. */
static void print_replay(const char *folder, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	out_printf("\nEach IO then: ioblame replay %s snoop\n",
		   escape_is_word(path) ? path : "FILE");
}

/*
 * List them; the latest, if there are too many.  CSV is one table, of moments, each with its first
 * recording.
 */
void kept_print(const struct kept *k, const struct opts *o)
{
	static const struct col cols[] = {
		{ "KEPT", "time", COL_TEXT, COL_ONLY_TABLE, 0 },
		{ "TIME", "time_ns", COL_DIGITS, COL_ONLY_DATA, 0 },
		{ "TIME", "time_s", COL_SECONDS, COL_ONLY_DATA, 0 },
		{ "DEVICE", "device", COL_TEXT, 0, 0 }, { "WHY", "why", COL_TEXT, 0, 0 },
		{ "BYTES", "bytes", COL_BYTES, 0, 0 }, { "FILE", "file", COL_TEXT, 0, 0 },
	};
	size_t nr = k->files.nr, i = o->rows && nr > o->rows ? nr - o->rows : 0;
	const struct moment_file *file;
	char time[32], path[4096];
	struct table *t;

	if (!nr || o->format == FORMAT_CSV)
		return;
	if (o->format == FORMAT_TABLE)
		out_puts("\n");
	t = table_new(o->format, "kept", cols, ARRAY_SIZE(cols));
	for (; i < nr; i++) {
		file = &k->files.list[i];
		snprintf(path, sizeof(path), "%s/%s", k->shown, file->name);
		table_row(t, (struct cell[]){
			CELL_TEXT(since_text(file->at_ns, time, sizeof(time))),
			CELL_N(file->at_ns), CELL_N(file->at_ns), CELL_TEXT(file->disk),
			CELL_TEXT(file->rule), CELL_N(file->bytes), CELL_TEXT(path),
		});
	}
	table_end(t);
	if (o->format == FORMAT_TABLE)
		print_replay(k->shown, k->files.list[nr - 1].name);
}

void kept_free(struct kept *k)
{
	moment_files_free(&k->files);
	free(k->by_disk);
	free(k->folder);
	free(k->shown);
}
