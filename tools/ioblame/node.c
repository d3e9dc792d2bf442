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

/* Names of devices, sorted: of a thousand words each is found without a look at all of them. */
struct names {
	struct named {
		char *text;
		int priority;
		uint32_t dev;
	} *name;
	size_t nr, size;
};

/*
 * What udev has of the links of all devices: it is read again where something has changed.  A
 * service asks for each disk of its list in each interval, and a host has a thousand of these.
 */
static struct {
	struct names links;
	struct timespec changed, read;	/* the folder, and when that was read */
} udev;

static struct names dm;

/* What was read since node_pass_begin() holds until its end. */
static struct {
	bool on, has_links, has_dm;
} pass;

static void add_name(struct names *to, const char *text, size_t len, int priority, uint32_t dev)
{
	if (to->nr == to->size) {
		to->size = to->size ? to->size * 2 : 64;
		to->name = must(realloc(to->name, to->size * sizeof(*to->name)));
	}
	to->name[to->nr++] = (struct named){ must(strndup(text, len)), priority, dev };
}

static void forget_names(struct names *names)
{
	while (names->nr)
		free(names->name[--names->nr].text);
}

/* Of one text, the highest priority comes first. */
static int compare_names(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = strcmp(x->text, y->text);

	if (!order)
		order = (x->priority < y->priority) - (x->priority > y->priority);
	return order ? order : (x->dev > y->dev) - (x->dev < y->dev);
}

static void sort_names(struct names *names)
{
	if (names->nr)
		qsort(names->name, names->nr, sizeof(*names->name), compare_names);
}

static bool find_name(const struct names *names, const char *text, uint32_t *dev)
{
	size_t low = 0, high = names->nr, at;

	while (low < high) {
		at = low + (high - low) / 2;
		if (strcmp(names->name[at].text, text) < 0)
			low = at + 1;
		else
			high = at;
	}
	if (low == names->nr || strcmp(names->name[low].text, text))
		return false;
	*dev = names->name[low].dev;
	return true;
}

/* The links of a device, of what udev's database has of it: its priority may be behind them. */
static void add_links(struct names *to, const char *text, uint32_t dev)
{
	size_t first = to->nr, i;
	const char *line, *end;
	int priority = 0;

	for (line = text; *line; line = *end ? end + 1 : end) {
		end = line + strcspn(line, "\n");
		if (!strncmp(line, "L:", 2))
			priority = atoi(line + 2);
		else if (!strncmp(line, "S:", 2))
			add_name(to, line + 2, end - line - 2, 0, dev);
	}
	for (i = first; i < to->nr; i++)
		to->name[i].priority = priority;
}

static void read_links(void)
{
	char path[sizeof(UDEV_FOLDER) + NAME_MAX + 1], *text;
	DIR *data = opendir(UDEV_FOLDER);
	struct dirent *e;
	uint32_t number;

	forget_names(&udev.links);
	while (data && (e = readdir(data)) != NULL) {
		if (*e->d_name != 'b' || !node_parse_number(e->d_name + 1, &number))
			continue;
		snprintf(path, sizeof(path), UDEV_FOLDER "/%s", e->d_name);
		text = file_read(path);
		if (text)
			add_links(&udev.links, text, number);
		free(text);
	}
	if (data)
		closedir(data);
	sort_names(&udev.links);
}

/* A file of it is replaced, and the folder changes.  Twice in the same tick: none can tell. */
static void update_links(void)
{
	struct stat st = { };
	bool same = !stat(UDEV_FOLDER, &st) && st.st_mtim.tv_sec == udev.changed.tv_sec &&
		    st.st_mtim.tv_nsec == udev.changed.tv_nsec;

	if (same && udev.read.tv_sec > udev.changed.tv_sec + 1)
		return;
	udev.changed = st.st_mtim;
	clock_gettime(CLOCK_REALTIME, &udev.read);
	read_links();
}

static bool find_link(const char *link, uint32_t *dev)
{
	if (!pass.has_links)
		update_links();
	pass.has_links = pass.on;
	return find_name(&udev.links, link, dev);
}

/* Nothing tells whether these have changed. */
static void read_dm(void)
{
	DIR *maps = opendir("/sys/block");
	char path[PATH_MAX], *text;
	struct dirent *e;
	uint32_t number;

	forget_names(&dm);
	while (maps && (e = readdir(maps)) != NULL) {
		snprintf(path, sizeof(path), "/sys/block/%s/dm/name", e->d_name);
		text = file_read(path);
		snprintf(path, sizeof(path), "/sys/block/%s/dev", e->d_name);
		if (text && number_in(path, &number))
			add_name(&dm, text, strcspn(text, "\n"), 0, number);
		free(text);
	}
	if (maps)
		closedir(maps);
	sort_names(&dm);
}

static bool find_dm_name(const char *name, uint32_t *dev)
{
	if (!pass.has_dm)
		read_dm();
	pass.has_dm = pass.on;
	return find_name(&dm, name, dev);
}

/* Many words are looked up: until node_pass_end(), what all devices have is read once. */
void node_pass_begin(void)
{
	pass.on = true;
}

void node_pass_end(void)
{
	memset(&pass, 0, sizeof(pass));
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
