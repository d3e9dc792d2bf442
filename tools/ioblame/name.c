// SPDX-License-Identifier: GPL-2.0
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "escape.h"
#include "map.h"
#include "msg.h"
#include "name.h"
#include "path.h"

enum {
	/* names that are kept; with the text about 250 bytes each */
	NAMES_MAX = 32768,
};

/* How old a path may be before it is looked up again: files are renamed. */
#define STALE_NS	5000000000ULL

static struct map names = { .key_len = sizeof(struct name_key) };
static struct map numbers = { .key_len = sizeof(struct name_key) };
static bool offline;

/* Files that may be asked for in this second, and in each; 0: as many as come */
static unsigned int may_ask, most_asked;
static uint64_t second_ns;

/* From now on nothing of this machine is asked. */
void name_offline(void)
{
	offline = true;
}

static char *ask_disk(uint32_t dev)
{
	char link[64], path[PATH_MAX], *base;
	ssize_t n;

	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", dev >> 20,
		 dev & 0xfffff);
	n = readlink(link, path, sizeof(path) - 1);
	if (n <= 0)
		return NULL;
	path[n] = '\0';
	base = strrchr(path, '/');
	return strdup(base ? base + 1 : path);
}

static char *ask_name(const struct name_key *key)
{
	char *raw = NULL, *text;

	switch (key->kind) {
	case NAME_DISK:
		raw = ask_disk(key->dev);
		break;
	case NAME_FILE:
		raw = path_of_file(key->dev, key->nr, key->gen);
		break;
	case NAME_CGROUP:
		raw = path_of_cgroup(key->nr);
		break;
	case NAME_MOUNT:
		raw = path_of_mount(key->dev);
		break;
	}
	if (!raw)
		return NULL;
	text = must(escape_dup(raw, strlen(raw)));
	free(raw);
	return text;
}

static struct name *new_name(const struct name_key *key)
{
	struct name *name = must(calloc(1, sizeof(*name)));

	name->key = *key;
	map_put(&names, name);
	return name;
}

/* What a recording says; @text was escaped when it was made, but who knows. */
void name_put(const struct name_key *key, const char *text)
{
	struct name *name = map_get(&names, key);
	size_t i, n = 0;
	char *safe;

	if (!name)
		name = new_name(key);
	free(name->text);
	safe = must(escape_dup(text, strlen(text)));
	/* escaping once more made \\134 of each backslash */
	for (i = 0; safe[i]; i++) {
		safe[n++] = safe[i];
		if (!strncmp(safe + i, "\\134", 4))
			i += 3;
	}
	safe[n] = '\0';
	name->text = safe;
}

static const char *get_name(const struct name_key *key)
{
	struct name *name = map_get(&names, key);
	uint64_t now;
	char *text;

	if (offline)
		return name ? name->text : NULL;
	now = clock_ns();
	if (!name)
		name = new_name(key);
	name->used_ns = now;
	if (name->asked_ns && now - name->asked_ns < STALE_NS)
		return name->text;
	name->asked_ns = now;
	text = ask_name(key);
	/* what has lost its name keeps the one it had */
	if (!text || (name->text && !strcmp(text, name->text))) {
		free(text);
		return name->text;
	}
	free(name->text);
	name->text = text;
	name->saved = false;
	return text;
}

/* A number as a name of its own. */
static const char *number_name(const struct name_key *key, const char *text)
{
	struct name *name = map_get(&numbers, key);

	if (!name) {
		name = must(calloc(1, sizeof(*name)));
		name->key = *key;
		map_put(&numbers, name);
	}
	name->used_ns = clock_ns();
	if (name->text && !strcmp(name->text, text))
		return name->text;
	free(name->text);
	name->text = must(strdup(text));
	return name->text;
}

/* The name below /dev, or MAJ:MIN. */
const char *name_disk(uint32_t dev)
{
	const struct name_key key = { .kind = NAME_DISK, .dev = dev };
	const char *text = get_name(&key);
	char number[32];

	if (text)
		return text;
	snprintf(number, sizeof(number), "%u:%u", dev >> 20, dev & 0xfffff);
	return number_name(&key, number);
}

/*
 * No file: the metadata of what is mounted there, or the device itself.  A
 * disk and the file system on it are one device, but btrfs' is its own.
 */
