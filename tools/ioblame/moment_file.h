/* SPDX-License-Identifier: GPL-2.0 */
/*
 * moment_file - the recordings that ioblamed keeps around moments
 *
 * A folder of recordings; the name of one says when (UTC), which disk and why.  Example:
 * 2026-11-26T03:04:05Z-dm-0-p99.iob.  In it, a slash of a disk's name is a !, and a - of a
 * rule's is a _.
 */
#ifndef IOBLAME_MOMENT_FILE_H
#define IOBLAME_MOMENT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MOMENT_FOLDER	"/var/lib/ioblame/moments"

enum {
	MOMENT_NAME = 192,	/* room for the name of a file */
	MOMENT_WORD = 64,	/* and of a disk or a rule */
};

struct moment_file {
	char name[MOMENT_NAME];
	char disk[MOMENT_WORD], rule[MOMENT_WORD];
	int64_t at_ns;		/* CLOCK_REALTIME; whole seconds */
	uint64_t bytes;
	uint64_t dev, ino;	/* moments with the same share a recording; 0: not known */
	int64_t age_ns;		/* moment_files_age()'s: the oldest recording has the least */
};

struct moment_files {
	struct moment_file *list;	/* by time */
	size_t nr;
};

void moment_file_name(char *to, int64_t at_ns, const char *disk, const char *rule);
bool moment_file_parse(const char *name, struct moment_file *file);
int moment_files_read(struct moment_files *files, const char *folder);
void moment_files_age(struct moment_files *files, int64_t now_ns, const char *newest);
size_t moment_files_old(const struct moment_files *files, size_t most, uint64_t most_bytes);
void moment_files_free(struct moment_files *files);

#endif
