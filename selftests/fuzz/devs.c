// SPDX-License-Identifier: GPL-2.0
/*
 * The list of watched devices: which words mean which device, and what a write makes of it.
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "fuzz.h"

#define BLANKS		" \t\n\v\f\r"
#define MAX_LISTED	64

static struct {
	char name[32], number[24];
} known[16];
static unsigned int nr_known;

/* @devices: names below /dev, separated by commas */
void devs_begin(char *devices)
{
	char path[64], *name;
	struct stat st;

	for (name = strtok(devices, ","); name && nr_known < 16; name = strtok(NULL, ",")) {
		snprintf(path, sizeof(path), "/dev/%s", name);
		if (stat(path, &st) || !S_ISBLK(st.st_mode))
			errx(2, "no device %s", path);
		snprintf(known[nr_known].name, sizeof(known[0].name), "%s", name);
		snprintf(known[nr_known].number, sizeof(known[0].number), "%u:%u",
			 major(st.st_rdev), minor(st.st_rdev));
		nr_known++;
	}
	if (!nr_known)
		errx(2, "no device");
}

/* A word that means a device. */
const char *devs_word(struct rng *r)
{
	static const char *const before[] = {
		"", "", "/dev/", "/dev/./", "//dev/", "/dev/../dev/"
	};
	unsigned int which = rng_below(r, nr_known);
	static char word[128];

	if (rng_one_in(r, 3))
		snprintf(word, sizeof(word), "%s%s", rng_one_in(r, 3) ? "!" : "",
			 known[which].number);
	else
		snprintf(word, sizeof(word), "%s%s%s", rng_one_in(r, 3) ? "!" : "",
			 before[rng_below(r, 6)], known[which].name);
	return word;
}

/* MAJ:MIN, all of it digits: 1, or 0; *@dev is 0 if there is no such number. */
static int devs_number(const char *word, dev_t *dev)
{
	size_t first = strspn(word, "0123456789"), second;
	unsigned long long ma, mi;

	if (!first || word[first] != ':')
		return 0;
	second = strspn(word + first + 1, "0123456789");
	if (!second || word[first + 1 + second])
		return 0;
	errno = 0;
	ma = strtoull(word, NULL, 10);
	mi = strtoull(word + first + 1, NULL, 10);
	*dev = errno || ma >= 1 << 12 || mi >= 1 << 20 ? 0 : makedev(ma, mi);
	return 1;
}

/* The line that devs has of what @word means; false if it means nothing. */
static bool devs_line(const char *word, char *line, struct verdict *v)
{
	char path[INPUT_MAX + 8], link[256], *base;
	struct stat st;
	dev_t dev;
	ssize_t n;

	if (!devs_number(word, &dev)) {
		snprintf(path, sizeof(path), "%s%s", *word == '/' ? "" : "/dev/", word);
		/* in names, not in paths, a ! stands for a / */
		while (*word != '/' && (base = strchr(path, '!')))
			*base = '/';
		if (stat(path, &st) || !S_ISBLK(st.st_mode))
			return false;
		dev = st.st_rdev;
	}
	if (!dev)
		return false;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(dev), minor(dev));
	n = readlink(path, link, sizeof(link) - 1);
	if (n < 0) {
		/* the kernel may make a device when it is asked for */
		v->unsure = true;
		return false;
	}
	link[n] = '\0';
	base = strrchr(link, '/') + 1;
	sprintf(line, "%u:%u %s", major(dev), minor(dev), base);
	return true;
}

struct list {
	char line[MAX_LISTED][96];
	unsigned int nr;
};

static int list_find(const struct list *l, const char *line)
{
	unsigned int i;

	for (i = 0; i < l->nr; i++) {
		if (!strcmp(l->line[i], line))
			return i;
	}
	return -1;
}

static void list_drop(struct list *l, unsigned int i)
{
	l->nr--;
	memmove(l->line[i], l->line[i + 1], (l->nr - i) * sizeof(l->line[0]));
}

static int list_change(struct list *l, const char *word, struct verdict *v)
{
	bool add = *word != '!';
	char line[96];
	int i;

	word += !add;
	if (!*word)
		return EINVAL;
	if (!devs_line(word, line, v))
		return ENODEV;
	i = list_find(l, line);
	if (!add && i >= 0)
		list_drop(l, i);
	if (add && i < 0) {
		if (l->nr == MAX_LISTED) {
			v->unsure = true;
			return 0;
		}
		strcpy(l->line[l->nr++], line);
	}
	return 0;
}

/* @text is cut into words. */
void devs_expect(const char *shown, bool clear, char *text, struct verdict *v)
{
	struct list l = { .nr = 0 };
	char *copy, *word, *save;
	unsigned int i;

	copy = strdup(clear ? "" : shown);
	for (word = strtok_r(copy, "\n", &save); word && l.nr < MAX_LISTED;
	     word = strtok_r(NULL, "\n", &save))
		snprintf(l.line[l.nr++], sizeof(l.line[0]), "%s", word);
	free(copy);
	for (word = strtok_r(text, BLANKS, &save); word && !v->err;
	     word = strtok_r(NULL, BLANKS, &save))
		v->err = list_change(&l, word, v);
	if (v->err)
		return;
	v->shown[0] = '\0';
	for (i = 0; i < l.nr; i++)
		sprintf(v->shown + strlen(v->shown), "%s%s", i ? "\n" : "", l.line[i]);
}
