// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "device.h"
#include "escape.h"
#include "file.h"
#include "msg.h"
#include "node.h"

enum {
	DISKS_LISTED = 16,
};

/* Read a number from a file of sysfs; 0 if there is none. */
static uint64_t sysfs_number(const char *folder, const char *file)
{
	char path[PATH_MAX + 64], *text;
	uint64_t n = 0;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	text = file_read(path);
	if (text)
		n = strtoull(text, NULL, 10);
	free(text);
	return n;
}

/* The size of a disk or partition, 0 if it is not known. */
uint64_t device_sectors(uint32_t dev)
{
	char folder[64];

	snprintf(folder, sizeof(folder), "/sys/dev/block/%u:%u", dev >> 20, dev & 0xfffff);
	return sysfs_number(folder, "size");
}

static bool number_of(const char *word, uint32_t *dev)
{
	char path[PATH_MAX];
	struct stat st;

	if (node_parse_number(word, dev))
		return true;
	snprintf(path, sizeof(path), "%s%s", *word == '/' ? "" : "/dev/", word);
	if (stat(path, &st)) {
		/* a dm name is in /dev/mapper */
		snprintf(path, sizeof(path), "/dev/mapper/%s", word);
		if (*word == '/' || stat(path, &st))
			return node_number(word, dev);
	}
	if (!S_ISBLK(st.st_mode))
		return false;
	*dev = major(st.st_rdev) << 20 | minor(st.st_rdev);
	return true;
}

/**
 * device_lookup - look up a block device
 * @word: name of a disk, partition or dm device; a path; or MAJ:MIN
 * @d:    the result
 *
 * Return: false if there is no such device.
 */
bool device_lookup(const char *word, struct device *d)
{
	char link[64], folder[PATH_MAX], *base, *text;
	bool partition;

	memset(d, 0, sizeof(*d));
	if (!number_of(word, &d->dev))
		return false;
	snprintf(d->number, sizeof(d->number), "%u:%u", d->dev >> 20,
		 d->dev & 0xfffff);
	snprintf(link, sizeof(link), "/sys/dev/block/%s", d->number);
	if (!realpath(link, folder))
		return false;
	base = strrchr(folder, '/');
	d->disk = d->dev;
	d->start = sysfs_number(folder, "start");
	partition = sysfs_number(folder, "partition");
	if (partition)
		d->end = d->start + sysfs_number(folder, "size");
	file_disk_name(base + 1);
	escape_text(d->name, sizeof(d->name), base + 1, strlen(base + 1));
	if (!partition)
		return true;
	*base = '\0';
	snprintf(link, sizeof(link), "/dev");
	text = NULL;
	if (strlen(folder) + 5 < sizeof(folder)) {
		strcat(folder, link);
		text = file_read(folder);
	}
	if (text) {
		text[strcspn(text, "\n")] = '\0';
		node_parse_number(text, &d->disk);
	}
	free(text);
	return true;
}

static bool has_slaves(const char *name)
{
	char path[PATH_MAX];
	struct dirent *e;
	bool has = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/sys/block/%s/slaves", name);
	dir = opendir(path);
	while (dir && !has && (e = readdir(dir)) != NULL)
		has = e->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return has;
}

/*
 * True for real disks: not in memory, and not stacked on disks that show the same IO.  Floppies and
 * optical drives would have to turn to be looked at.  One without a size is not connected (nbd) or
 * not assembled.  Both manuals have the names.
 */
static bool is_real(const char *name)
{
	static const char * const not[] = { "ram", "loop", "zram", "fd", "sr" };
	char path[PATH_MAX];
	size_t i;

	if (*name == '.')
		return false;
	for (i = 0; i < ARRAY_SIZE(not); i++) {
		if (!strncmp(name, not[i], strlen(not[i])))
			return false;
	}
	snprintf(path, sizeof(path), "/sys/block/%s", name);
	return sysfs_number(path, "size") && !has_slaves(name);
}

/* Look up a disk by its name in sysfs: a service may have no device nodes. */
static bool look_up_disk(const char *name, struct device *d)
{
	char path[PATH_MAX], *number;
	bool found;

	snprintf(path, sizeof(path), "/sys/block/%s/dev", name);
	number = file_read(path);
	if (number)
		number[strcspn(number, "\n")] = '\0';
	found = number && device_lookup(number, d);
	free(number);
	return found;
}

