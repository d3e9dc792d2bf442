// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "busy.h"
#include "diskstats.h"
#include "escape.h"
#include "file.h"
#include "map.h"
#include "msg.h"

enum {
	DISK_NAME = 64,		/* the kernel has 32 bytes */
};

struct busy_disk {
	char name[DISK_NAME];	/* of the folder; the key, with zeroes behind it */
	struct diskstats before;
	uint64_t pass;		/* the last one that saw it */
};

static struct busy_disk *find_disk(struct busy *busy, const char *name)
{
	char key[DISK_NAME] = "";

	strcpy(key, name);
	busy->disks.key_len = sizeof(key);
	return map_get(&busy->disks, key);
}

static struct busy_disk *add_disk(struct busy *busy, const char *name)
{
	struct busy_disk *d = must(calloc(1, sizeof(*d)));

	strcpy(d->name, name);
	map_put(&busy->disks, d);
	return d;
}

static void note_busy(struct usage_list *list, const struct busy_disk *d, uint64_t ms)
{
	char name[DISK_NAME], safe[ESCAPE_SIZE(DISK_NAME)];

	strcpy(name, d->name);
	file_disk_name(name);
	escape_text(safe, sizeof(safe), name, strlen(name));
	usage_add_busy(list, safe, ms);
}

static void look_at(struct busy *busy, const char *folder, const char *name,
		    struct usage_list *list)
{
	struct busy_disk *d = find_disk(busy, name);
	struct diskstats now, since;
	char *path, *text;

	if (asprintf(&path, "%s/%s/stat", folder, name) < 0)
		must(NULL);
	text = file_read(path);
	free(path);
	/* it has just gone, or has none */
	if (!text)
		return;
	diskstats_parse_numbers(text, &now);
	free(text);
	since = now;
	if (d && diskstats_since(&since, &d->before) && since.busy_ms && list)
		note_busy(list, d, since.busy_ms);
	if (!d)
		d = add_disk(busy, name);
	d->before = now;
	d->pass = busy->pass;
}

static bool is_there(const void *value, const void *arg)
{
	const struct busy_disk *d = value;
	const struct busy *busy = arg;

	return d->pass == busy->pass;
}

/**
 * busy_pass - how long each disk was busy since the last pass
 * @busy:   what the last pass saw
 * @folder: BUSY_FOLDER
 * @list:   gets it; NULL: nobody asks, and the time begins anew
 */
void busy_pass(struct busy *busy, const char *folder, struct usage_list *list)
{
	DIR *dir = opendir(folder);
	struct dirent *e;

	if (!dir)
		return;
	busy->pass++;
	while ((e = readdir(dir))) {
		if (*e->d_name != '.' && strlen(e->d_name) < DISK_NAME)
			look_at(busy, folder, e->d_name, list);
	}
	closedir(dir);
	/* another disk may come under the name of one that is gone */
	map_keep(&busy->disks, is_there, busy, free);
}

void busy_end(struct busy *busy)
{
	map_clear(&busy->disks, free);
	memset(busy, 0, sizeof(*busy));
}
