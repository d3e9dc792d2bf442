/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stat_print - the lines of stat: a table as iostat's, JSON with the keys of iostat's, CSV
 */
#ifndef IOBLAME_STAT_PRINT_H
#define IOBLAME_STAT_PRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "blamed.h"
#include "diskstats.h"
#include "run.h"

struct stat_look {
	const struct run *run;
	uint64_t from_ns, to_ns;
	bool wide;		/* all columns */
	bool filtered;		/* of a disk: what is not shown may be somebody's */
	bool discards;		/* there are any: a table with room has a column for them */
	/* JSON that is being made; CSV */
	struct json_object *line, *disks, *disk, *originators;
	const char *disk_name;
};

void stat_print_begin(struct stat_look *look);
void stat_print_disk(struct stat_look *look, const char *name, const struct diskstats *st,
		     const struct blamed *total);
void stat_print_sum(struct stat_look *look, const struct blamed *b);
void stat_print_more(struct stat_look *look, struct blamed **list, unsigned int nr);
void stat_print_rest(struct stat_look *look, const struct blamed *rest);
void stat_print_disk_end(struct stat_look *look);
void stat_print_end(struct stat_look *look);

#endif
