// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "moment_file.h"
#include "msg.h"

#define SECOND	1000000000LL
#define TAIL	".iob"

/* Any text as a part of a name: what may mean something in a path or a shell becomes @other. */
static void add_word(char *to, const char *word, char dash)
{
	char *end = to + strlen(to);
	size_t i;

	for (i = 0; word[i] && i < MOMENT_WORD - 1; i++) {
		if (word[i] == '-')
			*end++ = dash;
		else if (word[i] == '/')
			*end++ = '!';
		else if (isascii((unsigned char)word[i]) &&
			 (isalnum((unsigned char)word[i]) || word[i] == '.'))
			*end++ = word[i];
		else
			*end++ = '_';
	}
	*end = '\0';
}

/**
 * moment_file_name - how a recording is called
 * @to:    gets it, MOMENT_NAME bytes
 * @at_ns: when the moment was, CLOCK_REALTIME
 * @disk:  which stood out
 * @rule:  why
 */
void moment_file_name(char *to, int64_t at_ns, const char *disk, const char *rule)
{
	time_t at = at_ns / SECOND;
	struct tm tm;

	gmtime_r(&at, &tm);
	strftime(to, MOMENT_NAME - 2 * MOMENT_WORD, "%Y-%m-%dT%H:%M:%SZ-", &tm);
	add_word(to, disk, '-');
	strcat(to, "-");
	add_word(to, rule, '_');
	strcat(to, TAIL);
}

static bool take_word(char *to, const char *from, size_t len)
{
	size_t i;

	if (!len || len >= MOMENT_WORD)
		return false;
	for (i = 0; i < len; i++) {
		if (!isascii((unsigned char)from[i]) ||
		    (!isalnum((unsigned char)from[i]) && !strchr("-._!", from[i])))
			return false;
		to[i] = from[i] == '!' ? '/' : from[i];
	}
	to[len] = '\0';
	return true;
}

/**
 * moment_file_parse - what a name says
 * @name: of any file
 * @file: gets it, without the bytes
 *
 * Return: false if it is none of a recording.
 */
bool moment_file_parse(const char *name, struct moment_file *file)
{
	size_t len = strlen(name), tail = strlen(TAIL);
	const char *disk, *dash, *end = name + len - tail;
	struct tm tm = { 0 };

	memset(file, 0, sizeof(*file));
	if (len >= MOMENT_NAME || len < tail || strcmp(end, TAIL))
		return false;
	disk = strptime(name, "%Y-%m-%dT%H:%M:%SZ-", &tm);
	dash = disk ? memrchr(disk, '-', end - disk) : NULL;
	if (!dash || !take_word(file->disk, disk, dash - disk) ||
	    !take_word(file->rule, dash + 1, end - dash - 1))
		return false;
	file->at_ns = timegm(&tm) * SECOND;
	strcpy(file->name, name);
	return true;
}

static int compare_files(const void *va, const void *vb)
{
	const struct moment_file *a = va, *b = vb;

	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	return strcmp(a->name, b->name);
}

/**
 * moment_files_read - the recordings of a folder, by time
 * @files:  gets them; to be freed if there was no error
 * @folder: its path; what has another name is left out
 *
 * Return: 0 or an errno.
 */
int moment_files_read(struct moment_files *files, const char *folder)
{
	DIR *dir = opendir(folder);
	struct moment_file file;
	size_t size = 0;
	struct dirent *e;
	struct stat st;

	memset(files, 0, sizeof(*files));
	if (!dir)
		return errno;
	while ((e = readdir(dir))) {
		if (!moment_file_parse(e->d_name, &file) ||
		    fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(st.st_mode))
			continue;
		file.bytes = st.st_size;
		file.dev = st.st_dev;
		file.ino = st.st_ino;
		if (files->nr == size) {
			size = size ? size * 2 : 16;
			files->list = must(realloc(files->list, size * sizeof(*files->list)));
		}
		files->list[files->nr++] = file;
	}
	closedir(dir);
	if (files->nr)
		qsort(files->list, files->nr, sizeof(*files->list), compare_files);
	return 0;
}

static bool is_same(const struct moment_file *a, const struct moment_file *b)
{
	return a->ino && a->ino == b->ino && a->dev == b->dev;
}

static int compare_inodes(const void *va, const void *vb)
{
	const struct moment_file *a = va, *b = vb;

	if (a->dev != b->dev)
		return a->dev < b->dev ? -1 : 1;
	if (a->ino != b->ino)
		return a->ino < b->ino ? -1 : 1;
	return compare_files(va, vb);
}

static int compare_ages(const void *va, const void *vb)
{
	const struct moment_file *a = va, *b = vb;

	if (a->age_ns != b->age_ns)
		return a->age_ns < b->age_ns ? -1 : 1;
	return compare_inodes(va, vb);
}

/* Of one name: what is later than now is from before the clock was set back. */
static int64_t age_of(const struct moment_file *file, int64_t now_ns, const char *newest)
{
	if (newest && !strcmp(file->name, newest))
		return INT64_MAX;
	return file->at_ns > now_ns ? INT64_MIN + file->at_ns : file->at_ns;
}

/**
 * moment_files_age - the oldest recording first, all names of one together
 * @files:  in any order
 * @now_ns: CLOCK_REALTIME
 * @newest: a name of the recording that was made last; NULL: the names tell
 *
 * A clock may be set back: names do not always tell which recording is the oldest.
 */
void moment_files_age(struct moment_files *files, int64_t now_ns, const char *newest)
{
	struct moment_file *list = files->list;
	size_t i, first = 0, k;
	int64_t age;

	if (!files->nr)
		return;
	qsort(list, files->nr, sizeof(*list), compare_inodes);
	for (i = 0; i < files->nr; i++) {
		if (!is_same(&list[first], &list[i]))
			first = i;
		age = age_of(&list[i], now_ns, newest);
		list[i].age_ns = i > first && list[first].age_ns > age ? list[first].age_ns : age;
		/* (a recording has few names) */
		for (k = first; k < i; k++)
			list[k].age_ns = list[i].age_ns;
	}
	qsort(list, files->nr, sizeof(*list), compare_ages);
}

/**
 * moment_files_old - how many names of the oldest recordings have to go
 * @files:	by age, all names of a recording together
 * @most:	so many recordings may stay
 * @most_bytes:	that have so many bytes together
 */
size_t moment_files_old(const struct moment_files *files, size_t most, uint64_t most_bytes)
{
	uint64_t bytes = 0;
	size_t first, nr = 0, i;

	for (i = files->nr; i > 0; i = first) {
		for (first = i - 1; first > 0; first--) {
			if (!is_same(&files->list[first - 1], &files->list[i - 1]))
				break;
		}
		bytes += files->list[i - 1].bytes;
		if (++nr > most || bytes > most_bytes)
			break;
	}
	return i;
}

void moment_files_free(struct moment_files *files)
{
	free(files->list);
	memset(files, 0, sizeof(*files));
}