/* All real disks, which are watched by default.  Return: their number. */
unsigned int device_all(struct device *d, unsigned int max)
{
	struct dirent *e;
	DIR *dir = opendir("/sys/block");
	unsigned int nr = 0;

	while (dir && nr < max && (e = readdir(dir)) != NULL) {
		if (is_real(e->d_name) && look_up_disk(e->d_name, &d[nr]))
			nr++;
	}
	if (dir)
		closedir(dir);
	return nr;
}

/**
 * device_every - find all real disks, also more than can be watched
 * @all: gets them; the list of before is used again, so it is NULL or of this function
 *
 * Return: their number.
 */
unsigned int device_every(struct device **all)
{
	unsigned int most = DEVICES_MAX / 2, nr;

	do {
		most *= 2;
		*all = must(realloc(*all, most * sizeof(**all)));
		nr = device_all(*all, most);
	} while (nr == most);
	return nr;
}

/* True for arrays of md; one without a size is not assembled. */
static bool is_array(const char *name)
{
	char path[PATH_MAX];

	if (*name == '.')
		return false;
	snprintf(path, sizeof(path), "/sys/block/%s/md", name);
	if (access(path, F_OK))
		return false;
	snprintf(path, sizeof(path), "/sys/block/%s", name);
	return sysfs_number(path, "size");
}

/**
 * device_arrays - find all arrays of md
 * @all: gets them, allocated
 *
 * Return: their number.
 */
unsigned int device_arrays(struct device **all)
{
	DIR *dir = opendir("/sys/block");
	unsigned int nr = 0;
	struct dirent *e;

	*all = NULL;
	while (dir && (e = readdir(dir)) != NULL) {
		if (!is_array(e->d_name))
			continue;
		*all = must(realloc(*all, (nr + 1) * sizeof(**all)));
		if (look_up_disk(e->d_name, &(*all)[nr]))
			nr++;
	}
	if (dir)
		closedir(dir);
	return nr;
}

/* As device_lookup(); print an error, and what there is, if there is no such device. */
bool device_require(const char *word, struct device *d)
{
	struct device all[DISKS_LISTED];
	char safe[ESCAPE_SIZE(64)], list[DISKS_LISTED * (sizeof(d->name) + 2)] = "none";
	unsigned int i, nr;
	size_t n = 0;

	if (device_lookup(word, d))
		return true;
	nr = device_all(all, DISKS_LISTED);
	for (i = 0; i < nr; i++)
		n += snprintf(list + n, sizeof(list) - n, "%s%s", i ? ", " : "", all[i].name);
	escape_text(safe, sizeof(safe), word, strnlen(word, 64));
	msg("there is no block device '%s'; disks are: %s; see also: lsblk", safe, list);
	return false;
}

/* True if a sector of a disk belongs to @d; without @data: if a flush does, which has no place. */
bool device_has(const struct device *d, uint32_t disk, uint64_t sector, bool data)
{
	return d->disk == disk &&
	       (!data || !d->end || (sector >= d->start && sector < d->end));
}

static bool is_among(const struct device *d, const struct device *list, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr && list[i].dev != d->dev; i++)
		;
	return i < nr;
}

/**
 * device_beside - find a partition of which what is summed up of its disk cannot be told apart
 * @want:	disks and partitions
 * @nr:		number of them
 * @watched:	disks and partitions that are watched
 * @nr_watched: number of them
 *
 * Return: a partition of @want, if more of its disk is watched than @want has; else NULL.
 */
const struct device *device_beside(const struct device *want, unsigned int nr,
				   const struct device *watched, unsigned int nr_watched)
{
	unsigned int i, k;

	for (i = 0; i < nr; i++) {
		for (k = 0; want[i].end && k < nr_watched; k++) {
			if (watched[k].disk == want[i].disk && !is_among(&watched[k], want, nr))
				return &want[i];
		}
	}
	return NULL;
}

/* True if a file is, or would be, on one of these disks. */
bool device_under_path(const char *path, const struct device *d, unsigned int nr)
{
	char folder[PATH_MAX], number[32], *slash;
	struct device own;
	struct stat st;
	unsigned int i;

	if (stat(path, &st)) {
		snprintf(folder, sizeof(folder), "%s", path);
		slash = strrchr(folder, '/');
		if (slash)
			slash[slash == folder] = '\0';
		if (stat(slash ? folder : ".", &st))
			return false;
	}
	snprintf(number, sizeof(number), "%u:%u", major(st.st_dev), minor(st.st_dev));
	if (!device_lookup(number, &own))
		return false;
	for (i = 0; i < nr; i++) {
		if (d[i].disk == own.disk)
			return true;
	}
	return false;
}
