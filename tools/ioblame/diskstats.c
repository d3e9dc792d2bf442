// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "diskstats.h"
#include "file.h"

/* The file, allocated; NULL if it cannot be read. */
char *diskstats_read(void)
{
	return file_read("/proc/diskstats");
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
	unsigned long long n;
	unsigned int i;
	int used;

	memset(st, 0, sizeof(*st));
	for (i = 0; i < sizeof(to) / sizeof(*to); i++) {
		if (sscanf(at, " %llu%n", &n, &used) != 1)
			return;
		if (to[i])
			*to[i] = n;
		at += used;
		if (*at == '\n')
			return;
	}
}

/**
 * diskstats_parse - find a disk in the text of /proc/diskstats
 * @text: the text
 * @dev:  the disk, major << 20 | minor
 * @st:   the result
 *
 * Return: false if it is not there.
 */
bool diskstats_parse(const char *text, uint32_t dev, struct diskstats *st)
{
	unsigned int major, minor;
	int used;

	memset(st, 0, sizeof(*st));
	while (text && *text) {
		if (sscanf(text, " %u %u %*s%n", &major, &minor, &used) == 2 &&
		    (major << 20 | minor) == dev) {
			diskstats_parse_numbers(text + used, st);
			return true;
		}
		text = strchr(text, '\n');
		if (text)
			text++;
	}
	return false;
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

/**
 * diskstats_next - what a disk did since the look before
 * @look: that one; all 0 before the first
 * @text: of /proc/diskstats now, or NULL
 * @dev:  the disk
 * @st:   the result
 *
 * Return: false if that is not known: this is the first look at the disk, it is away, it was away
 * at the look before, or it is another one.
 */
bool diskstats_next(struct diskstats_look *look, const char *text, uint32_t dev,
		    struct diskstats *st)
{
	struct diskstats_look now;
	bool known;

	now.there = diskstats_parse(text, dev, &now.st);
	*st = now.st;
	known = now.there && look->there && diskstats_since(st, &look->st);
	*look = now;
	return known;
}