static const char *name_of_no_file(uint32_t dev, uint64_t ino)
{
	const struct name_key key = { .kind = NAME_MOUNT, .dev = dev };
	const char *mount = get_name(&key), *disk = name_disk(dev);
	char text[PATH_MAX + 64];

	if (mount)
		snprintf(text, sizeof(text), "%.4000s: metadata", mount);
	else if (ino)
		snprintf(text, sizeof(text), "%u:%u:%llu", dev >> 20, dev & 0xfffff,
			 (unsigned long long)ino);
	else
		snprintf(text, sizeof(text), "/dev/%.60s", disk);
	return number_name(&key, escape_cut(text));
}

/**
 * name_file - what a file is called
 * @dev: of its file system
 * @ino: its inode
 * @gen: the inode's generation
 *
 * Return: its path, MAJ:MIN:INO if it has none, or what has no file.
 */
const char *name_file(uint32_t dev, uint64_t ino, uint32_t gen)
{
	const struct name_key key = {
		.kind = NAME_FILE, .dev = dev, .nr = ino, .gen = gen,
	};
	const char *text;
	char number[64];

	if (ino <= 2)
		return name_of_no_file(dev, ino);
	text = get_name(&key);
	if (text)
		return text;
	snprintf(number, sizeof(number), "%u:%u:%llu", dev >> 20, dev & 0xfffff,
		 (unsigned long long)ino);
	return number_name(&key, number);
}

/* No more than so many files are asked for in advance in a second. */
void name_note_at_most(unsigned int per_second)
{
	most_asked = per_second;
}

/**
 * name_note_file - ask what a file is called while it is there
 * @dev: of its file system
 * @ino: its inode
 * @gen: the inode's generation
 *
 * What has been asked is not asked again.
 */
void name_note_file(uint32_t dev, uint64_t ino, uint32_t gen)
{
	const struct name_key key = {
		.kind = NAME_FILE, .dev = dev, .nr = ino, .gen = gen,
	};
	uint64_t now;
	struct name *name;

	if (offline || ino <= 2)
		return;
	now = clock_ns();
	name = map_get(&names, &key);
	if (name) {
		name->used_ns = now;
		return;
	}
	if (most_asked) {
		if (now - second_ns >= 1000000000) {
			second_ns = now;
			may_ask = most_asked;
		}
		if (!may_ask)
			return;
		may_ask--;
	}
	get_name(&key);
}

/* The path below the mount point of cgroup2, or "cgroup-N"; "-" for none. */
const char *name_cgroup(uint64_t id)
{
	const struct name_key key = { .kind = NAME_CGROUP, .nr = id };
	const char *text;
	char number[32];

	if (!id)
		return "-";
	text = get_name(&key);
	if (text)
		return text;
	snprintf(number, sizeof(number), "cgroup-%llu", (unsigned long long)id);
	return number_name(&key, number);
}

/* The same in short: the unit, as systemd names its cgroups. */
const char *name_unit(uint64_t id)
{
	const char *path = name_cgroup(id), *base = strrchr(path, '/');

	return base && base[1] ? base + 1 : path;
}

static void free_name(void *value)
{
	struct name *name = value;

	free(name->text);
	free(name);
}

static int compare_times(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static bool used_since(const void *value, const void *since)
{
	const struct name *name = value;

	return name->used_ns > *(const uint64_t *)since;
}

/* Forget the half that was not wanted for longest. */
static void tidy_map(struct map *map)
{
	uint64_t *times, median;
	struct name *name;
	size_t i, nr = 0;

	if (map->nr < NAMES_MAX)
		return;
	times = must(malloc(map->nr * sizeof(*times)));
	map_for_each(map, i, name)
		times[nr++] = name->used_ns;
	qsort(times, nr, sizeof(*times), compare_times);
	median = times[nr / 2];
	free(times);
	map_keep(map, used_since, &median, free_name);
}

/* Keep what is needed still: nobody may hold a name now. */
void name_tidy(void)
{
	/* those of a recording come once */
	if (!offline)
		tidy_map(&names);
	tidy_map(&numbers);
}

/* Those that were not given before, for a recording. */
void name_each_new(void (*one)(const struct name *name, void *arg), void *arg)
{
	struct name *name;
	size_t i;

	map_for_each(&names, i, name) {
		if (name->saved || !name->text)
			continue;
		one(name, arg);
		name->saved = true;
	}
}

/* Let go of mount points: nobody waits for us to unmount. */
void name_done(void)
{
	path_close();
}
