/* SPDX-License-Identifier: GPL-2.0 */
/*
 * devs - which devices the module watches
 *
 * Example: { "8:0", "8:16", "8:32" } is one write of "8:0 8:16 8:32".  It is refused, as 8:32 is
 * gone.  Then "8:0 8:16" is written, and "8:32", which gets -ENODEV.
 */
#ifndef IOBLAME_DEVS_H
#define IOBLAME_DEVS_H

#include <stdbool.h>

/* A word of `devs` */
struct devs_word {
	char number[24];	/* MAJ:MIN */
	int err;		/* 0 once it is watched, or -errno */
};

struct devs_list {
	struct devs_word *word;
	unsigned int nr;
};

bool devs_add(struct devs_list *list, const char *number);
void devs_free(struct devs_list *list);
unsigned int devs_write(struct devs_list *list, bool others);
unsigned int devs_set(struct devs_list *list);

#endif
