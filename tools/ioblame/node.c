// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "file.h"
#include "msg.h"
#include "node.h"

/* Parse "8:1", a line of sysfs. */
bool node_parse_number(const char *text, uint32_t *dev)
{
	unsigned int maj, min;
	char rest;
	int got = sscanf(text, "%u:%u%c", &maj, &min, &rest);

	if (got < 2 || (got == 3 && rest != '\n') || maj >= 1 << 12 || min >= 1 << 20)
		return false;
	*dev = maj << 20 | min;
	return true;
}

/* The number in a file of sysfs. */
static bool number_in(const char *path, uint32_t *dev)
{
	char *text = file_read(path);
	bool found = text && node_parse_number(text, dev);

	free(text);
	return found;
}

/* By the kernel's name, which has "!" for "/" in sysfs. */
static bool find_kernel_name(const char *name, uint32_t *dev)
{
	char path[PATH_MAX], *c;
	size_t n = snprintf(path, sizeof(path), "/sys/class/block/");

	if (!*name || *name == '.' || strlen(name) > NAME_MAX)
		return false;
	strcpy(path + n, name);
	for (c = path + n; *c; c++) {
		if (*c == '/')
			*c = '!';
	}
	strcpy(c, "/dev");
	return number_in(path, dev);
}

static bool find_dm_name(const char *name, uint32_t *dev)
{
	DIR *maps = opendir("/sys/block");
	char path[PATH_MAX], *text;
	struct dirent *e;
	bool found = false;

	while (maps && !found && (e = readdir(maps)) != NULL) {
		snprintf(path, sizeof(path), "/sys/block/%s/dm/name", e->d_name);
		text = file_read(path);
		if (text)
			text[strcspn(text, "\n")] = '\0';
		snprintf(path, sizeof(path), "/sys/block/%s/dev", e->d_name);
		found = text && !strcmp(text, name) && number_in(path, dev);
		free(text);
	}
	if (maps)
		closedir(maps);
	return found;
}

/**
 * node_has_link - whether a device has a link in /dev
 * @text:     what udev's database has of the device
 * @link:     below /dev
 * @priority: gets that of its links, if it has this one
 */
bool node_has_link(const char *text, const char *link, int *priority)
{
	size_t n = strlen(link);
	const char *line, *end;
	bool has = false;
	int level = 0;

	for (line = text; *line; line = *end ? end + 1 : end) {
		end = line + strcspn(line, "\n");
		if (!strncmp(line, "L:", 2))
			level = atoi(line + 2);
		else if (!strncmp(line, "S:", 2) && end == line + 2 + n &&
			 !strncmp(line + 2, link, n))
			has = true;
	}
	if (has)
		*priority = level;
	return has;
}

/*
 * What udev has of the links of all devices: it is read again where something has changed.  A
 * service asks for each disk of its list in each interval, and a host has a thousand of these.
 */
static struct {
	struct {
		uint32_t dev;
		char *links;	/* the lines that node_has_link() reads */
	} *device;
	size_t nr;
	struct timespec changed, read;	/* the folder, and when that was read */
} udev;

/* Leave the lines of links. */
static char *keep_links(char *text)
{
	char *to = text, *line;
	size_t n;

	for (line = text; *line; line += n) {
		n = strcspn(line, "\n");
		n += line[n] == '\n';
		if (!strncmp(line, "S:", 2) || !strncmp(line, "L:", 2)) {
			memmove(to, line, n);
			to += n;
		}
	}
	*to = '\0';
	return must(realloc(text, to - text + 1));
}

static void forget_links(void)
{
	while (udev.nr)
		free(udev.device[--udev.nr].links);
}

static void read_links(void)
{
	char path[sizeof(UDEV_FOLDER) + NAME_MAX + 1], *text;
	DIR *data = opendir(UDEV_FOLDER);
	struct dirent *e;
	uint32_t number;

	while (data && (e = readdir(data)) != NULL) {
		if (*e->d_name != 'b' || !node_parse_number(e->d_name + 1, &number))
			continue;
		snprintf(path, sizeof(path), UDEV_FOLDER "/%s", e->d_name);
		text = file_read(path);
		if (!text)
			continue;
		udev.device = must(realloc(udev.device, (udev.nr + 1) * sizeof(*udev.device)));
		udev.device[udev.nr].dev = number;
		udev.device[udev.nr++].links = keep_links(text);
	}
	if (data)
		closedir(data);
}

/* A file of it is replaced, and the folder changes.  Twice in the same tick: none can tell. */
static void update_links(void)
{
	struct stat st = { };
	bool same = !stat(UDEV_FOLDER, &st) && st.st_mtim.tv_sec == udev.changed.tv_sec &&
		    st.st_mtim.tv_nsec == udev.changed.tv_nsec;

	if (same && udev.read.tv_sec > udev.changed.tv_sec + 1)
		return;
	forget_links();
	udev.changed = st.st_mtim;
	clock_gettime(CLOCK_REALTIME, &udev.read);
	read_links();
}

static bool find_link(const char *link, uint32_t *dev)
{
	int priority, highest = 0;
	bool found = false;
	size_t i;

	update_links();
	for (i = 0; i < udev.nr; i++) {
		if (!node_has_link(udev.device[i].links, link, &priority) ||
		    (found && priority <= highest))
			continue;
		found = true;
		highest = priority;
		*dev = udev.device[i].dev;
	}
	return found;
}

/**
 * node_number - the number of what has a name in /dev
 * @word: the kernel's name, that of dm, or a link, with or without /dev/
 * @dev:  gets it
 *
 * Return: false if there is no such device.
 */
bool node_number(const char *word, uint32_t *dev)
{
	if (!strncmp(word, "/dev/", 5))
		word += 5;
	else if (*word == '/')
		return false;
	return find_kernel_name(word, dev) || find_link(word, dev) ||
	       (!strchr(word, '/') && find_dm_name(word, dev)) ||
	       (!strncmp(word, "mapper/", 7) && find_dm_name(word + 7, dev));
}
