// SPDX-License-Identifier: GPL-2.0
/*
 * Block devices and mounts, as a bundle has them: from sysfs and /proc/self/mountinfo.  Serial
 * numbers and UUIDs are not read.
 */
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "anonym.h"
#include "bundle.h"
#include "file.h"
#include "msg.h"

#define BLOCK	"/sys/class/block"

/* The first line of a file of a disk, allocated, or NULL.  What a disk lacks is no failure. */
static char *attribute(const char *disk, const char *name)
{
	char path[PATH_MAX], *text;

	snprintf(path, sizeof(path), BLOCK "/%s/%s", disk, name);
	if (access(path, F_OK))
		return NULL;
	text = file_read(path);
	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text;
}

static void print_number(FILE *f, const char *disk, const char *name)
{
	const char *base = strrchr(name, '/');
	char *text = attribute(disk, name);

	if (text && *text)
		fprintf(f, " %s=%s", base ? base + 1 : name, text);
	free(text);
}

/* A name that a user or a vendor chose. */
static void print_named(FILE *f, const char *disk, const char *name, enum anonym_kind kind)
{
	char *text = attribute(disk, name), to[ANONYM_SIZE];
	size_t len = text ? strlen(text) : 0;

	while (len && text[len - 1] == ' ')
		text[--len] = '\0';
	if (len)
		fprintf(f, " %s=%s", name,
			anonym_is_on() ? anonym_name(to, kind, text, len) : text);
	free(text);
}

static void print_disk_name(FILE *f, const char *name)
{
	char to[ANONYM_SIZE];
	size_t len = strlen(name);

	fputs(anonym_is_on() && !anonym_is_kernel_disk(name, len) ?
	      anonym_name(to, ANONYM_DISK, name, len) : name, f);
}

/* The names in a folder of a disk: what it lies on, say. */
static void print_links(FILE *f, const char *disk, const char *folder)
{
	char path[PATH_MAX];
	struct dirent *e;
	DIR *dir;

	snprintf(path, sizeof(path), BLOCK "/%s/%s", disk, folder);
	dir = opendir(path);
	while (dir && (e = readdir(dir)) != NULL) {
		if (e->d_name[0] == '.')
			continue;
		fprintf(f, " %s:", folder);
		print_disk_name(f, e->d_name);
	}
	if (dir)
		closedir(dir);
}

/* What kind of device of device mapper: the first word of its UUID. */
static void print_mapper(FILE *f, const char *disk)
{
	static const char *const kinds[] = {
		"LVM-", "CRYPT-", "mpath-", "part", "DMRAID-", "VDO-",
	};
	char *uuid = attribute(disk, "dm/uuid");
	size_t i;

	for (i = 0; uuid && i < ARRAY_SIZE(kinds); i++) {
		if (!strncmp(uuid, kinds[i], strlen(kinds[i])))
			fprintf(f, " dm=%s", kinds[i]);
	}
	free(uuid);
}

static void print_disk(FILE *f, const char *disk)
{
	static const char *const numbers[] = {
		"dev", "size", "start", "partition", "ro", "removable", "inflight",
		"queue/scheduler", "queue/logical_block_size", "queue/physical_block_size",
		"queue/rotational", "queue/nr_requests", "queue/max_sectors_kb", "queue/max_segments",
		"queue/write_cache", "queue/fua", "queue/discard_max_bytes", "queue/zoned",
		"queue/wbt_lat_usec", "queue/io_poll", "queue/dax", "md/level", "md/raid_disks",
		"md/chunk_size",
		"md/metadata_version", "md/array_state", "loop/dio", "loop/offset",
	};
	size_t i;

	print_disk_name(f, disk);
	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		print_number(f, disk, numbers[i]);
	print_mapper(f, disk);
	print_named(f, disk, "dm/name", ANONYM_NAME);
	print_named(f, disk, "loop/backing_file", ANONYM_FILE);
	print_named(f, disk, "device/model", ANONYM_NAME);
	print_links(f, disk, "slaves");
	print_links(f, disk, "holders");
	fputc('\n', f);
}

/* In free text, keep the names of disks that the kernel gave. */
void bundle_keep_disks(void)
{
	DIR *dir = opendir(BLOCK);
	struct dirent *e;

	while (dir && (e = readdir(dir)) != NULL) {
		if (anonym_is_kernel_disk(e->d_name, strlen(e->d_name)))
			anonym_keep(e->d_name);
	}
	if (dir)
		closedir(dir);
}

void bundle_disks(FILE *f)
{
	struct dirent **e;
	int i, nr = scandir(BLOCK, &e, NULL, alphasort);

	if (nr < 0) {
		bundle_missing(BLOCK, "it cannot be read");
		return;
	}
	for (i = 0; i < nr; i++) {
		if (e[i]->d_name[0] != '.')
			print_disk(f, e[i]->d_name);
		free(e[i]);
	}
	free(e);
}

static bool is_in(const char *word, size_t len, const char *const *list, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if (strlen(list[i]) == len && !strncmp(word, list[i], len))
			return true;
	}
	return false;
}

/* Print the options of a mount: of those with a value these only, as others have names. */
static void print_options(FILE *f, char *options)
{
	static const char *const valued[] = {
		"active_logs", "alloc_mode", "background_gc", "commit", "compress", "compress-force",
		"compress_algorithm", "compress_mode", "data", "discard_unit", "errors", "fsync_mode",
		"allocsize", "barrier", "inline_xattr_size", "jqfmt", "logbsize", "logbufs", "max_batch_time",
		"metadata_ratio", "mode", "nr_inodes", "size", "space_cache", "stripe", "subvolid",
		"sunit", "swidth", "thread_pool",
	};
	char *word, *rest;
	size_t len;

	for (word = strtok_r(options, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		len = strcspn(word, "=");
		if (!word[len] || is_in(word, len, valued, ARRAY_SIZE(valued)))
			fprintf(f, " %s", word);
	}
}

static void print_mount(char *line, void *arg)
{
	static const char *const usual[] = {
		"/", "/boot", "/boot/efi", "/dev", "/dev/shm", "/home", "/proc", "/run", "/srv", "/sys",
		"/sys/fs/cgroup", "/sys/kernel/debug", "/sys/kernel/tracing", "/tmp", "/usr", "/var",
	};
	char *word[6], *rest, *type, *super, to[ANONYM_SIZE];
	FILE *f = arg;
	size_t i;

	/* ID PARENT MAJ:MIN ROOT POINT OPTIONS [...] - TYPE SOURCE OPTIONS */
	rest = strstr(line, " - ");
	if (!rest)
		return;
	*rest = '\0';
	type = strtok_r(rest + 3, " ", &rest);
	strtok_r(NULL, " ", &rest);
	super = strtok_r(NULL, " ", &rest);
	for (i = 0; i < ARRAY_SIZE(word); i++) {
		word[i] = strtok_r(i ? NULL : line, " ", &rest);
		if (!word[i])
			return;
	}
	if (!type)
		return;
	fprintf(f, "%s %.*s %s", word[2], (int)anonym_fs_type(type), type, anonym_is_on() &&
		!is_in(word[4], strlen(word[4]), usual, ARRAY_SIZE(usual)) ?
		anonym_name(to, ANONYM_FILE, word[4], strlen(word[4])) : word[4]);
	print_options(f, word[5]);
	fputs(" -", f);
	if (super && !strchr(super, ':'))
		print_options(f, super);
	fputc('\n', f);
}

void bundle_mounts(FILE *f)
{
	char *text = bundle_read("/proc/self/mountinfo", "/proc/self/mountinfo");

	bundle_lines(text, print_mount, f);
	free(text);
}
