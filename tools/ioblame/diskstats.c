// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "diskstats.h"
#include "file.h"
#include "msg.h"

/* A number of a line.  Return: what is behind it, NULL if there is none before the newline. */
static const char *read_number(const char *at, uint64_t *n)
{
	while (*at == ' ')
		at++;
	if (*at < '0' || *at > '9')
		return NULL;
	for (*n = 0; *at >= '0' && *at <= '9'; at++)
		*n = *n * 10 + (*at - '0');
	return at;
}

/*
 * The numbers of a line after the name, which are all that /sys/block/DISK/stat has.  Older
 * kernels have fewer: the rest is 0.
 */
void diskstats_parse_numbers(const char *at, struct diskstats *st)
{
	uint64_t *const to[] = {
		&st->ios[STAT_READ], &st->merges[STAT_READ], &st->sectors[STAT_READ],
		&st->ms[STAT_READ], &st->ios[STAT_WRITE], &st->merges[STAT_WRITE],
		&st->sectors[STAT_WRITE], &st->ms[STAT_WRITE], NULL, &st->busy_ms,
		&st->queue_ms, &st->ios[STAT_DISCARD], &st->merges[STAT_DISCARD],
		&st->sectors[STAT_DISCARD], &st->ms[STAT_DISCARD], &st->ios[STAT_FLUSH],
		&st->ms[STAT_FLUSH],
	};
	unsigned int i;
	uint64_t n;

	memset(st, 0, sizeof(*st));
	for (i = 0; i < sizeof(to) / sizeof(*to); i++) {
		at = read_number(at, &n);
		if (!at)
			return;
		if (to[i])
			*to[i] = n;
	}
}

/* A line of the file */
struct line {
	uint32_t dev;
	const char *numbers;	/* after the name */
};

static void add_line(struct diskstats_file *file, const char *at)
{
	uint64_t major, minor;
	struct line *line;
	uint32_t dev;

	at = read_number(at, &major);
	if (at)
		at = read_number(at, &minor);
	if (!at)
		return;
	at += strspn(at, " ");
	at += strcspn(at, " \n");
	dev = major << 20 | minor;
	if (map_get(&file->lines, &dev))
		return;
	line = must(malloc(sizeof(*line)));
	*line = (struct line){ dev, at };
	map_put(&file->lines, line);
}

/**
 * diskstats_parse - find the disks of the text of /proc/diskstats
 * @file: the result; diskstats_free() ends it
 * @text: allocated, and taken; NULL: no disk is there
 */
void diskstats_parse(struct diskstats_file *file, char *text)
{
	const char *at = text;

	*file = (struct diskstats_file){ .text = text, .lines.key_len = sizeof(uint32_t) };
	while (at && *at) {
		add_line(file, at);
		at = strchr(at, '\n');
		if (at)
			at++;
	}
}

/* The same of the file as it is now; of one that cannot be read, no disk is there. */
void diskstats_read(struct diskstats_file *file)
{
	diskstats_parse(file, file_read("/proc/diskstats"));
}

void diskstats_free(struct diskstats_file *file)
{
	map_clear(&file->lines, free);
	free(file->text);
}

/**
 * diskstats_find - the numbers of a disk
 * @file: the file
 * @dev:  the disk, major << 20 | minor
 * @st:   the result
 *
 * Return: false if it is not there.
 */
bool diskstats_find(const struct diskstats_file *file, uint32_t dev, struct diskstats *st)
{
	const struct line *line = map_get(&file->lines, &dev);

	memset(st, 0, sizeof(*st));
	if (line)
		diskstats_parse_numbers(line->numbers, st);
	return line;
}

/*
 * Whether these numbers can be those of the same disk, later: another one, which got the name or
 * the number of one that is gone, begins at 0.
 */
static bool diskstats_go_on(const struct diskstats *st, const struct diskstats *before)
{
	unsigned int i;

	for (i = 0; i < STAT_OPS; i++) {
		if (st->ios[i] < before->ios[i] || st->merges[i] < before->merges[i] ||
		    st->sectors[i] < before->sectors[i])
			return false;
	}
	/* it wraps after 49 days; nobody waits for half of them between two looks */
	return (uint32_t)(st->busy_ms - before->busy_ms) <= INT32_MAX;
}

/**
 * diskstats_since - take away what was counted before
 * @st:	    the numbers now, then those since
 * @before: those of an earlier look
 *
 * Return: false if it is another disk now: @st stays, it has all that this one did.
 */
bool diskstats_since(struct diskstats *st, const struct diskstats *before)
{
	unsigned int i;

	if (!diskstats_go_on(st, before))
		return false;
	for (i = 0; i < STAT_OPS; i++) {
		st->ios[i] -= before->ios[i];
		st->merges[i] -= before->merges[i];
		st->sectors[i] -= before->sectors[i];
		/* the kernel counts these in 32 bits */
		st->ms[i] = (uint32_t)(st->ms[i] - before->ms[i]);
	}
	st->busy_ms = (uint32_t)(st->busy_ms - before->busy_ms);
	st->queue_ms = (uint32_t)(st->queue_ms - before->queue_ms);
	return true;
}

static void add_numbers(struct diskstats *to, const struct diskstats *from)
{
	unsigned int i;

	for (i = 0; i < STAT_OPS; i++) {
		to->ios[i] += from->ios[i];
		to->merges[i] += from->merges[i];
		to->sectors[i] += from->sectors[i];
		to->ms[i] += from->ms[i];
	}
	to->busy_ms += from->busy_ms;
	to->queue_ms += from->queue_ms;
}

/**
 * diskstats_gather - look at a disk before its numbers wrap
 * @look: the look before; all 0 before the first
 * @file: /proc/diskstats now
 * @dev:  the disk
 *
 * Example: with 128 requests under way, the milliseconds of all wrap after nine hours.
 */
void diskstats_gather(struct diskstats_look *look, const struct diskstats_file *file, uint32_t dev)
{
	struct diskstats now, st;
	bool there = diskstats_find(file, dev, &now);

	st = now;
	if (there && look->there && diskstats_since(&st, &look->st))
		add_numbers(&look->sum, &st);
	else
		look->unknown = true;
	look->there = there;
	look->st = now;
}

/**
 * diskstats_next - what a disk did since this was asked before
 * @look: the look before; all 0 before the first
 * @file: /proc/diskstats now
 * @dev:  the disk
 * @st:   the result
 *
 * Return: false if that is not known: this is the first look at the disk, it is away, it was away
 * at a look since, or it is another one.
 */
bool diskstats_next(struct diskstats_look *look, const struct diskstats_file *file,
		    uint32_t dev, struct diskstats *st)
{
	bool known;

	diskstats_gather(look, file, dev);
	*st = look->sum;
	known = !look->unknown;
	memset(&look->sum, 0, sizeof(look->sum));
	look->unknown = false;
	return known;
}
